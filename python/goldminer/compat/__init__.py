"""The interfaces of other extractors. To switch, change only the import.

Arguments without a counterpart in goldminer are accepted and ignored, with one warning for each.
"""

from __future__ import annotations

import warnings

_warned: set[tuple[str, str]] = set()


def _passed_over(function: str, **arguments: object) -> None:
    """Warn, once for each, of given arguments that have no effect."""
    for name, value in arguments.items():
        if value and (function, name) not in _warned:
            _warned.add((function, name))
            warnings.warn(
                f"goldminer.compat.{function} passes over {name}={value!r}: it makes no difference", UserWarning, stacklevel=3
            )
