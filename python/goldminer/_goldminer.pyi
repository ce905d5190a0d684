"""The part of the package that is written in Rust. Its public names are in `goldminer`."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypedDict, Union, final

from typing_extensions import Self

_Html = Union[str, bytes, bytearray, memoryview]
_Path = Union[str, os.PathLike[str]]
_AnyPage = Union[_Html, tuple[_Html, Union[str, None]], "Page"]

class _Item(TypedDict):
    depth: int
    ordered: bool
    number: int | None
    list: int
    continues: bool
    part: str | None
    checked: bool | None

class _Span(TypedDict):
    row: int
    column: int
    rows: int
    columns: int

class _Table(TypedDict):
    caption: str | None
    head_rows: int
    head_columns: int
    spans: list[_Span]

class _Mark(TypedDict):
    start: int
    end: int
    mark: str
    target: str | None

class _Object(TypedDict):
    kind: str
    before: int
    source: str | None
    alt: str | None
    caption: str | None
    credit: str | None
    provider: str | None
    quoted: list[int]

class _Sources(TypedDict):
    title: str | None
    authors: str | None
    published: str | None
    modified: str | None
    site_name: str | None
    section: str | None
    canonical: str | None

class _Metadata(TypedDict):
    domain: str
    host: str | None
    title: str | None
    authors: list[str]
    published: str | None
    modified: str | None
    fetched: str | None
    language: str | None
    site_name: str | None
    section: str | None
    canonical: str | None
    access: str | None
    sources: _Sources

class _Profile(TypedDict):
    key: str
    version: int
    template: int

class _Warc(TypedDict):
    file: str
    offset: int
    length: int

class _Provenance(TypedDict):
    method: str
    profile: _Profile | None
    stoplist: str
    thresholds: str
    score: int | None
    confidence: float | None
    program: str
    warc: _Warc | None
    page_digest: str
    text_digest: str
    simhash: str
    dropped_duplicates: int
    near_duplicate_of: str | None
    file: str | None
    truncated: bool | None

class _Signal(TypedDict):
    source: str
    name: str
    value: str
    agent: str | None
    fetched: str | None
    warc: _Warc | None

class _Rights(TypedDict):
    restrictions: list[str]
    contradictions: list[str]
    license: str | None
    signals: list[_Signal]

@final
class Document:
    """An article: its text, metadata and origin. Each field of the corpus's JSON line is an attribute."""

    @property
    def id(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def paragraphs(self) -> list[Paragraph]: ...
    @property
    def objects(self) -> list[_Object]:
        """Objects between the paragraphs that are not text: figures, embeds, rules."""

    @property
    def structure(self) -> int | None:
        """The version of the keys for structure, such as levels and marks: 1, or None in corpora of older versions."""

    @property
    def metadata(self) -> _Metadata: ...
    @property
    def provenance(self) -> _Provenance: ...
    @property
    def rights(self) -> _Rights:
        """Rights statements of page, response and host, with the restrictions and the licence that follow from them."""

    @property
    def domain(self) -> str: ...
    @property
    def host(self) -> str | None: ...
    @property
    def title(self) -> str | None: ...
    @property
    def authors(self) -> list[str]: ...
    @property
    def date(self) -> str | None:
        """The date or time of publication, as precise as on the page."""

    @property
    def published(self) -> str | None: ...
    @property
    def modified(self) -> str | None: ...
    @property
    def fetched(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...
    @property
    def site_name(self) -> str | None: ...
    @property
    def section(self) -> str | None: ...
    @property
    def canonical(self) -> str | None: ...
    @property
    def access(self) -> str | None:
        """`partial` if a paywall has cut the article off."""

    @property
    def sources(self) -> _Sources:
        """Where on the page the title, authors, dates and so on were found."""

    @staticmethod
    def from_json(line: str) -> Document:
        """Read a document from a JSON line of a corpus."""

    def to_json(self) -> str:
        """Return the document as a `str`: its JSON line in a corpus."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document as a `dict` with the keys of its JSON line."""

    def to_cleaneval(self) -> str:
        """Return the text in CleanEval's markup."""

    def to_markdown(self) -> str:
        """Return the text in Markdown, after the metadata."""

    def markdown(self, *, links: bool = True, formatting: bool = True, images: bool = True, tables: bool = True) -> str:
        """Return the text in Markdown with its structure, or with parts of it."""

    def html(self, *, links: bool = True, formatting: bool = True, images: bool = True, tables: bool = True) -> str:
        """Return the text as an HTML fragment with its structure, or with parts of it."""

@final
class Paragraph:
    """A paragraph of a document: `kind` is "h" (heading), "p" (text), "l" (list item), "code", "table", "quote", "formula" or
    "caption"."""

    __match_args__ = ("kind", "text")
    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def level(self) -> int | None:
        """The level of a heading on its page, 1 to 6."""

    @property
    def item(self) -> _Item | None:
        """The position of a list item."""

    @property
    def quote(self) -> int | None:
        """The number of nested quotes around the paragraph."""

    @property
    def language(self) -> str | None:
        """The programming language of code."""

    @property
    def table(self) -> _Table | None:
        """Caption, header cells and spans of a table."""

    @property
    def note(self) -> str | None:
        """The label of the footnote, if the paragraph is the text of one."""

    @property
    def marks(self) -> list[_Mark]:
        """The marks in the text: emphasis, links and so on."""

@final
class NoText:
    """The reason why a page gives no document. It is false, so that you can write `if document:`."""

    def __new__(cls, reason: str, message: str) -> Self: ...
    @property
    def reason(self) -> str: ...
    @property
    def message(self) -> str: ...
    def __bool__(self) -> Literal[False]: ...

@final
class Block:
    """A text block of a page: whether it was kept, and why."""

    __match_args__ = ("text", "kept", "reason")
    @property
    def text(self) -> str: ...
    @property
    def kept(self) -> bool: ...
    @property
    def reason(self) -> str: ...

@final
class Page:
    """A page from an archive: its bytes without content coding, and its metadata."""

    @property
    def html(self) -> bytes: ...
    @property
    def url(self) -> str: ...
    @property
    def content_type(self) -> str | None: ...
    @property
    def fetched(self) -> str | None: ...
    @property
    def file(self) -> str: ...
    @property
    def offset(self) -> int: ...

@final
class Profile:
    """The learned profile of a domain: where its articles begin and end."""

    @staticmethod
    def parse(toml: str) -> Profile: ...
    @staticmethod
    def load(file: _Path) -> Profile: ...
    def save(self, target: _Path) -> os.PathLike[str]:
        """Write `KEY.toml` into a folder, or a file that ends in `.toml`. Hand-written parts of an existing file are kept."""

    def to_toml(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def language(self) -> str | None: ...
    @property
    def templates(self) -> list[str]: ...
    @property
    def evidence(self) -> dict[str, Any]: ...
    def test(self, html: _Html, url: str | None = None) -> list[dict[str, Any]]:
        """Test each template on a page: whether it matches, and if not, what the page lacks."""

@final
class Profiles:
    """The profiles of any number of domains, by key: a domain, a host, or a host and a path prefix."""

    def __new__(cls, profiles: Iterable[Profile] | None = None) -> Self: ...
    @staticmethod
    def open(path: _Path, *, digest: str | None = None) -> Profiles:
        """Read the profiles of a job directory, of a folder of profile files, or of one such file."""

    @property
    def digest(self) -> str | None: ...
    def keys(self) -> list[str]: ...
    def save(self, folder: _Path) -> None: ...
    def __getitem__(self, key: str, /) -> Profile: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

@final
class Extractor:
    """Extracts pages with the profiles of their domains; pages without a profile are classified by themselves. Threads may
    share it."""

    def __new__(
        cls,
        profiles: _Path | Profile | Profiles | None = None,
        *,
        language: str | None = None,
        convention: Literal["article", "page"] | None = None,
    ) -> Self: ...
    @property
    def profiles(self) -> Profiles: ...
    def extract(
        self, html: _Html, url: str | None = None, *, content_type: str | None = None, language: str | None = None
    ) -> Document | NoText: ...
    def extract_many(self, pages: Iterable[_AnyPage], threads: int | None = None) -> ExtractMany:
        """Extract pages in parallel on this number of threads (0: one per processor). The results are in order."""

    def explain(self, html: _Html, url: str | None = None, *, content_type: str | None = None) -> list[Block]:
        """Explain the extraction of a page: each text block, whether it is kept, and the reason."""

@final
class ExtractMany(Iterator[Union[Document, NoText]]):
    def __iter__(self) -> ExtractMany: ...
    def __next__(self) -> Document | NoText: ...

@final
class Learner:
    """Collects pages of a domain and learns its profile from them."""

    def __new__(cls, domain: str | None = None) -> Self: ...
    def add(self, html: _Html, url: str | None = None) -> bool:
        """Add a page to the sample. Return whether the sample had room for it."""

    def learn(self) -> Profile: ...

def learn(pages: Iterable[_AnyPage], domain: str | None = None) -> Profile:
    """Learn a profile from pages of one domain. About a hundred pages are best; five are the minimum."""

@final
class WarcPages(Iterator[Page]):
    def __iter__(self) -> WarcPages: ...
    def __next__(self) -> Page: ...

def read_warc(path: _Path) -> WarcPages:
    """Read the pages of a WARC file, a WACZ file, or a folder of WARC files, in order."""

@final
class CorpusDocuments(Iterator[Document]):
    def __iter__(self) -> CorpusDocuments: ...
    def __next__(self) -> Document: ...

def read_corpus(path: _Path) -> CorpusDocuments:
    """Read the documents of a corpus: a folder, JSON lines (`.jsonl`, `.jsonl.zst`), or a Parquet file."""

def write_corpus(documents: Iterable[Document], folder: _Path, format: str | None = None) -> int:
    """Write documents into a folder as a corpus: "jsonl", "parquet", "text", "markdown", "html", "cleaneval",
    "vertical" or "tei"."""

@final
class Fetcher:
    """Fetches pages one by one, as politely as a crawl: robots.txt first, and a delay between two requests to a host."""

    def __new__(
        cls, user_agent: str | None = None, *, allow_private: Sequence[str] = ..., resolve: Sequence[str] = ...
    ) -> Fetcher: ...
    def get(self, url: str) -> tuple[str | None, str | None]:
        """Fetch a page. Return its text and None, or None and the reason why it could not be fetched."""

_version: str

@final
class CrawlRun:
    def __new__(
        cls,
        seeds: _Path,
        dir: _Path,
        *,
        text: str | None = None,
        max_pages: int | None = None,
        max_time: str | float | None = None,
        delay: str | float | None = None,
        user_agent: str | None = None,
        allow_private: Sequence[str] = ...,
        resolve: Sequence[str] = ...,
    ) -> Self: ...
    def poll(self) -> Document | Literal[False] | None: ...
    def stop(self) -> None: ...
    def counters(self) -> dict[str, int]: ...
    def report(self) -> dict[str, Any] | None: ...

@final
class Stoplist:
    def __new__(cls, words: Sequence[str]) -> Self: ...
    @staticmethod
    def words(language: str) -> list[str]: ...
    @staticmethod
    def names() -> list[str]: ...

@final
class JustextParagraph:
    """A paragraph as jusText describes it."""

    @property
    def text(self) -> str: ...
    @property
    def text_nodes(self) -> list[str]: ...
    @property
    def class_type(self) -> Literal["good", "neargood", "short", "bad"]: ...
    @property
    def cf_class(self) -> Literal["good", "neargood", "short", "bad"]: ...
    @property
    def is_boilerplate(self) -> bool: ...
    @property
    def is_heading(self) -> bool: ...
    @property
    def heading(self) -> bool: ...
    @property
    def words_count(self) -> int: ...
    @property
    def chars_count_in_links(self) -> int: ...
    @property
    def tags_count(self) -> int: ...
    @property
    def dom_path(self) -> str: ...
    @property
    def xpath(self) -> str: ...
    def contains_text(self) -> bool: ...
    def links_density(self) -> float: ...
    def stopwords_count(self, stopwords: Iterable[str]) -> int: ...
    def stopwords_density(self, stopwords: Iterable[str]) -> float: ...
    def __len__(self) -> int: ...

def justext(
    html: _Html,
    stoplist: Stoplist,
    length_low: int,
    length_high: int,
    stopwords_low: float,
    stopwords_high: float,
    max_link_density: float,
    max_heading_distance: int,
    no_headings: bool,
) -> list[JustextParagraph]: ...
def main(arguments: Sequence[str]) -> int:
    """Run a command line, whose first argument is the program's name, and return its exit code."""
