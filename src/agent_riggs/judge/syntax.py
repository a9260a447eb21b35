"""A shell line cut into simple commands, connectors and groups: structure only, no meaning.

Two readers give the same shape. A scanner reads lines made of plain words, quotes, redirections and connectors;
it is exact for these and keeps the grammar package out of the hook's start. Everything else (substitutions,
here-documents, loops, functions) goes to tree-sitter-bash. A line the grammar rejects, such as PowerShell or a cut
line, is read by the scanner once more with its lenient rules, so that some commands are always found.
"""

# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

MAX_DEPTH: Final = 24
"""Groups nested deeper than this are left out."""


class Simple(NamedTuple):
    """One simple command: its words with quotes removed, and what surrounds it."""

    words: tuple[str, ...]
    assigns: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    err: str = ""
    """Where stderr goes: empty (shown), ``out`` (joined to stdout), ``null``, ``file``."""
    out: str = ""
    """Where stdout goes: empty (shown or piped), ``err``, ``null``, ``file``."""
    document: str = ""
    """Text of a here-document or here-string."""
    inner: tuple[Item, ...] = ()
    """For a bare assignment: the commands of its substitutions, whose exit code it returns."""


class Group(NamedTuple):
    """A compound command: branches that may decide its exit code, and conditions that never do."""

    branches: tuple[tuple[Item, ...], ...]
    conditions: tuple[tuple[Item, ...], ...] = ()
    negated: bool = False


class Define(NamedTuple):
    """A function definition: nothing runs until it is called."""

    name: str
    body: tuple[Item, ...]


class Item(NamedTuple):
    """A command or group with the connector that follows it: ``&&`` ``||`` ``|`` ``;`` ``&`` or nothing."""

    node: Simple | Group | Define
    next: str = ""


Items = tuple[Item, ...]

# ---------------------------------------------------------------- the scanner

_TOKEN: Final = re.compile(
    r"""[ \t\r]+
    |\\\r?\n
    |(?P<op>&&|\|\|?&?|;;?|\n|&(?!>))
    |(?P<redirect>(?:\d{1,2}|&)?(?:>>?[|&]?|<&?(?!<))[ \t]*)
    |(?P<word>(?:[^\s|&;<>()`"'\\$]|\$(?![({'"])|\$\{\w+\}|\\[^\n]|"(?:[^"\\`$]|\\.|\$(?!\())*"|'[^']*')+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE: Final = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\([\s"'$`\\|&;<>(){}*?\[\]#!~])|([^'"\\]+|\\.?|["'])""", re.DOTALL)
_ASSIGN: Final = re.compile(r"(?a:[A-Za-z_]\w*)\+?=")
_RESERVED: Final = frozenset(
    "if then elif else fi for while until do done case esac select function { } [[ ]] coproc in".split()
)


def unquote(word: str) -> str:
    """The word with quotes and escapes removed; a backslash before an ordinary letter stays (Windows paths)."""
    if not any(c in word for c in "'\"\\"):
        return word
    return "".join(a or re.sub(r'\\(["\\$`\n])', r"\1", b) or c or d for a, b, c, d in _PIECE.findall(word))


