"""Documents as Arrow tables, for pandas, polars, DuckDB, datasets and Spark."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from goldminer._goldminer import Document, read_corpus, write_corpus

if TYPE_CHECKING:
    import pyarrow


def to_arrow(documents: Iterable[Document] | str | os.PathLike[str]) -> pyarrow.Table:
    """Return documents as a table with the columns of the Parquet format, such as `id`, `url`, `text` and `published`.

    Parameters
    ----------
    documents : iterable of Document, or path
        The documents, or the path of a corpus.

    Returns
    -------
    pyarrow.Table
        A row for each document.

    Raises
    ------
    ImportError
        Without pyarrow (`pip install pyarrow`).

    Examples
    --------
    For pandas, polars, DuckDB and datasets::

        corpus = goldminer.to_arrow("crawls/mine/corpus")
        corpus.to_pandas()
        polars.from_arrow(corpus)
        duckdb.sql("select domain, count(*) from corpus group by 1")
        datasets.Dataset(corpus)
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
