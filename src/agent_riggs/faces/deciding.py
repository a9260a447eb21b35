"""What the ratchet commands share: finding what a word names, and writing a human's decision."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agent_riggs import config
from agent_riggs.deliver import kibitzer
from agent_riggs.errors import RiggsError, UsageError
from agent_riggs.faces import here, render, settling, text
from agent_riggs.faces.here import Here, Listed
from agent_riggs.learn import candidates, decisions, guard, ledger, log, publish
from agent_riggs.learn.evidence import Candidate
from agent_riggs.learn.ledger import Decision, Ledger
from agent_riggs.learn.waiting import earlier, lookback
from agent_riggs.learn.waiting import waiting as waiting_failures
from agent_riggs.store import open_write
from agent_riggs.store.rows import Id, When

if TYPE_CHECKING:
    from agent_riggs.store.queries import Connection

DAY = 86_400_000_000

NONE = "No candidates: nothing that keeps coming back waits for a decision."
FOREIGN = "what your log does not hold is not served: agent-riggs ratchet adopt KEY"


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One decision as it is listed."""

    candidate_key: str
    candidate_type: str
    decision: str
    """What was decided then."""
    state: str
    """What it says now: a promoted one may be superseded or retired since."""
    live: bool
    """Served at the next failure."""
    foreign: bool
    """Held by the store but not by the log: never served."""
    lost: bool
    """Foreign, but made here: the log has lost it."""
    decided_at: When | None
    decided_by: str
    fix: str
    reason: str
    until: When | None
    """For snoozed: when it returns."""
    decision_id: Id
    effect: str
    """keep, watch, retire or too early, as measured; empty for what was hardly told, or is not served."""


def row_of(decision: Decision, effect: str = "") -> DecisionRow:
    """A decision as a row."""
    return DecisionRow(
        candidate_key=decision.candidate_key,
        candidate_type=decision.candidate_type,
        decision=decision.decision,
        state=decision.state,
        live=decision.live,
        foreign=decision.foreign,
        lost=decision.lost,
        decided_at=decision.decided_at,
        decided_by=decision.decided_by,
        fix=decision.fix,
        reason=decision.reason,
        until=decision.until,
        decision_id=decision.decision_id,
        effect=effect,
    )


def ledger_of(at: Here) -> Ledger:
    """Where this project's decisions are kept."""
    return settling.ledger_of(at, here.project(at))


def read_log(at: Here) -> log.Log:
    """The decision log, with a warning when it cannot be believed to its end."""
    found = ledger_of(at).read()
    if found.broken:
        render.tell(f"warning: {found.broken}", "yellow")
    return found


def limits(at: Here) -> config.Ratchet:
    """The thresholds in force."""
    return config.load(here.project(at).root).ratchet


def open_candidates(at: Here, conn: Connection, everything: bool = False) -> list[Candidate]:
    """What waits for a decision: failures, then wider keys and suggestions, the best of each first."""
    decided = ledger.verdict_of(conn, read_log(at))
    found = candidates.find_candidates(conn, limits=limits(at), now=at.now, decided=decided, everything=everything)
    return sorted(found, key=lambda one: not failures_in([one]))


def failures_in(found: Sequence[Candidate]) -> int:
    """How many failures these candidates are: one that is shown with near-duplicates is as many as they are."""
    return sum(1 + len(one.similar) for one in found if one.candidate_type == "failure_pattern")


def waiting(at: Here, conn: Connection) -> int:
    """How many failures wait for a decision, whether or not they are among the leading candidates."""
    return waiting_failures(conn, limits(at), at.now, ledger.verdict_of(conn, read_log(at)))


def standing(at: Here, conn: Connection) -> dict[str, Decision]:
    """The last decision about each key."""
    return {one.candidate_key: one for one in reversed(ledger.history(conn, read_log(at)))}


