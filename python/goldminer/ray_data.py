"""For Ray Data: an actor that holds the profiles, and takes batches of pages.

    from goldminer.ray_data import ExtractPages

    pages = ray.data.read_parquet("pages/", columns=["url", "html"])   # text or binary
    documents = pages.map_batches(
        ExtractPages, fn_constructor_args=("profiles/",), batch_format="pyarrow", batch_size=256, concurrency=8
    )
    documents.write_parquet("documents/")
"""

from __future__ import annotations

from typing import Any

from goldminer.batches import documents
from goldminer.extraction import ProfileSource, extractor_of


class ExtractPages:
    """Tables of pages (`url`, `html`) to tables of documents; `threads` where an actor has more than one processor."""

    def __init__(self, profiles: ProfileSource = None, *, threads: int = 1) -> None:
        self._extractor = extractor_of(profiles)
        self._threads = threads

    def __call__(self, pages: Any) -> Any:
        import pyarrow

        return pyarrow.Table.from_batches([documents(self._extractor, pages, self._threads)])
