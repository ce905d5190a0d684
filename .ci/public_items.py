"""Checks that the core's public interface is small and has examples: counts the items in rustdoc's `all.html`, and searches
for an example in the documentation of each type, trait and function.

python3 .ci/public_items.py target/doc/goldminer_core
"""

import re
import sys
from pathlib import Path

MOST = 180
NEED_EXAMPLES = ("struct", "enum", "trait", "fn", "macro", "type")

docs = Path(sys.argv[1])
items = re.findall(r'<li><a href="([^"#]+)">', (docs / "all.html").read_text())
if not 0 < len(items) <= MOST:
    sys.exit(f"{docs / 'all.html'} has {len(items)} public items; at most {MOST} are wanted: make private what only the core uses")

without = []
for item in items:
    # The rest of the page is the documentation of fields, variants and methods.
    own = re.split(r'id="(?:fields|variants|implementations|required-methods|trait-implementations)"', (docs / item).read_text())[0]
    kind = Path(item).name.split(".")[0]
    if kind in NEED_EXAMPLES and "rust-example-rendered" not in own:
        without.append(item)
if without:
    sys.exit("public items without an example that runs:\n  " + "\n  ".join(without))
print(f"{len(items)} public items, at most {MOST}; each type and function has an example")