def fell_out(at: Here, conn: Connection) -> str:
    """Which stretch of time the candidates are of, where failures that came back before it are not decided either;
    empty where there are none."""
    mine, decided = limits(at), ledger.verdict_of(conn, read_log(at))
    count = earlier(conn, mine, at.now, decided)
    until = text.day(lookback(conn, mine, at.now)[1])
    left = text.many(count, "failure that came back before them is", "failures that came back before them are")
    days = text.many(mine.lookback_days, "day")
    return f"of the {days} up to {until}; {left} not decided either: agent-riggs failures --all" if count > 0 else ""


def find_candidate(at: Here, conn: Connection, word: str) -> Candidate:
    """The candidate that a key, its beginning, a fingerprint or a row number names."""
    row = here.listed_row(at, word)
    wanted = row.key if row and row.key else word
    return candidates.find(conn, wanted, limits=limits(at), now=at.now)


def find_decision(at: Here, word: str, among: list[Decision], what: str) -> Decision:
    """The decision that a key, its beginning, a fingerprint or a row number names."""
    row = here.listed_row(at, word)
    return ledger.pick(row.key if row and row.key else word, among, what)


def remember(at: Here, shown: list[Candidate]) -> None:
    """Keep what the numbers of the listed candidates stand for."""
    here.remember_rows(at, [Listed(_example(one), one.candidate_key) for one in shown])


def _example(candidate: Candidate) -> int | None:
    found = candidate.evidence.get("examples") or [{}]
    turn_id = found[0].get("turn_id")
    return turn_id if isinstance(turn_id, int) else None


def is_served(at: Here, key: str) -> bool:
    """Whether a fix is served under the key now."""
    return any(one.candidate_key == key for one in ledger.live(read_log(at)))


def warnings(at: Here, candidate: Candidate) -> list[str]:
    """What a human should know before promoting: ratchets that overlap, and too many of them."""
    live = ledger.live(read_log(at))
    found = []
    for one in live:
        if one.candidate_key == candidate.candidate_key:
            found.append(f"this takes the place of what is served now: {one.fix}")
        elif _overlap(one, candidate):
            found.append(f"{one.candidate_key} is served already and overlaps: {one.fix}")
    if candidate.candidate_type == "nudged_tool_promotion" and kibitzer.has_config(here.project(at).root):
        found.append(f"promoting it sets [plugins.{candidate.evidence.get('plugin')}] mode in {kibitzer.CONFIG}")
    most = limits(at).max_live
    if len(live) >= most:
        found.append(f"{text.many(len(live), 'ratchet')} served already: more than {most} are seldom listened to")
    return found


def _overlap(one: Decision, candidate: Candidate) -> bool:
    """Whether both would speak at one failure: a coarse key covers the fine ones of its category and tool, and
    patterns of one class, tool and program say nearly the same."""
    mine, theirs = candidate.evidence, one.evidence
    if (mine.get("category"), mine.get("tool")) != (theirs.get("category"), theirs.get("tool")):
        return False
    if "constraint_promotion" in (one.candidate_type, candidate.candidate_type):
        return True
    return (mine.get("class"), mine.get("program")) == (theirs.get("class"), theirs.get("program"))


def require_human(at: Here, i_am_human: bool) -> None:
    """Refuse where no human decides: without a terminal, or inside an agent."""
    guard.require_human(at.environ, sys.stdin.isatty(), i_am_human)


def decide(at: Here, act: Callable[[Connection, Ledger], Decision]) -> Decision:
    """Write one decision to log and store, and publish what is live now. What is in the log is made: what cannot be
    written behind it is told."""
    book = ledger_of(at)
    settings = config.load(here.project(at).root)
    with (
        settling.naming_kept(book.log),
        open_write(here.store_file(at), wait=settings.store.wait_seconds) as store,
    ):
        decisions.end(store.conn, book, now=at.now)
        made = act(store.conn, book)
        if made.unstored:
            told = "recorded in your log; the store could not be written, it follows with the next ingest"
            render.tell(f"{told}: {made.unstored}", "yellow")
        try:
            publish.publish(book, None if made.unstored else store.conn, hold_out=settings.deliver.hold_out)
        except RiggsError as error:
            raise RiggsError(f"recorded in your log, but {error.message}", error.hint) from error
    settling.write_brief(at, here.project(at))
    return made


