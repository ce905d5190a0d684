"""The interfaces of other extractors. To switch, change only the import.

Arguments without a counterpart in goldminer are accepted and ignored, with one warning for each.
"""

from __future__ import annotations

import warnings

_warned: set[tuple[str, str]] = set()


def _passed_over(function: str, **arguments: object) -> None:
    """Warn of given arguments that have no effect, once for each argument."""
    for name, value in arguments.items():
        if value and (function, name) not in _warned:
            _warned.add((function, name))
            warnings.warn(
                f"goldminer.compat.{function} ignores {name}={value!r}: it has no effect", UserWarning, stacklevel=3
            )
