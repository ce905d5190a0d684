"""Reads from a page's `<meta>` elements the metadata that goldminer's documents do not have."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

_DESCRIPTION = ("og:description", "description", "twitter:description", "dc.description")
_IMAGE = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
_TAGS = ("article:tag", "keywords", "news_keywords")


@dataclass(frozen=True)
class PageMeta:
    """Description, image and tags; None or empty if the page does not have them."""

    description: str | None
    image: str | None
    tags: list[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.contents: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "meta":
            given = dict(attrs)
            name = (given.get("property") or given.get("name") or "").strip().lower()
            content = (given.get("content") or "").strip()
            if name and content:
                self.contents.setdefault(name, []).append(content)


def page_meta(page: Any) -> PageMeta:
    """Read the metadata of a page: a `str`, or bytes, which are read as UTF-8."""
    text = page if isinstance(page, str) else bytes(page).decode("utf-8", "replace")
    reader = _Reader()
    # The standard library raises AssertionError at an unknown marked section (`<![x]>`).
    with suppress(AssertionError):
        reader.feed(text)
    first = [next((reader.contents[name][0] for name in names if name in reader.contents), None) for names in (_DESCRIPTION, _IMAGE)]
    tags = [tag.strip() for name in _TAGS for content in reader.contents.get(name, []) for tag in content.split(",")]
    return PageMeta(first[0], first[1], list(dict.fromkeys(tag for tag in tags if tag)))