def promote(at: Here, candidate: Candidate, fix: str, reason: str, when: str) -> Decision:
    """Promote a candidate with a fix. Nudge evidence also changes kibitzer's configuration, where there is one."""
    if not fix.strip():
        raise UsageError("nothing was promoted: there is no fix to serve", "give one with --fix TEXT")
    change = _planned(at, candidate)
    note = change.note() if change else None
    earlier = _live_change(at, candidate.candidate_key)
    if note and earlier and note["before"] == earlier.get("after"):
        note["before"] = earlier.get("before")
    made = decide(
        at,
        lambda conn, book: decisions.promote(
            conn, book, candidate, now=at.now, fix=fix, reason=reason, when=when, config_change=note
        ),
    )
    if change:
        kibitzer.apply(change)
        render.tell(f"{kibitzer.CONFIG}: [plugins.{change.plugin}] mode = {kibitzer.REDIRECT}")
    return made


def _planned(at: Here, candidate: Candidate) -> kibitzer.Change | None:
    """The change to kibitzer's configuration that promoting a candidate makes; ``None`` for any other candidate."""
    plugin = candidate.evidence.get("plugin")
    root = here.project(at).root
    if candidate.candidate_type != "nudged_tool_promotion" or not isinstance(plugin, str):
        return None
    return kibitzer.plan(root, plugin) if kibitzer.has_config(root) else None


def _live_change(at: Here, key: str) -> Mapping[str, Any] | None:
    return next((one.config_change for one in ledger.live(read_log(at)) if one.candidate_key == key), None)


def _ended(at: Here, key: str, act: Callable[[Connection, Ledger], Decision]) -> Decision:
    """A decision that ends a live ratchet of the key: what its promotion changed is put back."""
    note = _live_change(at, key)
    made = decide(at, act)
    mode = kibitzer.undo(here.project(at).root, note) if note else None
    if note and mode:
        render.tell(f"{kibitzer.CONFIG}: [plugins.{note.get('plugin')}] mode is {mode} again")
    elif note:
        render.tell(f"{note.get('file')} was changed since: nothing was put back", "yellow")
    return made


def reject(at: Here, candidate: Candidate, reason: str) -> Decision:
    """Reject a candidate for good."""
    key = candidate.candidate_key
    return _ended(at, key, lambda conn, book: decisions.reject(conn, book, candidate, reason=reason, now=at.now))


def retire(at: Here, key: str, reason: str) -> Decision:
    """Stop serving a ratchet."""
    return _ended(at, key, lambda conn, book: decisions.retire(conn, book, key, reason=reason, now=at.now))


def snooze(at: Here, candidate: Candidate, until: When, reason: str) -> Decision:
    """Put a candidate off."""
    return _ended(
        at,
        candidate.candidate_key,
        lambda conn, book: decisions.snooze(conn, book, candidate, until=until, now=at.now, reason=reason),
    )


def parse_until(word: str, now: When) -> When:
    """``30d``, ``2w`` or ``2027-01-31`` as a time. ``UsageError`` for anything else."""
    span = re.fullmatch(r"(\d{1,4})\s*([dw])(?:ays?|eeks?)?", word.strip().lower())
    if span:
        return now + int(span[1]) * (7 if span[2] == "w" else 1) * DAY
    try:
        moment = datetime.fromisoformat(word.strip())
    except ValueError:
        raise UsageError(f"{word!r} is no date", "write 30d, 2w or a date such as 2027-01-31") from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * 1_000_000
