"""The core's public interface stays small and is shown by examples: counts the items of rustdoc's `all.html`, and looks on
the page of each type, trait and function for an example in its own documentation.

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
    # What follows on a page belongs to fields, variants and methods.
    own = re.split(r'id="(?:fields|variants|implementations|required-methods|trait-implementations)"', (docs / item).read_text())[0]
    kind = Path(item).name.split(".")[0]
    if kind in NEED_EXAMPLES and "rust-example-rendered" not in own:
        without.append(item)
if without:
    sys.exit("public items without an example that runs:\n  " + "\n  ".join(without))
print(f"{len(items)} public items, at most {MOST}; each type and function has an example")
