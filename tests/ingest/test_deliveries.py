"""From the hook's spool into the store, and the proof of delivery out of transcripts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agent_riggs.deliver import advice, spool
from agent_riggs.deliver.spool import Claim
from agent_riggs.ingest import deliveries as collecting
from agent_riggs.model import Transcript
from agent_riggs.store import Store, derive, open_write, transcripts
from agent_riggs.store import deliveries as stored
from agent_riggs.store.transcripts import TranscriptRow

NOW = 1_796_000_000_000_000
SECOND = 1_000_000
PRINT = "f00112233445566aa"
KEY = f"failure-Bash-any:{PRINT}"
TEXT = f"In 7 earlier sessions … Recorded fix: x [agent-riggs {PRINT}]"


@pytest.fixture
def store(tmp_path: Path) -> Store:  # type: ignore[misc]
    with open_write(tmp_path / ".riggs" / "store.duckdb") as opened:
        yield opened


def told(state: Path, call: str = "c1", at: int = NOW, session: str = "s1", moment: str = "after") -> bool:
    return spool.claim(str(state), Claim(session, call, KEY, moment, "claude_code", at, PRINT))


def collect(store: Store, state: Path, now: int = NOW) -> int:
    with derive.transaction(store.conn):
        return collecting.collect(store.conn, state, {}, now)


def transcript(store: Store, path: Path, *records: object, session: str = "s1") -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    row = TranscriptRow(1, "claude_code", str(path), "x", True, session_id=session)
    transcripts.save(store.conn, [row])


def rows(store: Store, columns: str) -> list[tuple[object, ...]]:
    return store.conn.execute(f"SELECT {columns} FROM deliveries ORDER BY told_at, delivery_id").fetchall()


def test_told_and_kept_back_are_rows_once_each(store: Store, tmp_path: Path) -> None:
    state = tmp_path / "state"
    told(state)
    told(state)
    assert collecting.has_spool(state)
    assert collect(store, state) == 2
    assert collect(store, state) == 0
    assert sorted(rows(store, "state, reason, candidate_key, moment, agent, session_id, call_id")) == [
        ("delivered", "", KEY, "after", "claude_code", "s1", "c1"),
        ("withheld", "told for this call", KEY, "after", "claude_code", "s1", "c1"),
    ]


def test_a_session_that_goes_on_adds_to_what_is_there(store: Store, tmp_path: Path) -> None:
    told(tmp_path)
    collect(store, tmp_path)
    told(tmp_path, "c2", NOW + 60 * SECOND)
    assert collect(store, tmp_path) == 1
    assert rows(store, "state") == [("delivered",), ("delivered",)]


def test_a_spool_file_goes_when_its_session_has_long_ended(store: Store, tmp_path: Path) -> None:
    told(tmp_path)
    (path,) = (tmp_path / spool.FOLDER).iterdir()
    old = NOW / SECOND - collecting.KEPT - 1
    collect(store, tmp_path, round(path.stat().st_mtime * SECOND))
    assert path.exists()
    os.utime(path, (old, old))
    collect(store, tmp_path)
    assert not path.exists()
    assert rows(store, "state") == [("delivered",)]


def test_our_text_in_the_transcript_is_the_proof_with_the_time_it_took(store: Store, tmp_path: Path) -> None:
    told(tmp_path)
    ran = {"type": "hook_success", "stdout": json.dumps({"additionalContext": TEXT}), "durationMs": 48}
    given = {"type": "hook_additional_context", "content": [TEXT]}
    transcript(store, tmp_path / "s1.jsonl", {"attachment": ran}, {"attachment": given})
    collect(store, tmp_path)
    assert rows(store, "seen_at IS NOT NULL, took_ms") == [(True, 48.0)]


def test_one_text_proves_one_delivery(store: Store, tmp_path: Path) -> None:
    for number in range(3):
        told(tmp_path, f"c{number}", NOW + 60 * SECOND * number)
    transcript(store, tmp_path / "s1.jsonl", {"content": TEXT}, {"content": TEXT})
    collect(store, tmp_path)
    assert rows(store, "seen_at IS NOT NULL") == [(True,), (True,), (False,)]


@pytest.mark.parametrize("text", ["nothing of ours", TEXT.replace(PRINT, "f" + "9" * 16), "[agent-riggs"])
def test_other_texts_prove_nothing(store: Store, tmp_path: Path, text: str) -> None:
    told(tmp_path)
    transcript(store, tmp_path / "s1.jsonl", {"content": text})
    collect(store, tmp_path)
    assert rows(store, "seen_at") == [(None,)]


def test_what_was_printed_but_not_passed_on_proves_nothing(store: Store, tmp_path: Path) -> None:
    told(tmp_path)
    transcript(store, tmp_path / "s1.jsonl", {"attachment": {"type": "hook_success", "stdout": TEXT, "durationMs": 9}})
    collect(store, tmp_path)
    assert rows(store, "seen_at") == [(None,)]


def test_another_session_s_transcript_proves_nothing(store: Store, tmp_path: Path) -> None:
    told(tmp_path)
    transcript(store, tmp_path / "s2.jsonl", {"content": TEXT}, session="s2")
    collect(store, tmp_path)
    assert rows(store, "seen_at") == [(None,)]


def test_a_session_inside_a_database_is_read_through_its_source(tmp_path: Path) -> None:
    from agent_riggs.model import Cursor, ReadEnd, ToolCall, ToolResult

    class Database:
        name = "opencode"

        def read(self, transcript: Transcript, cursor: Cursor | None, now: int):  # type: ignore[no-untyped-def]
            assert transcript.key == "/h/opencode.db#ses_1"
            call = ToolCall("opencode", "ses_1", "c", "bash", {}, result=ToolResult(f"no\n<hook_context>{TEXT}"))
            yield from (call, ReadEnd(Cursor()))

    found = collecting.look(Path("/h/opencode.db#ses_1"), "/h/opencode.db#ses_1", Database())  # type: ignore[arg-type]
    assert found.counts == {PRINT: 1}


def test_the_failure_it_was_about_is_found(store: Store, tmp_path: Path) -> None:
    store.conn.execute(
        "INSERT INTO turns (turn_id, session_id, fingerprint, timestamp) VALUES "
        "(1, 's1', ?, make_timestamptz(?)), (2, 's1', ?, make_timestamptz(?)), (3, 's1', ?, make_timestamptz(?))",
        [PRINT, NOW - 60 * SECOND, PRINT, NOW - SECOND, PRINT, NOW + 60 * SECOND],
    )
    told(tmp_path)
    told(tmp_path, "c2", NOW + 10, moment="before")
    collect(store, tmp_path)
    assert rows(store, "moment, turn_id") == [("after", 2), ("before", None)]


def test_the_proof_per_agent(store: Store, tmp_path: Path) -> None:
    told(tmp_path)
    told(tmp_path)
    transcript(store, tmp_path / "s1.jsonl", {"content": TEXT})
    collect(store, tmp_path)
    (proof,) = stored.proofs(store.conn)
    assert (proof.agent, proof.delivered, proof.withheld, proof.seen, proof.last) == ("claude_code", 1, 1, 1, NOW)


def test_the_reference_in_a_text_is_that_of_the_key() -> None:
    assert advice.references(TEXT) == [advice.reference_of(KEY)]
