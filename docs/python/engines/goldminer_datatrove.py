"""GoldMiner in datatrove: steps that read WARC files, and that make documents of pages. Copy this file beside your program.

    pipeline = [
        GoldminerWarcReader("cc-news/", glob_pattern="*.warc.gz"),       # or datatrove's own WarcReader
        GoldminerExtractor("profiles/"),
        JsonlWriter("documents/"),
    ]

datatrove's `BaseExtractor` is not used: it gives an extractor no URL, by which profiles are found, and sends each page through
a process of its own. datatrove's reader decodes pages by trial and leaves out what it cannot decode. This reader leaves the
decoding to the extractor, which knows encodings as browsers do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import goldminer
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.readers.base import BaseDiskReader


class GoldminerWarcReader(BaseDiskReader):  # type: ignore[misc]
    """The pages of WARC files on a disk: `text` is the page as it came, as bytes that `GoldminerExtractor` decodes."""

    name = "⛏ Goldminer WARC"

    def read_file(self, filepath: str) -> Iterator[Any]:
        for number, page in enumerate(goldminer.read_warc(os.path.join(self.data_folder.path, filepath))):
            row = {"text": page.html, "url": page.url, "date": page.fetched, "content_type": page.content_type}
            document = self.get_document_from_dict({**row, "id": f"{page.file}/{page.offset}"}, filepath, number)
            if document:
                yield document


class GoldminerExtractor(PipelineStep):  # type: ignore[misc]
    """Pages (`text`, with the URL in the metadata) to documents; pages without one are dropped and counted by reason."""

    type, name = "🛢 - EXTRAC", "⛏ Goldminer"

    def __init__(self, profiles: str | None = None) -> None:
        super().__init__()
        self.profiles = profiles

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        extractor = goldminer.Extractor(self.profiles)
        for page in data or ():
            with self.track_time():
                about = page.metadata
                found = extractor.extract(page.text, about.get("url"), content_type=about.pop("content_type", None))
            if not isinstance(found, goldminer.Document):
                self.stat_update(f"dropped_{found.reason}")
                continue
            self.stat_update("extracted")
            page.text = found.text
            told = {"domain": found.domain, "title": found.title, "published": found.date, "language": found.language}
            page.metadata.update({**told, "authors": found.authors, "goldminer_id": found.id})
            self.update_doc_stats(page)
            yield page
