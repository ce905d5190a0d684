"""The interface of readability-lxml: `Document(html).title()`, `.summary()`, with goldminer's article.

>>> from goldminer.compat.readability import Document
>>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
>>> document = Document(f"<title>Rain | The Portal</title><h1>Rain</h1>{story}")
>>> document.short_title(), document.summary(html_partial=True)[:19]
('Rain', '<div><h2>Rain</h2><')

Differences: the summary has only headings, paragraphs and list items, as text without markup; images and links are left out.
A page without an article has an empty summary, and "[no-title]" if it has no title either.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape

from goldminer import Document as _Document
from goldminer import Extractor
from goldminer.compat import _passed_over
from goldminer.extraction import Html

__all__ = ["Document"]

_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TAGS = {"h": "h2", "l": "li", "code": "pre", "quote": "blockquote"}


class Document:
    """A page, its title and its article as HTML."""

    def __init__(
        self,
        input: Html,  # noqa: A002, the name of the reference
        positive_keywords: object = None,
        negative_keywords: object = None,
        url: str | None = None,
        min_text_length: int = 25,
        retry_length: int = 250,
        xpath: bool = False,
        handle_failures: str = "discard",
    ) -> None:
        _passed_over(
            "readability.Document",
            positive_keywords=positive_keywords,
            negative_keywords=negative_keywords,
            min_text_length=min_text_length != 25 and min_text_length,
            retry_length=retry_length != 250 and retry_length,
            xpath=xpath,
            handle_failures=handle_failures != "discard" and handle_failures,
        )
        self._html = input
        found = _extractor().extract(input, url)
        self._document = found if isinstance(found, _Document) else None

    def title(self) -> str:
        """Return the text of the page's `<title>`."""
        html = self._html if isinstance(self._html, str) else bytes(self._html).decode("utf8", "replace")
        found = _TITLE.search(html)
        text = " ".join(unescape(found.group(1)).split()) if found else ""
        return text or self._headline() or "[no-title]"

    def short_title(self) -> str:
        """Return the headline."""
        return self._headline() or self.title()

    def author(self) -> str:
        """Return the authors; "[no-author]" if the page names none."""
        return ", ".join(self._document.authors) if self._document and self._document.authors else "[no-author]"

    def summary(self, html_partial: bool = False, keep_all_images: bool = False) -> str:
        """Return the article as HTML: a whole document, or a `<div>`."""
        _passed_over("readability.Document.summary", keep_all_images=keep_all_images)
        paragraphs = [p for p in self._document.paragraphs if p.kind != "caption"] if self._document else []
        blocks = (f"<{tag}>{escape(p.text, False)}</{tag}>" for p in paragraphs for tag in [_TAGS.get(p.kind, "p")])
        part = f"<div>{''.join(blocks)}</div>"
        return part if html_partial else f"<html><body>{part}</body></html>"

    def content(self) -> str:
        """Return the page as it was given, as text."""
        return self._html if isinstance(self._html, str) else bytes(self._html).decode("utf8", "replace")

    def _headline(self) -> str | None:
        return self._document.title if self._document else None


@lru_cache(maxsize=1)
def _extractor() -> Extractor:
    return Extractor()
