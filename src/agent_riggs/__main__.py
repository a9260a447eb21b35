"""The program ``agent-riggs``, also as ``python -m agent_riggs``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run one command and return its exit code; see ``faces.process`` and ``faces.cli``."""
    from agent_riggs.faces import interrupts

    interrupts.quiet()
    from agent_riggs.faces import process

    return process.run()


if __name__ == "__main__":
    sys.exit(main())
