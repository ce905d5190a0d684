"""The exceptions of goldminer, all under `Error` (`goldminer.Error`)."""


class Error(Exception):
    """The base of all goldminer exceptions. The message says what to do."""


class ArgumentError(Error, ValueError):
    """An argument is wrong. The message names it."""


class ProfileError(Error):
    """A profile cannot be read or written, or cannot be learned from the given pages."""


class ArchiveError(Error):
    """An archive cannot be read."""


class CorpusError(Error):
    """A corpus cannot be read."""


class CrawlError(Error):
    """A crawl cannot start, or was stopped by an error of the local disk or databases."""
