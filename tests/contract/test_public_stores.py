"""A store that the public 0.2.0 really wrote: installed here, driven here, then opened by us."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from agent_riggs.deliver import recall
from agent_riggs.learn import candidates, decisions, ledger, publish
from agent_riggs.learn.ledger import Ledger
from agent_riggs.store import derive, open_read, open_write, turns
from builders.rows import failed

pytestmark = pytest.mark.registry

NOW = 1_900_000_000_000_000

DRIVE = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from agent_riggs.assembly import assemble
root = Path(sys.argv[1])
root.mkdir()
svc = assemble(root)
now = datetime.now(timezone.utc)
for i in range(12):
    tool, mode = ("Bash", "implement") if i % 2 else ("Edit", None)
    svc.store.execute(
        "INSERT INTO failure_stream VALUES (?, ?, ?, ?, ?, 'failure', ?, ?, 0.3, NULL)",
        [i, i, f"s{i % 3}", root.name, now, tool, mode],
    )
    svc.store.execute(
        "INSERT INTO turns (turn_id, session_id, project, turn_number, timestamp, tool_name, tool_success)"
        " VALUES (?, ?, ?, ?, ?, ?, false)", [i, f"s{i % 3}", root.name, i, now, tool],
    )
ratchet = svc.plugin("ratchet")
ratchet.promote("failure-Bash-implement")
ratchet.promote("failure-Bash-implement", reason="run it in the venv")
ratchet.promote("failure-Edit-any", reason="too early")
ratchet.reject("failure-Edit-any", "noise")
svc.store.close()
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project folder in which 0.2.0 wrote its store."""
    folder = tmp_path_factory.mktemp("public")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = [str(python), "-m", "pip", "-qq", "--disable-pip-version-check", "install", "agent-riggs==0.2.0"]
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    subprocess.run([str(python), "-c", DRIVE, str(folder / "shop")], check=True)
    return folder / "shop"


def test_every_row_and_decision_is_kept_and_ours_are_added(written: Path, tmp_path: Path) -> None:
    path = written / ".riggs" / "store.duckdb"
    mine = Ledger(tmp_path / "state", "shop-1", "me")
    with open_read(path) as store:
        assert store.conn.execute("SELECT count(*) FROM turns").fetchone() == (12,), "readable before it is migrated"
    with open_write(path) as store:
        conn = store.conn
        assert conn.execute("SELECT count(*) FROM failure_stream").fetchone() == (12,)
        told = ledger.history(conn, mine.read())
        assert sorted((one.candidate_key, one.decision) for one in told) == [
            ("failure-Bash-implement", "promoted"),
            ("failure-Bash-implement", "superseded"),
            ("failure-Edit-any", "rejected"),
            ("failure-Edit-any", "retired"),
        ]
        assert all(one.foreign for one in told), "shown as foreign: our log does not hold them"
        assert publish.publish(mine, conn) == 0, "and never served"
        decided = ledger.verdict_of(conn, mine.read())
        assert candidates.find_candidates(conn, now=NOW, decided=decided) == [], "but decided they are"
        (standing,) = [one for one in told if one.decision == "promoted"]
        decisions.adopt(conn, mine, standing.decision_id, now=NOW)
        assert publish.publish(mine, conn) == 1
        (live,) = recall.load(mine.index, mine.project)
        assert (live.fix, live.category, live.tool, live.mode) == ("run it in the venv", "failure", "Bash", "implement")
        turns.insert(conn, [failed(1, timestamp=None)])
        derive.settle(conn, derive.TrustRules())
        assert conn.execute("SELECT count(*) FROM turns").fetchone() == (13,)
        assert len(conn.execute("SELECT * FROM ratchet_decisions").fetchall()) == 4
