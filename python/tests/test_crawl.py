"""Crawls of the demo's portals on this machine, from Python."""

import logging
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import goldminer
import pytest


@pytest.fixture(scope="module")
def web():
    """The demo's portals, served."""
    with goldminer.demo.portals() as portals:
        yield portals


@pytest.fixture()
def crawler(web, tmp_path):
    return goldminer.Crawler(web.seeds, dir=tmp_path / "job", delay="5ms", allow_private=True, resolve=web.resolve)


def test_documents_come_during_a_crawl_and_the_next_continues(crawler, tmp_path):
    with crawler:
        first = list(crawler.crawl(max_documents=5))
    assert len(first) == 5 and all(isinstance(document, goldminer.Document) for document in first)
    assert crawler.report["ended"] in ("interrupted", "finished")
    stored = {document.id for document in crawler.documents()}
    assert {document.id for document in first} <= stored

    # The crawl continues with the rest; no document is yielded twice.
    rest = list(crawler)
    assert crawler.report["ended"] == "finished", crawler.report
    assert crawler.counters["documents"] > 0
    ids = [document.id for document in rest]
    assert len(ids) == len(set(ids))
    # Documents that the first run committed and did not yield are yielded now.
    whole = {document.id for document in crawler.documents()}
    assert set(ids) | {document.id for document in first} == whole
    assert {document.id for document in goldminer.read_corpus(tmp_path / "job")} == whole
    assert sum(portal["documents"] for portal in crawler.report["portals"]) == len(whole)


def test_batches_give_every_document_once(crawler):
    batches = []
    while True:
        batch = [document.id for document in crawler.crawl(max_documents=10)]
        batches.append(batch)
        if len(batch) < 10:
            break
    given = [document for batch in batches for document in batch]
    assert len(given) == len(set(given)), "no document comes twice"
    assert set(given) == {document.id for document in crawler.documents()}, "none is lost between batches"
    assert len(batches) > 2


def test_a_batch_continues_after_an_earlier_crawler(crawler):
    first = [document.id for document in crawler.crawl(max_documents=3)]
    again = goldminer.Crawler(
        crawler._seeds, dir=crawler.dir, delay="5ms", allow_private=True, resolve=crawler._settings["resolve"]
    )
    rest = [document.id for document in again]
    assert len(first) == 3 and not set(first) & set(rest)
    assert set(first) | set(rest) == {document.id for document in again.documents()}


def test_a_rebuild_between_batches_repeats_no_document(crawler):
    first = [document.id for document in crawler.crawl(max_documents=10)]
    subprocess.run([sys.executable, "-m", "goldminer", "rebuild", str(crawler.dir)], check=True)
    rest = [document.id for document in crawler]
    given = first + rest
    assert len(given) == len(set(given))
    assert set(given) >= {document.id for document in crawler.documents()}


def test_log_messages_go_to_pythons_logging(crawler, caplog):
    with caplog.at_level(logging.DEBUG), crawler:
        list(crawler.crawl(max_documents=1))
    assert any(record.name.startswith("goldminer.") for record in caplog.records)


def test_leaving_the_loop_ends_the_crawl_safely(crawler):
    for _ in crawler:
        break
    # The generator was closed, so the job is free.
    assert list(crawler.crawl(max_documents=0)) == []


def test_a_job_can_continue_after_ctrl_c(crawler, web, tmp_path):
    program = textwrap.dedent(f"""
        import signal
        import goldminer
        # Tests in the background ignore Ctrl-C, and their child processes inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        crawler = goldminer.Crawler({web.seeds!r}, dir={str(crawler.dir)!r}, delay="20ms", allow_private=True, resolve={web.resolve!r})
        try:
            for document in crawler:
                print(document.url, flush=True)
        except KeyboardInterrupt:
            print("interrupted", crawler.report["ended"], flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().startswith("http")
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        output = process.stdout.read()
        assert "interrupted interrupted" in output, output
        assert time.monotonic() - began < 20
    assert list(crawler.crawl(max_documents=1))


def test_a_crawl_of_urls_needs_no_seeds_file(web, tmp_path):
    crawler = goldminer.Crawler(
        ["http://courier.example/"],
        dir=tmp_path / "job",
        user_agent="test/1 (+http://test.invalid/)",
        delay=0.005,
        allow_private=True,
        resolve=web.resolve,
        max_pages=30,
    )
    try:
        report = crawler.run()
    except goldminer.CrawlError as error:
        pytest.fail(str(error))
    assert report["ended"] in ("limit", "finished") and report["pages"] >= 20


def test_a_crawl_that_cannot_begin_says_why(tmp_path):
    with pytest.raises(goldminer.CrawlError, match="no-such.toml"):
        goldminer.Crawler(tmp_path / "no-such.toml", dir=tmp_path / "job").run()
    with pytest.raises(goldminer.CrawlError, match="user agent"):
        goldminer.Crawler(["http://portal.example/"], dir=tmp_path / "job").run()
    with pytest.raises(ValueError, match="^delay "):
        goldminer.Crawler(["http://portal.example/"], dir=tmp_path / "job", delay="soon").run()
    with pytest.raises(ValueError, match="^seeds "):
        goldminer.Crawler([], dir=tmp_path / "job")
    with pytest.raises(ValueError, match="^seeds: .* is not a URL"):
        goldminer.Crawler(["http://portal\ud800.example/"], dir=tmp_path / "job")
    with pytest.raises(ValueError, match="^max_documents "):
        goldminer.Crawler(["http://portal.example/"], dir=tmp_path / "job").crawl(max_documents=True)
    with pytest.raises(ValueError, match="^dir "):
        goldminer.Crawler(["http://portal.example/"])


@pytest.mark.skipif(os.name != "posix", reason="a terminal is needed")
def test_progress_is_shown_on_a_terminal(crawler, capsys):
    crawler._progress = True
    with crawler:
        list(crawler.crawl(max_documents=1))
    assert re.search(r"\d+ s  \d+ pages, \d+ queued", capsys.readouterr().err)
