"""How often the verdict on a fix is right: episodes are drawn, and a fix ends a share of them at the next call.

python -m benchmarks.effect_verdicts [--runs 2000]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from agent_riggs.learn.effect import Arm, Episode, arm_of, effect_of
from agent_riggs.learn.fixes import AHEAD
from agent_riggs.learn.ledger import Decision
from agent_riggs.learn.promotions import Promotion
from agent_riggs.store.effects import ArmName, Count

PROMOTION = Promotion(Decision(1, 0, "failure_pattern", "key", "promoted", "promoted"), ("key",), (), 0, 0)
SIZES = ((3, 5), (5, 10), (10, 15), (20, 20))


def quick(draw: Random) -> int:
    """Calls to recovery where most failures end at once: three of four at the next call."""
    return draw.choices((1, draw.randint(2, 6), AHEAD), (75, 17, 8))[0]


def mixed(draw: Random) -> int:
    """Two of five at the next call, one of eight never."""
    return draw.choices((1, draw.randint(2, 4), draw.randint(5, 12), AHEAD), (40, 30, 18, 12))[0]


def slow(draw: Random) -> int:
    """None at the next call, one of seven never."""
    return draw.choices((draw.randint(2, 4), draw.randint(5, 12), AHEAD), (40, 45, 15))[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, judge, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args(arguments).runs
    print("| failures | before, told | ends at once | keep | watch | retire |\n|---|---|---:|---:|---:|---:|")
    for failures in (quick, mixed, slow):
        for before, told in SIZES:
            for helps in (0.0, 0.5, 0.8):
                found = verdicts(failures, before, told, helps, runs)
                shares = " | ".join(f"{found[name] / runs:.0%}" for name in ("keep", "watch", "retire"))
                print(f"| {failures.__name__} | {before}, {told} | {helps:.0%} | {shares} |")
    return 0


def verdicts(failures: Callable[[Random], int], before: int, told: int, helps: float, runs: int) -> Counter[str]:
    """How often each verdict fell."""
    draw, found = Random(1), Counter[str]()
    for _ in range(runs):
        without = [failures(draw) for _ in range(before)]
        helped = [1 if draw.random() < helps else failures(draw) for _ in range(told)]
        found[effect_of(PROMOTION, {"before": arm("before", without), "told": arm("told", helped)}).verdict] += 1
    return found


def arm(name: ArmName, calls: Sequence[int]) -> Arm:
    """An arm of episodes that took so many calls."""
    episodes = [Episode(one < AHEAD, one, 0) for one in calls]
    return arm_of(Count(0, name, len(calls), len(calls), len(calls), len(calls), ()), episodes)


if __name__ == "__main__":
    sys.exit(main())
