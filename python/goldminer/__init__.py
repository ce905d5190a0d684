"""GoldMiner: from the pages of news portals to clean documents.

>>> import goldminer
>>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
>>> goldminer.extract(f"<nav><a href=/>Home</a></nav><h1>Rain</h1>{story}")[:19]
'Rain\\n\\nIt rained all'

Use `extract` or `bare_extraction` for one page and `Extractor` for many. `learn` learns the profile of a portal from its pages,
and `Crawler` fetches them. `goldminer.compat` has the interfaces of trafilatura, jusText and readability.
"""

from goldminer import compat, demo
from goldminer._goldminer import (
    Block,
    CorpusDocuments,
    Document,
    ExtractMany,
    Extractor,
    Learner,
    NoText,
    Page,
    Paragraph,
    Profile,
    Profiles,
    WarcPages,
    _version,
    learn,
    read_corpus,
    read_warc,
    write_corpus,
)
from goldminer.arrow import to_arrow
from goldminer.crawler import Crawler
from goldminer.errors import ArchiveError, ArgumentError, CorpusError, CrawlError, Error, ProfileError
from goldminer.extraction import _reopened, bare_extraction, extract

__version__: str = _version

__all__ = [
    "ArchiveError",
    "ArgumentError",
    "Block",
    "CorpusDocuments",
    "CorpusError",
    "CrawlError",
    "Crawler",
    "Document",
    "Error",
    "ExtractMany",
    "Extractor",
    "Learner",
    "NoText",
    "Page",
    "Paragraph",
    "Profile",
    "ProfileError",
    "Profiles",
    "WarcPages",
    "__version__",
    "_reopened",
    "bare_extraction",
    "compat",
    "demo",
    "extract",
    "learn",
    "read_corpus",
    "read_warc",
    "to_arrow",
    "write_corpus",
]
