"""The engines that people have give the documents of `goldminer extract --stream`: datatrove, Ray Data, Spark, and an array of
processes as Slurm starts them.

python tests/engines.py PROGRAM ENGINE…     (in an environment with goldminer-corpus and the engines)
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

import goldminer
import pyarrow
import pyarrow.parquet
from portal_warcs import warc

PROGRAM = os.path.abspath(sys.argv[1])
FILES, DOMAINS, PAGES = 4, 6, 30
Row = tuple[str, str, "str | None", "str | None", "str | None"]


def run(*args: str | Path) -> None:
    subprocess.run([PROGRAM, *map(str, args), "-q"], check=True, timeout=300, stdout=subprocess.DEVNULL)


def row(document: goldminer.Document) -> Row:
    return (document.url, document.text, document.title, document.date, document.language)


def slurm_array(room: Path) -> list[Row]:
    """`sbatch --array=1-3`: a process a share, in any order."""
    for task in (3, 1, 2):
        share = ["--shard", f"{task}/3", "--threads", "1"]
        run("extract", "--stream", room / "warcs", "--profiles", room / "profiles", "-o", room / "array", *share)
    for file in (room / "here").glob("*.jsonl.zst"):
        assert file.read_bytes() == (room / "array" / file.name).read_bytes(), f"{file.name} has other bytes"
    return [row(document) for document in goldminer.read_corpus(room / "array")]


def datatrove(room: Path) -> list[Row]:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from goldminer.datatrove import GoldminerExtractor, GoldminerWarcReader

    pipeline = [
        GoldminerWarcReader(str(room / "warcs"), glob_pattern="*.warc.gz"),
        GoldminerExtractor(str(room / "profiles")),
        JsonlWriter(str(room / "datatrove"), compression="gzip"),
    ]
    LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(room / "logs")).run()
    lines = [line for file in (room / "datatrove").glob("*.gz") for line in gzip.open(file, "rt", encoding="utf-8")]
    rows = [json.loads(line) for line in lines]
    return [(r["metadata"]["url"], r["text"], *(r["metadata"][key] for key in ("title", "published", "language"))) for r in rows]


def ray_data(room: Path) -> list[Row]:
    import ray

    from goldminer.ray_data import ExtractPages

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=str(room / "ray"))
    pages = ray.data.read_parquet(str(room / "pages"), columns=["url", "html"])
    made = pages.map_batches(
        ExtractPages, fn_constructor_args=(str(room / "profiles"),), batch_format="pyarrow", batch_size=64, concurrency=2, num_cpus=0.5
    )
    rows = [(r["url"], r["text"], r["title"], r["date"], r["language"]) for r in made.take_all()]
    ray.shutdown()
    return rows


def spark(room: Path) -> list[Row]:
    from pyspark.sql import SparkSession

    from goldminer.spark import SCHEMA, extract_pages

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.sql.execution.arrow.maxRecordsPerBatch": "64", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.addFile(str(room / "profiles"), recursive=True)
    pages = session.read.parquet(str(room / "pages")).select("url", "html")
    made = pages.mapInArrow(extract_pages("profiles", shipped=True), SCHEMA).collect()
    session.stop()
    return [(r["url"], r["text"], r["title"], r["date"], r["language"]) for r in made]


ENGINES: dict[str, Callable[[Path], list[Row]]] = {e.__name__: e for e in (slurm_array, datatrove, ray_data, spark)}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="gm") as folder:
        room = Path(folder)
        (room / "warcs").mkdir()
        (room / "pages").mkdir()
        for number in range(1, FILES + 1):
            warc(room / "warcs" / f"news-{number}.warc.gz", number, DOMAINS, PAGES // FILES)
        for number, file in enumerate(sorted((room / "warcs").iterdir())):
            pages = [{"url": page.url, "html": page.html} for page in goldminer.read_warc(file)]
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(pages), room / "pages" / f"{number}.parquet")
        run("sample", room / "warcs", "-o", room / "samples")
        run("learn", room / "samples", "-o", room / "profiles.gmp")
        run("profile", "export", room / "profiles.gmp", "--profiles", room / "profiles")
        run("extract", "--stream", room / "warcs", "--profiles", room / "profiles", "-o", room / "here")
        expected = sorted(map(row, goldminer.read_corpus(room / "here")))
        assert len(expected) == FILES * DOMAINS * (PAGES // FILES), len(expected)
        for name in sys.argv[2:] or ENGINES:
            found = sorted(ENGINES[name](room))
            assert found == expected, f"{name}: {len(found)} documents, {len(expected)} expected"
            print(f"{name}: the same {len(found)} documents", flush=True)


if __name__ == "__main__":
    main()
