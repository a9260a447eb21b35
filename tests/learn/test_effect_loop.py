"""The whole loop: sessions fail, a human promotes, the hook tells or keeps back, the next ingest measures."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import claude
import reading
from agent_riggs.deliver import hook, spool
from agent_riggs.ingest import deliveries, ingest
from agent_riggs.learn import candidates, decisions, effect, publish
from agent_riggs.learn.effect import Effect
from agent_riggs.learn.ledger import Ledger
from agent_riggs.learn.promotions import promotions
from agent_riggs.paths import find_project, state_dir, store_path
from agent_riggs.sources import SOURCES
from agent_riggs.store import open_read, open_write
from agent_riggs.store.transactions import transaction

ERROR = 'Exit code 1\nnpm error Missing script: "build"'
DAY = 86_400_000_000
SHARE = 0.4


class Project:
    """A project with Claude Code sessions, one a day."""

    def __init__(self, home: Path, root: Path) -> None:
        self.home, self.root, self.day = home, root, 0
        self.project = find_project(root)
        self.state = state_dir(self.project, os.environ)
        self.ledger = Ledger(self.state, self.project.key, "me")

    def session(self, hooked: bool) -> None:
        """A session that runs into the failure. Told of the fix it recovers at once, else late."""
        name = f"00000000-0000-4000-8000-{self.day:012d}"
        told = self.answer(name) if hooked else ""
        wait = () if told else range(2, 7)
        records: list[Any] = [claude.call(100 * self.day + 1, "Bash", {"command": "npm run build"})]
        records.append(claude.result(100 * self.day + 1, ERROR, True))
        records += [claude.attached("hook_additional_context", content=[told])] if told else []
        for number in wait:
            records += [claude.call(100 * self.day + number, "Bash", {"command": "ls"})]
            records += [claude.result(100 * self.day + number, "a")]
        records += [claude.call(100 * self.day + 9, "Bash", {"command": "pnpm run build"})]
        records += [claude.result(100 * self.day + 9, "built")]
        lines = claude.session(*records, session_id=name, cwd=str(self.root))
        for second, line in enumerate(lines):
            at = claude.START + timedelta(days=self.day, seconds=second)
            line["timestamp"] = at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        reading.write_lines(claude.place(self.home, name, self.root.as_posix().replace("/", "-")), lines)
        self.day += 1

    def answer(self, session: str) -> str:
        """What the hook says about the failure."""
        event = {
            "session_id": session,
            "hook_event_name": "PostToolUseFailure",
            "cwd": str(self.root),
            "tool_name": "Bash",
            "tool_input": {"command": "npm run build"},
            "tool_use_id": claude.key(100 * self.day + 1),
            "error": ERROR,
        }
        said = hook.answer(json.dumps(event).encode(), os.environ, now=claude.at(1) + self.day * DAY)
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    def read(self) -> None:
        """One ingest, as the command does it."""
        now = claude.at(0) + self.day * DAY
        sources = {"claude_code": SOURCES["claude_code"]}
        ingest(self.project, sources=sources, environ={}, home=self.home, now=now)
        with open_write(store_path(self.project)) as store, transaction(store.conn):
            deliveries.collect(store.conn, self.state, SOURCES, now)

    def promote(self, hold_out: float) -> None:
        now = claude.at(0) + self.day * DAY - 1
        with open_write(store_path(self.project)) as store:
            (found, *_) = candidates.find_pattern_candidates(store.conn, now=now)
            decisions.promote(store.conn, self.ledger, found, fix="use `pnpm`", now=now)
            publish.publish(self.ledger, store.conn, hold_out=hold_out)

    def effect(self) -> Effect:
        with open_read(store_path(self.project)) as store:
            (found,) = effect.measured(store.conn, promotions(self.ledger.read()), closely=True)
        return found


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Project:
    (tmp_path / "shop").mkdir()
    return Project(home, tmp_path / "shop")


def test_sessions_that_are_told_recover_at_once_and_the_fix_is_to_be_kept(shop: Project) -> None:
    for _ in range(3):
        shop.session(hooked=True)
    shop.read()
    shop.promote(hold_out=0.0)
    for _ in range(5):
        shop.session(hooked=True)
    shop.read()
    first = shop.effect()
    assert (first.verdict, first.told.met, first.told.seen, first.before.met) == ("keep", 5, 5, 3)
    assert (first.before.median_calls, first.told.median_calls) == (6.0, 1.0)
    shop.read()
    assert shop.effect() == first


def test_with_a_hold_out_both_arms_fill_from_the_draw_alone(shop: Project) -> None:
    for _ in range(3):
        shop.session(hooked=True)
    shop.read()
    shop.promote(hold_out=SHARE)
    for _ in range(16):
        shop.session(hooked=True)
    shop.read()
    found = shop.effect()
    drawn = [
        spool.is_held_out(f"00000000-0000-4000-8000-{day:012d}", found.candidate_key, SHARE) for day in range(3, 19)
    ]
    assert (found.held_out.met, found.told.met, found.untold.met) == (sum(drawn), 16 - sum(drawn), 0)
    assert min(found.held_out.met, found.told.met) >= effect.MIN_TOLD
    assert found.measure is not None
    assert (found.measure.against, found.verdict) == ("held_out", "keep")


def test_without_the_hook_nothing_is_told(shop: Project) -> None:
    for _ in range(3):
        shop.session(hooked=False)
    shop.read()
    shop.promote(hold_out=0.0)
    shop.session(hooked=False)
    shop.read()
    assert (shop.effect().untold.met, shop.effect().told.met, shop.effect().verdict) == (1, 0, "too early")
