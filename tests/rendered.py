"""Extracts the output of a browser crawler: WARC records written with warcio, packed as a WACZ file by py-wacz. Both are of the
Webrecorder project, whose browsertrix-crawler writes such files. The documents must have their rights and provenance.

    python tests/rendered.py GOLDMINER        (warcio, wacz)

.ci/run runs this. The exit code is 1 if a document is missing, or has less information than the records.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

SITE = "https://scripted.example"
ROBOTS = "User-agent: *\nContent-Signal: ai-train=no\n"
TDMREP = '[{"location": "/reserved/", "tdm-reservation": 1, "tdm-policy": "https://scripted.example/policy"}]'
WORDS = "bridge river council mayor winter market school garden railway harbour doctor engine letter mountain".split()
BEGAN = datetime(2026, 11, 20, 9, 0, tzinfo=timezone.utc)


def page(number: int, head: str) -> str:
    """An article as in the browser: the markup contains the output of scripts, and the scripts themselves."""
    state = number + 1
    paragraphs = []
    for _ in range(6):
        words = []
        for _ in range(30):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            words.append(WORDS[(state >> 33) % len(WORDS)])
        paragraphs.append(f"<p>The {' of the '.join(words)} was there, and so were all of us with them.</p>")
    return (
        f"<!DOCTYPE html><html lang=en><head><title>Story {number}</title>{head}</head><body><div id=root data-reactroot>"
        f"<nav><a href=/>Home</a></nav><main><h1>Story {number}</h1>{''.join(paragraphs)}</main></div>"
        "<script>window.__STATE__={}</script></body></html>"
    )


def answers():
    """URL, content type, more header fields and body of each response, in the order of a browser's requests."""
    yield f"{SITE}/robots.txt", "text/plain", [], ROBOTS
    yield f"{SITE}/.well-known/tdmrep.json", "application/json", [], TDMREP
    license = "<link rel=license href=https://creativecommons.org/licenses/by-sa/4.0/>"
    yield f"{SITE}/free/1", "text/html; charset=utf-8", [], page(1, license)
    yield f"{SITE}/app.js", "text/javascript", [], "document.title='x'"
    yield f"{SITE}/reserved/2", "text/html; charset=utf-8", [], page(2, "")
    yield f"{SITE}/free/3", "text/html; charset=utf-8", [("X-Robots-Tag", "noarchive")], page(3, "")


def write_warc(path: str) -> None:
    with open(path, "wb") as out:
        writer = WARCWriter(out, gzip=True)
        writer.write_record(writer.create_warcinfo_record(os.path.basename(path), {"software": "a browser crawler"}))
        for number, (url, media, fields, body) in enumerate(answers()):
            when = (BEGAN + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
            head = StatusAndHeaders("200 OK", [("Content-Type", media), *fields], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(body.encode()), http_headers=head, warc_headers_dict={"WARC-Date": when}
            )
            writer.write_record(record)
        # The text that the browser saw, as browsertrix-crawler writes it beside the page.
        text = writer.create_warc_record(f"urn:text:{SITE}/free/1", "resource", payload=io.BytesIO(b"Story 1"))
        writer.write_record(text)


def documents(folder: str, goldminer: str) -> dict:
    lines = subprocess.run([goldminer, "-q", "convert", folder, "-o", "-"], check=True, capture_output=True, text=True).stdout
    return {line["url"].removeprefix(SITE): line for line in map(json.loads, lines.splitlines())}


def main() -> int:
    goldminer = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as room:
        warc, wacz = os.path.join(room, "rendered.warc.gz"), os.path.join(room, "rendered.wacz")
        write_warc(warc)
        create = [os.path.join(os.path.dirname(sys.executable), "wacz"), "create", "-o", wacz, "--detect-pages", warc]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL)
        os.remove(warc)
        wrong = []

        def must(name: str, holds: bool) -> None:
            print(f"{name}: {'yes' if holds else 'NO'}")
            wrong.extend([] if holds else [name])

        for way in [[], ["--stream"]]:
            out = os.path.join(room, "out" + "".join(way))
            subprocess.run([goldminer, "-q", "extract", *way, wacz, "-o", out], check=True, stdout=subprocess.DEVNULL)
            found = documents(out, goldminer)
            how = " ".join(["extract", *way])
            must(f"{how}: all articles and nothing else", sorted(found) == ["/free/1", "/free/3", "/reserved/2"])
            rights = {path: document.get("rights", {}) for path, document in found.items()}
            must(f"{how}: the licence of the page", rights["/free/1"].get("license", "").endswith("/by-sa/4.0/"))
            must(f"{how}: what the response says", "noarchive" in rights["/free/3"].get("restrictions", []))
            if way:
                must(f"{how}: what robots.txt says", all("noai" in of.get("restrictions", []) for of in rights.values()))
                reserved = [path for path, of in rights.items() if "tdm" in of.get("restrictions", [])]
                must(f"{how}: what tdmrep.json says", reserved == ["/reserved/2"])
                proofs = {signal["warc"]["file"] for of in rights.values() for signal in of["signals"] if signal["warc"]}
                must(f"{how}: the records that say so", proofs == {"rendered.wacz/archive/rendered.warc.gz"})
            of = found["/free/1"]
            must(f"{how}: where it stands", of["provenance"]["warc"]["file"] == "rendered.wacz/archive/rendered.warc.gz")
            must(f"{how}: when it was fetched", of["metadata"]["fetched"].startswith("2026-11-20T09:02:00"))
            must(f"{how}: its title", of["metadata"]["title"] == "Story 1")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
