"""The interface of jusText 3.0: the same paragraphs with the same classes, many times as fast.

>>> from goldminer.compat import justext
>>> story = "It was in the middle of the week that the council met and asked what they thought of it. " * 9
>>> paragraphs = justext.justext(f"<h1>Rain</h1><p>{story}</p><p><a href=/>Home</a>", justext.get_stoplist("English"))
>>> [paragraph.class_type for paragraph in paragraphs[-2:]]
['good', 'bad']

Differences from the reference:

- Pages are parsed by the HTML standard and not by libxml2. If tags are misnested or end tags are missing, elements may end at
  different places, which changes the classes of paragraphs. `<title>` outside `<head>` is not text here.
- Paragraphs without text (only `<br>`) are left out. A page without text gives no paragraphs and no `ParserError`.
- Control characters, which browsers do not show, are removed from the text.
- `text_nodes` contains the text as one item. Paths contain the tags in the source of the page, without implied ones.
- Paragraphs are immutable: to classify again, call `justext` again.
- `preprocessor` is ignored: pages are prepared as the reference does by default.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Union

from goldminer import _goldminer
from goldminer.compat import _passed_over
from goldminer.errors import ArgumentError, Error

__all__ = ["JustextError", "JustextInvalidOptions", "Paragraph", "get_stoplist", "get_stoplists", "justext"]
__version__ = "3.0.2"

_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([^'"/>\s]+)""", re.IGNORECASE)
_UTF8 = {"utf8", "utf-8"}

JustextError = Error
JustextInvalidOptions = ArgumentError


Paragraph = _goldminer.JustextParagraph


def get_stoplists() -> frozenset[str]:
    """Return the names of the stoplists."""
    return frozenset(_goldminer.Stoplist.names())


@lru_cache(maxsize=None)
def get_stoplist(language: str) -> frozenset[str]:
    """Return the stoplist of a language: its most frequent words."""
    return frozenset(_goldminer.Stoplist.words(language))


def justext(
    html_text: Union[str, bytes],
    stoplist: Iterable[str],
    length_low: int = 70,
    length_high: int = 200,
    stopwords_low: float = 0.30,
    stopwords_high: float = 0.32,
    max_link_density: float = 0.2,
    max_heading_distance: int = 200,
    no_headings: bool = False,
    encoding: str | None = None,
    default_encoding: str = "utf8",
    enc_errors: str = "replace",
    preprocessor: object = None,
) -> list[Paragraph]:
    """Return the paragraphs of a page, each with its class."""
    _passed_over("justext.justext", preprocessor=preprocessor)
    words = stoplist if isinstance(stoplist, frozenset) else frozenset(stoplist)
    if isinstance(html_text, (bytes, bytearray, memoryview)):
        html_text = _decoded(bytes(html_text), encoding, default_encoding, enc_errors)
    try:
        return _goldminer.justext(
            html_text, _list_of(words), length_low, length_high, stopwords_low, stopwords_high, max_link_density,
            max_heading_distance, bool(no_headings),
        )  # fmt: skip
    except (TypeError, OverflowError) as error:
        raise ArgumentError(str(error)) from None


def _decoded(html: bytes, encoding: str | None, default: str, errors: str) -> str | bytes:
    """Decode a page as the reference does. UTF-8 stays as bytes, which are read without a copy."""
    if encoding is None:
        declared = _CHARSET.search(html)
        if declared:
            encoding = declared.group(1).decode("ascii", "replace")
            try:
                return html if encoding.lower() in _UTF8 and errors == "replace" else html.decode(encoding, errors)
            except LookupError:
                pass
        try:
            return html if default.lower() in _UTF8 and errors == "replace" else html.decode("utf8")
        except UnicodeDecodeError:
            encoding = default
    return html.decode(encoding, errors)


@lru_cache(maxsize=128)
def _list_of(words: Collection[str]) -> _goldminer.Stoplist:
    try:
        return _goldminer.Stoplist(list(words))
    except TypeError:
        raise ArgumentError("stoplist must have words, each a str") from None
