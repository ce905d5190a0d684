"""`compat.justext` against jusText 3.0.2, paragraph by paragraph, in text and class.

The pages are those of the repository's tests, and one in 25 of the sets in the folder GOLDMINER_LAB; with
GOLDMINER_EVERY=1 all of them:

    GOLDMINER_LAB=lab/eval GOLDMINER_EVERY=1 pytest -s python/tests/test_justext.py

Differences come from the parsed trees, not from the algorithm; `goldminer.compat.justext` lists them.
GOLDMINER_DIFFERENCES=FILE writes each difference to a file.
"""

import csv
import os
import random
import re
import warnings
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from goldminer.compat import justext as ours

reference = pytest.importorskip("justext")

REPOSITORY = Path(__file__).parents[2]
# The least share of equal paragraphs in a set of pages. The others differ in the listed ways.
BAR = 0.99
# The least share in a set of a few pages, because one of them may differ.
BAR_OF_FEW = 0.97
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
LANGUAGES = {"cs": "Czech", "de": "German", "el": "Greek", "en": "English", "hu": "Hungarian", "pl": "Polish", "ru": "Russian"}
STORY = "<p>It was in the middle of the week that the council met and asked what they thought of it.</p>\n"


def sets():
    yield "repository", [(path, "English") for path in sorted(REPOSITORY.glob("crates/core/tests/pages/*/source.html"))]
    lab = os.environ.get("GOLDMINER_LAB")
    for folder in sorted(Path(lab).glob("*/pages")) if lab else []:
        pages = sorted(folder.rglob("*.html"))
        meta = folder.parent / "meta.tsv"
        rows = csv.DictReader(meta.open(encoding="utf8"), delimiter="\t", quoting=csv.QUOTE_NONE) if meta.exists() else []
        languages = {row["id"]: LANGUAGES.get(row["language"][:2], "English") for row in rows}
        every = int(os.environ.get("GOLDMINER_EVERY", "25"))
        yield folder.parent.name, [(path, languages.get(path.stem, "English")) for path in pages[::every]]


def classified(paragraphs):
    # Ours leaves out paragraphs that are only <br>, which have no text, and control characters.
    return [(p.class_type, p.cf_class, _CONTROLS.sub("", p.text).strip("\n ")) for p in paragraphs if p.text]


@pytest.mark.parametrize("name, pages", list(sets()), ids=lambda value: value if isinstance(value, str) else "")
def test_paragraphs_are_those_of_the_reference(name, pages):
    common = total = equal_pages = seen = 0
    differences = []
    for path, language in pages:
        page = path.read_bytes()
        stoplist = reference.get_stoplist(language)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = classified(reference.justext(page, stoplist))
        except Exception as error:  # Pages that the reference cannot read are left out.
            print(f"{path}: the reference fails: {error}")
            continue
        mine = classified(ours.justext(page, stoplist))
        matches = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if mine != theirs else []
        different = sum(max(b - a, d - c) for kind, a, b, c, d in matches if kind != "equal")
        seen += 1
        equal_pages += not different
        total += max(len(mine), len(theirs), different)
        common += max(len(mine), len(theirs), different) - different
        for kind, a, b, c, d in matches:
            if kind != "equal":
                differences.append(f"{path}\n" + "".join(f"  - {p}\n" for p in theirs[c:d]) + "".join(f"  + {p}\n" for p in mine[a:b]))
    print(f"{name}: {common} of {total} paragraphs equal ({100 * common / max(total, 1):.3f} %), {equal_pages} of {seen} pages")
    if os.environ.get("GOLDMINER_DIFFERENCES"):
        with open(os.environ["GOLDMINER_DIFFERENCES"], "a", encoding="utf8") as file:
            file.writelines(differences)
    bar = BAR if len(pages) > 200 else BAR_OF_FEW
    assert common >= bar * total, "".join(differences[:5])


