#!/usr/bin/env python3
"""Compares the speed of the Python package, of the Rust bench, and of alternatives, on the same pages.

    pip install goldminer-corpus turbohtml trafilatura justext lxml_html_clean
    python3 benches/python.py FOLDER…       # a folder is a domain: SET/pages/*

Measures the CPU time of one thread, the best of five rounds of at least 0.2 s, as in the Rust bench. Each package is used as
its documentation says. Then compares the wall-clock time of two threads with that of one: the median of seven pairs of
runs. At the end, prints the requirements of the package and whether they are met. If not, the exit code is 1. Packages that
are not installed are left out, and so is the Rust bench if there is no cargo.
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import goldminer
from goldminer.compat import justext as shim

Pages = list[tuple[str, bytes]]


def main() -> int:
    folders = [pathlib.Path(folder) for folder in sys.argv[1:]]
    if not folders:
        sys.exit(__doc__)
    domains = [[path.read_bytes() for path in sorted(folder.rglob("*.html"))] for folder in folders]
    pages = [(f"d{at}.example", page) for at, domain in enumerate(domains) for page in domain]
    size = sum(len(page) for _, page in pages) / 1e6
    print(f"{len(pages)} pages, {size:.1f} MB; MB of HTML a second of CPU time", flush=True)
    learned = [profile_of(f"d{at}.example", domain) for at, domain in enumerate(domains)]
    extractor = goldminer.Extractor(goldminer.Profiles(profile for profile in learned if profile))

    speeds: dict[str, float] = {}
    for name, prepare in (
        ("extract with a profile", lambda: with_profiles(extractor, pages)),
        ("turbohtml article()", lambda: alone(turbohtml(), pages)),
        ("trafilatura", lambda: alone(trafilatura(), pages)),
        ("compat.justext", lambda: alone(ours(), pages)),
        ("jusText", lambda: alone(reference(), pages)),
    ):
        try:
            run = prepare()
        except ImportError as error:
            print(f"{name:28} not installed ({error})")
            continue
        speeds[name] = size / cpu(run)
        print(f"{name:28} {speeds[name]:9.1f}", flush=True)
    rust = rust_speed(folders)
    if rust:
        speeds["Rust bench"] = rust
        print(f"{'Rust bench':28} {rust:9.1f}")
    ratio = two_threads(extractor, pages)

    failed = 0
    for one, least, other in (
        ("extract with a profile", 0.9, "Rust bench"),
        ("extract with a profile", 1.5, "turbohtml article()"),
        ("extract with a profile", 20.0, "trafilatura"),
        ("compat.justext", 30.0, "jusText"),
    ):
        if other in speeds:
            times = speeds[one] / speeds[other]
            failed += times < least
            print(f"{one}: {times:.2f} times {other}, at least {least} wanted{'' if times >= least else ': FAILED'}")
    failed += ratio < 1.8
    print(f"extract_many: {ratio:.2f} times with two threads, at least 1.8 wanted{'' if ratio >= 1.8 else ': FAILED'}")
    return 1 if failed else 0


def profile_of(domain: str, pages: list[bytes]) -> "goldminer.Profile | None":
    try:
        return goldminer.learn(((page, f"http://{domain}/{at}") for at, page in enumerate(pages[:300])), domain)
    except goldminer.ProfileError:
        return None


def with_profiles(extractor, pages: Pages):
    addressed = [(page, f"http://{domain}/{at}") for at, (domain, page) in enumerate(pages)]

    def run() -> None:
        for page, url in addressed:
            extractor.extract(page, url)

    return run


def alone(extract, pages: Pages):
    def run() -> None:
        for _, page in pages:
            try:
                extract(page)
            except Exception:  # The time for pages that a package rejects counts too.
                pass

    return run


def turbohtml():
    from turbohtml import parse

    return lambda page: parse(page).article()


def trafilatura():
    from trafilatura import extract

    return lambda page: extract(page)


def ours():
    stoplist = shim.get_stoplist("English")
    return lambda page: [p.text for p in shim.justext(page, stoplist) if not p.is_boilerplate]


def reference():
    import justext

    stoplist = justext.get_stoplist("English")
    return lambda page: [p.text for p in justext.justext(page, stoplist) if not p.is_boilerplate]


def cpu(run) -> float:
    """The CPU seconds of a run: the best of five rounds. A round repeats it for 0.2 s, as in the Rust bench."""

    def round_of() -> float:
        runs, begin = 0, time.process_time()
        while not runs or time.process_time() - begin < 0.2:
            run()
            runs += 1
        return (time.process_time() - begin) / runs

    return min(round_of() for _ in range(5))


def two_threads(extractor, pages: Pages) -> float:
    """The speed of two threads divided by that of one: the median of seven pairs of runs."""
    few = [(page, f"http://{domain}/{at}") for at, (domain, page) in enumerate(pages)]
    many = few * max(1, round(100e6 / sum(len(page) for page, _ in few)))

    def wall(threads: int) -> float:
        begin = time.perf_counter()
        for _ in extractor.extract_many(many, threads=threads):
            pass
        return time.perf_counter() - begin

    ratios = [wall(1) / wall(2) for _ in range(7)]
    print("two threads against one:", " ".join(f"{ratio:.2f}" for ratio in ratios))
    return statistics.median(ratios)


def rust_speed(folders: list[pathlib.Path]) -> "float | None":
    if not shutil.which("cargo"):
        return None
    root = pathlib.Path(__file__).resolve().parent.parent
    command = ["cargo", "bench", "--quiet", "--profile", os.environ.get("PROFILE", "dist"), "-p", "goldminer-core", "--bench", "page", "--"]
    output = subprocess.run(
        command + [str(folder.resolve()) for folder in folders],
        cwd=root, check=True, text=True, stdout=subprocess.PIPE, env={**os.environ, "STAGE": "extraction, from bytes"},
    ).stdout  # fmt: skip
    found = re.search(r"extraction, from bytes\s+([\d.]+)", output)
    return float(found.group(1)) if found else None


if __name__ == "__main__":
    sys.exit(main())
