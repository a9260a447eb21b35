# ruff: noqa: E501  (a long expression reads better on one line)
"""The class a whole message suggests: how programs word one failure, and the names that services give their errors.

Single words (:func:`classes.of_words`) speak when neither does. Words about time, rights and the wire are never
outvoted: a file that cannot be read because permission is denied is no missing file.
"""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.classes import of_words
from agent_riggs.judge.compiled import compiled

_NEVER_OUTVOTED: Final = frozenset(("timeout", "auth", "permission", "sandbox", "network", "http_error"))
_NO: Final = r"(?:no|no such|unknown|unrecogni[sz]ed|undefined|invalid|missing|(?:not|cannot|can't|couldn't|failed to|unable to) (?:find|locate|resolve)) (?:an? |the |any |such |that )?"
"""How a message begins that names the kind of thing which is not there."""

_NOT_ALLOWED: Final = r"not allowed (?:in this context|here|in |by )|(?:properties|property|key|field|attribute|element)\b.{0,60}not (?:allowed|permitted|expected)"
"""What a schema or a grammar says of its input; nobody's rights are meant."""

_LOCK_FILE: Final = r"lock ?file\b.{0,80}(?:out of (?:date|sync)|not up to date|needs? to be updated|would (?:be|have been) modified)|present in (?:your|the) lock ?file"

