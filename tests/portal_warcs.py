"""Makes WARC files of invented portals, for tests with other programs."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

FUNCTION = "the of and to in that it was for on with as his they be at from this had but not what all were when there can an each".split()
CONTENT = (
    "rain river mayor bridge school winter market harvest council doctor village railway teacher budget station museum election "
    "factory harbour theatre hospital police minister storm season garden letter window journey evening company library"
).split()


def sentence(dice: random.Random) -> str:
    words = [dice.choice(FUNCTION if at % 2 else CONTENT) for at in range(dice.randrange(14, 26))]
    return " ".join(words).capitalize() + "."


def page(number: int, at: int, domain: int, rest_bytes: int, dice: random.Random) -> str:
    story = "".join(f"<p>{sentence(dice)} {sentence(dice)} {sentence(dice)}</p>" for _ in range(6))
    title = sentence(dice)[:50]
    links = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in CONTENT[domain : domain + 8])
    return (
        f"<html lang=en><head><title>{title} - Portal {domain}</title></head><body><ul class=menu>{links}</ul>"
        f"<div class='story s{domain}'><h1>{title}</h1><p class=by>By Anna Town, {at + 1} 0{number} 2026</p>{story}</div>"
        f"<div class=more><h3>More of today</h3><ul><li><a href=/{number}/{at + 1}>{sentence(dice)}</a></li></ul></div>"
        f"<!-- {dice.randbytes(rest_bytes).hex()} --><div class=foot><p>All rights are with portal {domain}, which is there on paper, too, and that for as "
        f"long as there has been a town for it to be read in.</p></div></body></html>"
    )


def warc(path: Path, number: int, domains: int = 8, pages: int = 10, rest_bytes: int = 100) -> None:
    """Writes pages of some portals, one of each in turn. Each has `rest_bytes` bytes that cannot be compressed."""
    dice = random.Random(number)
    with path.open("wb") as file:
        for at in range(pages):
            for domain in range(domains):
                html = page(number, at, domain, rest_bytes, dice).encode()
                block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
                head = (
                    f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://portal-{domain}.example/{number}/{at}\r\n"
                    f"WARC-Date: 2026-0{number}-{at + 1:02}T08:00:00Z\r\n"
                    f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:04}{at:04}{domain:04}>\r\n"
                    f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
                ).encode()
                file.write(gzip.compress(head + block + b"\r\n\r\n", 1))
