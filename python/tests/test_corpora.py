"""Corpora and archives, read with other packages, each if it is installed."""

import gzip
import json
import pickle
import sys
import types
from pathlib import Path

import goldminer
import pytest

ENGINES = Path(__file__).resolve().parents[2] / "docs/python/engines"

STORY = "<p>It rained all day in the town of {n}, and nobody who had an umbrella lent it to the others, {n} times.</p>" * 4


def page(n):
    return f"<html lang=en><meta name=author content='Anna Writer'><h1>Rain {n}</h1>{STORY.format(n=n)}"


@pytest.fixture(scope="module")
def documents():
    return [goldminer.bare_extraction(page(n), f"http://portal.example/{n}") for n in range(50)]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_corpus_is_read_as_it_was_written(documents, tmp_path, form):
    assert goldminer.write_corpus(iter(documents), tmp_path, form) == 50
    assert list(goldminer.read_corpus(tmp_path)) == documents
    with pytest.raises(goldminer.CorpusError):
        goldminer.write_corpus(documents, tmp_path, form)


@pytest.mark.parametrize("form", ["text", "markdown", "cleaneval", "vertical", "tei"])
def test_every_format_of_a_corpus_can_be_written(documents, tmp_path, form):
    goldminer.write_corpus(documents[:2], tmp_path, form)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert files and any("umbrella" in file.read_text(encoding="utf8") for file in files)


def test_a_corpus_with_a_missing_part_gives_a_warning(documents, tmp_path):
    goldminer.write_corpus(documents[:2], tmp_path)
    (tmp_path / "manifest").mkdir()
    plan = {"settings": {}, "plan": {"domains": {"portal.example": {"pages": 2, "inputs": "0"}}}}
    (tmp_path / "manifest/plan.json").write_text(json.dumps(plan))
    with pytest.warns(UserWarning, match="is not complete: it has 0 of 1 domain"):
        assert len(list(goldminer.read_corpus(tmp_path))) == 2


def test_wrong_corpora_and_arguments_are_named(tmp_path):
    with pytest.raises(goldminer.CorpusError, match="no-such"):
        goldminer.read_corpus(tmp_path / "no-such")
    with pytest.raises(ValueError, match="^format "):
        goldminer.write_corpus([], tmp_path, "pdf")
    with pytest.raises(ValueError, match="^documents "):
        goldminer.write_corpus(["no document"], tmp_path)
    with pytest.raises(ValueError, match="^path "):
        goldminer.read_corpus(7)
    (tmp_path / "part.jsonl").write_text("no document\n")
    with pytest.raises(goldminer.CorpusError):
        list(goldminer.read_corpus(tmp_path / "part.jsonl"))


def record(url, body, kind="response"):
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-2\r\n\r\n" + body
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T09:15:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:0b2f1c6e-6e2c-4a1e-9d0e-0c7c0f2a9d11>\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(answer)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + answer + b"\r\n\r\n")


def test_pages_of_an_archive_are_read_and_extracted(tmp_path):
    file = tmp_path / "a.warc.gz"
    body = page(1).replace("Rain", "Es\u0151").encode("iso-8859-2")
    file.write_bytes(record("http://portal.example/1", body) + b"damage" + record("http://portal.example/2", body))
    pages = list(goldminer.read_warc(file))
    assert [page.url for page in pages] == ["http://portal.example/1", "http://portal.example/2"]
    assert (pages[0].html, pages[0].content_type) == (body, "text/html; charset=iso-8859-2")
    assert (pages[0].fetched, pages[0].file, pages[0].offset) == ("2026-11-20T09:15:00Z", "a.warc.gz", 0)
    documents = list(goldminer.Extractor().extract_many(goldminer.read_warc(tmp_path), threads=2))
    assert [document.title for document in documents] == ["Es\u0151 1", "Es\u0151 1"]
    with pytest.raises(goldminer.ArchiveError, match="no-such"):
        goldminer.read_warc(tmp_path / "no-such.warc")


def test_pandas_polars_and_duckdb_read_documents_through_arrow(documents):
    pytest.importorskip("pyarrow")
    pandas, polars, duckdb = (pytest.importorskip(name) for name in ("pandas", "polars", "duckdb"))
    corpus = goldminer.to_arrow(documents)
    titles = [f"Rain {n}" for n in range(50)]
    frame = corpus.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["title"]) == titles
    assert polars.from_arrow(corpus)["authors"].to_list() == [["Anna Writer"]] * 50
    assert duckdb.sql("select count(*), count(distinct text) from corpus").fetchall() == [(50, 50)]
    assert goldminer.to_arrow([]).num_rows == 0


