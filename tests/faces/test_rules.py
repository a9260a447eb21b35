from __future__ import annotations

from agent_riggs.faces import rules
from agent_riggs.judge import judge
from agent_riggs.judge.outcome import RULES
from agent_riggs.model import ToolCall


def test_every_rule_of_the_judge_has_words_and_no_other() -> None:
    pending = judge(ToolCall("claude_code", "s", "c", "Bash", {"command": "ls"}))
    assert set(rules.WORDS) == {rule.name for rule in RULES} | {pending.rule}


def test_a_rule_of_a_later_release_is_still_readable() -> None:
    assert rules.in_words("some_new_rule") == "some new rule"
    assert rules.in_words(None) == ""
