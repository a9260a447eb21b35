"""Secrets that no name tells of: given to a program as an option of one letter, by position, or on standard input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agent_riggs.judge.compiled import compiled
from agent_riggs.judge.named import Span, quoted
from agent_riggs.judge.secrets import MARK, SECRET

_COMMAND: Final = r"""(?:\\\r?\n|"[^"\n]{0,300}"|'[^'\n]{0,300}'|[^\n|;&]|&(?!&)){0,1200}+"""
"""A command up to where the next one begins."""
_JOINT: Final = r"""(?:[ \t]*\\\r?\n\s*|[ \t]+|=|\\*["'],\s*)"""
"""Between an option and its value: a space, also one over lines, a sign, or the next string of a list."""
_WORD: Final = r"""(?:\\(?![nrt])[^\s]|[^\s"'`|;&<>\\])++"""

_USER: Final = rf"(?:-u|-U|--(?:proxy-)?user){_JOINT}|-[uU](?=[A-Za-z])"
_COOKIE: Final = rf"(?:-b|--cookie){_JOINT}|-b(?=[A-Za-z])"
_AUTH: Final = rf"(?:-a|--auth){_JOINT}"

_HTPASSWD: Final = (
    r"-(?=[A-Za-z]*b)[A-Za-z]+(?:[ \t]+-\w+)*+(?:[ \t]+[^\s-][^\s]{0,200}){1,2}[ \t]+(?=[^\s]+\s*(?:[|;&\n]|$))"
)

_OPTIONS: Final[tuple[tuple[str, str, str], ...]] = (
    ("curl", _USER, ":"),
    ("curl", _COOKIE, "="),
    ("http", _AUTH, ":"),
    ("xh", _AUTH, ":"),
    ("zip", rf"-P(?:{_JOINT})?", ""),
    ("7z", r"-p(?=[^\s-])", ""),
    ("rar", r"-(?:hp|p)(?=[^\s-])", ""),
    ("ldap", rf"-w{_JOINT}", ""),
    ("mongo", rf"""-p(?:{_JOINT}|(?=["']))""", ""),
    ("gh secret", rf"(?:-b|--body){_JOINT}", ""),
    ("ssh-keygen", rf"-[NP]{_JOINT}", ""),
    ("SecureString", r"""(?<=\s)(?=["'])""", ""),
    ("net user", r"(?<=\s)[^\s/]{1,80}[ \t]+(?![/*])", ""),
    ("mysql", r"-p(?=[^\s-])", ""),
    ("mariadb", r"-p(?=[^\s-])", ""),
    ("openssl", rf"-[kK]{_JOINT}", ""),
    ("openssl", r"""(?<=["'\s])pass:""", ""),
    ("sshpass", rf"-p(?:{_JOINT})?", ""),
    ("client", rf"(?:-U|--user){_JOINT}|-U(?=[A-Za-z])", "%"),
    ("redis-cli", rf"-a{_JOINT}", ""),
    ("login", rf"-p{_JOINT}", ""),
    ("sqlcmd", rf"-P(?:{_JOINT})?", ""),
    ("mosquitto", rf"-P{_JOINT}", ""),
    ("plink", rf"-pw{_JOINT}", ""),
    ("pscp", rf"-pw{_JOINT}", ""),
    ("lftp", rf"-u{_JOINT}", ","),
    ("kubectl", rf"--from-literal{_JOINT}", "="),
    ("freerdp", r"/p:", ""),
    ("net use", r"/user:[^\s\"']{1,80}[ \t]+(?!/)", ""),
    ("rabbitmqctl", r"(?:add_user|change_password)[ \t]+[^\s\"']{1,80}[ \t]+", ""),
    ("vault", r"login[ \t]+(?:-[^\s]{1,40}[ \t]+)*+(?=[\w.-]*\d)", ""),
    ("htpasswd", _HTPASSWD, ""),
)
"""A program, its option, and the sign that parts a value into what is known and the secret."""
_ENDS: Final = frozenset(("client", "freerdp", "zip", "rar"))
"""Programs with several beginnings: smbclient, rpcclient; unzip."""
_RUNS: Final = r"""[\w.+-]*(?:\\*["'],?)?\s"""
"""Behind a program's name where it is run."""
_NUMBERS: Final = r"[\d.:,/-]*(?:tcp|udp)?"
"""Ports and the like."""


def without_options(text: str, programs: tuple[str, ...]) -> str:
    """The text without what these programs (all that the text names) are given as a secret."""
    for word, option, sign in _OPTIONS:
        if word in programs:
            text = _replaced(text, _of_program(text, word, option, sign))
    return text