def test_datasets_loads_every_output(documents, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    titles = [document.title for document in documents]
    for form, files, name in (("jsonl", "*.jsonl.zst", "json"), ("parquet", "*.parquet", "parquet")):
        goldminer.write_corpus(documents, tmp_path / form, form)
        found = datasets.load_dataset(
            name, data_files=str(tmp_path / form / files), split="train", cache_dir=str(tmp_path / "cache")
        )
        assert (found["title"] if form == "parquet" else [row["title"] for row in found["metadata"]])[:] == titles
    assert datasets.Dataset(goldminer.to_arrow(documents))["title"][:] == titles


def test_a_batch_of_pages_gives_a_batch_of_documents(monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.syspath_prepend(ENGINES)
    from goldminer_arrow import SCHEMA, ExtractPages, documents, extract_pages

    urls = [f"http://portal.example/{n}" for n in (1, 2, 3)]
    html = [page(1).encode(), b"<a href=/>Home</a>", page(3).encode()]
    batch = pyarrow.RecordBatch.from_pydict({"html": html, "url": urls, "other": [1, 2, 3]})
    made = documents(goldminer.Extractor(), batch)
    assert made.schema == SCHEMA and made.column("url").to_pylist() == [urls[0], urls[2]]
    read = [goldminer.Document.from_json(line) for line in made.column("document").to_pylist()]
    assert [d.text for d in read] == made.column("text").to_pylist()
    table = pyarrow.Table.from_batches([batch])
    assert ExtractPages()(table).to_batches() == [made]
    assert list(extract_pages()(iter([batch, batch]))) == [made, made]
    assert documents(goldminer.Extractor(), batch.slice(1, 1)).num_rows == 0
    without_urls = documents(goldminer.Extractor(), batch.select(["html"]))
    assert without_urls.column("text") == made.column("text")


@pytest.fixture()
def nemo_curator(monkeypatch):
    """NeMo Curator's classes, or stand-ins with its documented interface if the large package is not installed."""
    try:
        import nemo_curator  # noqa: F401
    except ImportError:
        for name in ("", ".stages", ".stages.text", ".stages.text.download", ".stages.text.download.html_extractors"):
            monkeypatch.setitem(sys.modules, f"nemo_curator{name}", types.ModuleType(f"nemo_curator{name}"))
        download = sys.modules["nemo_curator.stages.text.download"]
        download.DocumentExtractor = type("DocumentExtractor", (), {})
        algorithm = type("HTMLExtractorAlgorithm", (), {"NON_SPACED_LANGUAGES": frozenset(["THAI", "CHINESE", "JAPANESE", "KOREAN"])})
        sys.modules[f"{download.__name__}.html_extractors"].HTMLExtractorAlgorithm = algorithm
        monkeypatch.delitem(sys.modules, "goldminer_nemo", raising=False)
    monkeypatch.syspath_prepend(ENGINES)
    import goldminer_nemo

    return goldminer_nemo


def test_nemo_curator_takes_goldminer_in_place_of_its_extractors(nemo_curator):
    justext = pytest.importorskip("justext")
    words = justext.get_stoplist("English")
    html = page(1) + "<p><a href=/>Home</a></p>"
    expected = [p.text for p in justext.justext(html, words) if not p.is_boilerplate]
    assert nemo_curator.JusTextExtractor().extract_text(html, words, "ENGLISH") == expected
    assert nemo_curator.JusTextExtractor(length_low=1000).extract_text(html, words, "ENGLISH") == []
    assert nemo_curator.GoldminerExtractor().extract_text(html, words, "ENGLISH")[0] == "Rain 1"
    assert nemo_curator.GoldminerExtractor().extract_text("<a href=/>Home</a>", words, "ENGLISH") is None
    extractor = nemo_curator.GoldminerDocumentExtractor()
    record = {"url": "http://portal.example/1", "warc_id": "7", "source_id": "a.warc.gz", "content": html.encode()}
    row = pickle.loads(pickle.dumps(extractor._extractor)) and extractor.extract(record)
    assert sorted(row) == sorted(extractor.output_columns()) and row["title"] == "Rain 1"
    assert extractor.extract({**record, "content": b"<a href=/>Home</a>"}) is None
