"""Do mined fixes hold? For every failure that came back, the fix mined from earlier sessions against what then worked.

A chronological split, session by session: a pattern's root sessions stand in the order in which they met it, and each
one after the first is predicted from those before it alone. Beside it runs a naive miner that looks for the next
success of the same program or file, takes the exact masked difference, and speaks once three earlier sessions agree.

    python -m benchmarks.mined_fixes STORE [STORE ...] [--write docs/evaluation.md]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_riggs.judge import tools
from agent_riggs.judge.mask import mask
from agent_riggs.learn import candidates, fixes
from agent_riggs.learn.candidates import Span
from agent_riggs.learn.evidence import is_sure
from agent_riggs.learn.fixes import Trace
from agent_riggs.learn.steps import Step
from agent_riggs.store import mining, open_read
from agent_riggs.store.mining import ALL_TIME
from agent_riggs.store.windows import Window, windows

MIN_SESSIONS = 3
NAIVE_SESSIONS = 3
BEGIN, END = "<!-- mined fixes: begin -->", "<!-- mined fixes: end -->"


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over root sessions that met a pattern again."""

    patterns: int = 0
    repeats: int = 0
    """Sessions after a pattern's first."""
    spoken: int = 0
    """Of these, sessions for which the earlier ones gave a fix."""
    judged: int = 0
    """Spoken ones that recovered, so that the fix can be compared."""
    agreed: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.patterns + other.patterns,
            self.repeats + other.repeats,
            self.spoken + other.spoken,
            self.judged + other.judged,
            self.agreed + other.agreed,
        )

    @property
    def coverage(self) -> float:
        return self.spoken / self.repeats if self.repeats else 0.0

    @property
    def agreement(self) -> float:
        return self.agreed / self.judged if self.judged else 0.0


def by_root(items: Iterable[tuple[str, int, Trace, str | None]]) -> list[list[tuple[Trace, str | None]]]:
    """Traces with their naive differences, grouped by root session, in the order in which the sessions began."""
    groups: dict[str, list[tuple[int, Trace, str | None]]] = {}
    for root, at, trace, difference in items:
        groups.setdefault(root, []).append((at, trace, difference))
    ordered = sorted(groups.items(), key=lambda item: (min(at for at, _, _ in item[1]), item[0]))
    return [[(trace, difference) for _, trace, difference in found] for _, found in ordered]


def ours(sessions: Sequence[Sequence[tuple[Trace, str | None]]], sure: bool = False) -> Tally:
    """Each session predicted by the fix mined from those before it; ``sure`` asks for more support."""
    spoken = judged = agreed = 0
    for place in range(1, len(sessions)):
        earlier = [trace for session in sessions[:place] for trace, _ in session]
        mined = fixes.mine(earlier)
        fix = mined.fix
        if fix is None or (sure and not is_sure(fix.support, mined.recovered)):
            continue
        spoken += 1
        recovered = [trace for trace, _ in sessions[place] if trace.recovered]
        if recovered:
            judged += 1
            agreed += any(fix.text == change.text for trace in recovered for change in trace.changes)
    return Tally(1, len(sessions) - 1, spoken, judged, agreed)


def naive(sessions: Sequence[Sequence[tuple[Trace, str | None]]]) -> Tally:
    """Each session predicted by the difference that three earlier ones share."""
    spoken = judged = agreed = 0
    for place in range(1, len(sessions)):
        met = Counter(text for session in sessions[:place] for text in {found for _, found in session if found})
        text, count = min(met.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
        if count < NAIVE_SESSIONS:
            continue
        spoken += 1
        found = {difference for _, difference in sessions[place] if difference}
        if found:
            judged += 1
            agreed += text in found
    return Tally(1, len(sessions) - 1, spoken, judged, agreed)


def difference(window: Window) -> str | None:
    """The naive miner's view of a recovery: the next success of the same program or file, both sides masked."""
    failure = fixes.step_of(window.failure)
    name = (failure.program or "").split(" ")[0]
    for facts in window.later[: fixes.AHEAD]:
        step = fixes.step_of(facts)
        if not step.ok or step.tool != failure.tool:
            continue
        if tools.is_shell(failure.tool):
            if name and (step.program or "").split(" ")[0] == name:
                return f"{mask(failure.command)} -> {mask(step.command)}"
        elif step.target == failure.target:
            return f"{masked_input(failure)} -> {masked_input(step)}"
    return None


def masked_input(step: Step) -> str:
    """The arguments of a call, masked."""
    return mask(json.dumps(dict(step.input), sort_keys=True, default=str))


def measure(path: Path) -> tuple[Tally, Tally, Tally]:
    """(ours, ours when sure, naive) over one store."""
    mine, sure, theirs = Tally(), Tally(), Tally()
    with open_read(path) as store:
        mining.prepare(store.conn)
        totals = mining.patterns(store.conn, *ALL_TIME, min_occurrences=10**9, min_sessions=MIN_SESSIONS, limit=10**6)
        for total in totals:
            sessions = by_root(traced(store.conn, total.fingerprint or "", Span(*ALL_TIME, 0)))
            mine += ours(sessions)
            sure += ours(sessions, sure=True)
            theirs += naive(sessions)
    return mine, sure, theirs


def traced(conn: mining.Connection, mark: str, span: Span) -> list[tuple[str, int, Trace, str | None]]:
    """Every failure of a pattern, followed to its recovery in both ways."""
    found = windows(conn, [mark], span.since, span.until, roots=10**6, per_root=candidates.PER_ROOT, ahead=fixes.AHEAD)
    return [(one.root_session, one.at or 0, fixes.trace(one), difference(one)) for one in found]


def table(results: Sequence[tuple[str, Tally, Tally, Tally]]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| project | patterns | repeats | mined: speaks on | agrees | mined, sure: speaks on | agrees "
        "| naive: speaks on | agrees |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, *tallies in results:
        cells = [f"{tally.coverage:.0%} | {cell(tally)}" for tally in tallies]
        lines.append(f"| {name} | {tallies[0].patterns} | {tallies[0].repeats} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(tally: Tally) -> str:
    """Agreement with what it rests on."""
    return f"{tally.agreement:.0%} ({tally.agreed} of {tally.judged})"


def write(path: Path, text: str) -> None:
    """Put the table between the marks in a document."""
    document = path.read_text(encoding="utf-8")
    head, rest = document.split(BEGIN)
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", nargs="+", type=Path, metavar="STORE")
    parser.add_argument("--write", type=Path, help="document with the marks to put the table between")
    given = parser.parse_args(arguments)
    results = [(path.resolve().parent.parent.name, *measure(path)) for path in given.stores]
    first, second, third = (sum((result[place] for result in results), Tally()) for place in (1, 2, 3))
    pooled = ("pooled", first, second, third)
    text = table([*results, pooled])
    print(text)
    if given.write:
        write(given.write, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