def _replaced(text: str, spans: Iterator[Span]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        if start >= done:
            parts.append(text[done:start] + SECRET)
            done = end
    return "".join((*parts, text[done:])) if parts else text


def _of_program(text: str, word: str, option: str, sign: str) -> Iterator[Span]:
    """Values of one option in every command of one program. Each command is looked at once."""
    alone = "" if word in _ENDS else rf"(?<!\w{re.escape(word)})"
    end = 0
    for run in compiled(f"{re.escape(word)}{alone}{_RUNS}").finditer(text):
        if run.start() < end:
            continue
        command = compiled(_COMMAND).match(text, run.start())
        end = command.end() if command else run.end()
        for found in compiled(rf"(?<![\w/-])(?:{option})").finditer(text, run.end() - 1, end):
            span = _value(text, found.end(), sign)
            if span:
                yield span


def _value(text: str, start: int, sign: str) -> Span | None:
    """The secret in the value that begins there; a variable or a number is none."""
    inside = quoted(text, start)
    if inside is None:
        word = compiled(_WORD).match(text, start)
        if word is None:
            return None
        inside = word.span()
    start, end = inside
    if sign:
        parting = text.find(sign, start, end)
        if parting < 0:
            return None
        start = parting + 1
    value = text[start:end]
    if not value or value[0] in "$%<{" or compiled(_NUMBERS).fullmatch(value) or MARK.fullmatch(value):
        return None
    return start, end


# ---------------------------------------------------------------- standard input

_SUDO: Final = r"\bsudo\s+(?:-[^\s]{1,40}\s+)*?-[A-Za-z]{0,8}S\b|\bsudo\s[^\n|;]{0,80}--stdin"
_READERS: Final = (
    r"chpasswd|smbpasswd|(?:password|token)-stdin|passphrase-fd|with-token|\bpasswd\s|cryptsetup\s|\bkinit\s"
    r"|ansible-vault\s|\bsecrets?\s+(?:set|create|put|versions\s+add)\b|\bvault\s+login\b|" + _SUDO
)
"""Commands that read a secret from standard input."""
_ECHO: Final = r"""(?<![\w-])(?:echo|printf)(?:[ \t]+-[neE]+)*[ \t]+"""
_HERE: Final = r"""<<<[ \t]*|<<-?[ \t]*\\?["']?(\w{1,40})["']?[^\n]{0,400}\n"""


def without_piped(text: str) -> str:
    """The text without what ``echo`` or a here document hands to a command that reads a secret."""
    text = _replaced(text, _echoed(text))
    return _replaced(text, _here(text)) if "<<" in text else text


def _echoed(text: str) -> Iterator[Span]:
    done = 0
    for found in compiled(_ECHO).finditer(text):
        if found.start() < done:
            continue
        first = compiled(_COMMAND).match(text, found.end())
        stop = first.end() if first else found.end()
        done = stop
        if text[stop : stop + 1] != "|" or text[stop : stop + 2] == "||":
            continue
        reader = compiled(_COMMAND).match(text, stop + 1)
        if reader is None or not compiled(_READERS).search(text, reader.start(), reader.end()):
            continue
        span = _last(text, found.end(), stop)
        if span:
            yield _account(text, span, reader[0])


def _here(text: str) -> Iterator[Span]:
    done = 0
    for found in compiled(_HERE).finditer(text):
        begin = max(done, found.start() - 400)
        begin = max(begin, text.rfind("\n", begin, found.start()), text.rfind("|", begin, found.start()))
        done = found.end()
        if not compiled(_READERS).search(text, begin, found.start()):
            continue
        span: Span | None
        if found[1]:
            end = text.find(f"\n{found[1]}", found.end() - 1, found.end() + 4000)
            span = (found.end(), end if end >= 0 else min(len(text), found.end() + 4000))
        else:
            span = _value(text, found.end(), "")
        if span and span[1] > span[0] and not MARK.fullmatch(text, *span):
            yield _account(text, span, text[begin : found.start()])


def _last(text: str, start: int, end: int) -> Span | None:
    """The argument that is printed: the last one, quoted or not; of several bare words all."""
    words = [found.span() for found in compiled(r"""\\*"[^"\n]*"|'[^'\n]*'|[^\s"']+""").finditer(text, start, end)]
    if not words:
        return None
    formatted = len(words) > 1 and "%" in text[slice(*words[0])]
    begin, stop = words[-1] if formatted else (words[0][0], words[-1][1])
    if stop - begin > 1 and text[begin] in "\"'" and text[stop - 1] == text[begin]:
        begin, stop = begin + 1, stop - 1
    value = text[begin:stop]
    return None if not value or value[0] in "$`<" or MARK.fullmatch(value) else (begin, stop)


def _account(text: str, span: Span, reader: str) -> Span:
    """``bob:x`` for a program that sets passwords by account: what stands behind the account."""
    parting = text.find(":", *span) if "chpasswd" in reader else -1
    return (parting + 1, span[1]) if parting >= 0 else span
