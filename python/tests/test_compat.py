"""The interfaces of trafilatura and readability, compared with the real packages."""

import inspect
import json
import warnings
from xml.etree import ElementTree

import goldminer
import pytest
from goldminer import compat
from goldminer.compat import readability, trafilatura

STORY = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
PAGE = f"<html><head><title>Rain &amp; Sun | The Portal</title></head><nav><a href=/>Home</a></nav><h1>Rain &amp; Sun</h1>{STORY}"
URL = "http://portal.example/rain"
FRONT_PAGE = "<a href=/>Home</a>"


def test_trafilatura_gives_the_article_in_each_format():
    text = trafilatura.extract(PAGE, URL)
    assert text.splitlines()[:2] == ["Rain & Sun", STORY[3:-4].split("</p>")[0]]
    assert trafilatura.extract(PAGE, output_format="markdown").startswith("# Rain & Sun\n\nIt rained")
    assert json.loads(trafilatura.extract(PAGE, URL, output_format="json"))["title"] == "Rain & Sun"
    for form in ("xml", "html"):
        tree = ElementTree.fromstring(trafilatura.extract(PAGE, URL, output_format=form))
        assert "Rain & Sun" in "".join(tree.itertext())
    assert trafilatura.extract(PAGE, URL, output_format="csv").startswith(URL + "\t")
    assert trafilatura.extract(PAGE, with_metadata=True).startswith("---\ntitle: Rain & Sun\n")
    assert trafilatura.extract(FRONT_PAGE) is None
    with pytest.raises(ValueError, match="output_format"):
        trafilatura.extract(PAGE, output_format="pdf")


def test_trafilatura_document_has_the_fields_of_the_real_one():
    real = pytest.importorskip("trafilatura.settings")
    document = trafilatura.bare_extraction(PAGE, URL)
    assert set(document.as_dict()) == set(real.Document().as_dict())
    assert document.as_dict() == trafilatura.bare_extraction(PAGE, URL, as_dict=True)
    assert (document.title, document.url, document.hostname) == ("Rain & Sun", URL, "portal.example")
    assert document.text == trafilatura.extract(PAGE)
    assert trafilatura.extract_metadata(PAGE, URL).title == "Rain & Sun"
    assert trafilatura.bare_extraction(FRONT_PAGE) is None
    assert trafilatura.bare_extraction(PAGE, target_language="de") is None
    assert trafilatura.bare_extraction(PAGE, only_with_metadata=True) is None


@pytest.mark.parametrize("function", ["extract", "bare_extraction"])
def test_trafilatura_takes_every_argument_of_the_real_one(function):
    real = getattr(pytest.importorskip("trafilatura"), function)
    arguments = {name: p.default for name, p in inspect.signature(real).parameters.items() if p.default is not p.empty}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert getattr(trafilatura, function)(PAGE, **{**arguments, "url": URL})