def test_thresholds_work_as_in_the_reference():
    page = f"<h1>Rain</h1>{STORY * 3}<h2>More</h2><p>Short.</p><div><a href=/>It was in the middle</a> of the week</div>{STORY}"
    stoplist = reference.get_stoplist("English")
    chance = random.Random(7)
    for _ in range(200):
        arguments = {
            "length_low": chance.randrange(0, 150),
            "length_high": chance.randrange(50, 400),
            "stopwords_low": chance.random(),
            "stopwords_high": chance.random(),
            "max_link_density": chance.random(),
            "max_heading_distance": chance.randrange(0, 400),
            "no_headings": chance.random() < 0.5,
        }
        assert classified(ours.justext(page, stoplist, **arguments)) == classified(reference.justext(page, stoplist, **arguments)), arguments


def test_paragraphs_have_the_attributes_of_the_reference():
    page = f"<html><body><div><h1>Rain</h1>{STORY}<p>See <b>the\n  <a href=/>other</a></b> page<br><br>of it</p></div></body></html>"
    stoplist = reference.get_stoplist("English")
    names = ["text", "class_type", "cf_class", "is_boilerplate", "is_heading", "heading", "words_count", "chars_count_in_links"]
    mine, theirs = ours.justext(page, stoplist), reference.justext(page, stoplist)
    for mine, theirs in zip(mine, theirs, strict=True):
        for name in names:
            assert getattr(mine, name) == getattr(theirs, name), (name, mine)
        assert len(mine) == len(theirs) and mine.links_density() == theirs.links_density()
        assert mine.stopwords_count(stoplist) == theirs.stopwords_count(stoplist)
        assert mine.stopwords_density(stoplist) == theirs.stopwords_density(stoplist)
    first = ours.justext(page, stoplist)[0]
    assert (first.dom_path, first.xpath) == ("html.body.div.h1", "/html[1]/body[1]/div[1]/h1[1]")


def test_stoplists_are_those_of_the_reference():
    assert ours.get_stoplists() == reference.get_stoplists()
    for language in sorted(reference.get_stoplists()):
        assert ours.get_stoplist(language) == reference.get_stoplist(language), language
    with pytest.raises(ValueError, match="Klingon"):
        ours.get_stoplist("Klingon")


@pytest.mark.parametrize("words", [frozenset(), frozenset({"it", "THE", "was"}), ["it", "was"], {"it", "was"}, ()])
def test_a_stoplist_may_be_any_words(words):
    page = f"<h1>Rain</h1>{STORY * 3}"
    assert classified(ours.justext(page, words)) == classified(reference.justext(page, frozenset(words)))


@pytest.mark.parametrize("encoding", ["utf8", "iso-8859-2", "windows-1250"])
def test_bytes_are_decoded_as_the_reference_decodes_them(encoding):
    text = f"<p>Árvíz Győrött</p>{STORY}"
    stoplist = ours.get_stoplist("English")
    for page in (text.encode(encoding), f"<meta charset={encoding}>{text}".encode(encoding), f"<meta charset=klingon>{text}".encode(encoding)):
        for named in (None, encoding):
            mine = classified(ours.justext(page, stoplist, encoding=named))
            assert mine == classified(reference.justext(page, stoplist, encoding=named)), (page[:40], named)


def test_ignored_arguments_are_warned_of_once():
    from goldminer import compat

    compat._warned.clear()
    with pytest.warns(UserWarning, match="preprocessor"):
        ours.justext(STORY, frozenset(), preprocessor=len)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.justext(STORY, frozenset(), preprocessor=len)


@pytest.mark.parametrize("arguments", [{"stoplist": [7]}, {"length_low": -1}, {"stopwords_low": "much"}, {"html_text": 7}])
def test_a_wrong_argument_is_a_value_error(arguments):
    with pytest.raises(ValueError):
        ours.justext(**{"html_text": STORY, "stoplist": frozenset({"it"}), **arguments})
