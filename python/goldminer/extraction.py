"""Functions that extract one page in one call, as in other extractors."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Union

from goldminer._goldminer import Document, Extractor, Profile, Profiles
from goldminer.errors import ArgumentError

Html = Union[str, bytes, bytearray, memoryview]
ProfileSource = Union[None, str, "os.PathLike[str]", Profile, Profiles]

_FORMATS = ("txt", "markdown", "html", "json", "cleaneval")


def extract(
    html: Html,
    url: str | None = None,
    *,
    profiles: ProfileSource = None,
    language: str | None = None,
    output_format: str = "txt",
) -> str | None:
    """Extract the text of a page's article.

    Parameters
    ----------
    html : str or bytes
        The page. The encoding of bytes is detected.
    url : str, optional
        The URL of the page, which decides whose profile is used.
    profiles : path, Profile or Profiles, optional
        Learned profiles: a job directory, a folder of profile files or one such file. Without profiles each page is
        classified by itself.
    language : str, optional
        A code such as "hu", used if the language cannot be detected from the text.
    output_format : {"txt", "markdown", "html", "json", "cleaneval"}
        "json" is the document as in a corpus; "cleaneval" has `<h>`, `<p>` or `<l>` before each paragraph.

    Returns
    -------
    str or None
        The text, or None if the page has no article.

    Examples
    --------
    >>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
    >>> extract(f"<h1>Rain</h1>{story}")[:19]
    'Rain\\n\\nIt rained all'
    >>> extract("<a href=/>Home</a>") is None
    True
    """
    if output_format not in _FORMATS:
        raise ArgumentError(f"output_format is {output_format!r}; use one of {', '.join(map(repr, _FORMATS))}")
    document = bare_extraction(html, url, profiles=profiles, language=language)
    if document is None:
        return None
    if output_format == "json":
        return document.to_json()
    if output_format == "markdown":
        return document.to_markdown()
    if output_format == "html":
        return document.html()
    if output_format == "cleaneval":
        return document.to_cleaneval()
    return document.text


def bare_extraction(
    html: Html, url: str | None = None, *, profiles: ProfileSource = None, language: str | None = None
) -> Document | None:
    """Extract the document of a page: the text of its article, metadata and origin.

    Parameters
    ----------
    html, url, profiles, language
        As in `extract`.

    Returns
    -------
    Document or None
        The document, or None if the page has no article. `Extractor.extract` returns the reason instead.

    Examples
    --------
    >>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
    >>> bare_extraction(f"<h1>Rain</h1>{story}", "http://portal.example/rain").title
    'Rain'
    """
    document = extractor_of(profiles).extract(html, url, language=language)
    return document if isinstance(document, Document) else None


def extractor_of(profiles: ProfileSource) -> Extractor:
    """Return an extractor for these profiles. Repeated calls return the same one, unless the files have changed."""
    if isinstance(profiles, (str, os.PathLike)):
        return _of_path(os.fspath(profiles), _state(profiles))
    if profiles is None:
        return _plain()
    return Extractor(profiles)


def _state(path: str | os.PathLike[str]) -> tuple[tuple[str, int, int], ...]:
    """Return the names, modification times and sizes of a file or of a folder's files, to notice changes."""
    try:
        files = [entry for entry in os.scandir(path) if entry.is_file()] if os.path.isdir(path) else []
        stats = [("", os.stat(path)), *((file.name, file.stat()) for file in files)]
    except (OSError, ValueError):
        return ()  # Opening the path raises the error.
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats))


@lru_cache(maxsize=1)
def _plain() -> Extractor:
    return Extractor()


@lru_cache(maxsize=8)
def _of_path(path: str, state: tuple[tuple[str, int, int], ...]) -> Extractor:
    return Extractor(path)


@lru_cache(maxsize=8)
def _reopened(path: str, digest: str) -> Profiles:
    """Return profiles that were pickled as path and digest. All extractors of a process share them."""
    return Profiles.open(path, digest=digest)
