"""Batches of Arrow, with a row for each page, to batches with a row for each document: what Spark and Ray Data hand on.

A row needs `html` (text or bytes) and should have `url`; other columns are passed over. Pages without a document have no row.
"""

from __future__ import annotations

from typing import Any

import pyarrow

from goldminer._goldminer import Document, Extractor

SCHEMA = pyarrow.schema([(name, pyarrow.string()) for name in ("id", "url", "domain", "title", "date", "language", "text", "document")])
"""`document` is the whole one, as a line of a corpus: `goldminer.Document.from_json` reads it."""


def documents(extractor: Extractor, batch: Any, threads: int = 1) -> Any:
    """The documents of a batch's pages, in their order."""
    pages = batch.select(["html", "url"] if "url" in batch.schema.names else ["html"]).to_pylist()
    taken = [(page["html"], page.get("url")) for page in pages if page["html"]]
    found = [document for document in extractor.extract_many(taken, threads) if isinstance(document, Document)]
    rows: list[tuple[str | None, ...]] = [
        (d.id, d.url, d.domain, d.title, d.date, d.language, d.text, d.to_json()) for d in found
    ]
    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array([row[at] for row in rows], pyarrow.string()) for at in range(len(SCHEMA))], schema=SCHEMA
    )
