"""Extraction of pages: accepted arguments, and results."""

import gc
import json
import pickle
import weakref

import goldminer
import pytest

STORY = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
PAGE = f"<html><head><title>Rain - The Portal</title></head><nav><a href=/>Home</a></nav><h1>Rain</h1>{STORY}"
URL = "http://portal.example/rain"


def test_a_page_gives_its_text_and_a_front_page_none():
    assert goldminer.extract(PAGE, URL).startswith("Rain\n\nIt rained all day")
    assert goldminer.extract("<a href=/>Home</a>") is None


@pytest.mark.parametrize("form", [str, str.encode, lambda p: bytearray(p.encode()), lambda p: memoryview(p.encode())])
def test_a_page_may_be_text_or_any_kind_of_bytes(form):
    assert goldminer.extract(form(PAGE), URL) == goldminer.extract(PAGE, URL)


def test_the_declared_charset_of_a_str_is_ignored():
    page = f"<meta charset=iso-8859-1><h1>Árvíz Győrött</h1>{STORY}"
    assert goldminer.extract(page).startswith("Árvíz Győrött")


def test_bytes_are_decoded_by_the_header():
    page = f"<h1>Eső</h1>{STORY}".encode("iso-8859-2")
    document = goldminer.Extractor().extract(page, content_type="text/html; charset=iso-8859-2")
    assert document.text.startswith("Eső")


def test_pages_without_a_url_have_different_ids():
    rain, snow = PAGE, PAGE.replace("rain", "snow")
    ids = [goldminer.bare_extraction(page).id for page in (rain, snow, rain.encode())]
    assert ids[0] == ids[2] != ids[1]
    assert goldminer.bare_extraction(rain, URL).id == goldminer.bare_extraction(snow, URL).id


def test_every_attribute_is_a_field_of_the_json_line():
    document = goldminer.bare_extraction(PAGE, URL)
    line = json.loads(document.to_json())
    assert document.to_dict() == line
    for name in line:
        if name != "paragraphs":
            assert getattr(document, name) == line[name], name
    for name, value in line["metadata"].items():
        assert getattr(document, name) == value, name
        assert name in dir(document)
    assert [p.text for p in document.paragraphs] == [p["text"] for p in line["paragraphs"]]
    assert [p.kind for p in document.paragraphs][:2] == ["h", "p"]
    assert (document.title, document.date, document.domain) == ("Rain", None, "portal.example")
    assert str(document) == document.text
    with pytest.raises(AttributeError, match="no_such_field"):
        document.no_such_field


def test_a_document_can_be_pickled_compared_and_read_back():
    document = goldminer.bare_extraction(PAGE, URL)
    for copy in (pickle.loads(pickle.dumps(document)), goldminer.Document.from_json(document.to_json())):
        assert copy == document and hash(copy) == hash(document)
    assert document != goldminer.bare_extraction(PAGE, URL + "2")
    assert "Rain" in repr(document)


def test_a_page_without_an_article_says_why():
    nothing = goldminer.Extractor().extract("<a href=/>Home</a>")
    assert isinstance(nothing, goldminer.NoText) and not nothing
    assert nothing.reason == "no-text" and "text of an article" in nothing.message
    assert goldminer.Extractor().extract("no markup").reason == "not-html"
    for head in (b"\x7fELF\x02", b"\0\x07\x07\x07" * 50, b"\0\1\0\0" * 50, b"\x89PNG", b"\0\0\1\0"):
        assert goldminer.Extractor().extract(head + STORY.encode()).reason == "not-html"
    assert pickle.loads(pickle.dumps(nothing)) == nothing


def test_output_formats():
    assert json.loads(goldminer.extract(PAGE, URL, output_format="json"))["url"] == URL
    assert "<h>Rain" in goldminer.extract(PAGE, URL, output_format="cleaneval")
    with pytest.raises(ValueError, match="output_format"):
        goldminer.extract(PAGE, output_format="pdf")


@pytest.mark.parametrize("page", ["", b"", "\ud800", "<p>\udfff" + STORY, b"\xff\xfe\x00", b"%PDF-1.7 \x00\x01", "<" * 1000])
def test_bad_pages_give_a_document_or_a_reason(page):
    assert isinstance(goldminer.Extractor().extract(page), (goldminer.Document, goldminer.NoText))


@pytest.mark.parametrize(
    "arguments, named",
    [
        ({"html": 7}, "html"),
        ({"html": None}, "html"),
        ({"url": 7}, "url"),
        ({"url": "portal.example"}, "url"),
        ({"url": "http://portal.example/\ud800"}, "url"),
        ({"content_type": b"text/html"}, "content_type"),
        ({"language": 1.5}, "language"),
    ],
)
def test_a_wrong_argument_is_named(arguments, named):
    with pytest.raises(ValueError, match=f"^{named} ") as raised:
        goldminer.Extractor().extract(**{"html": PAGE, **arguments})
    assert isinstance(raised.value, goldminer.Error)


def test_a_wrong_profile_is_named():
    with pytest.raises(ValueError, match="^profiles "):
        goldminer.extract(PAGE, profiles=7)
    with pytest.raises(ValueError, match="^convention "):
        goldminer.Extractor(convention="no such")
    with pytest.raises(goldminer.ProfileError, match="no/such/folder"):
        goldminer.extract(PAGE, profiles="no/such/folder")


