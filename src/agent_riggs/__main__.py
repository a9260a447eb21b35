"""``python -m agent_riggs``."""

from __future__ import annotations

import sys

from agent_riggs.faces.cli import main

if __name__ == "__main__":
    sys.exit(main())
