"""The interface of trafilatura 2: `fetch_url`, `extract`, `bare_extraction`, `extract_metadata`, `baseline`, `html2txt`, with
goldminer's text.

>>> from goldminer.compat import trafilatura
>>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
>>> trafilatura.extract(f"<nav><a href=/>Home</a></nav><h1>Rain</h1>{story}").splitlines()[0]
'Rain'

Differences:

- The text is the article without comments. `include_comments=True` is trafilatura's default and therefore has no effect;
  `favor_recall=True` includes comments and lists, like goldminer's convention "page".
- `include_links` and `include_images` apply to "markdown" and "html", `include_formatting` to "html" (it is always on for
  "markdown"), and `include_tables` to all formats.
- Output formats are "txt", "markdown", "json", "xml", "html" and "csv". `description`, `tags` and `image` come from the page's
  `<meta>` elements; `categories` and `pagetype` are None.
- A page is a `str` or `bytes`, not an lxml tree; `body`, `commentsbody` and the first of the three values of `baseline` are
  None.
- `fetch_url` respects robots.txt and sends one request at a time to a host, with the delay of a crawl. It needs a user agent
  with a web page or an e-mail address of yours, from the argument `user_agent` or the environment variable
  `GOLDMINER_USER_AGENT`.
- `profiles` is an additional argument for profiles that goldminer has learned.
"""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import urlsplit

from goldminer import Document as _Document
from goldminer import Extractor, Paragraph
from goldminer._goldminer import Fetcher
from goldminer.compat import _passed_over
from goldminer.compat._page_meta import PageMeta, page_meta
from goldminer.errors import ArgumentError
from goldminer.extraction import Html, ProfileSource

__all__ = ["Document", "bare_extraction", "baseline", "extract", "extract_metadata", "fetch_url", "html2txt"]

_log = logging.getLogger("goldminer.compat.trafilatura")

_FORMATS = ("csv", "html", "json", "markdown", "txt", "xml")
_ELEMENTS = {"h": "head", "l": "item", "code": "code", "quote": "quote"}
_DEFAULTS: dict[str, Any] = {"include_comments": True}


class Document:
    """The text of a page and its metadata, with the attributes of trafilatura's `Document`."""

    __slots__ = (
        "title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags", "fingerprint", "id",
        "license", "body", "comments", "commentsbody", "raw_text", "text", "language", "image", "pagetype", "filedate",
    )  # fmt: skip

    title: str | None
    author: str | None
    url: str | None
    hostname: str | None
    description: str | None
    sitename: str | None
    date: str | None
    categories: list[str] | None
    tags: list[str] | None
    fingerprint: str | None
    id: str | None
    license: str | None
    body: None
    comments: str | None
    commentsbody: None
    raw_text: str | None
    text: str
    language: str | None
    image: str | None
    pagetype: str | None
    filedate: str | None

    def __init__(self, **fields: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, fields.get(name))

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def _of(
        cls, document: _Document, page: Html | None, record_id: str | None = None, has_tables: bool = True
    ) -> Document:
        texts = _texts(document, has_tables)
        meta = PageMeta(None, None, []) if page is None else page_meta(page)
        url = document.url or document.canonical or None
        return cls(
            title=document.title,
            author="; ".join(document.authors) or None,
            url=url,
            hostname=document.host or (urlsplit(url).hostname if url else None),
            description=meta.description,
            tags=meta.tags,
            image=meta.image,
            license=document.rights["license"],
            sitename=document.site_name,
            date=(document.date or "")[:10] or None,
            fingerprint=document.provenance["simhash"],
            id=record_id,
            comments="",
            raw_text="\n".join(paragraph.text for paragraph in texts),
            text="\n".join(("- " if p.kind == "l" else "") + p.text for p in texts),
            language=document.language,
        )


def bare_extraction(
    filecontent: Html,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    *positional: Any,
    include_tables: bool = True,
    target_language: str | None = None,
    only_with_metadata: bool = False,
    as_dict: bool = False,
    with_metadata: bool = False,
    output_format: str = "python",
    profiles: ProfileSource = None,
    **others: Any,
) -> Document | dict[str, Any] | None:
    """Return the text of a page with its metadata; None if the page has no text."""
    _pass_over(
        "bare_extraction", positional, fast=fast, no_fallback=no_fallback, favor_precision=favor_precision, **others
    )
    document = _found(filecontent, url, favor_recall, target_language, only_with_metadata, profiles)
    if document is None:
        return None
    found = Document._of(document, filecontent, has_tables=bool(include_tables))
    return found.as_dict() if as_dict else found


