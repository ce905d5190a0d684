"""Random arguments give a document, a reason, or an error that names the argument; never a panic or a crash.

A short run is part of the tests. This runs for ten minutes, in separate processes whose exit codes are checked:

    python python/tests/test_border.py 600
"""

import os
import random
import subprocess
import sys
import time

import goldminer
from goldminer.compat import justext, readability, trafilatura

STORY = "It rained all day in the town, and nobody who had an umbrella lent it to the others. "
PIECES = [
    "<p>", "</p>", "<div class=story>", "</div>", "<h1>", "<a href=/>", "</a>", "<br>", "<!--", "-->", "<script>", "</script>", "<title>",
    "<meta charset=utf-16>", "<meta charset=klingon>", "<html lang=hu>", "<table><tr><td>", "<svg><path", "<select><option>", "&nbsp;",
    "&#x110000;", "&#0;", "&", "<", ">", "\x00", "\ud800", "\udfff", "\ufeff", "\u202e", "\U0001f600", "Árvíz Győrött ", "雨が降った。", "<![CDATA[",
    "]]>", "<?xml version='1.0' encoding='utf-16'?>", "<time datetime=2026-13-45>", '<script type="application/ld+json">{"@type":"Article"',
    STORY, "<pre>\n\t", "<li>", "<noscript>", "<template>",
]  # fmt: skip
ADDRESSES = [
    None, "", "http://portal.example/a", "https://[::1]:99999/", "portal.example", "http://\ud800/", "http://a.b/" + "x" * 5000, 7, b"http://a.b/",
    "file:///etc/passwd", "http://xn--/", "http://портал.example/%ff", object(),
]  # fmt: skip
ODDITIES = [None, True, 0, -1, 1.5, float("nan"), 2**100, "", "\ud800", b"", b"\xff", [], {}, (), object(), int, ..., lambda: 1]


def text(chance):
    pieces = "".join(chance.choices(PIECES, k=chance.randrange(60)))
    return pieces * chance.choice([1, 1, 1, 1, 200])


def page(chance):
    kind = chance.randrange(10)
    if kind < 4:
        return text(chance)
    if kind < 7:
        encoding = chance.choice(["utf-8", "utf-16", "iso-8859-2", "gb18030"])
        return text(chance).encode(encoding, "replace")
    if kind == 7:
        return chance.choice([bytearray, memoryview])(chance.randbytes(chance.randrange(5000)))
    if kind == 8:
        return chance.randbytes(chance.randrange(5000))
    return chance.choice(ODDITIES)


def odd(chance, usual):
    return chance.choice(ODDITIES) if chance.random() < 0.15 else usual


def calls(chance):
    """Yield calls of the package with random arguments."""
    html, url = page(chance), chance.choice(ADDRESSES)
    profile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n"
    extractor = goldminer.Extractor(goldminer.Profile.parse(profile) if chance.random() < 0.5 else None)
    words = justext.get_stoplist("English")
    yield lambda: extractor.extract(html, url, content_type=odd(chance, "text/html"), language=odd(chance, "hu"))
    yield lambda: extractor.explain(html, url)
    yield lambda: list(extractor.extract_many([(html, url), html, odd(chance, html)], threads=odd(chance, 2)))
    yield lambda: goldminer.extract(html, url, output_format=odd(chance, chance.choice(["json", "markdown", "cleaneval"])))
    yield lambda: goldminer.learn([(html, url), (html, None)] * 6, odd(chance, "portal.example"))
    yield lambda: goldminer.Profile.parse(odd(chance, profile[: chance.randrange(len(profile))])).test(html, url)
    yield lambda: goldminer.Document.from_json(odd(chance, '{"id": 7}'))
    yield lambda: goldminer.Extractor(odd(chance, None), language=odd(chance, None), convention=odd(chance, "page"))
    yield lambda: goldminer.read_corpus(odd(chance, "/no/such"))
    yield lambda: goldminer.read_warc(odd(chance, "/no/such"))
    yield lambda: [p.text + p.xpath for p in justext.justext(html, odd(chance, words), length_low=odd(chance, 70))]
    yield lambda: trafilatura.extract(html, url if isinstance(url, str) else None, output_format=odd(chance, "xml"))
    yield lambda: readability.Document(html).summary()


def border(seed):
    """Make all calls once. Each returns a value, or raises an error of an expected type."""
    chance = random.Random(seed)
    for call in calls(chance):
        try:
            call()
        except (goldminer.Error, TypeError, LookupError, UnicodeError):
            pass  # TypeError of Python itself, if a value is not hashable or not iterable


def test_no_argument_causes_a_panic():
    end = time.monotonic() + 5
    for seed in range(100_000):
        border(seed)
        if time.monotonic() > end:
            break
    assert seed > 20


def main(seconds):
    end, seed, step = time.monotonic() + seconds, 0, 500
    while time.monotonic() < end:
        program = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_border as t\nfor seed in range({seed}, {seed + step}):\n    t.border(seed)"
        ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program], stderr=subprocess.PIPE, text=True)
        if ended.returncode:
            sys.exit(f"a seed from {seed} to {seed + step - 1} ended the process with {ended.returncode}:\n{ended.stderr[-3000:]}")
        seed += step
    huge = "<h1>Rain</h1>" + STORY * (100_000_000 // len(STORY))
    for html in (huge, huge.encode(), b"<" * 100_000_000, b"\x00" * 100_000_000, "<div>" * 20_000_000):
        goldminer.Extractor().extract(html)
    print(f"{seed} rounds, and five pages of 100 MB: nothing panicked")


if __name__ == "__main__":
    main(float(sys.argv[1]))
