# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
"""What a secret looks like: token prefixes of providers, names that announce one, values that are none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_TOKEN: Final = r"""
      sk-ant-[\w-]{8,} | sk-(?:proj|svcacct|admin|or|lf|None)-[\w-]{12,}
    | <>sk-(?=[\w-]{0,60}[0-9])[\w-]{18,}                              # OpenAI and its many imitators
    | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,} | whsec_[\w+/=-]{16,}              # Stripe
    | gh[pousr]_[A-Za-z0-9_]{20,} | github_pat_\w{20,}
    | gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt)-[\w-]{16,}(?:\.[\w.-]*\w)?
    | xox[abeoprs]-[\w-]{10,} | xapp-[\w-]{16,} | xoxe\.[\w.-]{16,}                   # Slack
    | (?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16} | bedrock-api-key-[\w=+/-]{16,}
    | AIza[\w-]{30,} | ya29\.[\w-]{20,} | GOCSPX-[\w-]{20,} | (?<!\d)1//0[\w-]{20,}   # Google
    | hf_[A-Za-z0-9]{20,} | npm_[A-Za-z0-9]{30,} | pypi-[\w-]{20,} | rubygems_[0-9a-f]{40,}
    | do[por]_v1_[0-9a-f]{32,} | dapi[0-9a-f]{32}(?:-\d)? | dp\.(?:pt|st|sa|ct|scim|audit)\.[\w.-]{30,}
    | <>SG\.[\w-]{16,}+\.[\w-]{16,} | <>SK[0-9a-f]{32}
    | hv[sbr]\.[\w-]{20,} | lin_(?:api|oauth)_\w{30,} | ntn_[A-Za-z0-9]{30,} | (?<![A-Za-z0-9_])secret_[A-Za-z0-9]{40,}
    | gsk_[A-Za-z0-9]{20,} | sbp_[0-9a-f]{30,} | sb_secret_[\w-]{16,} | r8_[A-Za-z0-9]{30,} | xai-[\w-]{30,}
    | pplx-[\w-]{30,} | nvapi-[\w-]{30,} | tvly-[\w-]{20,} | fw_[A-Za-z0-9]{22,} | figd_[\w-]{20,}
    | gl(?:sa|c)_[\w=+/-]{20,} | sntr[yu]s_[\w=+/-]{20,} | shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,} | pul-[0-9a-f]{40}
    | NRAK-[A-Z0-9]{20,} | PMAK-[\w-]{30,} | ATATT3[\w=-]{30,} | ATCTT3[\w=-]{30,} | dckr_(?:pat|oat)_[\w-]{20,}
    | phx_[A-Za-z0-9]{30,} | CFPAT-[\w-]{30,} | pscale_(?:tkn|pw|oauth)_[\w.-]{30,} | rnd_[A-Za-z0-9]{28,}
    | <>re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,} | <>key-[0-9a-f]{32}
    | v1\.0-[0-9a-f]{24}-[0-9a-f]{64,} | AGE-SECRET-KEY-1[0-9A-Z]{20,} | [A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}
    | (?<!\d)\d{8,10}:AA[\w-]{30,} | (?<=bot)\d{5,12}:AA[\w-]{16,}
    | ops_eyJ[\w-]{20,} | vc[pkiar]_[A-Za-z0-9]{20,} | tskey-[\w-]{20,}
    | (?:(?<![\w-])|(?<=\\[nrtbf]))eyJ[\w-]{8,}+\.[\w-]{4,}+(?:\.[\w-]*)? | gAAAAA[\w=-]{60,}
    | (?<=services/)[TB][A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}                   # Slack webhook
    | (?<=/webhooks/)\d{15,}/[\w-]{40,}                                              # Discord webhook
