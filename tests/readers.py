"""Reads an output of `goldminer extract` with the programs that the README names, each with its defaults, and validates the
cards of corpora with programs that read them.

    python tests/readers.py GOLDMINER        (DuckDB, pandas, polars, pyarrow, datasets, zstandard, mlcroissant, jsonschema,
                                              and cffconvert for its schema)

The output is difficult: its first lines, more than a program examines to guess the types, have no author, date, profile or
near-duplicate; later lines have them. .ci/run runs this. The exit code is 1 if a reader fails or loses documents.
"""

import glob
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

POOR, RICH = 4000, 40
WORDS = "bridge river council mayor winter market school garden railway harbour doctor engine letter mountain".split()


def article(number: int, rich: bool) -> str:
    """A page. Only rich pages have metadata."""
    head = (
        f'<meta property="article:published_time" content="2026-03-{number % 28 + 1:02}T08:00:00+01:00">'
        f'<meta name="author" content="Anna Writer"><meta property="article:section" content="News">'
        f'<link rel="canonical" href="https://b.example/{number}">'
        if rich
        else ""
    )
    state = number
    paragraphs = []
    for _ in range(12):
        words = []
        for _ in range(40):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            words.append(WORDS[(state >> 33) % len(WORDS)])
        paragraphs.append(f"<p>The {' of the '.join(words)} was there, and so were all of us with them.</p>")
    return f"<!DOCTYPE html><html lang=en>{head}<body><h1>Of {number}</h1>{''.join(paragraphs)}</body></html>"


def make(goldminer: str, room: str) -> str:
    """Makes an output. The pages of its first domain have no metadata, those of the second one have."""
    for domain, count, rich in [("a.example", POOR, False), ("b.example", RICH, True)]:
        folder = os.path.join(room, "pages", domain)
        os.makedirs(folder)
        for number in range(count):
            with open(os.path.join(folder, f"{number:05}.html"), "w") as file:
                file.write(article(number if not rich else number + 10**6, rich))
    out = os.path.join(room, "out")
    subprocess.run([goldminer, "-q", "extract", room, "-o", out, "--method", "all-text"], check=True, stdout=subprocess.DEVNULL)
    return out


def demo(goldminer: str, room: str) -> str:
    """Crawls the built-in portals, and returns the job directory."""
    job = os.path.join(room, "demo")
    subprocess.run([goldminer, "-q", "demo", "--dir", job, "--delay", "0s"], stdout=subprocess.DEVNULL, check=True)
    return job


def of_card(folder: str, datasets, mlcroissant, schema: dict) -> str:
    """Returns why the card of a folder is wrong; an empty text if it is right."""
    import jsonschema
    import yaml

    path = os.path.join(folder, "croissant.json")
    dataset = mlcroissant.Dataset(jsonld=path)
    issues = dataset.metadata.ctx.issues
    if issues.errors or issues.warnings:
        return issues.report()
    rows = datasets.load_dataset(folder, split="train")
    portals = [record["domains/documents"] for record in dataset.records("domains")]
    if sum(portals) != rows.num_rows or not portals:
        return f"{rows.num_rows} documents, and {sum(portals)} on the card"
    with open(path) as file:
        card = json.load(file)
    for file in card["distribution"]:
        if "sha256" in file:
            with open(os.path.join(folder, file["contentUrl"]), "rb") as content:
                if hashlib.sha256(content.read()).hexdigest() != file["sha256"]:
                    return f"{file['name']} has another checksum"
    documents = next(of for of in card["recordSet"] if of["@id"] == "documents")
    if [field["name"] for field in documents["field"]] != list(rows.features):
        return f"fields are {list(rows.features)}"
    if any(name.endswith(".parquet") for name in os.listdir(folder)):
        # mlcroissant cannot read JSON lines in zstd.
        texts = [record["documents/text"].decode() for record in dataset.records("documents")]
        if texts != rows["text"][:]:
            return "mlcroissant reads other texts"
    with open(os.path.join(folder, "CITATION.cff")) as file:
        citation = yaml.load(file, yaml.BaseLoader)
    jsonschema.Draft7Validator(schema).validate(citation)
    return ""


