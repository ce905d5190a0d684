"""The portals of `goldminer demo`, served on this machine: something to crawl without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from goldminer.errors import CrawlError


class DemoPortals(NamedTuple):
    """The arguments `seeds` and `resolve` for a `Crawler` of the demo's portals."""

    seeds: str
    resolve: list[str]


@contextmanager
def portals() -> Iterator[DemoPortals]:
    """Serve the demo's portals until the `with` block ends.

    Yields
    ------
    DemoPortals
        The arguments `seeds` and `resolve` for a `Crawler`.

    Examples
    --------
    A crawl without a network::

        with goldminer.demo.portals() as portals:
            crawler = goldminer.Crawler(
                portals.seeds, dir="demo", delay=0.05, allow_private=True, resolve=portals.resolve
            )
    """
    command = [sys.executable, "-m", "goldminer", "demo", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            output = ""
            for line in server.stdout or ():
                output += line
                found = re.search(r"goldminer crawl (\S+) .*--resolve '([^']+)'", output, re.DOTALL)
                if found:
                    break
            else:
                raise CrawlError("the demo's portals cannot be served; `goldminer demo --serve` says why")
            yield DemoPortals(found.group(1), [found.group(2)])
        finally:
            server.terminate()
