"""Documents as Arrow tables, for pandas, polars, DuckDB, datasets and Spark, without a copy."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from goldminer._goldminer import Document, read_corpus, write_corpus

if TYPE_CHECKING:
    import pyarrow


def to_arrow(documents: Iterable[Document] | str | os.PathLike[str]) -> pyarrow.Table:
    """A table with a row for each document, given as an iterable or as the path of a corpus. It has the columns of the Parquet
    format: `id`, `url`, `text`, `paragraphs`, `domain`, `title`, `authors`, `published`, `language` and so on.

        corpus = goldminer.to_arrow("crawls/mine/corpus")
        corpus.to_pandas()
        polars.from_arrow(corpus)
        duckdb.sql("select domain, count(*) from corpus group by 1")
        datasets.Dataset(corpus)

    It needs pyarrow (`pip install pyarrow`).
    """
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ImportError("goldminer.to_arrow needs pyarrow: pip install pyarrow") from error

    if isinstance(documents, (str, os.PathLike)):
        documents = read_corpus(documents)
    with tempfile.TemporaryDirectory(prefix="goldminer-") as folder:
        write_corpus(documents, folder, "parquet")
        table: Any = parquet.read_table(os.path.join(folder, "corpus.parquet"), memory_map=False)
    return table