def wrong_cards(goldminer: str, room: str, out: str, parquet: str, datasets) -> int:
    """Returns how many cards are wrong: of a crawl, an extraction, `extract --stream`, and other formats."""
    import mlcroissant

    job = demo(goldminer, room)
    streamed = os.path.join(room, "streamed")
    subprocess.run(
        [goldminer, "-q", "extract", "--stream", os.path.join(job, "archive"), "-o", streamed], check=True, stdout=subprocess.DEVNULL
    )
    # The documents of the demo have links, lists and tables.
    structured = os.path.join(room, "structured")
    subprocess.run([goldminer, "-q", "convert", os.path.join(job, "corpus"), "-o", structured, "--format", "parquet"], check=True)
    # The package is installed without its dependencies, for its schema only.
    (package,) = importlib.util.find_spec("cffconvert").submodule_search_locations
    with open(os.path.join(package, "schemas", "1.2.0", "schema.json")) as file:
        schema = json.load(file)
    wrong = 0
    folders = {"crawl": os.path.join(job, "corpus"), "extract": out, "stream": streamed, "parquet": parquet, "structure": structured}
    for name, folder in folders.items():
        try:
            why = of_card(folder, datasets, mlcroissant, schema)
        except Exception as error:  # noqa: BLE001 (whatever a reader fails with is what is tested)
            why = f"{type(error).__name__}: {error}"
        wrong += bool(why)
        print(f"card of {name}: {'FAILED: ' + why if why else 'valid'}")
    return wrong


def main() -> int:
    goldminer = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as room:
        os.environ["HF_HOME"] = os.path.join(room, "cache")
        os.environ["HF_HUB_OFFLINE"] = "1"
        import datasets
        import duckdb
        import pandas
        import polars
        import pyarrow
        import pyarrow.json
        import zstandard

        out = make(goldminer, room)
        files = sorted(glob.glob(os.path.join(out, "*.jsonl.zst")))
        lines = []
        for name in files:
            with zstandard.open(name, "rt", encoding="utf-8") as file:
                lines += [json.loads(line) for line in file]
        expected = len(lines)
        dated = sum(1 for line in lines if line["metadata"]["published"])
        keys = {json.dumps(sorted(line["metadata"])) + json.dumps(sorted(line["provenance"])) for line in lines}
        assert len(keys) == 1, "every line has all keys"
        assert expected > POOR and dated >= RICH - 1, (expected, dated)

        def of_datasets():
            rows = datasets.load_dataset(out, split="train")
            return rows.num_rows, sum(1 for at in rows["metadata"] if at["published"])

        def of_duckdb():
            return duckdb.sql(f"select count(*), count(metadata.published) from '{out}/*.jsonl.zst'").fetchall()[0]

        def of_pandas():
            rows = pandas.concat([pandas.read_json(name, lines=True, compression="zstd") for name in files])
            return len(rows), int(rows["metadata"].map(lambda at: at["published"] is not None).sum())

        def of_polars():
            read = [polars.read_ndjson(name, infer_schema_length=None) for name in files]
            rows = polars.concat(read, how="diagonal_relaxed")
            return rows.height, rows["metadata"].struct.field("published").count()

        def of_pyarrow():
            block = pyarrow.json.ReadOptions(block_size=1 << 30)
            tables = [pyarrow.json.read_json(pyarrow.CompressedInputStream(name, "zstd"), block) for name in files]
            return sum(t.num_rows for t in tables), sum(
                pyarrow.compute.struct_field(t["metadata"], "published").drop_null().length() for t in tables
            )

        def of_parquet():
            folder = os.path.join(room, "parquet")
            subprocess.run(
                [goldminer, "-q", "convert", out, "-o", folder, "--format", "parquet"], check=True, stdout=subprocess.DEVNULL
            )
            rows = pandas.read_parquet(os.path.join(folder, "corpus.parquet"))
            return len(rows), int(rows["published"].notna().sum())

        failed = 0
        for read in [of_datasets, of_duckdb, of_pandas, of_polars, of_pyarrow, of_parquet]:
            name = read.__name__.removeprefix("of_")
            try:
                found = tuple(read())
            except Exception as error:  # noqa: BLE001 (whatever a reader fails with is what is tested)
                found = f"{type(error).__name__}: {error}"
            good = found == (expected, dated)
            failed += not good
            print(f"{name}: {'reads it' if good else f'FAILED: {found}, and there are {(expected, dated)}'}")
        failed += wrong_cards(goldminer, room, out, os.path.join(room, "parquet"), datasets)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