def test_an_explanation_names_each_block_and_why_it_is_kept():
    blocks = goldminer.Extractor().explain(PAGE, URL)
    assert [block.kept for block in blocks[:3]] == [False, True, True]
    assert blocks[0].text == "Home" and blocks[0].reason.startswith("cut")
    assert blocks[1].reason.startswith("kept: the headline")


def test_a_page_of_100_megabytes_is_extracted():
    page = f"<h1>Rain</h1>{STORY}".encode() + b"<p>x</p>" * (100_000_000 // 8)
    assert isinstance(goldminer.Extractor().extract(page), (goldminer.Document, goldminer.NoText))


def test_a_cyclic_iterator_is_garbage_collected():
    class Reader:
        def pages(self):
            while True:
                yield PAGE

    reader = Reader()
    reader.documents = goldminer.Extractor().extract_many(reader.pages(), threads=1)
    next(reader.documents)
    gone = weakref.ref(reader)
    del reader
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("wrong", [7, None, [], [7], object()])
def test_seeds_of_a_wrong_type_are_an_error_that_names_them(wrong, tmp_path):
    with pytest.raises(goldminer.ArgumentError, match="seeds"):
        goldminer.Crawler(wrong, dir=tmp_path)


@pytest.mark.parametrize("name", ["resolve", "allow_private"])
@pytest.mark.parametrize("wrong", [7, "portal.example", [7]])
def test_lists_of_a_wrong_type_are_an_error_that_names_them(name, wrong, tmp_path):
    with pytest.raises(goldminer.ArgumentError, match=name):
        goldminer.Crawler(["http://portal.example/"], dir=tmp_path, **{name: wrong})


@pytest.mark.parametrize("name", ["page.html", "pages/story.htm", "https://portal.example/rain", __file__])
def test_a_path_or_url_instead_of_a_page_is_refused(name):
    with pytest.raises(ValueError, match="^html is the (file name|URL) "):
        goldminer.extract(name)


def test_an_unknown_language_is_refused():
    for wrong in ("klingon", "xx", ""):
        with pytest.raises(ValueError, match="^language is wrong"):
            goldminer.Extractor(language=wrong)
    assert goldminer.Extractor(language="de-AT")


def test_the_package_has_a_version():
    assert goldminer.__version__.count(".") == 2


def test_a_page_is_refused_as_an_archive(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>It rained.")
    with pytest.raises(goldminer.ArchiveError, match="page.html: is not a WARC file"):
        list(goldminer.read_warc(page))


def test_a_table_without_pyarrow_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        goldminer.to_arrow([])


LINE = {
    "id": "7f", "url": "http://portal.example/a", "text": "See this\n\na\tb\nc\td", "structure": 1,
    "paragraphs": [
        {"kind": "p", "text": "See this", "marks": [
            {"start": 0, "end": 3, "mark": "em"}, {"start": 4, "end": 8, "mark": "a", "target": "http://portal.example/"},
        ]},
        {"kind": "table", "text": "a\tb\nc\td", "table": {"head_rows": 1, "head_columns": 0}},
        {"kind": "l", "text": "one", "item": {"depth": 1, "ordered": True, "number": 3, "list": 0}},
    ],
    "objects": [{"kind": "figure", "before": 2, "source": "http://portal.example/a.jpg", "alt": "A"}],
    "metadata": {"domain": "portal.example"},
    "provenance": {"method": "goldminer", "stoplist": "English", "thresholds": "inside", "program": "goldminer/0.2.0",
                   "page_digest": "0a", "text_digest": "0b", "simhash": "0c"},
}  # fmt: skip


def test_a_document_shows_its_structure():
    document = goldminer.Document.from_json(json.dumps(LINE))
    paragraph, table, item = document.paragraphs
    assert paragraph.marks == [
        {"start": 0, "end": 3, "mark": "em", "target": None},
        {"start": 4, "end": 8, "mark": "a", "target": "http://portal.example/"},
    ]
    assert table.table == {"caption": None, "head_rows": 1, "head_columns": 0, "spans": []}
    place = {"depth": 1, "ordered": True, "number": 3, "list": 0, "continues": False, "part": None, "checked": None}
    assert item.item == place
    assert (paragraph.level, paragraph.item, paragraph.table, item.marks) == (None, None, None, [])
    assert document.structure == 1
    assert [(thing["kind"], thing["before"], thing["quoted"]) for thing in document.objects] == [("figure", 2, [])]
    assert document.markdown() == (
        "*See* [this](http://portal.example/)\n\n| a | b |\n| --- | --- |\n| c | d |\n\n![A](http://portal.example/a.jpg)\n\n3. one\n"
    )
    assert document.markdown(links=False, images=False, tables=False) == "*See* this\n\n3. one\n"
    assert document.markdown(links=False, formatting=False, tables=False) == (
        "See this\n\n![A](http://portal.example/a.jpg)\n\n3. one\n"
    )
    assert document.html(images=False, tables=False) == (
        '<p><em>See</em> <a href="http://portal.example/">this</a></p>\n<ol>\n<li value="3">one</li>\n</ol>\n'
    )


def test_without_tables_the_embed_of_a_table_is_left_out():
    paragraphs = [{"kind": "table", "text": "a\tb", "quote": 1}, {"kind": "p", "text": "after"}]
    line = {**LINE, "paragraphs": paragraphs, "objects": [{"kind": "embed", "before": 0, "quoted": [0]}]}
    document = goldminer.Document.from_json(json.dumps(line))
    assert document.html(tables=False) == "<p>after</p>\n"
