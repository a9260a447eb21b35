"""What the averages advise kibitzer."""

from __future__ import annotations

import pytest

from agent_riggs.judge.trust import Trust
from agent_riggs.report.recommendation import payload, recommend

HIGH = Trust(0.95, 0.9, 0.8)


@pytest.mark.parametrize(
    ("latest", "action"),
    [
        ([], None),
        ([Trust(0.29, 0.49, 0.9)], "auto_tighten"),
        ([Trust(0.29, 0.5, 0.9)], "tighten"),
        ([Trust(0.3, 0.4, 0.49)], "flag_project"),
        ([Trust(0.3, 0.4, 0.5)], None),
        ([HIGH] * 20, "loosen"),
        ([HIGH] * 19, None),
        ([*[HIGH] * 19, Trust(0.9, 0.9, 0.8), *[HIGH] * 19], None),
        ([Trust(0.95, 0.8, 0.8)] * 20, None),
    ],
)
def test_the_most_urgent_advice_comes_first(latest: list[Trust], action: str | None) -> None:
    found = recommend(latest)
    assert (found.action if found else None) == action


def test_the_key_has_the_public_packages_form() -> None:
    assert payload([]) is None
    value = payload([Trust(0.2, 0.4, 0.45)])
    assert value is not None
    assert set(value) == {"recommendation", "gate", "trust"}
    assert value["recommendation"]["action"] == "auto_tighten"
    assert value["gate"]["allowed"] is False
    assert value["trust"] == {"trust_1": 0.2, "trust_5": 0.4, "trust_15": 0.45, "state": "ok"}
    assert (payload([HIGH]) or {})["gate"]["allowed"] is True
