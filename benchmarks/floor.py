"""The least that an ingest must do: decode, pair, average, insert. No outcomes, no redaction, no cursors.

Run as a whole process: ``python floor.py HOME STORE``. Needs msgspec, numpy and duckdb.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np


class Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""
    tool_use_id: str = ""
    is_error: bool | None = None
    content: msgspec.Raw = msgspec.Raw(b"")


class Message(msgspec.Struct):
    content: list[Block] | str = ""


class Record(msgspec.Struct):
    sessionId: str = ""
    timestamp: str = ""
    message: Message | None = None


def main(home: Path, store: Path) -> None:
    decode = msgspec.json.Decoder(Record).decode
    calls: dict[str, list[Any]] = {}
    for path in sorted((home / ".claude/projects").glob("**/*.jsonl")):
        with path.open("rb") as stream:
            for line in stream:
                if b'"tool_use' not in line:
                    continue
                record = decode(line)
                if record.message is None or isinstance(record.message.content, str):
                    continue
                for block in record.message.content:
                    if block.type == "tool_use":
                        calls[block.id] = [block.id, record.sessionId, record.timestamp, block.name, True]
                    elif block.type == "tool_result" and block.tool_use_id in calls:
                        calls[block.tool_use_id][4] = not block.is_error
    rows = sorted(calls.values(), key=lambda row: row[2])
    trust, averages = 0.4, []
    for row in rows:
        trust += 0.4 * ((1.0 if row[4] else 0.2) - trust)
        averages.append(trust)
    columns = list(zip(*rows, strict=True))
    turns = {name: np.array(values, dtype=object) for name, values in zip("istno", columns, strict=True)}
    turns["trust"] = np.array(averages)
    with duckdb.connect(str(store)) as conn:
        conn.execute("CREATE TABLE turns AS SELECT i, s, t::TIMESTAMPTZ AS t, n, o::BOOLEAN AS ok, trust FROM turns")
    print(len(rows), sum(not row[4] for row in rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
