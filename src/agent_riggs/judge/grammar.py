"""Shell lines read with tree-sitter-bash: substitutions, here-documents, loops, functions.

The package is imported on first use, inside one function; without it :func:`tree` finds nothing and the caller falls
back on the scanner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from agent_riggs.judge.syntax import RESERVED, Define, Group, Item, Items, Simple, redirected, unquote

MAX_DEPTH: Final = 24
"""Groups nested deeper than this are left out."""

_CONNECTORS: Final = {"&&": "&&", "||": "||", "|": "|", "|&": "|", ";": ";", ";;": ";", "&": "&", "\n": ";"}
_LOOPS: Final = frozenset({"for_statement", "c_style_for_statement"})
_CONDITIONS: Final = frozenset({"if_statement", "while_statement", "elif_clause"})
_ESCAPED: Final = re.compile(r'\\(["\\$`\n])')


@cache
def _parser() -> Any:
    """A tree-sitter parser for bash, or ``None`` where the grammar is not installed."""
    try:
        from tree_sitter import Language, Parser
        from tree_sitter_bash import language
    except ImportError:
        return None
    return Parser(Language(language()))


def tree(text: str) -> tuple[Items, bool]:
    """The items of a line, and whether the grammar read it without an error; nothing where it is not installed."""
    parser = _parser()
    if parser is None:
        return (), False
    root = parser.parse(text.encode("utf-8", "replace")).root_node
    return _sequence(root, 0), not root.has_error


def _text(node: Any) -> str:
    raw: bytes = node.text or b""
    return raw.decode("utf-8", "replace")


def _word(node: Any, depth: int = 0) -> str:
    kind = node.type
    text = _text(node)
    if kind == "raw_string":
        return text[1:-1]
    if kind == "ansi_c_string":
        return text[2:-1]
    if kind == "concatenation" and depth < MAX_DEPTH:
        return "".join(_word(child, depth + 1) for child in node.children)
    if kind == "string":
        return _ESCAPED.sub(lambda match: match[1], text[1:-1])
    return unquote(text) if "\\" in text else text


def _sequence(node: Any, depth: int) -> Items:
    """The statements below a node, in order, with lists and pipelines flattened.

    The grammar sometimes nests a list inside a pipeline (``cd d && x | tail``); read in order the operators are
    right, so the nesting is not kept.
    """
    found: list[Item] = []
    if depth < MAX_DEPTH:
        for child in node.children:
            _append(found, child, depth)
    return tuple(found)


def _append(found: list[Item], child: Any, depth: int) -> None:
    kind = child.type
    if kind in _CONNECTORS:
        if found and found[-1].next in ("", ";"):
            found[-1] = Item(found[-1].node, _CONNECTORS[kind])
        return
    new = _statement(child, depth)
    if new:
        if found and not found[-1].next:
            found[-1] = Item(found[-1].node, ";")
        found.extend(new)


def _statement(node: Any, depth: int) -> Items:
    kind = node.type
    if depth >= MAX_DEPTH:
        return ()
    if kind == "command":
        command = _command(node)
        return (Item(command),) if command.words or command.assigns else ()
    if kind in ("list", "pipeline", "ERROR", "program"):
        return _sequence(node, depth + 1)
    if kind == "redirected_statement":
        return _redirected(node, depth + 1)
    if kind == "negated_command":
        return tuple(
            Item(i.node._replace(negated=True), i.next) if not isinstance(i.node, Define) else i
            for i in _sequence(node, depth + 1)
        )
    if kind in ("test_command", "declaration_command", "unset_command"):
        return (Item(_plain(node, depth)),)
    if kind in ("variable_assignment", "variable_assignments"):
        return (Item(_assignment(node, depth)),)
    if kind == "function_definition":
        name = node.child_by_field_name("name")
        return (Item(Define(_text(name) if name else "", _sequence(node, depth + 1))),)
    group = _group(node, kind, depth + 1)
    return (Item(group),) if group is not None else ()


def _group(node: Any, kind: str, depth: int) -> Group | None:
    if kind in ("subshell", "compound_statement", "do_group", "else_clause"):
        return Group((_sequence(node, depth),))
    if kind in _LOOPS:
        return Group(tuple(_sequence(c, depth) for c in node.children if c.type in ("do_group", "compound_statement")))
    if kind == "case_statement":
        return Group(tuple(_sequence(c, depth) for c in node.children if c.type == "case_item"))
    if kind in _CONDITIONS:
        return _conditional(node, depth)
    return None


def _conditional(node: Any, depth: int) -> Group:
    """``if``, ``elif``, ``while``, ``until``: what stands before ``then`` or ``do`` only asks."""
    asked: list[Item] = []
    body: list[Item] = []
    branches: list[Items] = []
    conditions: list[Items] = []
    place = asked
    for child in node.children:
        kind = child.type
        if kind == "then":
            place = body
        elif kind in ("elif_clause", "else_clause", "do_group"):
            group = _group(child, kind, depth + 1) if depth < MAX_DEPTH else None
            if group is not None:
                branches.extend(group.branches)
                conditions.extend(group.conditions)
        else:
            _append(place, child, depth)
    return Group((tuple(body), *branches), (tuple(asked), *conditions))


def _redirected(node: Any, depth: int) -> Items:
    found: list[Item] = []
    for child in node.children:
        kind = child.type
        if kind in ("file_redirect", "heredoc_redirect", "herestring_redirect"):
            found.extend(_redirect(found, child, depth))
        else:
            _append(found, child, depth)
    return tuple(found)


def _redirect(found: list[Item], child: Any, depth: int) -> Iterator[Item]:
    """Apply a redirection to the last command; a here-document may carry further commands on its first line."""
    last = found[-1].node if found else None
    kind = child.type
    if kind == "file_redirect" and isinstance(last, Simple):
        parts = [(c.type, c) for c in child.children]
        place = next((i for i, (name, _) in enumerate(parts) if ">" in name or "<" in name), len(parts) - 2)
        operator = "".join(_text(c) for _, c in parts[: place + 1])
        targets = [_word(c) for _, c in parts[place + 1 :]]
        err, out = redirected(operator, targets[0] if targets else "", last.err, last.out)
        words = (*last.words, *targets[1:])  # the grammar takes arguments after the target for further targets
        found[-1] = Item(last._replace(words=words, err=err, out=out), found[-1].next)
    elif kind == "herestring_redirect" and isinstance(last, Simple):
        found[-1] = Item(last._replace(document=_word(child.children[-1])), found[-1].next)
    elif kind == "heredoc_redirect":
        for part in child.children:
            if part.type == "heredoc_body" and found and isinstance(last, Simple):
                position = next(i for i in range(len(found) - 1, -1, -1) if found[i].node is last)
                last = last._replace(document=_text(part))
                found[position] = Item(last, found[position].next)
            elif part.type == "file_redirect" and found and found[-1].node is last:
                yield from _redirect(found, part, depth)
                last = found[-1].node
            else:
                _append(found, part, depth)


def _command(node: Any) -> Simple:
    words: list[str] = []
    assigns: list[tuple[str, str]] = []
    document = ""
    for child in node.children:
        kind = child.type
        if kind == "variable_assignment":
            name, _, value = _text(child).partition("=")
            assigns.append((name, unquote(value)))
        elif kind == "herestring_redirect":
            document = _word(child.children[-1])
        elif kind == "command_name":
            words.append(_word(child.children[0]) if child.children else _text(child))
        elif kind not in ("file_redirect", "heredoc_redirect"):
            words.append(_word(child))
    while words and words[0] in RESERVED:  # only in a line with errors: the rest of a broken loop
        del words[0]
    return Simple(tuple(words), tuple(assigns), document=document)


def _plain(node: Any, depth: int) -> Simple:
    """``[ ... ]``, ``export A=1``, ``unset A``: the words as they stand."""
    if node.type == "test_command":
        return Simple(("[", _text(node)))
    return Simple(tuple(_text(child) for child in node.children), inner=_substitutions(node, depth))


def _assignment(node: Any, depth: int) -> Simple:
    parts = node.children if node.type == "variable_assignments" else (node,)
    assigns = []
    for part in parts:
        name, _, value = _text(part).partition("=")
        assigns.append((name.rstrip("+"), unquote(value)))
    return Simple((), tuple(assigns), inner=_substitutions(node, depth))


def _substitutions(node: Any, depth: int) -> Items:
    """The commands inside ``$(...)`` of an assignment: ``A=$(x)`` returns the exit code of x."""
    found: list[Item] = []
    for child in node.children:
        if child.type == "command_substitution":
            for inner in child.children:
                _append(found, inner, depth + 1)
        elif child.type in ("variable_assignment", "string", "concatenation", "array") and depth < MAX_DEPTH:
            found.extend(_substitutions(child, depth + 1))
    return tuple(found)
