"""What can go wrong: one hierarchy under `Error`, which is `goldminer.Error`, too."""


class Error(Exception):
    """Whatever goldminer cannot do; the message says what to do about it."""


class ArgumentError(Error, ValueError):
    """A wrong argument; the message names it."""


class ProfileError(Error):
    """A profile that cannot be read or written, or pages that teach none."""


class ArchiveError(Error):
    """An archive that cannot be read."""


class CorpusError(Error):
    """A corpus that cannot be read."""


class CrawlError(Error):
    """A crawl that cannot begin, or that our own disk or databases ended."""
