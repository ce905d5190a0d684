"""The progress line of a crawl, in a notebook or on a terminal."""

from __future__ import annotations

import importlib
import sys
import time
from types import TracebackType
from typing import Any

from goldminer._goldminer import CrawlRun

_EVERY = 0.5


class Progress:
    """Shows the counters of a crawl, at most twice a second."""

    def __init__(self, wanted: bool | None, run: CrawlRun) -> None:
        self._run = run
        self._began = time.monotonic()
        self._shown = 0.0
        self._display = _notebook_display() if wanted is not False else None
        self._terminal = self._display is None and (sys.stderr.isatty() if wanted is None else wanted)

    def show(self, at_once: bool = False) -> None:
        """Show the line. Without `at_once`, do nothing if it was shown less than half a second ago."""
        now = time.monotonic()
        if (self._display is None and not self._terminal) or (now - self._shown < _EVERY and not at_once):
            return
        self._shown = now
        line = self.line(now - self._began)
        if self._display is not None:
            self._display.update({"text/plain": line}, raw=True)
        else:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def line(self, seconds: float) -> str:
        """Return the line to show after this many seconds."""
        now = self._run.counters()
        return (
            f"{seconds:.0f} s  {now['fetched']:,} pages, {now['queued']:,} queued, {now['documents']:,} documents, "
            f"{now['learned']} domains learned, {now['learning']} learning"
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._terminal:
            sys.stderr.write("\n")


def _notebook_display() -> Any:
    """Return a display in the running notebook cell; None outside notebooks."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    display: Any = importlib.import_module("IPython.display").display
    return display({"text/plain": ""}, raw=True, display_id=True)
