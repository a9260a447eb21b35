"""How long the effects of 20 promoted fixes take over a million calls, each told in the sessions that met it since.

python -m benchmarks.effect_speed [--turns 1000000]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from agent_riggs.learn import candidates, decisions
from agent_riggs.learn import log as logs
from agent_riggs.learn.effect import measured
from agent_riggs.learn.ledger import Ledger
from agent_riggs.learn.promotions import promotions
from agent_riggs.store import open_read, open_write
from benchmarks.candidates_speed import NOW, make

SINCE = NOW - 12 * 86_400_000_000
FIXES = 20

TOLD = """
INSERT INTO deliveries (delivery_id, told_at, session_id, turn_id, candidate_key, fingerprint, moment, state, seen_at)
SELECT turn_id, occurred_at, session_id, turn_id, failure_category || '-' || tool_name || '-any:' || fingerprint,
       fingerprint, 'after', if(turn_id % 7 = 0, 'withheld', 'delivered'), occurred_at
FROM failure_stream
WHERE occurred_at >= make_timestamptz($since) AND fingerprint IN (SELECT unnest($marks::VARCHAR[]))
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the store, ask five times, print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000_000)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path, ledger = Path(folder) / ".riggs" / "store.duckdb", Ledger(Path(folder), "made")
        make(path, given.turns // 20, given.turns)
        promote(path, ledger)
        times = [ask(path, ledger) for _ in range(5)]
    wall, cpu = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"{given.turns:,} calls: the effects of {FIXES} fixes in {wall:.2f} s, {cpu:.2f} s of processor time")
    return 0


def promote(path: Path, ledger: Ledger) -> None:
    """The leading candidates, promoted twelve days ago and told ever since."""
    with open_write(path) as store:
        found = candidates.find_pattern_candidates(store.conn, now=NOW)[:FIXES]
        for one in found:
            decisions.promote(store.conn, ledger, one, fix=one.fix or "another way", now=SINCE)
        store.conn.execute(TOLD, {"since": SINCE, "marks": [one.evidence["fingerprint"] for one in found]})


def ask(path: Path, ledger: Ledger) -> tuple[float, float]:
    """Seconds, and seconds of processor time, for opening the store and measuring."""
    wall, cpu = time.perf_counter(), time.process_time()
    with open_read(path) as store:
        found = measured(store.conn, promotions(logs.read(ledger.log)))
    assert len(found) == FIXES
    assert any(one.measure for one in found)
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    sys.exit(main())
