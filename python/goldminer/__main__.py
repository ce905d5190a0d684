"""The command line: `goldminer …`, `goldminer-corpus …`, `python -m goldminer …`."""

import signal
import sys

from goldminer._goldminer import main as run


def main() -> None:
    """Run the command line with the arguments of this process, and exit with the command's exit code."""
    # The program handles Ctrl-C itself, to end a crawl gracefully.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run(["goldminer", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
