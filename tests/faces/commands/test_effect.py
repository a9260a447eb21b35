"""``ratchet effect`` and where else a measured effect is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_riggs.learn import decisions
from agent_riggs.learn.ledger import Ledger
from agent_riggs.paths import find_project, state_dir, store_path
from agent_riggs.store import open_write
from faces.run import run
from learn.served import AT_ONCE, ELSE, HELD, SLOWLY, TOLD, Loop


class Kept(Loop):
    """A loop in a project's own store and state folder."""

    @property
    def ledger(self) -> Ledger:
        project = find_project(self.folder)
        return Ledger(state_dir(project, os.environ), project.key, "me")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Kept]:
    root = tmp_path / "shop"
    root.mkdir()
    with open_write(store_path(find_project(root))) as store:
        loop = Kept(root, store.conn)
        loop.session(*SLOWLY, count=4)
        loop.session(ELSE, count=4)
        yield loop


def helped(shop: Kept) -> Path:
    """Told in six sessions, which recovered at once."""
    shop.promote()
    shop.session(*AT_ONCE, count=6, **TOLD)
    shop.conn.close()
    return shop.folder


def test_nothing_promoted_is_said_so(shop: Kept) -> None:
    shop.conn.close()
    assert run(shop.folder, "ratchet", "effect").out == "Nothing was promoted yet: there is no effect to measure.\n"
    assert run(shop.folder, "ratchet", "effect", "--json").json == []
    assert run(shop.folder, "ratchet", "effect", "1").code == 1


def test_a_fix_that_helped_in_a_line_each(shop: Kept) -> None:
    ran = run(helped(shop), "ratchet", "effect")
    head, *lines = ran.out.splitlines()
    assert head.split()[:6] == ["told", "met", "before", "met", "since", "calls"]
    assert lines[0].split()[:7] == ["1", "6", "50%", "100%", "6", "1", "keep"]
    assert [line.strip() for line in lines[1:]] == [
        "use `pnpm`",
        "fewer calls than before in 100% of pairs (95%: 63 to 100%)",
    ]
    assert "no controlled comparison" in ran.err
    assert "pairs:" in ran.err
    assert "retire" not in ran.err


def test_a_few_sessions_without_a_recovery_do_not_move_the_calls_that_are_shown(shop: Kept) -> None:
    shop.promote()
    shop.session(*AT_ONCE, count=5, **TOLD)
    shop.session(AT_ONCE[0], count=1, **TOLD)
    shop.conn.close()
    ran = run(shop.folder, "ratchet", "effect")
    assert ran.out.splitlines()[1].split()[4:6] == ["6", "1"]
    assert "calls: median from failure to recovery" in ran.err


def test_where_the_decisions_are_foreign_the_way_to_make_them_ones_own_is_told(shop: Kept) -> None:
    root = helped(shop)
    shop.ledger.log.unlink()
    ran = run(root, "ratchet", "effect")
    assert "Nothing was promoted yet" in ran.out
    assert "agent-riggs ratchet adopt KEY" in ran.err


def test_one_fix_in_full_by_its_number(shop: Kept) -> None:
    root = helped(shop)
    run(root, "ratchet", "effect")
    ran = run(root, "ratchet", "effect", "1")
    lines = dict(line.strip().split("  ", 1) for line in ran.out.splitlines()[1:])
    assert lines["verdict"].strip().startswith("keep: fewer calls than before in 100% of pairs")
    assert "4 of 8 sessions met it, 12 times in all. 4 of 4 recovered, after 6 calls (median)" in lines["before"]
    assert "A transcript shows the text in 6." in lines["told"]
    assert "6 did what the fix says, 6 of these recovered." in lines["told"]
    assert "not told" not in lines
    assert "0% failed again on the way, 100% before" in ran.out


def test_a_fix_that_did_not_help_names_the_command_that_retires_it(shop: Kept) -> None:
    shop.promote()
    shop.session(*SLOWLY, count=15, **TOLD)
    shop.conn.close()
    ran = run(shop.folder, "ratchet", "effect")
    assert "agent-riggs ratchet retire failure-Bash-any:" in ran.err
    assert "retire" in ran.out
    assert "1 does not help: agent-riggs ratchet effect" in run(shop.folder, "status").out
    assert "of the served fixes 1 does not help: agent-riggs ratchet effect" in run(shop.folder, "brief").out


def test_with_sessions_held_out_nothing_is_said_about_control(shop: Kept) -> None:
    shop.promote()
    shop.session(*AT_ONCE, count=6, **TOLD)
    shop.session(*SLOWLY, count=5, **HELD)
    shop.conn.close()
    ran = run(shop.folder, "ratchet", "effect")
    assert "than when held out" in ran.out
    assert "controlled" not in ran.err


def test_a_retired_fix_says_when_and_is_not_to_be_retired_again(shop: Kept) -> None:
    shop.promote()
    shop.session(*SLOWLY, count=15, **TOLD)
    decisions.retire(shop.conn, shop.ledger, shop.key, reason="no use", now=shop.morning)
    shop.conn.close()
    found = run(shop.folder, "ratchet", "effect", shop_key(shop.folder))
    assert "retired" in found.out
    assert "to retire it" not in found.err
    assert "served fixes" not in run(shop.folder, "status").out


def shop_key(root: Path) -> str:
    found = run(root, "ratchet", "effect", "--json").json
    return str(found[0]["candidate_key"])


def test_the_json_has_every_arm_and_the_measure(shop: Kept) -> None:
    (found,) = run(helped(shop), "ratchet", "effect", "--json").json
    assert found["verdict"] == "keep"
    assert found["told"]["calls"] == [1] * 6
    assert (found["measure"]["was"], found["measure"]["now"], found["measure"]["against"]) == (6, 1, "before")
    assert {"before", "told", "untold", "held_out"} <= found.keys()


def test_the_list_the_status_and_the_brief_tell_what_was_measured(shop: Kept) -> None:
    root = helped(shop)
    assert "keep" in run(root, "ratchet", "list").out
    assert run(root, "ratchet", "list", "--json").json[0]["effect"] == "keep"
    assert "of the served fixes 1 helps: agent-riggs ratchet effect" in run(root, "status").out
    assert run(root, "brief", "--json").json["measured"].startswith("of the served fixes 1 helps")


def test_nothing_is_said_while_it_is_too_early(shop: Kept) -> None:
    shop.promote()
    shop.session(*AT_ONCE, count=4, **TOLD)
    shop.conn.close()
    assert "effect" not in run(shop.folder, "ratchet", "list").out
    assert "served fixes" not in run(shop.folder, "status").out
    ran = run(shop.folder, "ratchet", "effect")
    assert "4 of 5 sessions that were told" in ran.out
    assert "pairs:" not in ran.err, "nothing is compared yet"