_SENTENCES: Final[tuple[tuple[str, str], ...]] = (
    (
        r"(?:access|auth|api|bearer|refresh|session)[ _-]?(?:token|key)s?\b|token (?:is |was |has )?(?:invalid|expired|required|missing|revoked)|active account|unauthenticated|not signed in|sign in\b|no (?:default |valid )?credentials",
        "auth",
    ),
    (
        r"another \w+(?: \([^)]*\))? is (?:already )?(?:in progress|running)|already (?:in progress|running|started|taken)|\bstate lock\b|already exist\b|find (?:\w+ )?(?:compatible|suitable) versions?|version (?:conflict|solving|mismatch)|(?:directory|tree) (?:is )?not clean|uncommitted changes",
        "conflict",
    ),
    (
        r"no (?:compatible )?(?:interpreter|driver)s?\b|(?:sdk|runtime|toolchain|jdk|jre)\b.{0,40}\b(?:not (?:be )?found|not installed|is missing)|no version (?:is |was )?set|is not supported by|\bis unhealthy\b|(?:container|service|dependency)\b.{0,60}failed to start|run ['`\"][^'`\"]{1,40}(?:init|setup|install|login)['`\"] (?:before|first)|(?:outside (?:of )?|not inside )an? [\w ]{1,30}|migrations? (?:is|are) pending|not been booted|have you run |can only be (?:run|used|executed) (?:in|inside|from|within)|must be run (?:in|from|inside)|should be run (?:in|from)",
        "environment",
    ),
    (
        rf"{_NO}(?:task|target|recipe|script|(?:sub-?)?command|goal|lane|option|flag|argument|switch)s?\b|invalid choice|is not an? (?:recogni[sz]ed|valid|known) (?:(?:sub-?)?command|option|task|argument)|is required either|\bno rule to\b|(?:task|target|recipe|script|command|job)s? (?:not found|does not exist|is not defined)|(?<![\w-])--?[a-z][\w-]+['\"`]? is (?:not (?:allowed|supported|valid|recogni|an? )|un)",
        "bad_option",
    ),
    (
        rf"{_NO}(?:\S+ )?(?:service|user|group|project|workspace|app|container|image|database|bucket|cluster|profile|context|worker|device|scheme|stack)s?\b|no (?:packages?|projects?|workspaces?|tasks?|tests?) (?:remain|match|were selected)",
        "bad_path",
    ),
    (
        r"error (?:parsing|converting|decoding|unmarshal\w*)|(?<![\w.])yaml: |\bunmarshal|(?:failed|unable|cannot|could not) (?:to )?(?:parse|decode|deserialize)|parser error|mismatched tag|tag mismatch|well-formed|unexpected \w+ (?:near|at|in)\b|(?:invalid|malformed) (?:json|yaml|toml|xml)\b|expected (?:an? )?(?:['\"`][^'\"`]{1,12}['\"`]|expression|identifier|token|statement|type|declaration|operator|semicolon|end of \w+)\b.{0,30}\b(?:found|got)\b",
        "syntax_error",
    ),
    (
        rf"{_NO}(?:\S+ )?(?:variable|identifier|symbol|function|method|attribute|column|relation|table|constructor|constant|property|key|field|setting|section|directive|element|word|operator|filter)s?\b|\b(?:undeclared|unresolved|unbound) \w+|(?:variable|identifier|symbol|filter|procedure|word|function)\b.{{0,60}}(?:not found|not in scope|not defined|undefined)",
        "invalid_input",
    ),
    (r"(?:find|open|read) an? (?:\w+ )?(?:file|directory|folder)\b", "missing_file"),
    (
        r"(?:find|resolve|fetch|download(?:ing)?|load|locate|query)\b.{0,60}\b(?:dependency|dependencies|package(?!\.)|module|gem|crate|library|plugin|artifact|provider)s?\b|downloading [\w.-]+:[\w.-]+:|(?:module|gem|crate|library|plugin|extension|provider|pod)\b.{0,80}\b(?:not (?:be )?found|doesn't exist|does not exist|not be resolved|not installed|appear to be installed)|collection not found|no packages? found",
        "module_missing",
    ),
    (
        r"there is no .{0,60}\b(?:file|directory|folder)\b|no ['\"`]?[\w.*-]*['\"`]? ?(?:file|config|configuration|manifest|ruleset|folder|directory|schema)\b.{0,40}\b(?:found|provided|exists?|specified|detected)|(?:cannot|can't|could not|couldn't|unable to|failed to|did not) (?:find|locate|detect|open|read|access|load)\b[^.]{0,60}\b(?:\w*file|config|configuration|directory|folder|manifest)\b|exist in (?:the )?file ?system|missing (?:\w+ ){0,2}files?\b|['\"`][\w-]+\.\w{1,8}['\"`] is (?:required|missing)|does not name an? (?:\w+ )?(?:file|directory)|(?:file|config|configuration|directory|folder)\b.{0,80}not (?:available|readable|accessible)|is not a file|\bpath\b.{0,80}does not exist",
        "missing_file",
    ),
    (r"\bnot in [\w ]{1,20}format|\bnot an? [\w ]{1,30}(?:archive|image|document)\b", "invalid_input"),
)
_ABSENT: Final = r"^no (?:\S+ ){1,4}(?:for|found|named|called|matching|with)\b|(?:could not|couldn't|cannot|can't) be (?:found|located|resolved)"
_REQUEST: Final = r"\b(?:GET|POST|PUT|HEAD|PATCH|DELETE) \S+ .*\b[45]\d\d\b"
_RESOLVE: Final = r"(?:could not|couldn't|cannot|can't|failed to|unable to) resolve (?:the )?(?=(?:workspace|project|package|module|plugin|import|entry|config\w*|reference|symbol|type|task|target|ref|revision|version)\b)"
"""To resolve such a thing is to find it; a host is resolved over the wire."""
_DATA: Final = r"(?<!\S)[\w.]+(?:-(?!to-|of-|and-)[\w.]+){2,}(?!\S)"
"""Names of three words and more: what they are made of says nothing (``wasm32-unknown-unknown``)."""
_VARIABLE: Final = r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+['\"`]? (?:environment variable )?(?:must be set|must be defined|is (?:not set|missing|required|undefined|unset)|not set|missing|required)\b"
"""An environment variable that a program asks for; in capitals only."""

_NAME: Final = r"\b(?:[A-Z][a-z0-9]+){2,}\b|\b[A-Za-z]+(?:_[A-Za-z]+)+\b"
"""``BucketAlreadyExists``, ``PERMISSION_DENIED``, ``channel_not_found``."""
_NAMES: Final[tuple[tuple[str, str], ...]] = (
    (r"Already_?(?:Exists|Owned|In_?Use)|Duplicate|Conflict|_?In_?Use$|Locked|Conditional_?Check_?Failed|In_?Progress", "conflict"),
    (r"Unauthenticated|(?:Invalid|Expired|Missing)_?(?:\w*Token|Credential|Auth)|Auth_?Failure|Signature_?Does_?Not_?Match", "auth"),
    (r"Access_?Denied|Permission_?Denied|Forbidden|Not_?Authorized|Unauthorized", "permission"),
    (r"Throttl|Too_?Many_?Requests|Rate_?(?:Limit|Exceeded)|Service_?Unavailable|Internal_?(?:Server_?)?Error|Resource_?Exhausted", "http_error"),
    (r"Time_?out|Deadline_?Exceeded", "timeout"),
    (r"Not_?Found|^No_?Such|Does_?Not_?Exist", "bad_path"),
)  # fmt: skip


def of_message(text: str, repository: bool = True) -> str:
    """The class the words of a message suggest, ``other`` when they suggest none."""
    if compiled(_LOCK_FILE, re.I).search(text):
        return "conflict"
    if compiled(_NOT_ALLOWED, re.I).search(text):
        return "syntax_error" if "yaml" in text.lower() else "invalid_input"
    text = compiled(_DATA).sub(" ", compiled(_RESOLVE, re.I).sub("cannot find ", text))
    if compiled(_REQUEST).search(text):
        return "http_error"
    word = of_words(text, repository)
    if word in _NEVER_OUTVOTED:
        return word
    if compiled(_VARIABLE).search(text):
        return "environment"
    named = next(filter(None, map(_of_name, compiled(_NAME).findall(text)[:8])), None)
    said = named or next((c for pattern, c in _SENTENCES if compiled(pattern, re.I).search(text)), word)
    return "bad_path" if said in ("other", "invalid_input") and compiled(_ABSENT, re.I).search(text) else said


def _of_name(name: str) -> str | None:
    return next((c for pattern, c in _NAMES if compiled(pattern, re.I).search(name)), None)
