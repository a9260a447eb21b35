"""How long candidates take over a million failures: a store made by SQL, then the question asked as the command does.

python -m benchmarks.candidates_speed [--failures 1000000] [--turns 4000000]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from agent_riggs.learn import candidates
from agent_riggs.store import open_read, open_write

NOW = 1_800_000_000_000_000

FILL = """
INSERT INTO turns (turn_id, session_id, root_session_id, project, turn_number, timestamp, order_at, tool_name,
    tool_success, event_category, outcome, category, failure_class, program, shape, fingerprint, metadata, source,
    agent)
SELECT i, 's' || session, 's' || session, 'made', i % 500 + 1, make_timestamptz(moment), make_timestamptz(moment),
       'Bash', NOT failed, if(failed, 'failure', 'success'), if(failed, 'failed', 'ok'), if(failed, 'failure', NULL),
       if(failed, 'other', NULL), 'tool' || kind % 40, if(failed, 'shape ' || kind, NULL),
       if(failed, 'f' || substr(md5('x' || kind), 1, 16), NULL),
       '{"input":{"command":"tool' || kind % 40 || if(failed, ' --wrong', '') || ' file' || kind % 9 || '.txt"}}',
       'claude_code', 'claude_code'
FROM (SELECT i, i // 500 AS session, i % $each = 0 AS failed, $now - (i * 2500000000000 // $turns) AS moment,
             (hash(i // $each) % 5000 * (hash(i // $each + 7) % 5000) // 5000)::INTEGER AS kind
      FROM range($turns) r(i))
"""

COPY = """
INSERT INTO failure_stream (failure_id, turn_id, session_id, root_session_id, project, occurred_at, failure_category,
    tool_name, mode, trust_at_failure, detail, outcome, failure_class, program, shape, fingerprint, specific, excerpt)
SELECT turn_id, turn_id, session_id, root_session_id, project, timestamp, category, tool_name, NULL, 0.5, '{}', outcome,
       failure_class, program, shape, fingerprint, true, 'an excerpt' FROM turns WHERE outcome = 'failed'
"""


def make(path: Path, failures: int, turns: int, now: int = NOW) -> None:
    """Fill a store: sessions of 500 calls over 29 days until ``now``, a failure every so many calls, 5,000 unequal
    patterns."""
    with open_write(path) as store:
        store.conn.execute(FILL, {"each": max(1, turns // failures), "turns": turns, "now": now})
        store.conn.execute(COPY)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the store, ask three times, print the median."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--failures", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=4_000_000)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".riggs" / "store.duckdb"
        make(path, given.failures, given.turns)
        times = sorted(ask(path) for _ in range(3))
    print(f"{given.failures:,} failures in {given.turns:,} calls: candidates with mined fixes in {times[1]:.2f} s")
    return 0


def ask(path: Path) -> float:
    """Seconds for opening the store and finding every candidate."""
    start = time.perf_counter()
    with open_read(path) as store:
        found = candidates.find_candidates(store.conn, now=NOW)
    assert found
    assert found[0].evidence["recovery"]["recovered"]
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
