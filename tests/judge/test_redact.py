"""Redaction: no planted secret survives, error texts stay readable, the second pass changes nothing."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent_riggs.judge.redact import (
    CUT,
    EMAIL_MARK,
    KEY_MARK,
    LOGIN_MARK,
    MAX_TEXT,
    SECRET,
    TOKEN_MARK,
    redact,
    redact_value,
)
from agent_riggs.judge.secrets import BEGINNINGS, TOKEN
from judge.secret_kinds import ANY, STRONG, VALUE, WORD

ALNUM = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY" * 4
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 4


def made(*parts: str) -> str:
    """A token put together at run time, so that no scanner takes this file for a leak."""
    return "".join(parts)


TOKENS = {
    "anthropic": made("sk-", "ant-", "api03-", ALNUM[:40]),
    "openai": made("sk", "-", ALNUM[:48]),
    "openai project": made("sk-", "proj-", ALNUM[:48]),
    "openrouter": made("sk-", "or-", "v1-", HEX[:64]),
    "github": made("gh", "p_", ALNUM[:36]),
    "github oauth": made("gh", "o_", ALNUM[:36]),
    "github fine": made("github", "_pat_", ALNUM[:60]),
    "gitlab": made("gl", "pat-", ALNUM[:20]),
    "slack": made("xox", "b-", "123456789012-", ALNUM[:24]),
    "aws": made("AK", "IA", "ABCDEFGH23456723"),
    "aws session": made("AS", "IA", "ABCDEFGH23456723"),
    "google": made("AI", "za", ALNUM[:35]),
    "google oauth": made("ya", "29.", ALNUM[:60]),
    "hugging face": made("h", "f_", ALNUM[:34]),
    "npm": made("np", "m_", ALNUM[:36]),
    "pypi": made("py", "pi-", ALNUM[:60]),
    "digital ocean": made("do", "p_v1_", HEX[:64]),
    "sendgrid": made("S", "G.", ALNUM[:22], ".", ALNUM[:43]),
    "stripe": made("sk", "_live_", ALNUM[:24]),
    "stripe restricted": made("rk", "_live_", ALNUM[:24]),
    "stripe hook": made("wh", "sec_", ALNUM[:32]),
    "jwt": made("ey", "J", ALNUM[:30], ".", "eyJ", ALNUM[:40], ".", ALNUM[:43]),
    "age": made("AGE", "-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2),
    "slack hook": made("https://hooks.slack.com/", "services/", "T0123ABCD/", "B0123ABCD/", ALNUM[:24]),
    "discord hook": made("https://discord.com/api/", "webhooks/", "123456789012345678/", ALNUM[:68]),
    "telegram": made("1234567890:", "AA", ALNUM[:33]),
    "databricks": made("da", "pi", HEX[:32]),
    "doppler": made("dp", ".pt.", ALNUM[:40]),
    "vault": made("hv", "s.", ALNUM[:24]),
    "linear": made("lin", "_api_", ALNUM[:40]),
    "notion": made("nt", "n_", ALNUM[:46]),
    "groq": made("gs", "k_", ALNUM[:52]),
    "supabase": made("sb", "p_", HEX[:40]),
    "twilio": made("S", "K", HEX[:32]),
    "replicate": made("r", "8_", ALNUM[:37]),
    "docker": made("dck", "r_pat_", ALNUM[:27]),
    "grafana": made("gl", "sa_", ALNUM[:41]),
    "fernet": made("gAAAA", "A", ALNUM[:100]),
}


def core(token: str) -> str:
    """The part of a token that gives it away: its last 16 characters."""
    return token[-16:]


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize(
    "frame",
    ["{}", "bad key {} given", "'{}'", '{{"a": "{}"}}', "/home/u/{}/x", "https://h/p?x={}&y=1", "a\\n{}\\nb", "\\t{}"],
)
def test_tokens_of_providers(name: str, frame: str) -> None:
    token = TOKENS[name]
    clean = redact(frame.format(token))
    assert core(token) not in clean
    assert "[redacted" in clean


SECRETS = [
    ("export PASSWORD={}", "hunter2"),
    ("DB_PASSWORD='{}' run", "hun ter"),
    ("MYSQL_PWD={}", "hunter"),
    ("password: {}", "hunter"),
    ("  db_password: {}", "hunter"),
    ('"password": "{}"', "hunter"),
    ('{{"a": {{"client_secret": "{}"}}}}', "hunter"),
    ('{{\\"token\\": \\"{}\\", \\"y\\": 2}}', "hunterhunter"),
    ('\\\\\\"api_key\\\\\\": \\\\\\"{}\\\\\\"', "hunterhunter"),
    ("'secret': '{}'", "hunter"),
    ("API_KEY={} npm start", "hunter"),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPx"),
    ("CLAUDE_CODE_MESSAGING_TOKEN={}", "hunter"),
    ("SECRET_KEY_BASE={}", "hunter"),
    ("curl --api-key {} u", "hunter"),
    ("tool --password {} --x", "hunter"),
    ("tool --token={}", "hunter"),
    ("tool --client-secret '{}'", "hun ter"),
    ('["--password", "{}"]', "hunter"),
    ("Connect-X -Password {}", "hunter"),
    ("Authorization: Bearer {}", "hunter2hunter"),
    ("-H 'Authorization: Basic {}'", "dXNlcjpwYXNzd29yZA=="),
    ('"authorization": "token {}"', "hunter2hunter"),
    ("got Bearer {} back", "hunter2hunter2"),
    ("-H 'X-Api-Key: {}'", "hunter"),
    ("X-Auth-Token: {}", "hunter"),
    ("Cookie: sid={}; theme=dark", "hunter"),
    ("set-cookie: sid={}; Path=/", "hunter"),
    ("curl -u bob:{} https://h", "hunter"),
    ("curl --user bob:{} https://h", "hunter"),
    ("curl -ubob:{} https://h", "hunter"),
    ("https://bob:{}@host/path", "hunter"),
    ("https://bob:{}@host/path", "hun@ter:x"),
    ("postgres://u:{}@h:5432/db", "hunter"),
    ("redis://:{}@h:6379", "hunter"),
    ("git clone https://{}@github.com/a/b", "hunter2hunter2hunter2"),
    ("https://h/x?access_token={}&y=1", "hunter"),
    ("https://h/x?sig={}&y=1", "hunter%2Bx"),
    ("https://h/x?X-Amz-Signature={}", "hunter"),
    ("Server=x;User Id=sa;Password={};Encrypt=yes", "Hun!ter"),
    ("DefaultEndpointsProtocol=https;AccountKey={};EndpointSuffix=x", "aB3+/x=="),
    ("mysql -u root -p{} db", "hunter"),
    ("sshpass -p {} ssh h", "hunter"),
    ("redis-cli -h x -a {} ping", "hunter"),
    ("docker login -u x -p {} reg", "hunter"),
    ("//registry.npmjs.org/:_authToken={}", "hunter"),
    ("//registry.npmjs.org/:_auth={}", "aHVudGVy"),
    ("ALTER USER x WITH PASSWORD '{}';", "hunter"),
    ("mail from {} failed", "some.one+tag@mail.example.org"),
    ("token = '{}'", "hunter"),
    ('passphrase: "{}"', "correct horse battery"),
    ("private_key => '{}'", "hunter"),
    ("secret: {}", "aB3dE5fG"),
]


@pytest.mark.parametrize(("frame", "secret"), SECRETS)
def test_values_behind_telling_names(frame: str, secret: str) -> None:
    clean = redact(frame.format(secret))
    assert secret not in clean
    assert "[redacted" in clean
    assert redact(clean) == clean


@pytest.mark.parametrize(
    ("frame", "secret"),
    [*((frame, secret) for frame in ANY.values() for secret in (WORD, VALUE)), *((f, VALUE) for f in STRONG.values())],
)
@pytest.mark.parametrize("around", ["{}", "see:\n{}\nthen more", "\t{}"])
def test_every_kind_of_secret(frame: str, secret: str, around: str) -> None:
    text = around.format(frame.format(secret))
    clean = redact(text)
    assert secret not in clean
    assert redact(clean) == clean
    assert redact_value({"command": text, "list": [text]}, 4000) == {"command": clean, "list": [clean]}


@pytest.mark.parametrize(
    "text",
    [
        "login failed: password incorrect",
        "name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n- name: MODE\n  value: fast",
        '{"type": "Token", "value": "("}',
        '{"name": "token", "value": "if"}',
        "<password/>",
        "<password></password>",
        "<password>${db.password}</password>",
        '<add key="Mode" value="fast"/><add key="ApiKey"/>',
        "PASS: TestMain (0.00s)",
        "pass: 12 fail: 0",
        "first_pass = 3",
        "second-pass: lowering",
        "bypass: enabled",
        "set the token first",
        "Please set API_TOKEN in your environment",
        "export { token, secret }",
        "export const token = read()",
        "export API_TOKEN DB_HOST",
        "git config --global user.name x",
        "| user | password | role |\n|---|---|---|",
        "| password | hint |\n|---|---|",
        "docker run --name mongo -p 27017:27017 mongo:7",
        "docker login && mkdir -p build/out",
        "mysql -h h -P 3306 db",
        "zip -r a.zip b",
        "unzip -p a.zip b",
        "7z a -mx=9 a.7z b",
        "curl -b cookies.txt https://h.example",
        "curl -u bob https://h.example",
        'curl -u "$USER:$PASSWORD" https://h.example',
        "echo done | tee log",
        'echo "$TOKEN" | docker login -u bob --password-stdin',
        "echo y | sudo apt-get install x",
        "cat <<EOF\nplain\nEOF",
        "http://localhost:3000/@scope/pkg",
        "http://h.example:8080/a@b",
        "https://h.example/x?key=name&order=asc",
        "https://h.example/x?code=404",
        "fatal: could not read Password for 'https://x@github.com': terminal prompts disabled",
        "Password for user bob: \n",
        "password: |\nuser: x",
        "Can't locate revision identified by 'zz99'",
        "settings.py: TOKEN=settings.api_token",
        "openssl version -a",
        "htpasswd: command not found",
        "kubectl create secret generic db --from-literal=password=$PASSWORD",
    ],
)
def test_what_only_resembles_a_kind_survives(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "token expected",
        "unexpected token ';'",
        "SyntaxError: Unexpected token } in JSON at position 5",
        "error: unexpected token: ;",
        "Error: Invalid token: expected string",
        "secret not found",
        'Error: secret "db" not found',
        'password authentication failed for user "x"',
        "Permission denied (publickey,password).",
        "sudo: a password is required",
        "KeyError: 'token'",
        "KeyError: 'password'",
        "error: token 'foo' not found",
        "fatal: could not read Password for 'https://x@github.com': terminal prompts disabled",
        "error TS2304: Cannot find name 'token'.",
        "TypeError: Cannot read properties of undefined (reading 'token')",
        "password: string;",
        "token: str | None = None",
        "def f(token: str, key: int) -> None:",
        "const token = await fetchToken();",
        "token = parser.next_token()",
        "token=process.env.TOKEN",
        'password=os.environ["PASSWORD"]',
        "TOKEN=$TOKEN run",
        'TOKEN="$TOKEN" run',
        "token: ${{ secrets.TOKEN }}",
        "password=<your password>",
        '"token": null,',
        '"password": ""',
        "--password-stdin",
        "--token-file /etc/x",
        "max_tokens=4096, tokens: 512, token_count=5",
        "key=value",
        "if token == expected:",
        "def ask(prompt='Password: ', stream=None):",
        "monkey: banana",
        "the key is missing",
        "PWD=/home/x/y",
        "author: Jane",
        "ssh://git@github.com/a/b",
        "git@github.com:a/b.git",
        "icon@2x.png react@18.2.0 @scope/pkg@latest actions/checkout@v4",
        "commit 9ccbf53e40c39ccbf53e40c39ccbf53e40c3aaaa",
        "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "123e4567-e89b-12d3-a456-426614174000",
        "/home/dev/project/src/very/long/path/with/many/parts/some_module_name_here.py:12: error",
        "task-some-long-kebab-case-name-here-and-more",
        "at Object.<anonymous> (/x/node_modules/jest-circus/build/legacy-code-todo-rewrite/jestAdapterInit.js:1:2)",
        "grep -rn 'BEGIN PRIVATE KEY' .",
        "-----BEGIN PRIVATE KEY----- is missing",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDabcdefghijklmnop x",
        "docker run -u 1000:1000 img; curl http://h",
        "http://localhost:3000/a?b=c",
        "error[E0308]: mismatched types",
        "Traceback (most recent call last):",
        "",
    ],
)
def test_error_texts_survive(text: str) -> None:
    assert redact(text) == text


LINES = "\n".join(["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"] * 4)
BLOCK = made("-----BEGIN OPENSSH ", "PRIVATE KEY-----\n", LINES, "\n-----END OPENSSH ", "PRIVATE KEY-----")


def test_key_blocks_whole_cut_and_escaped() -> None:
    assert redact(f"before\n{BLOCK}\nafter") == f"before\n{KEY_MARK}\nafter"
    assert redact(json.dumps({"k": f"x {BLOCK} y"})) == json.dumps({"k": f"x {KEY_MARK} y"})
    assert redact(f"before\n{BLOCK[:200]}") == f"before\n{KEY_MARK}"
    assert redact(f"{BLOCK[120:]}\nafter") == f"{KEY_MARK}\nafter"
    assert "b3Blb" not in redact(f"{BLOCK}\n{BLOCK}")
    assert redact(f"{BLOCK[:200]}\nThe key is bad").endswith("\nThe key is bad")


def test_placeholders_name_the_kind_only() -> None:
    assert redact(TOKENS["github"]) == TOKEN_MARK
    assert redact("https://a:b1@h/x") == f"https://{LOGIN_MARK}@h/x"
    assert redact("a.b@example.org") == EMAIL_MARK
    assert redact("PASSWORD=aaa1") == redact("PASSWORD=zzzzz9") == f"PASSWORD={SECRET}"


def test_long_texts_keep_head_and_tail() -> None:
    clean = redact("head\n" + "middle line\n" * 20_000 + "tail PASSWORD=hunter2")
    assert len(clean) <= MAX_TEXT
    assert clean.startswith("head\n")
    assert clean.endswith(f"tail PASSWORD={SECRET}")
    assert CUT in clean
    assert redact(clean) == clean


@pytest.mark.parametrize(
    "piece",
    [
        *("A", "a.b-", "token=", "@", "a@", "://", "password ", '"', "\\", "://a:b", 'token:"', "cookie:a=b\\"),
        *("eyJ", "sk-", "key", "0", "cookie: a ", "token=a.b(", "token" + "0" * 48 + "x", "secret_"),
        *("-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----", "curl -u", "mysql ", "login -p", "password='"),
        *("bearer ", "[redacted", "%", "ghp_", "a:b@", "-----BEGIN PRIVATE KEY-----AAAA"),
        *(
            "curl -uaaaaaaaaaaaaaaaaaaaaaaaaa",
            "token: aaa ",
            "zip -P ",
            "curl -b a=",
            "http -a ",
            'openssl -k"',
            "login ",
        ),
        *(
            "echo a | chpasswd\n",
            "echo 'a",
            "<<EOF\n",
            "chpasswd <<<",
            "name: token\n",
            "value: x, ",
            "<password>",
            "<key>token",
        ),
        *(
            "| password | ",
            "password: |\n ",
            "password%3D",
            "password for a:",
            "://a:b/",
            "?key=",
            "set -x token ",
            "login a ",
        ),
        *(
            'name="token" ',
            "htpasswd -b a ",
            "-b -b ",
            "vault login -a ",
            "token \\\n",
            "contrase\u00f1a: ",
            "token value ",
        ),
    ],
)
def test_terminates_on_hostile_repetition(piece: str) -> None:
    text = piece * (262_144 // len(piece))
    assert len(redact(text)) <= MAX_TEXT


def test_values_keys_and_nesting() -> None:
    value: dict[str, Any] = {
        "command": "PASSWORD=hunter2 run",
        "env": {"API_TOKEN": "hunter", "n": 1, "password": None, "secret_key": 12345, "token": True},
        "list": ["--password", f"x {TOKENS['npm']}"],
        "someone@example.org": 1.5,
    }
    assert redact_value(value, 400) == {
        "command": f"PASSWORD={SECRET} run",
        "env": {"API_TOKEN": SECRET, "n": 1, "password": None, "secret_key": SECRET, "token": True},
        "list": ["--password", SECRET],
        EMAIL_MARK: 1.5,
    }
    words = ["mysql", "-phunter", "--password", "hunter", "-x", "curl", "-u", "bob:hunter", "ls"]
    assert redact_value(words, 400) == [
        *("mysql", f"-p{SECRET}", "--password", SECRET, "-x", "curl", "-u", f"bob:{SECRET}", "ls")
    ]
    assert redact_value([{"name": "X_TOKEN", "value": "hunter"}, {"Key": "mode", "Value": "fast"}], 400) == [
        {"name": "X_TOKEN", "value": SECRET},
        {"Key": "mode", "Value": "fast"},
    ]
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    redact_value(deep, 10)


def test_strings_are_cut_without_half_a_placeholder() -> None:
    for size in range(5, 60):
        clean = redact_value(f"run it with PASSWORD=hunter2 and {TOKENS['github']} now", size)
        assert len(clean) <= size
        assert redact_value(clean, size) == clean
        assert "hunter" not in clean


PLAIN = st.text(alphabet=string.ascii_letters + string.digits + " .,:;=-_/\\'\"\n@()[]{}<>%$&", max_size=60)
PIECES = st.sampled_from(
    [
        *("token", "password", "=", ": ", '"', "'", "\\", " ", "\n", "Bearer ", "://", "@", "a", "x1", "[redacted]"),
        *("[redacted", "]", "-u ", "curl ", "Authorization: ", "cookie: a=b", "--secret ", "{", "}", ","),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "QUJD" * 8, "ghp_" + "a1" * 12),
        *("key", "API_KEY", "x.org", ":", "$", "pwd", "PASSWORD '", "\\n", "mysql -p"),
        *("null", "\u00e9", "\u0130", "-", "("),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi",
    ]
)
TEXT = st.one_of(st.text(max_size=120), PLAIN, st.lists(PIECES, max_size=14).map("".join))


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_idempotent(text: str) -> None:
    clean = redact(text)
    assert redact(clean) == clean


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(TEXT, lambda part: st.lists(part, max_size=3) | st.dictionaries(TEXT, part, max_size=3), max_leaves=6)
)
def test_idempotent_for_values(value: Any) -> None:
    clean = redact_value(value, 60)
    assert redact_value(clean, 60) == clean


@settings(max_examples=150, deadline=None)
@given(PLAIN, st.sampled_from(sorted(TOKENS)), PLAIN, st.booleans())
def test_planted_tokens_never_survive(before: str, name: str, after: str, as_json: bool) -> None:
    token = TOKENS[name]
    assume(not before or not (before[-1].isalnum() or before[-1] in "_-."))
    text = f"{before}{token}{after}"
    clean = redact(json.dumps({"v": text}) if as_json else text)
    assert core(token) not in clean


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(
        ["PASSWORD={}", "--token {}", '"api_key": "{}"', "Authorization: Bearer {}", "https://u:{}@h/", "secret: {}"]
    ),
    PLAIN,
    PLAIN,
    st.booleans(),
)
def test_planted_values_never_survive(frame: str, before: str, after: str, as_json: bool) -> None:
    secret = "Zq7" + "vX9kP2mW"
    text = f"{before}\n{frame.format(secret)}\n{after}"
    clean = redact(json.dumps([text]) if as_json else text)
    assert secret not in clean


@settings(max_examples=400, deadline=None)
@given(st.from_regex(TOKEN))
def test_every_token_has_one_of_the_known_beginnings(text: str) -> None:
    found = TOKEN.search(text)
    assert found is not None
    near = text[max(0, found.start() - 16) : found.end()]
    assert any(beginning in near for beginning in BEGINNINGS)


_GIVEN = "Zx8Qw2Rt5Yp" + "9Lk3Vb7Nm"


@pytest.mark.parametrize(
    "text",
    [
        "curl -H 'Authorization: Bearer ab.cd.{}' https://example.org",
        "curl -H 'authorization:Bearer v1.public.{}'",
        "sent Bearer v2.local.{} and was refused",
        "npm config set //registry.example.org/:_authToken {}",
        "aws configure set aws_secret_access_key {}",
        "machine example.org login ada password {}",
    ],
)
def test_a_given_value_is_no_expression_however_it_is_joined(text: str) -> None:
    assert _GIVEN not in redact(text.format(_GIVEN))


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer process.env.ACCESS_TOKEN",
        "headers = {'Authorization': f'Bearer {settings.api_token}'}",
        "the access_token expired an hour ago",
        "no password supplied for the connection",
    ],
)
def test_an_expression_or_prose_stays(text: str) -> None:
    assert redact(text) == text