"""
TOKEN: Final = re.compile(_TOKEN.replace("<>", r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"), re.VERBOSE)
"""Tokens that are known by their look. Searched only around a run of twenty token characters."""

BEGINNINGS: Final = tuple(
    "sk- k_live_ k_test_ whsec_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glptt- gldt- glrt- glcbt- glft- glsoat-"
    " glagent- gloas- glimt- xox xapp- AKIA ASIA ABIA ACCA bedrock-api AIza ya29. GOCSPX- 1//0 hf_ npm_ pypi- rubygems_"
    " _v1_ dapi dp. SG. SK hvs. hvb. hvr. lin_ ntn_ secret_ gsk_ sbp_ r8_ xai- pplx- nvapi- tvly- fw_ figd_ glsa_ glc_"
    " sntrys_ sntrus_ shpat_ shpca_ shppa_ shpss_ pul- NRAK- PMAK- ATATT3 ATCTT3 dckr_ phx_ CFPAT- pscale_ rnd_ re_"
    " key- v1.0- AGE-SECRET .atlasv1. :AA eyJ vcp_ vck_ vci_ vca_ vcr_ tskey- gAAAAA services/ /webhooks/".split()
)
"""Every token holds one of these, or stands right behind it: finding none is cheaper than searching for ``TOKEN``."""

STEMS: Final = tuple(
    (stem, tuple(one for one in BEGINNINGS if one.startswith(stem))) for stem in ("gl", "gh", "vc", "shp", "hv", "k_")
)
"""Those that begin alike, under what they have in common, which is asked first."""
LONERS: Final = tuple(one for one in BEGINNINGS if not one.startswith(tuple(stem for stem, _ in STEMS)))
"""The others."""

RUN: Final = re.compile(r"[A-Za-z0-9_\-]{20,}")
"""A run long enough to hold a token; everything else in a text is never looked at by ``TOKEN``."""
RUN_BEFORE: Final = 48
"""Characters before a run in which its prefix may stand."""

SECRET: Final = "[redacted]"
MARK: Final = re.compile(r"\[redacted(?::[a-z]+)?\]")
"""Any placeholder."""

KEYWORDS: Final = tuple(
    "pass pwd secret token key credential auth cookie bearer signature sig= kennwort contrase senha wachtwoord"
    " heslo".split()
)
"""Every announcing name holds one of these (lower case)."""
FOREIGN: Final = tuple(
    "contrase\u00f1a l\u00f6senord has\u0142o \u015fifre \u043f\u0430\u0440\u043e\u043b"
    " \u5bc6\u7801 \u5bc6\u78bc \u30d1\u30b9\u30ef\u30fc\u30c9 \ube44\ubc00\ubc88\ud638".split()
)
"""Or one of these, in a text with letters beyond ASCII."""

_BARE: Final = frozenset(
    "password passwd passphrase passcode pwd secret token apikey accesskey privatekey secretkey credential"
    " credentials authorization cookie bearer sig pass passe".split()
)
_ENDINGS: Final = tuple(
    "password passwd passphrase passcode pwd secret token apikey accesskey accesskeyid privatekey secretkey"
    " signingkey encryptionkey encryptkey authkey sessionkey masterkey accountkey sharedkey servicekey"
    " servicerolekey anonkey licensekey deploykey hmackey jwtkey adminkey storagekey sshkey apitoken credential"
    " credentials authorization cookie setcookie sessionid pgpass webhookkey secretkeybase passwordhash apisecret"
    " clientsecret amzsignature googsignature hubsignature securitytoken sharedaccesskey connectionstring keydata"
    " secretstring rediscliauth"
    " storepass keypass dbpass userpass rootpass adminpass smtppass mailpass ftppass becomepass sshpass sudopass"
    " passwort kennwort motdepasse contrasea contrasena senha wachtwoord passord heslo".split()
)
_PASS: Final = re.compile(r"(?:^|[a-z0-9])[_-]pass$")
_NO_PASS: Final = re.compile(
    r"(?:first|second|third|last|next|one|two|three|single|multi|by|per|each|pre|post|final|early|late|llvm|opt\w*|render|must"
    r"|shadow|forward|backward|compiler?|lowering|analysis|module|function|loop|did|does|should|will|all|tests?)[_-]pass$"
)
"""A pass that is no password."""
_NOT_SECRET: Final = frozenset(
    "maxtoken mintoken numtoken nexttoken nextpagetoken pagetoken continuationtoken starttoken endtoken eostoken"
    " bostoken padtoken unktoken septoken clstoken masktoken specialtoken stoptoken tokentoken csstoken"
    " designtoken totaltoken inputtoken outputtoken syntaxtoken punctuationtoken keywordtoken prevtoken"
    " currenttoken curtoken lasttoken firsttoken peektoken unexpectedtoken expectedtoken invalidtoken missingtoken"
    " nosuchtoken cancellationtoken"
    " canceltoken".split()
)
_TRAILERS: Final = re.compile(
    r"(?:[_-]?(?:value|plain|text|raw|b64|base64|encoded|old|new|prod|dev|test|staging|v?\d++))++$"
)
_SEPARATORS: Final = re.compile(r"[^a-z0-9]+")

NO_VALUE: Final = re.compile(
    r"""(?ix)
      (?:none|null|nil|undefined|true|false|yes|no|on|off|str|string|bytes|bool|boolean|int|integer|number|float|any|object|dict
        |list|optional|required|secretstr|varchar|text|uuid|char|unknown|void|never|self|this|empty|missing|invalid|expired
        |expected|unexpected|failed|error|function|class|const|let|var|await|async|new|return|disabled|enabled|input|inherit
        |read|write|admin|todo|changeme|default|readable|writable|not|is|was|has|found|set|unset|in|for|from|and|or|the|a|an
        |\d{1,5})(?![\w.-])
    | [$%&]\{?\{?[\w:.-]+ | \$\( | `                                                # a variable or a command
    | \{[\w.{}\ ]*\}? | <[\w\s:./-]{1,40}>? | \*{2,}\W* | x{3,}\b | \.{2,} | \[redacted\]?
    | [\w$]+\??\.\w+(?:\.\w+)*[(\[;,)]? (?=[\s"',;)(\[\]}]|$)                         # process.env.TOKEN
    | [\w.$]+[(\[]                                                                  # get_token(, tokens[
    | [^A-Za-z0-9]{1,3}(?=\s|$)
    """
)
"""Values, matched at their start, that are a type, a variable, an expression or a word of an error text."""

PROGRAMS: Final = (
    *"curl http xh zip 7z rar ldap mongo mysql mariadb openssl sshpass client redis-cli login sqlcmd mosquitto".split(),
    *(
        "plink",
        "pscp",
        "lftp",
        "kubectl",
        "freerdp",
        "rabbitmqctl",
        "vault",
        "htpasswd",
        "net use",
        "net user",
        "gh secret",
        "SecureString",
        "ssh-keygen",
    ),
)
"""Programs that take a secret where no name tells of it (``options.py``)."""

SCHEME: Final = re.compile(r"(?i)(?:bearer|basic|token|digest|negotiate|apikey|bot|key|aws4-hmac-sha256)\s+")


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a key, variable, option or header of that name holds a secret."""
    lowered = name.lower()
    if "[redacted" in lowered:
        return False
    flat = _SEPARATORS.sub("", _TRAILERS.sub("", lowered))
    if flat in _NOT_SECRET:
        return False
    if lowered == "_auth" or flat in _BARE or flat.endswith(_ENDINGS):
        return True
    if not lowered.isascii():
        return lowered.startswith(FOREIGN) or lowered.endswith(FOREIGN)
    return bool(_PASS.search(lowered)) and not _NO_PASS.search(lowered)


def is_bare_name(name: str) -> bool:
    """Whether the name is one plain word such as ``token``, which error texts use as well."""
    return name.lower() in _BARE


def looks_random(value: str) -> bool:
    """Whether a value is more than a word: a digit or sign in it, mixed case, or very long."""
    if len(value) >= 24:
        return True
    letters = sum(c.isalpha() for c in value)
    if len(value) < 4:
        return False
    if letters < len(value.rstrip(".,;:!?")):
        return True
    return not (value.islower() or value.isupper() or value.istitle())
