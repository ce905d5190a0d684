"""Docstrings are in NumPy's form: each argument of a public function is described."""

import inspect
import re

import goldminer
import pytest


def documented():
    for name in sorted(name for name in goldminer.__all__ if name[0] != "_"):
        value = getattr(goldminer, name)
        if inspect.isclass(value) and issubclass(value, BaseException):
            continue
        if callable(value):
            yield name, value
        if inspect.isclass(value):
            parts = [part for part in vars(value) if part[0] != "_" and callable(getattr(value, part))]
            yield from ((f"{name}.{part}", getattr(value, part)) for part in parts)


@pytest.mark.parametrize(("name", "value"), list(documented()))
def test_a_docstring_begins_with_a_sentence_and_describes_the_arguments(name, value):
    doc = inspect.getdoc(value)
    assert doc and doc.splitlines()[0].endswith("."), name
    try:
        arguments = [argument for argument in inspect.signature(value).parameters if argument != "self"]
    except ValueError:
        return
    if len(arguments) > 1:
        section = doc.partition("Parameters\n----------\n")[2]
        described = re.findall(r"^([\w, ]+?)(?: : .*)?$", section, re.MULTILINE)
        named = {name for line in described for name in line.split(", ")}
        assert set(arguments) <= named, name