def extract(
    filecontent: Html,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    *positional: Any,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool = False,
    include_links: bool = False,
    target_language: str | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    profiles: ProfileSource = None,
    **others: Any,
) -> str | None:
    """Return the text of a page in an output format; None if the page has no text."""
    if output_format not in _FORMATS:
        raise ArgumentError(f"output_format is {output_format!r}; use one of {', '.join(map(repr, _FORMATS))}")
    has_structure = output_format in ("html", "markdown")
    if not has_structure:
        others.update(include_images=include_images, include_formatting=include_formatting, include_links=include_links)
    _pass_over("extract", positional, fast=fast, no_fallback=no_fallback, favor_precision=favor_precision, **others)
    document = _found(filecontent, url, favor_recall, target_language, only_with_metadata, profiles)
    if document is None:
        return None
    # The page's `<meta>` elements are read only if needed, because this takes longer than extracting the text.
    wants_meta = with_metadata or output_format in ("csv", "json")
    found = Document._of(document, filecontent if wants_meta else None, record_id, bool(include_tables))
    if has_structure:
        # Markdown always has formatting.
        formatting = bool(include_formatting) or output_format == "markdown"
        form = document.markdown if output_format == "markdown" else document.html
        text = form(links=bool(include_links), formatting=formatting, images=bool(include_images), tables=bool(include_tables))
        text = f"<html>\n  <body>\n{text}  </body>\n</html>" if output_format == "html" else text.rstrip("\n")
    else:
        text = _WRITERS[output_format](_texts(document, bool(include_tables)), found)
    if with_metadata and output_format in ("txt", "markdown"):
        known = {name: value for name, value in found.as_dict().items() if value and name not in ("text", "raw_text")}
        text = "---\n" + "".join(f"{name}: {value}\n" for name, value in known.items()) + "---\n" + text
    return text


def extract_metadata(filecontent: Html, default_url: str | None = None, **others: Any) -> Document | None:
    """Return the metadata of a page's article; None if the page has no article."""
    _pass_over("extract_metadata", (), **others)
    document = _found(filecontent, default_url, False, None, False, None)
    return Document._of(document, filecontent) if document is not None else None


def fetch_url(
    url: str,
    no_ssl: bool = False,
    config: Any = None,
    options: Any = None,
    *,
    user_agent: str | None = None,
    allow_private: Iterable[str] = (),
    resolve: Iterable[str] = (),
) -> str | None:
    """Fetch a page politely and return it; None if that fails, with the reason in the log."""
    _pass_over("fetch_url", (), no_ssl=no_ssl, config=config, options=options)
    page, why = _fetcher(user_agent, tuple(allow_private), tuple(resolve)).get(url)
    if page is None:
        _log.warning("cannot get a page from %s: %s", url, why)
    return page


def baseline(filecontent: Html) -> tuple[None, str, int]:
    """Return None, the text of a page with comments and lists (or all text, if none looks like an article), and its length."""
    document = _extractor(True).extract(filecontent)
    text = document.text if isinstance(document, _Document) else html2txt(filecontent)
    return None, text, len(text)


def html2txt(content: Html, clean: bool = True) -> str:
    """Return all text of a page."""
    _pass_over("html2txt", (), clean=not clean)
    return "\n".join(block.text for block in _extractor(False).explain(content))


def _found(
    html: Html, url: str | None, favor_recall: bool, language: str | None, needs_metadata: bool, profiles: ProfileSource
) -> _Document | None:
    extractor = _extractor(bool(favor_recall)) if profiles is None else Extractor(profiles)
    document = extractor.extract(html, url)
    if not isinstance(document, _Document) or (language and document.language != language):
        return None
    if needs_metadata and not (document.title and document.date and document.url):
        return None
    return document


@lru_cache(maxsize=8)
def _fetcher(user_agent: str | None, allow_private: tuple[str, ...], resolve: tuple[str, ...]) -> Fetcher:
    return Fetcher(user_agent, allow_private=allow_private, resolve=resolve)


@lru_cache(maxsize=2)
def _extractor(favor_recall: bool) -> Extractor:
    return Extractor(convention="page" if favor_recall else "article")


def _pass_over(function: str, positional: tuple[Any, ...], **others: Any) -> None:
    given = {name: value for name, value in others.items() if value != _DEFAULTS.get(name, False)}
    _passed_over(f"trafilatura.{function}", **given)
    if positional:
        _passed_over(f"trafilatura.{function}", positional=positional)


def _texts(document: _Document, has_tables: bool) -> list[Paragraph]:
    return [p for p in document.paragraphs if p.kind != "caption" and (has_tables or p.kind != "table")]


def _as_json(texts: list[Paragraph], found: Document) -> str:
    return json.dumps({name: value for name, value in found.as_dict().items() if "body" not in name}, ensure_ascii=False)


def _as_xml(texts: list[Paragraph], found: Document) -> str:
    known = {"title": found.title, "author": found.author, "date": found.date, "url": found.url, "sitename": found.sitename}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in known.items() if value)
    lines = (f"    <{tag}>{escape(p.text, False)}</{tag}>\n" for p in texts for tag in [_ELEMENTS.get(p.kind, "p")])
    return f"<doc{attributes}>\n  <main>\n{''.join(lines)}  </main>\n</doc>"


def _as_csv(texts: list[Paragraph], found: Document) -> str:
    row = io.StringIO()
    fields = (found.url, found.id, found.fingerprint, found.hostname, found.title, found.image, found.date, found.text,
              found.comments, found.license, found.pagetype)  # fmt: skip
    csv.writer(row, delimiter="\t", lineterminator="").writerow("null" if field is None else field for field in fields)
    return row.getvalue()


_WRITERS: dict[str, Callable[[list[Paragraph], Document], str]] = {
    "txt": lambda texts, found: found.text,
    "json": _as_json,
    "xml": _as_xml,
    "csv": _as_csv,
}
