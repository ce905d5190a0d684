"""GoldMiner in Spark and in Ray Data: tables of pages to tables of documents. Copy this file beside your program.

A row needs `html` (text or bytes) and should have `url`. Other columns are ignored. A page without a document has no row.

Spark:

    pages = spark.read.parquet("pages/").select("url", "html")
    documents = pages.mapInArrow(extract_pages("profiles/"), SPARK_SCHEMA)

Every worker must see the profiles. To ship them, call `spark.sparkContext.addFile("profiles/", recursive=True)` and pass
`extract_pages("profiles", shipped=True)`.

Ray Data:

    pages = ray.data.read_parquet("pages/", columns=["url", "html"])
    documents = pages.map_batches(
        ExtractPages, fn_constructor_args=("profiles/",), batch_format="pyarrow", batch_size=256, concurrency=8
    )
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import goldminer
import pyarrow

COLUMNS = ("id", "url", "domain", "title", "date", "language", "text", "document")
"""`document` is the whole document as a line of JSON: `goldminer.Document.from_json` reads it."""

SCHEMA = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
SPARK_SCHEMA = ", ".join(f"{name} string" for name in COLUMNS)


def documents(extractor: goldminer.Extractor, pages: Any, threads: int = 1) -> Any:
    """The documents of a batch or table of pages, in their order."""
    rows = pages.select(["html", "url"] if "url" in pages.schema.names else ["html"]).to_pylist()
    taken = [(row["html"], row.get("url")) for row in rows if row["html"]]
    found = [document for document in extractor.extract_many(taken, threads) if isinstance(document, goldminer.Document)]
    columns = [(d.id, d.url, d.domain, d.title, d.date, d.language, d.text, d.to_json()) for d in found]
    arrays = [pyarrow.array([row[at] for row in columns], pyarrow.string()) for at in range(len(COLUMNS))]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=SCHEMA)


class ExtractPages:
    """For Ray Data: an actor that holds the profiles. Raise `threads` where an actor has more than one processor."""

    def __init__(self, profiles: str | None = None, *, threads: int = 1) -> None:
        self._extractor = goldminer.Extractor(profiles)
        self._threads = threads

    def __call__(self, pages: Any) -> Any:
        return pyarrow.Table.from_batches([documents(self._extractor, pages, self._threads)])


@lru_cache(maxsize=1)
def _extractor(profiles: str | None) -> goldminer.Extractor:
    """Profiles are read once a worker."""
    return goldminer.Extractor(profiles)


def extract_pages(profiles: str | None = None, *, shipped: bool = False) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """For Spark: the function that `DataFrame.mapInArrow` takes, with `SPARK_SCHEMA`."""

    def extract(batches: Iterator[Any]) -> Iterator[Any]:
        path = profiles
        if shipped and profiles is not None:
            from pyspark import SparkFiles

            path = SparkFiles.get(profiles)
        for batch in batches:
            yield documents(_extractor(path), batch)

    return extract
