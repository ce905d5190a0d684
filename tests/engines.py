"""Data engines give the documents of `goldminer extract --stream`: datatrove, Ray Data, Spark, and processes as Slurm and GNU
parallel start them, in any number of shards and killed at any moment.

python tests/engines.py PROGRAM [--archive DIR] [ENGINE…]     (in an environment with goldminer-corpus and the engines)

`cargo bench --bench archives -- --dir DIR` makes `warcs/` and `profiles.gmp` in DIR. Without DIR, a small archive is made.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Callable

import goldminer
import pyarrow
import pyarrow.parquet
from portal_warcs import warc

# The modules of the book that users copy. Workers import them, too.
STEPS = str(Path(__file__).resolve().parents[1] / "docs/python/engines")
sys.path.append(STEPS)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [STEPS, os.environ.get("PYTHONPATH")]))

FILES, DOMAINS, PAGES = 4, 6, 30
KILLS = 20
# For each document its URL and a digest of its contents, because the text of an archive may not fit into memory.
Rows = list[tuple[str, str]]

PROGRAM = os.path.abspath(sys.argv[1])


def run(*args: str | Path) -> None:
    subprocess.run([PROGRAM, *map(str, args), "-q"], check=True, timeout=3600, stdout=subprocess.DEVNULL)


def row(*found: str | None) -> tuple[str, str]:
    """The row of a document with this URL, text, title, date and language."""
    return (found[0] or "", hashlib.sha256(json.dumps(found[1:]).encode()).hexdigest())


def rows_of(folder: Path) -> Rows:
    return [row(d.url, d.text, d.title, d.date, d.language) for d in goldminer.read_corpus(folder)]


def extraction(room: Path, out: str, *more: str) -> list[str | Path]:
    return ["extract", "--stream", room / "warcs", "--profiles", room / "profiles", "-o", room / out, *more]


def same_files(room: Path, out: str) -> Rows:
    """Checks that the files of an output are those of one run without interruptions. Returns its documents."""
    here = sorted((room / "here").glob("*.jsonl.zst"))
    assert [file.name for file in here] == sorted(file.name for file in (room / out).glob("*.jsonl.zst"))
    for file in here:
        assert file.read_bytes() == (room / out / file.name).read_bytes(), f"{out}: {file.name} has other bytes"
    return rows_of(room / out)


def shards(room: Path) -> Rows:
    """Extracts in one, four and sixteen shards."""
    for of in (1, 4, 16):
        for number in range(of, 0, -1):
            run(*extraction(room, f"shards-{of}", "--shard", f"{number}/{of}"))
        found = same_files(room, f"shards-{of}")
    return found


def slurm_array(room: Path) -> Rows:
    """As `sbatch --array=1-8`: a process for each shard, two at a time, in any order."""
    tasks = list(range(1, 9))
    random.Random(8).shuffle(tasks)
    while tasks:
        pair = [extraction(room, "array", "--shard", f"{task}/8", "--threads", "1", "-q") for task in (tasks.pop(), tasks.pop())]
        running = [subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.DEVNULL) for args in pair]
        assert [process.wait(timeout=3600) for process in running] == [0, 0]
    return same_files(room, "array")


def killed(room: Path) -> Rows:
    """The command is killed twenty times, at any moment, and started again."""
    begun = time.monotonic()
    run(*extraction(room, "unbroken"))
    whole, dice = time.monotonic() - begun, random.Random(20)
    for _ in range(KILLS):
        process = subprocess.Popen([PROGRAM, *map(str, extraction(room, "killed", "-q"))], stdout=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, whole / 4))
        process.kill()
        process.wait()
    run(*extraction(room, "killed"))
    return same_files(room, "killed")


def datatrove(room: Path) -> Rows:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from goldminer_datatrove import GoldminerExtractor, GoldminerWarcReader

    pipeline = [
        GoldminerWarcReader(str(room / "warcs"), glob_pattern="*.warc.gz"),
        GoldminerExtractor(str(room / "profiles")),
        JsonlWriter(str(room / "datatrove"), compression="gzip"),
    ]
    LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(room / "logs")).run()
    made = (json.loads(line) for file in (room / "datatrove").glob("*.gz") for line in gzip.open(file, "rt", encoding="utf-8"))
    return [row(r["metadata"]["url"], r["text"], *(r["metadata"][key] for key in ("title", "published", "language"))) for r in made]


def of_rows(made: Iterable[dict[str, str]]) -> Rows:
    return [row(*(r[key] for key in ("url", "text", "title", "date", "language"))) for r in made]


def ray_data(room: Path) -> Rows:
    import ray

    from goldminer_arrow import ExtractPages

    # The sockets of Ray need a short path.
    sockets = tempfile.TemporaryDirectory(prefix="gm")
    store = {"object_store_memory": 512 << 20, "_temp_dir": sockets.name}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, **store)
    pages = ray.data.read_parquet(str(tables(room)), columns=["url", "html"])
    made = pages.map_batches(
        ExtractPages, fn_constructor_args=(str(room / "profiles"),), batch_format="pyarrow", batch_size=64, concurrency=2, num_cpus=0.5
    )
    found = of_rows(made.iter_rows())
    ray.shutdown()
    sockets.cleanup()
    return found


def spark(room: Path) -> Rows:
    from pyspark.sql import SparkSession

    from goldminer_arrow import SPARK_SCHEMA, extract_pages

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
    settings |= {f"spark.sql.{key}": "64" for key in ("execution.arrow.maxRecordsPerBatch", "parquet.columnarReaderBatchSize")}
    builder = SparkSession.builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.addFile(str(room / "profiles"), recursive=True)
    pages = session.read.parquet(str(tables(room))).select("url", "html")
    made = pages.mapInArrow(extract_pages("profiles", shipped=True), SPARK_SCHEMA).drop("document")
    made.write.parquet(str(room / "spark"))
    session.stop()
    files = sorted((room / "spark").glob("*.parquet"))
    return [found for file in files for found in of_rows(pyarrow.parquet.read_table(file).to_pylist())]


def tables(room: Path) -> Path:
    """Writes the pages as tables of at most 500 pages, as engines expect them."""
    folder = room / "pages"
    if folder.exists():
        return folder
    folder.mkdir()
    for file in sorted((room / "warcs").iterdir()):
        pages: list[dict[str, object]] = []
        number = 0
        for page in goldminer.read_warc(file):
            pages.append({"url": page.url, "html": page.html})
            if len(pages) == 500:
                pyarrow.parquet.write_table(pyarrow.Table.from_pylist(pages), folder / f"{file.name}-{number:05}.parquet")
                number, pages = number + 1, []
        if pages:
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(pages), folder / f"{file.name}-{number:05}.parquet")
    return folder


def archive(room: Path, made: Path | None) -> None:
    """Prepares the archive and the profiles in the folder, and extracts them in one run."""
    if made:
        (room / "warcs").symlink_to((made / "warcs").absolute(), target_is_directory=True)
        book = made / "profiles.gmp"
    else:
        (room / "warcs").mkdir()
        for number in range(1, FILES + 1):
            warc(room / "warcs" / f"news-{number}.warc.gz", number, DOMAINS, PAGES // FILES)
        book = room / "profiles.gmp"
        run("sample", room / "warcs", "-o", room / "samples")
        run("learn", room / "samples", "-o", book)
    run("profile", "export", book, "-o", room / "profiles")
    run(*extraction(room, "here"))


# These let GoldMiner write the files, so that files can be compared. For the other engines, documents are compared.
OURS: dict[str, Callable[[Path], Rows]] = {e.__name__: e for e in (shards, slurm_array, killed)}
ENGINES = OURS | {e.__name__: e for e in (datatrove, ray_data, spark)}


def main() -> None:
    args = sys.argv[2:]
    made = Path(args[1]) if args[:1] == ["--archive"] else None
    with tempfile.TemporaryDirectory(prefix="gm", dir=made) as folder:
        room = Path(folder)
        archive(room, made)
        here = rows_of(room / "here")
        expected = set(here)
        assert made or len(here) == FILES * DOMAINS * (PAGES // FILES), len(here)
        for name in (args[2:] if made else args) or ENGINES:
            begun = time.monotonic()
            found = ENGINES[name](room)
            missing = expected - set(found)
            # Engines deduplicate in their own ways, so they may keep documents that GoldMiner leaves out within a file.
            repeated = set(found) - expected
            known = {digest for _, digest in here}
            strange = {one for one in repeated if one[1] not in known}
            assert not missing and (made or not repeated), f"{name}: {len(missing)} documents are missing, {len(repeated)} more"
            took = time.monotonic() - begun
            print(f"{name}: the same {len(expected)} documents, {len(repeated)} repeated ones ({len(strange)} of them in the running text alone); {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