class _Pending:
    """The simple command being collected."""

    __slots__ = ("assigns", "err", "negated", "out", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.assigns: list[tuple[str, str]] = []
        self.negated = False
        self.err = self.out = ""

    def redirect(self, operator: str, target: str) -> None:
        self.err, self.out = redirected(operator, target, self.err, self.out)

    def word(self, raw: str) -> None:
        if not self.words:
            if raw == "!" and not self.assigns:
                self.negated = True
                return
            match = _ASSIGN.match(raw)
            if match:
                self.assigns.append((raw[: match.end()].rstrip("+="), unquote(raw[match.end() :])))
                return
        self.words.append(unquote(raw))

    def done(self) -> Simple | None:
        if not self.words and not self.assigns:
            return None
        return Simple(tuple(self.words), tuple(self.assigns), self.negated, self.err, self.out)


def redirected(operator: str, target: str, err: str, out: str) -> tuple[str, str]:
    """The pair (stderr, stdout) after one more redirection."""
    sink = "null" if target in ("/dev/null", "NUL", "nul", "$null") else "file"
    if operator.startswith("&>") or (operator.startswith(">&") and target not in ("1", "2", "-")):
        return sink, sink
    if ">" not in operator:
        return err, out
    if operator.startswith("2"):
        return (("out" if target == "1" and not out else out or "out") if operator.endswith("&") else sink), out
    if operator[0] == ">" or operator.startswith("1"):
        return err, ("err" if operator.endswith("&") else sink)
    return err, out


def scan(text: str, *, lenient: bool = False) -> Items | None:
    """The items of a line of plain words; ``None`` when it holds anything a scanner cannot know.

    With ``lenient`` it skips what it does not know and always answers.
    """
    items: list[Item] = []
    pending = _Pending()
    operator = ""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        token = match[0]
        if kind == "other":
            if not lenient:
                return None
            if token in "({":
                _close(items, pending, ";")
                pending = _Pending()
            continue
        if kind == "word":
            if operator:
                pending.redirect(operator, unquote(token))
                operator = ""
                continue
            if not pending.words and (token in _RESERVED or token[0] == "#"):
                if not lenient:
                    return None
                continue
            if token[0] == "#" and not lenient:
                return None
            pending.word(token)
            continue
        if operator and not lenient:
            return None
        if kind == "redirect":
            operator = token.rstrip()
            continue
        operator = ""
        empty = not (pending.words or pending.assigns)
        if token == "\n" and empty:
            continue
        if empty and not lenient:
            return None
        _close(items, pending, {"\n": ";", ";;": ";", "|&": "|"}.get(token, token))
        pending = _Pending()
    _close(items, pending, "")
    if not lenient and (operator or (items and items[-1].next in ("&&", "||", "|"))):
        return None
    return tuple(items)


def _close(items: list[Item], pending: _Pending, connector: str) -> None:
    command = pending.done()
    if command is not None:
        items.append(Item(command, connector))
    elif items and connector == "&&&":
        items[-1] = items[-1]._replace(next=connector)


# ---------------------------------------------------------------- the grammar

_CONNECTORS: Final = {"&&": "&&", "||": "||", "|": "|", "|&": "|", ";": ";", ";;": ";", "&": "&", "\n": ";"}
_LOOPS: Final = frozenset({"for_statement", "c_style_for_statement"})
_CONDITIONS: Final = frozenset({"if_statement", "while_statement", "elif_clause"})


@cache
def _parser() -> Any:
    """A tree-sitter parser for bash, or ``None`` where the grammar is not installed."""
    try:
        from tree_sitter import Language, Parser
        from tree_sitter_bash import language
    except ImportError:
        return None
    return Parser(Language(language()))


def read(text: str) -> tuple[Items, bool]:
    """The items of a line, and whether it was understood without errors."""
    items = scan(text)
    if items is not None:
        return items, True
    parser = _parser()
    if parser is not None:
        root = parser.parse(text.encode("utf-8", "replace")).root_node
        items = _sequence(root, 0)
        if items and not root.has_error:
            return items, True
        if items and not _powershell(text):
            return items, False
    return scan(text, lenient=True) or (), False


def _powershell(text: str) -> bool:
    return bool(re.search(r"(?im)^\s*\$[\w:]+\s*[+-]?=|\b(?:Get|Set|Select|New|Remove|Where|ForEach|Write|Test|Invoke)-[A-Z]\w+", text))


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
        return re.sub(r'\\(["\\$`\n])', r"\1", text[1:-1])
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
        return (Item(_command(node, depth)),)
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
        target = child.children[-1]
        operator = "".join(_text(c) for c in child.children[:-1])
        err, out = redirected(operator, _word(target), last.err, last.out)
        found[-1] = Item(last._replace(err=err, out=out), found[-1].next)
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


def _command(node: Any, depth: int) -> Simple:
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
