#!/usr/bin/env python3
"""Compares the classifier with other extractors of single pages. It extracts only pages whose domain it has not learned from.

    pip install trafilatura readability-lxml resiliparse rs-trafilatura turbohtml
    python3 benches/single_pages.py LAB             # LAB/<set>/{pages,gold}/<domain>/<id>, meta.tsv, ok.txt
    python3 benches/single_pages.py LAB --peers     # without the classifier, whose folds take most of the time

Prints the README's table in Markdown: the F-score of words (micro), with typography folded, by the program's scorer (`goldminer
eval`). If an extractor fails on a page, its text is empty. Each gets the bytes and the URL of a page. If it has such an option,
it keeps comments with the convention `page`, and leaves them out with `article`. The classifier's figures are those of
`goldminer train classifier SET… --folds` (three seeds), on the sets that classifier/NOTICE.md names. Packages that are not installed
have no column, and missing sets have no row. `GOLDMINER` is the path of the program; by default, it is searched in PATH.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ARTICLES = ["big9-2009", "cleanportaleval", "daniel-zh-ru-el", "hu-portals", "l3s-gn1", "wcxb-dev"]
PAGES = ["cleaneval-final", "wcxb-dev"]
# Each row: a set, the kind of its pages that count, and the classifier's convention.
ROWS = [
    ("wcxb-dev", "article", "article"),
    ("l3s-gn1", "", "article"),
    ("cleanportaleval", "", "article"),
    ("big9-2009", "", "article"),
    ("daniel-zh-ru-el", "", "article"),
    ("hu-portals", "", "article"),
    ("cleaneval-final", "", "page"),
    ("wcxb-dev", "documentation", "page"),
    ("wcxb-dev", "service", "page"),
    ("wcxb-dev", "forum", "page"),
]
PROGRAM = os.environ.get("GOLDMINER", "goldminer")


def trafilatura():
    from trafilatura import extract

    return lambda page, url, comments: extract(page, url=url, include_comments=comments)


def readability():
    from lxml import html
    from readability import Document

    return lambda page, url, comments: html.fromstring(Document(page).summary()).text_content()


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    def text(page, url, comments):
        tree = HTMLTree.parse(bytes_to_str(page, detect_encoding(page)))
        return extract_plain_text(tree, main_content=True, links=False, comments=comments)

    return text


def rs_trafilatura():
    from rs_trafilatura import extract_bytes

    return lambda page, url, comments: extract_bytes(page, url=url, include_comments=comments).main_content


def turbohtml():
    from turbohtml import parse

    return lambda page, url, comments: parse(page).main_text()


EXTRACTORS = [trafilatura, readability, resiliparse, rs_trafilatura, turbohtml]


def pages_of(lab, name, kind):
    """The keys `<domain>/<id>` of a set's sound pages, or of those of one kind, with their URLs."""
    lines = (lab / name / "meta.tsv").read_text(encoding="utf-8", errors="replace").splitlines()
    header = lines[0].split("\t")
    rows = [dict(zip(header, line.split("\t"))) for line in lines[1:]]
    sound = {line.split("\t")[0] for line in (lab / name / "ok.txt").read_text().splitlines()}
    wanted = [row for row in rows if not kind or row.get("note") == kind]
    urls = {f"{row['domain']}/{row['id']}": row["url"] for row in wanted}
    return {key: urls[key] for key in sorted(urls) if key in sound}


def body(path):
    """The page without the line that CleanEval puts before it."""
    page = path.read_bytes()
    return page[page.index(b">") + 1 :] if page.startswith(b"<text") else page


def scored(extract, lab, name, pages, convention):
    """The F-score of an extractor on some pages."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for key, url in pages.items():
            try:
                text = extract(body(lab / name / "pages" / f"{key}.html"), url, convention == "page") or ""
            except Exception:  # A page that a package rejects has no text.
                text = ""
            for side, content in (("out", text.encode("utf-8", "replace")), ("gold", None)):
                path = folder / side / f"{key}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes((lab / name / "gold" / f"{key}.txt").read_bytes() if content is None else content)
        command = [PROGRAM, "eval", str(folder / "out"), str(folder / "gold"), "--json"]
        scores = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return f"{100 * scores['all']['words']['micro']['f']:.2f}"


def scores_of(lab, names, convention):
    """The F-scores of the classifier on each set and kind, on domains from which it has not learned."""
    sets = [str(lab / name) for name in names if (lab / name).is_dir()]
    command = [PROGRAM, "train", "classifier", *sets, "--convention", convention, "--folds", "--json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {(row["set"], row["kind"], convention): row for row in rows}


def prepared():
    """The extractors that are installed."""
    for prepare in EXTRACTORS:
        try:
            yield prepare.__name__, prepare()
        except ImportError as error:
            print(f"{prepare.__name__} is not installed: {error}", file=sys.stderr)


def main():
    peers_only = "--peers" in sys.argv[1:]
    folders = [word for word in sys.argv[1:] if word != "--peers"]
    if len(folders) != 1:
        sys.exit(__doc__)
    lab = pathlib.Path(folders[0])
    ours = {} if peers_only else scores_of(lab, ARTICLES, "article") | scores_of(lab, PAGES, "page")
    peers = list(prepared())
    print("| set | pages | convention | classifier: F | P | R |", " | ".join(name for name, _ in peers), "|")
    print("|---|---:|---|---:|---:|---:|" + "---:|" * len(peers))
    for name, kind, convention in ROWS:
        if not (lab / name).is_dir():
            continue
        pages = pages_of(lab, name, kind)
        row = ours.get((name, kind, convention))
        classifier = [f"{row['f']:.2f}", f"{row['precision']:.1f}", f"{row['recall']:.1f}"] if row else ["", "", ""]
        theirs = [scored(extract, lab, name, pages, convention) for _, extract in peers]
        cells = [f"{name} {kind}".strip(), str(len(pages)), convention, *classifier, *theirs]
        print("|", " | ".join(cells), "|", flush=True)


main()
