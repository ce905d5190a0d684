"""Crawls portals and yields their documents as they are committed."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Union

from goldminer._goldminer import CorpusDocuments, CrawlRun, Document, read_corpus
from goldminer.errors import ArgumentError
from goldminer.progress import Progress

logging.getLogger("goldminer").addHandler(logging.NullHandler())

Duration = Union[None, str, float, timedelta]


class Crawler:
    """A polite crawl of the portals in a seeds file, in its own job directory.

    `crawl` yields each document after it is committed to the corpus (`DIR/corpus/`, which `documents` reads). A crawl can end
    in any way (complete, at a limit, by Ctrl-C, or because the iterator is closed): its directory stays consistent, and a
    `Crawler` with the same seeds and directory continues it.

    Parameters
    ----------
    seeds : path or list of str
        A seeds file, or the URLs of portals.
    dir : path, optional
        The job directory; by default `crawls/NAME` for a seeds file `NAME.toml`. A list of URLs needs one.
    max_pages : int, optional
        Stop when the job has fetched this many pages in all its runs; feeds and sitemaps do not count.
    max_time, delay : float, str or timedelta, optional
        Stop after this time, and wait this long between two requests to a host: seconds, or a text such as "2h".
    user_agent : str, optional
        The name of your crawler with a web page or an e-mail address of yours. Needed if no seeds file has it.
    allow_private : bool or iterable of str
        True for loopback addresses, or private networks that may be crawled, such as "10.0.0.0/8".
    resolve : iterable of str
        IP addresses to connect to for a host and port, each as "HOST:PORT:ADDR[:PORT]".
    progress : bool, optional
        Show a progress line; by default in a notebook and on a terminal.

    Examples
    --------
    A crawl of a hundred documents::

        with goldminer.Crawler("seeds.toml", dir="crawls/mine") as crawler:
            for document in crawler.crawl(max_documents=100):
                print(document.date, document.title)
    """

    def __init__(
        self,
        seeds: str | os.PathLike[str] | Sequence[str],
        *,
        dir: str | os.PathLike[str] | None = None,  # noqa: A002, the word of the command line
        max_pages: int | None = None,
        max_time: Duration = None,
        delay: Duration = None,
        user_agent: str | None = None,
        allow_private: bool | Iterable[str] = (),
        resolve: Iterable[str] = (),
        progress: bool | None = None,
    ) -> None:
        if isinstance(seeds, (str, os.PathLike)):
            self._seeds, self._text = os.fspath(seeds), None
            self.dir = Path(dir) if dir is not None else Path("crawls") / Path(seeds).stem
        else:
            self._seeds, self._text = "seeds", _as_toml(seeds)
            if dir is None:
                raise ArgumentError("dir must be given if seeds is a list of URLs")
            self.dir = Path(dir)
        self._settings: dict[str, Any] = {
            "max_pages": max_pages,
            "max_time": _seconds(max_time),
            "delay": _seconds(delay),
            "user_agent": user_agent,
            "allow_private": ["loopback"] if allow_private is True else _texts("allow_private", allow_private or ()),
            "resolve": _texts("resolve", resolve),
        }
        self._progress = progress
        self._run: CrawlRun | None = None

    def crawl(self, max_documents: int | None = None) -> Iterator[Document]:
        """Crawl and yield each document once.

        Documents that were committed but not yielded by an earlier call come first, so several calls together yield every
        document of the job. For a corpus that was made without Python, use `documents`.

        Parameters
        ----------
        max_documents : int, optional
            Stop after this many documents.

        Yields
        ------
        Document
            A committed document.

        Raises
        ------
        CrawlError
            If the crawl cannot start, or the disk or a database fails.
        KeyboardInterrupt
            After Ctrl-C, when the crawl has stopped safely. A second Ctrl-C does not wait.
        """
        self.stop()
        is_number = isinstance(max_documents, int) and not isinstance(max_documents, bool)
        if max_documents is not None and (not is_number or max_documents < 0):
            raise ArgumentError(f"max_documents must be a whole number from 0, not {max_documents!r}")
        self._run = CrawlRun(self._seeds, self.dir, text=self._text, **self._settings)
        return self._documents(self._run, max_documents)

    def _documents(self, run: CrawlRun, most: int | None) -> Iterator[Document]:
        given = 0
        with Progress(self._progress, run) as progress:
            try:
                while most is None or given < most:
                    document = run.poll()
                    progress.show()
                    if document is False:
                        return
                    if isinstance(document, Document):
                        given += 1
                        yield document
            finally:
                run.stop()
                progress.show(at_once=True)

    def run(self) -> dict[str, Any]:
        """Crawl to the end and return the report. The documents are in the corpus."""
        for _ in self.crawl():
            pass
        return self.report or {}

    def stop(self) -> None:
        """Stop the running crawl safely, if there is one."""
        if self._run is not None:
            self._run.stop()

    def documents(self) -> CorpusDocuments:
        """Return all documents of the corpus, including those of earlier runs."""
        return read_corpus(self.dir / "corpus")

    @property
    def counters(self) -> dict[str, int]:
        """Counters since the start of the run: `fetched`, `queued`, `documents` and so on."""
        return self._run.counters() if self._run is not None else {}

    @property
    def report(self) -> dict[str, Any] | None:
        """How the last run ended (`finished`, `unreached`, `limit`, `interrupted`), and what each portal gave."""
        return self._run.report() if self._run is not None else None

    def __iter__(self) -> Iterator[Document]:
        return self.crawl()

    def __enter__(self) -> Crawler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Crawler({self._seeds!r}, dir={str(self.dir)!r})"


def _as_toml(addresses: Sequence[str]) -> str:
    """Return the text of a seeds file for some portals. A JSON string is also a TOML string."""
    if not isinstance(addresses, Sequence) or not addresses or not all(isinstance(address, str) for address in addresses):
        raise ArgumentError("seeds must be a path, or a list of URLs")
    for address in addresses:
        if not address.isprintable():
            raise ArgumentError(f"seeds: {address!r} is not a URL")
    return "".join(f"[[portal]]\nstart = [{json.dumps(address)}]\n" for address in addresses)


def _texts(name: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentError(f"{name} must be an iterable of str, not {values!r}")
    texts = list(values)
    if not all(isinstance(text, str) for text in texts):
        raise ArgumentError(f"{name} must be an iterable of str, not {texts!r}")
    return texts


def _seconds(length: Duration) -> str | float | None:
    return length.total_seconds() if isinstance(length, timedelta) else length
