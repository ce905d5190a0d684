#!/usr/bin/env python3
"""Compares the extraction of texts from a WARC file: GoldMiner in one pass, fastwarc with resiliparse, fastwarc with turbohtml, and
datatrove with trafilatura. Prints pages per CPU second, and the F-score on the pages that have a gold text.

    pip install fastwarc resiliparse turbohtml trafilatura datatrove orjson warcio faust-cchardet python-magic lxml_html_clean zstandard
    python3 benches/archive_peers.py PROGRAM DIR SETS [PAGES]

`cargo bench --bench archives -- --dir DIR --sets SETS` makes the archive in DIR. The first PAGES pages of its first file are read,
by default all. Each tool runs in its own process, as its documentation says. The time in which GoldMiner learns from a sample of the
archive is not counted: the other bench measures it. The F-score compares bags of words, and is the mean over all pages. A page
without text counts as empty.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile


def resiliparse(path):
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    for record in ArchiveIterator(open(path, "rb"), record_types=WarcRecordType.response):
        page = record.reader.read()
        text = extract_plain_text(bytes_to_str(page, detect_encoding(page)), main_content=True, links=False)
        yield record.headers["WARC-Target-URI"], text


def turbohtml(path):
    import turbohtml
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    for record in ArchiveIterator(open(path, "rb"), record_types=WarcRecordType.response):
        page = record.reader.read()
        article = turbohtml.parse(bytes_to_str(page, detect_encoding(page))).article()
        yield record.headers["WARC-Target-URI"], getattr(article, "text", None) or ""


def trafilatura(path):
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader

    folder, name = os.path.split(path)
    documents = WarcReader(folder, glob_pattern=name).run()
    for document in Trafilatura(favour_precision=True, timeout=30).run(documents):
        yield document.metadata["url"], document.text


PEERS = {peer.__name__: peer for peer in (resiliparse, turbohtml, trafilatura)}
CALLED = {"resiliparse": "fastwarc + resiliparse", "turbohtml": "fastwarc + turbohtml", "trafilatura": "datatrove + trafilatura"}


def goldminer(program, path, profiles, room):
    """The texts of `extract --stream`."""
    import zstandard

    out = os.path.join(room, "out")
    command = [program, "-q", "extract", "--stream", path, "--profiles", profiles, "-o", out, "--threads", "1"]
    seconds = cpu_of(command)
    texts = {}
    for file in pathlib.Path(out).glob("*.jsonl.zst"):
        with zstandard.open(file, "rt", encoding="utf-8") as lines:
            texts.update((document["url"], document["text"]) for document in map(json.loads, lines))
    return seconds, texts


def cpu_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cut(path, pages, room):
    """Writes a file with the first pages."""
    if not pages:
        return path
    shorter = os.path.join(room, os.path.basename(path))
    with gzip.open(path) as file:
        whole = file.read(pages * 200_000)
    starts = [found.start() for found in re.finditer(rb"WARC/1\.0\r\nWARC-Type: response\r\n", whole)]
    with open(shorter, "wb") as out:
        for first, last in zip(starts[:pages], starts[1:]):
            out.write(gzip.compress(whole[first:last], 6))
    return shorter


def urls_of(path):
    with gzip.open(path) as file:
        return [line[17:].strip().decode() for line in file if line.startswith(b"WARC-Target-URI: ")]


def golds(sets):
    """The files with gold texts of sets, by domain and page ID."""
    found = {}
    for gold in sorted(pathlib.Path(sets).glob("*/gold/*/*.txt")):
        found[gold.parent.name.replace(".", "-"), gold.stem] = gold
    return found


def f(text, gold):
    one, other = (collections.Counter(re.findall(r"\w+", words.lower())) for words in (text, gold))
    shared = sum((one & other).values())
    return 2 * shared / max(1, sum(one.values()) + sum(other.values()))


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--peer":
        with open(sys.argv[4], "w") as out:
            for url, text in PEERS[sys.argv[2]](sys.argv[3]):
                out.write(json.dumps([url, text]) + "\n")
        return
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, made, sets = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as room:
        first = sorted(pathlib.Path(made, "warcs").iterdir())[0]
        path = cut(str(first), int(sys.argv[4]) if len(sys.argv) > 4 else 0, room)
        urls, known = urls_of(path), golds(sets)
        scored = {}
        for url in urls:
            host, name = url.split("/", 3)[2:]
            gold = known.get((re.sub(r"-\d{5}\.example$", "", host), name))
            if gold:
                scored[url] = gold.read_text(errors="replace")
        print(f"{len(urls)} pages, {len(scored)} of them with a gold text\n{'':28} pages/s of CPU   F")

        def report(name, seconds, texts):
            mean = sum(f(texts.get(url, ""), gold) for url, gold in scored.items()) / max(1, len(scored))
            print(f"{name:28} {len(urls) / seconds:14.0f}   {100 * mean:.1f}", flush=True)

        profiles = os.path.join(made, "profiles.gmp")
        seconds, texts = goldminer(program, path, profiles, room)
        report("goldminer extract --stream", seconds, texts)
        for name, called in CALLED.items():
            out = os.path.join(room, name)
            try:
                seconds = cpu_of([sys.executable, __file__, "--peer", name, path, out])
            except subprocess.CalledProcessError:
                print(f"{called:28} failed, or is not installed")
                continue
            with open(out) as lines:
                report(called, seconds, dict(map(json.loads, lines)))


if __name__ == "__main__":
    main()
