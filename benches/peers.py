#!/usr/bin/env python3
"""CPU time per megabyte of HTML: GoldMiner beside trafilatura, resiliparse and Python's jusText, on the same pages.

    pip install trafilatura resiliparse justext lxml_html_clean
    python3 benches/peers.py FOLDER…        # a folder is a domain: SET/pages/*

Each package extracts all pages below the folders in one thread, as its documentation says; the best of three rounds
counts. Then `cargo bench --bench page` does the same with GoldMiner, stage by stage. Packages that are not installed are
left out.
"""
import pathlib
import subprocess
import sys
import time


def trafilatura():
    from trafilatura import extract

    return lambda page: extract(page)


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    return lambda page: extract_plain_text(
        HTMLTree.parse(bytes_to_str(page, detect_encoding(page))), main_content=True, links=False
    )


def justext():
    import justext as package

    stoplist = package.get_stoplist("English")
    return lambda page: package.justext(page, stoplist)


def main():
    folders = sys.argv[1:]
    if not folders:
        sys.exit(__doc__)
    pages = [path.read_bytes() for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.html"))]
    megabytes = sum(map(len, pages)) / 1e6
    print(f"{len(pages)} pages, {megabytes:.1f} MB; MB of HTML a second of CPU time", flush=True)
    for prepare in (trafilatura, resiliparse, justext):
        try:
            extract = prepare()
        except ImportError as error:
            print(f"{prepare.__name__:40} not installed ({error})")
            continue
        best = float("inf")
        for _ in range(3):
            begin = time.process_time()
            for page in pages:
                try:
                    extract(page)
                except Exception:  # A page that a package refuses has cost its time, too.
                    pass
            best = min(best, time.process_time() - begin)
        print(f"{prepare.__name__:40} {megabytes / best:9.1f}", flush=True)
    root = pathlib.Path(__file__).resolve().parent.parent
    folders = [str(pathlib.Path(folder).resolve()) for folder in folders]
    subprocess.run(["cargo", "bench", "--quiet", "--bench", "page", "--", *folders], cwd=root, check=True)


main()
