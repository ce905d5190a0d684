"""For Spark: pages in the rows of a frame to documents.

    from goldminer.spark import SCHEMA, extract_pages

    pages = spark.read.parquet("pages/")                                # `url` and `html`, text or binary
    documents = pages.select("url", "html").mapInArrow(extract_pages("profiles/"), SCHEMA)

The profiles lie where every worker sees them; or ship them: `spark.sparkContext.addFile("profiles/", recursive=True)` and
`extract_pages("profiles", shipped=True)`. They are read once a worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

SCHEMA = "id string, url string, domain string, title string, date string, language string, text string, document string"


def extract_pages(profiles: str | None = None, *, shipped: bool = False) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What `DataFrame.mapInArrow` takes, with `SCHEMA`."""

    def extract(batches: Iterator[Any]) -> Iterator[Any]:
        from goldminer.batches import documents
        from goldminer.extraction import extractor_of

        path = profiles
        if shipped and profiles is not None:
            from pyspark import SparkFiles

            path = SparkFiles.get(profiles)
        extractor = extractor_of(path)
        for batch in batches:
            yield documents(extractor, batch)

    return extract
