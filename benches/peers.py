#!/usr/bin/env python3
"""Compares the CPU time per megabyte of HTML of GoldMiner and other extractors, on the same pages of each set.

    pip install trafilatura resiliparse justext lxml_html_clean turbohtml rs-trafilatura
    python3 benches/peers.py FOLDER…        # a folder is a domain: SET/pages/*

Each package extracts all pages of a set in one thread, as its documentation says. The best of three rounds counts. Between
them, `cargo bench --bench page` does the same with GoldMiner, with known profiles and with learning them. Packages that are
not installed are left out. `PROFILE=fast` builds GoldMiner with cargo's profile `fast`, which takes less time and makes it
somewhat slower.
"""
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = ("extraction, from bytes", "learning and extraction, from bytes", "jusText, from bytes")


def turbohtml():
    from turbohtml import parse

    return lambda page: parse(page).article()


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    return lambda page: extract_plain_text(
        HTMLTree.parse(bytes_to_str(page, detect_encoding(page))), main_content=True, links=False
    )


def rs_trafilatura():
    from rs_trafilatura import extract_bytes

    return extract_bytes


def justext():
    import justext as package

    stoplist = package.get_stoplist("English")
    return lambda page: package.justext(page, stoplist)


def trafilatura():
    from trafilatura import extract

    return lambda page: extract(page)


def run(prepare, pages, megabytes):
    try:
        extract = prepare()
    except ImportError as error:
        print(f"{prepare.__name__:40} not installed ({error})")
        return
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        for page in pages:
            try:
                extract(page)
            except Exception:  # The time for pages that a package rejects counts too.
                pass
        best = min(best, time.process_time() - begin)
    print(f"{prepare.__name__:40} {megabytes / best:9.1f}", flush=True)


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    sets = {}
    for folder in sys.argv[1:]:
        folder = pathlib.Path(folder).resolve()
        sets.setdefault(folder.parent, []).append(folder)
    for of_set, folders in sets.items():
        pages = [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.html"))]
        megabytes = sum(map(len, pages)) / 1e6
        print(f"\n{of_set}: {len(pages)} pages, {megabytes:.1f} MB; MB of HTML a second of CPU time", flush=True)
        for prepare in (turbohtml, resiliparse, rs_trafilatura, justext, trafilatura):
            run(prepare, pages, megabytes)
        for stage in OURS:
            command = ["cargo", "bench", "--quiet", "--profile", os.environ.get("PROFILE", "bench")]
            command += ["--package", "goldminer-core", "--bench", "page", "--"]
            environment = dict(os.environ, STAGE=stage)
            subprocess.run([*command, *map(str, folders)], cwd=ROOT, env=environment, check=True)


main()