def test_ignored_arguments_are_warned_of_once_by_name():
    compat._warned.clear()
    with pytest.warns(UserWarning, match="trafilatura.extract ignores deduplicate=True"):
        trafilatura.extract(PAGE, deduplicate=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trafilatura.extract(PAGE, deduplicate=True, include_comments=True, include_tables=True, favor_recall=True)
    with pytest.warns(UserWarning, match="include_links=True"):
        trafilatura.extract(PAGE, include_links=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trafilatura.extract(PAGE, output_format="html", include_links=True, include_images=True, include_formatting=True)
    with pytest.warns(UserWarning, match="prune_xpath"):
        trafilatura.extract(PAGE, prune_xpath="//p")
    with pytest.warns(UserWarning, match="positive_keywords"):
        readability.Document(PAGE, positive_keywords=["rain"])


STRUCTURE = {
    "id": "7f", "url": URL, "text": "See this\n\na\tb", "structure": 1,
    "paragraphs": [
        {"kind": "p", "text": "See this", "marks": [{"start": 0, "end": 3, "mark": "em"},
                                                    {"start": 4, "end": 8, "mark": "a", "target": URL}]},
        {"kind": "caption", "text": "A bridge"},
        {"kind": "table", "text": "a\tb"},
    ],
    "objects": [{"kind": "figure", "before": 1, "source": "http://portal.example/a.jpg", "caption": "A bridge"}],
    "metadata": {"domain": "portal.example"},
    "provenance": {"method": "goldminer", "stoplist": "English", "thresholds": "inside", "program": "goldminer/0.2.0",
                   "page_digest": "0a", "text_digest": "0b", "simhash": "0c"},
}  # fmt: skip


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_trafilatura_keeps_the_requested_markup(form, monkeypatch):
    document = goldminer.Document.from_json(json.dumps(STRUCTURE))
    monkeypatch.setattr(trafilatura, "_found", lambda *_: document)
    shown = {"links": f"({URL})", "images": "a.jpg", "formatting": "*See*", "tables": "| a | b |"}
    if form == "html":
        shown = {"links": f'href="{URL}"', "images": "a.jpg", "formatting": "<em>See</em>", "tables": "<table>"}
    for wanted in shown:
        options = {f"include_{name}": name == wanted for name in shown}
        text = trafilatura.extract("", output_format=form, **options)
        always = {"formatting"} if form == "markdown" else set()
        assert {name for name, part in shown.items() if part in text} == {wanted} | always
        assert ("A bridge" in text) == (wanted == "images")


def test_trafilatura_leaves_out_tables_and_captions(monkeypatch):
    document = goldminer.Document.from_json(json.dumps(STRUCTURE))
    monkeypatch.setattr(trafilatura, "_found", lambda *_: document)
    for form in ("txt", "json", "xml", "csv"):
        with_tables, without = (
            trafilatura.extract("", output_format=form, include_tables=has_tables) for has_tables in (True, False)
        )
        assert "See this" in with_tables and "See this" in without
        assert "A bridge" not in with_tables + without
        assert len(without) < len(with_tables)
    assert trafilatura.bare_extraction("", include_tables=False).text == "See this"


def test_readability_gives_title_and_summary():
    real = pytest.importorskip("readability")
    document = readability.Document(PAGE)
    assert document.title() == real.Document(PAGE).title() == "Rain & Sun | The Portal"
    assert document.short_title() == "Rain & Sun"
    tree = ElementTree.fromstring(document.summary())
    headline, *paragraphs = (element.tag for element in tree[0][0])
    assert headline == "h2" and set(paragraphs) == {"p"}
    assert document.summary(html_partial=True).startswith("<div><h2>Rain &amp; Sun</h2>")
    nothing = readability.Document(FRONT_PAGE)
    assert (nothing.title(), nothing.summary()) == ("[no-title]", "<html><body><div></div></body></html>")
    assert nothing.title() == real.Document(FRONT_PAGE).title()


def test_readability_leaves_out_captions_with_their_pictures():
    document = readability.Document(PAGE)
    document._document = goldminer.Document.from_json(json.dumps(STRUCTURE))
    assert document.summary(html_partial=True) == "<div><p>See this</p><p>a\tb</p></div>"


def test_trafilatura_and_readability_accept_bytes():
    assert trafilatura.extract(PAGE.encode()) == trafilatura.extract(PAGE)
    assert readability.Document(PAGE.encode()).summary() == readability.Document(PAGE).summary()
    with pytest.raises(goldminer.ArgumentError):
        trafilatura.extract(7)


def test_trafilatura_fetches_as_politely_as_a_crawl(monkeypatch):
    with goldminer.demo.portals() as portals:
        ask = {"user_agent": "test/1 (+http://test.invalid/)", "allow_private": ["loopback"], "resolve": portals.resolve}
        page = trafilatura.fetch_url("http://courier.example/", **ask)
        assert page is not None and "<html" in page.lower()
        assert trafilatura.fetch_url("http://courier.example/no-such-page-at-all", **ask) is None
    monkeypatch.delenv("GOLDMINER_USER_AGENT", raising=False)
    with pytest.raises(goldminer.CrawlError, match="user agent"):
        trafilatura.fetch_url("http://courier.example/")


def test_trafilatura_baseline_and_html2txt_give_all_text():
    body, text, length = trafilatura.baseline(PAGE)
    assert body is None and "It rained" in text and length == len(text)
    assert trafilatura.html2txt("<a href=/>Home</a><p>Short.") == "Home\nShort."


def test_trafilatura_metadata_has_description_tags_and_image():
    head = (
        "<meta property=og:description content='Rain &amp; more'><meta property=og:image content=http://a.example/i.jpg>"
        "<meta property=article:tag content=Weather><meta name=keywords content='Weather, Town'>"
        "<link rel=canonical href=http://portal.example/rain>"
    )
    found = trafilatura.bare_extraction(head + PAGE)
    assert (found.description, found.image, found.tags) == ("Rain & more", "http://a.example/i.jpg", ["Weather", "Town"])
    assert (found.url, found.hostname) == ("http://portal.example/rain", "portal.example")


def test_a_page_whose_metadata_cannot_be_read_gives_its_text():
    found = trafilatura.bare_extraction("<![broken[x]]>" + PAGE)
    assert found is not None and "It rained" in found.text and found.description is None
