#!/usr/bin/env python3
"""Compares how well extractors keep structure: headings, lists, code, tables, formulas, links, emphasis and figures.

    pip install lxml markdown-it-py mdit-py-plugins linkify-it-py rapidfuzz numpy trafilatura turbohtml magic-html   # Python 3.12
    npm install defuddle linkedom                   # in the folder from which the command runs
    python3 benches/structure.py TREE SITES         # TREE/{gold,pages}, TREE/*.tsv, TREE/structure_score.py; SITES/<host>
    python3 benches/structure.py TREE SITES --only sites

TREE contains gold block trees (`gold/<host>/<path>.json`), lists of the pages that count (`<host>/<path>` per line), and the scorer
of the trees. Pages are `SITES/<host>/<path>`, or else `TREE/pages/<host>/<path>`. Prints a table in Markdown for each list: means over
hosts, in percent. `learned` uses a profile of the whole host; `alone` uses only the page, as the others do. If an extractor fails on
a page, its result is empty. Extractors that are not installed have no row. `GOLDMINER` is the path of the program; by default, it
is searched in PATH.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("GOLDMINER", "goldminer")
DEFUDDLE = """
import fs from 'node:fs';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
for (const line of fs.readFileSync(0, 'utf8').trim().split('\\n')) {
  const { page, url, out } = JSON.parse(line);
  try {
    const { document } = parseHTML(fs.readFileSync(page, 'utf8'));
    fs.writeFileSync(out + '.md', (await Defuddle(document, url, { markdown: true })).content);
  } catch (error) {}
}
"""


def trafilatura():
    from trafilatura import extract

    parts = {"include_links": True, "include_images": True, "include_formatting": True, "include_tables": True}
    return lambda html, url: ("md", extract(html, url=url, output_format="markdown", **parts))


def turbohtml():
    from turbohtml import parse

    return lambda html, url: ("html", parse(html).main_content().html)


def magic_html():
    from magic_html import GeneralExtractor

    return lambda html, url: ("html", GeneralExtractor().extract(html, base_url=url)["html"])


def run(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments), "-q"], check=True)


def goldminer(pages, sites, out, scorer, learned):
    """The documents of some pages, with profiles of their whole hosts or from each page alone."""
    by_host = {}
    for key, page, url in pages:
        by_host.setdefault(key.split("/")[0], []).append((key, page, url))
    for host, listed in by_host.items():
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            for key, page, _ in listed:
                (work / "pages" / key).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(page, work / "pages" / key)
            how = ["--method", "classifier"]
            if learned:
                whole = next(folder / host for folder in sites if (folder / host).is_dir())
                run("learn", whole, "--url-prefix", f"https://{host}/", "-o", work / "profiles")
                how = ["--profiles", work / "profiles"]
            prefix = ["--url-prefix", f"https://{host}/"]
            run("extract", work / "pages" / host, *prefix, *how, "-o", work / "documents")
            run("convert", work / "documents", "-o", work / "markdown", "--format", "markdown")
            keys = {scorer.target(url): key for key, _, url in listed}
            for file in (work / "markdown").rglob("*.md"):
                text = file.read_text()
                url = next((line[6:-1] for line in text.splitlines() if line.startswith('url: "')), "")
                write(out, keys.get(scorer.target(url)), "md", text)


def others(pages, out, make):
    extract = make()
    for key, page, url in pages:
        try:
            form, text = extract(page.read_text(errors="replace"), url)
        except Exception as why:
            print(f"{make.__name__}: {key}: {why}", file=sys.stderr)
            continue
        write(out, key, form, text or "")


def defuddle(pages, out):
    lines = []
    for key, page, url in pages:
        write(out, key, "md", "")
        lines.append(json.dumps({"page": str(page), "url": url, "out": str(out / key)}))
    node = ["node", "--input-type=module", "-e", DEFUDDLE]
    subprocess.run(node, input="\n".join(lines), text=True, check=True, stderr=subprocess.DEVNULL)


def write(out, key, form, text):
    if key is not None:
        file = out / f"{key}.{form}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def main():
    tree, sites = pathlib.Path(sys.argv[1]), [pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[1]) / "pages"]
    only = sys.argv[sys.argv.index("--only") + 1 :][:1] if "--only" in sys.argv else []
    sys.path.insert(0, str(tree))
    import structure_score as scorer

    tools = {
        "goldminer, learned": lambda pages, out: goldminer(pages, sites, out, scorer, True),
        "goldminer, each page alone": lambda pages, out: goldminer(pages, sites, out, scorer, False),
        "turbohtml": lambda pages, out: others(pages, out, turbohtml),
        "magic-html": lambda pages, out: others(pages, out, magic_html),
        "defuddle": defuddle,
        "trafilatura": lambda pages, out: others(pages, out, trafilatura),
    }
    for path in sorted(tree.glob("*.tsv")):
        golds = {line.split("\t")[0].strip() for line in path.read_text().splitlines()}
        keys = [key for key in scorer.gold_files(str(tree / "gold")) if key in golds]
        if not keys or only and path.stem not in only:
            continue
        gold = {key: json.loads((tree / "gold" / f"{key}.json").read_text()) for key in keys}
        found = {key: next((s / key for s in sites if (s / key).is_file()), None) for key in keys}
        pages = [(key, found[key], gold[key]["url"]) for key in keys if found[key]]
        print(f"\n{len(pages)} pages of {path.stem}\n")
        print(f"| | overall | {' | '.join(scorer.HEAD)} |\n|---|{'---:|' * (1 + len(scorer.HEAD))}")
        for name, extract in tools.items():
            with tempfile.TemporaryDirectory() as out:
                try:
                    extract(pages, pathlib.Path(out))
                except (ImportError, FileNotFoundError, subprocess.CalledProcessError) as why:
                    print(f"{name}: {why}", file=sys.stderr)
                    continue
                hosts = {}
                for key, _, url in pages:
                    has_formulas = any(True for _ in scorer.formulas(gold[key]["blocks"]))
                    made = scorer.read_out(f"{out}/{key}", url, has_formulas)
                    hosts.setdefault(key.split("/")[0], []).append(scorer.score(made, gold[key]))
                by_host = [scorer.mean_of(rows) for rows in hosts.values()]
                means = scorer.mean_of([{name: host[name] for name in scorer.HEAD if name in host} for host in by_host])
                metrics = [means.get(metric) for metric in ["overall", *scorer.HEAD]]
                row = " | ".join("" if value is None else f"{100 * value:.1f}" for value in metrics)
                print(f"| {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
