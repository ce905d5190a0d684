"""The command line: `goldminer …`, `goldminer-corpus …`, `python -m goldminer …`."""

import signal
import sys

from goldminer._goldminer import main as run


def main() -> None:
    """Runs the command line of this process, and ends it with its exit code."""
    # Ctrl-C belongs to the program, which ends a crawl gracefully; so does a reader of its output that has seen enough.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(["goldminer", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
