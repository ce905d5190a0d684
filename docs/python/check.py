"""Runs what the book and the READMEs show of Python: each example, and the notebooks, which must draw their pictures.

    python docs/python/check.py            # in an environment with goldminer-corpus, matplotlib, nbclient, ipykernel, pandas, pyarrow
    UPDATE=1 python docs/python/check.py   # and keeps the notebooks as they came out, with their pictures
    python docs/python/check.py --write FOLDER         # the examples as programs, for who checks their types

Examples of one file run one after the other, in a folder of their own, with the demo's portals in place of the web.
"""

import os
import re
import sys
import tempfile
import time
from pathlib import Path

import goldminer
import nbformat
from nbclient import NotebookClient

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent.parent
SHOWN = ["README.md", "python/README.md", "docs/src/guide/python.md"]


def examples(path: Path) -> str:
    """The Python of a page, as a program."""
    return "\n\n".join(re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf8"), re.DOTALL | re.MULTILINE))


def run_examples() -> None:
    with goldminer.demo.portals() as portals:
        settings = {"delay": 0.005, "allow_private": True, "resolve": portals.resolve, "user_agent": "docs/1 (+http://test.invalid/)"}

        class Crawler(goldminer.Crawler):
            """A crawl of the demo's portals, whatever the seeds are called."""

            def __init__(self, seeds: object, **others: object) -> None:
                super().__init__(portals.seeds, **{**others, **settings})  # type: ignore[arg-type]

        goldminer.Crawler = Crawler  # type: ignore[misc]
        for name in SHOWN:
            began = time.monotonic()
            program = examples(ROOT / name)
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                make_pages()
                exec(compile(program, name, "exec"), {"__name__": "example"})
                os.chdir(ROOT)
            print(f"{name}: {program.count(chr(10)) + 1} lines of Python run, {time.monotonic() - began:.0f} s", flush=True)


def make_pages() -> None:
    """What the examples find on the disk: pages of a portal, and one of another."""
    Path("pages").mkdir()
    for n in range(1, 21):
        story = f"<p>{f'It was in week {n} that the council met and asked what they thought of bridge {n}. ' * 3}</p>" * 3
        html = f"<title>Week {n}</title><ul><li><a href=/>Home</a></ul><div class=story><h1>Week {n}</h1>{story}</div>"
        Path(f"pages/{n}.html").write_text(html, encoding="utf8")
    Path("page.html").write_text(html, encoding="utf8")


def run_notebooks() -> None:
    for path in sorted(DOCS.glob("*.ipynb")):
        began = time.monotonic()
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
        pictures = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", ())]
        assert pictures, f"{path.name} draws no picture"
        if os.environ.get("UPDATE"):
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            nbformat.write(notebook, path)
        print(f"{path.name}: {len(notebook.cells)} cells run, {len(pictures)} pictures, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        for name in SHOWN:
            Path(sys.argv[2], name.replace("/", "_").replace(".md", ".py")).write_text(examples(ROOT / name), encoding="utf8")
    else:
        run_examples()
        run_notebooks()
