"""GoldMiner in NVIDIA's NeMo Curator, in place of its extractors. Copy this file beside your program.

    CommonCrawlDownloadExtractStage(..., html_extraction=JusTextExtractor())        # jusText as it is there, faster
    CommonCrawlDownloadExtractStage(..., html_extraction=GoldminerExtractor())      # the classifier of single pages
    DocumentExtractStage(extractor=GoldminerDocumentExtractor("profiles/"))         # with profiles of portals
"""

from __future__ import annotations

from typing import Any

from goldminer import Document, Extractor
from goldminer.compat.justext import justext
from nemo_curator.stages.text.download import DocumentExtractor
from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm


class GoldminerExtractor(HTMLExtractorAlgorithm):  # type: ignore[misc]
    """The paragraphs of a page's article, judged by the page alone."""

    def __init__(self, **settings: Any) -> None:
        self._extractor = Extractor(**settings)

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        document = self._extractor.extract(html)
        return [paragraph.text for paragraph in document.paragraphs] if isinstance(document, Document) else None


class JusTextExtractor(HTMLExtractorAlgorithm):  # type: ignore[misc]
    """NeMo Curator's own default, with the same settings. In languages without spaces stopwords are not asked for."""

    def __init__(self, *, is_boilerplate: bool | None = None, **settings: Any) -> None:
        self._is_boilerplate = is_boilerplate
        self._settings = settings

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        settings = self._settings
        is_spaceless = language in self.NON_SPACED_LANGUAGES
        if is_spaceless:
            settings = {**settings, "stopwords_low": 0.0, "stopwords_high": 0.0}
        wanted = self._is_boilerplate if self._is_boilerplate is not None else is_spaceless
        # Where boilerplate is wanted, too, its paragraphs stay.
        return [p.text for p in justext(html, stop_words, **settings) if wanted or not p.is_boilerplate]


class GoldminerDocumentExtractor(DocumentExtractor):  # type: ignore[misc]
    """Records of WARC files to documents, with the profiles of their domains."""

    def __init__(self, profiles: str | None = None, **settings: Any) -> None:
        super().__init__()
        self._extractor = Extractor(profiles, **settings)

    def extract(self, record: dict[str, Any]) -> dict[str, Any] | None:
        document = self._extractor.extract(record["content"], record["url"])
        if not isinstance(document, Document):
            return None
        kept = {name: record.get(name) for name in ("url", "warc_id", "source_id")}
        return {**kept, "language": document.language, "text": document.text, "title": document.title, "date": document.date}

    def input_columns(self) -> list[str]:
        return ["url", "warc_id", "source_id", "content"]

    def output_columns(self) -> list[str]:
        return ["url", "warc_id", "source_id", "language", "text", "title", "date"]
