"""Our groups in an agent's settings: added at the end of their events' lists, taken out again, nothing else touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_riggs.deliver.install import jsontext
from agent_riggs.deliver.install.clients import Group, Part, is_ours
from agent_riggs.deliver.install.receipts import Receipt
from agent_riggs.errors import RiggsError


def having(before: bytes | None, part: Part) -> bytes:
    """The settings with our groups in them. Those of an earlier installation are replaced; equal ones stay."""
    if before is None or not before.strip():
        hooks = {event: [group] for event, group in part.events.items()}
        return (json.dumps({"hooks": hooks}, indent=2, ensure_ascii=False) + "\n").encode()
    text = _text(before, part.path)
    if not isinstance(jsontext.check(text).get("hooks", {}), dict):
        raise RiggsError(f"{part.path}: hooks is no object: left as it is")
    for event, group in part.events.items():
        text = _with(text, part.path, event, group)
    return text.encode("utf-8", "surrogatepass")


def without(before: bytes, path: Path, receipt: Receipt | None) -> bytes | None:
    """The settings without our groups, and without lists and files that we had made and that are empty now."""
    if not before.strip():
        return before
    text = _text(before, path)
    hooks = jsontext.check(text).get("hooks")
    for event in hooks if isinstance(hooks, dict) else ():
        text = _cleared(text, event)
    made = receipt.made if receipt else ()
    empty = [event for event in made if _value(text, "hooks", event) == []]
    span = jsontext.find(text, "hooks")
    if span is not None and empty:
        text = jsontext.remove(text, span.start, lambda member: member.name in empty)
    if "hooks" in made and _value(text, "hooks") == {}:
        top = jsontext.find(text)
        assert top is not None
        text = jsontext.remove(text, top.start, lambda member: member.name == "hooks")
    if receipt is not None and not receipt.existed and json.loads(text) == {}:
        return None
    return text.encode("utf-8", "surrogatepass")


def ours(settings: Any) -> list[tuple[str, Group]]:
    """(event, group) of every group of ours in parsed settings."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    found = []
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        found += [(event, group) for group in groups if _is_our_group(group)] if isinstance(groups, list) else []
    return found


def _with(text: str, path: Path, event: str, group: Group) -> str:
    groups = _value(text, "hooks", event)
    if groups is not None and not isinstance(groups, list):
        raise RiggsError(f"{path}: hooks.{event} is no list: left as it is")
    mine = [one for one in groups or () if _is_our_group(one)]
    if mine == [group]:
        return text
    if mine:
        text = _cleared(text, event)
    if jsontext.find(text, "hooks") is None:
        top = jsontext.find(text)
        assert top is not None
        return jsontext.insert(text, top.start, {event: [group]}, "hooks")
    span = jsontext.find(text, "hooks", event)
    if span is not None:
        return jsontext.insert(text, span.start, group)
    hooks = jsontext.find(text, "hooks")
    assert hooks is not None
    return jsontext.insert(text, hooks.start, [group], event)


def _cleared(text: str, event: str) -> str:
    span = jsontext.find(text, "hooks", event)
    if span is None or text[span.start] != "[":
        return text
    return jsontext.remove(text, span.start, lambda member: _is_our_group(json.loads(text[member.start : member.end])))


def _is_our_group(group: Any) -> bool:
    """A group that holds our command and no other: what somebody added to it is theirs."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return False
    return is_ours(hooks[0].get("command"))


def _value(text: str, *names: str) -> Any:
    span = jsontext.find(text, *names)
    return None if span is None else json.loads(text[span.start : span.end])


def _text(data: bytes, path: Path) -> str:
    try:
        text = data.decode("utf-8")
        jsontext.check(text)
    except UnicodeDecodeError:
        raise RiggsError(f"{path} is not UTF-8: left as it is") from None
    except RiggsError as error:
        raise RiggsError(f"{path}: {error.message}: left as it is", error.hint) from None
    return text
