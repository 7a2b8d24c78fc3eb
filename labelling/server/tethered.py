"""The supervisor on a tether: it stops as soon as whoever started it is gone, however that ended.

    python -m labelling.server.tethered PLAN

The tether is its standard input, a pipe whose other end its starter holds. Standard library only.
"""

import os
import signal
import sys
import threading

from labelling.server import supervisor


def main() -> int:
    """Supervise the plan named on the command line until standard input ends."""
    threading.Thread(target=_hold, daemon=True).start()
    return supervisor.main()


def _hold() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
