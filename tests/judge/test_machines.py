"""One failure on two machines has one key; two causes on one machine have two."""

from __future__ import annotations

import string
from collections.abc import Mapping
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.judge import judge
from judge.calls import bash

_NAMES = ("ada", "grace.hopper", "linus-t", "j_doe", "build42", "José")
_PROJECTS = ("shop", "shop-api", "Shop.Web", "my project", "v2", "2024-shop")
_OLDEST, _NEWEST = (datetime.fromisoformat(f"{year}-01-01") for year in (2020, 2035))
_hex = st.text("0123456789abcdef", min_size=12, max_size=40).filter(
    lambda s: any(c.isdigit() for c in s) and not s.isdigit()
)


@st.composite
def homes(draw: st.DrawFn) -> str:
    user, project = draw(st.sampled_from(_NAMES)), draw(st.sampled_from(_PROJECTS))
    shape = draw(
        st.sampled_from(
            ("/home/{u}/{p}", "/Users/{u}/code/{p}", "C:\\Users\\{u}\\{p}", "/mnt/c/{u}/{p}", "/workspaces/{p}")
        )
    )
    return shape.format(u=user, p=project)


@st.composite
def temporary(draw: st.DrawFn) -> str:
    name = draw(st.text(string.ascii_lowercase + string.digits + "_", min_size=6, max_size=10))
    shape = draw(
        st.sampled_from(
            ("/tmp/tmp{n}", "/var/folders/k9/{n}/T/x", "C:\\Users\\ada\\AppData\\Local\\Temp\\{n}", "/private/tmp/{n}")
        )
    )
    return shape.format(n=name)


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """A number as some locale writes it."""
    whole = draw(st.integers(1, 9_999_999))
    form = draw(st.sampled_from(("{0}", "{0:,}", "{0:_}")))
    text = form.format(whole)
    return draw(
        st.sampled_from(
            (text, text.replace(",", "."), f"{text}.5", f"{text.replace(',', '.')},5" if "," in text else f"{text},5")
        )
    )


@st.composite
def times(draw: st.DrawFn) -> str:
    when = draw(st.datetimes(min_value=_OLDEST, max_value=_NEWEST))
    forms = ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S,123", "%Y/%m/%d %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%H:%M:%S.123456")
    return when.strftime(draw(st.sampled_from(forms)))


MACHINES = st.fixed_dictionaries(
    {
        "home": homes(),
        "tmp": temporary(),
        "n": numbers(),
        "time": times(),
        "pid": st.integers(2, 4_194_304).map(str),
        "port": st.integers(1024, 65535).map(str),
        "hash": _hex,
        "uuid": st.uuids().map(str),
        "ip": st.one_of(st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map(lambda a: a.exploded)),
        "version": st.tuples(*[st.integers(0, 40)] * 3).map(lambda v: "v" + ".".join(map(str, v))),
        "took": st.floats(0.001, 900).map(lambda s: f"{s:.3f}s"),
    }
)

MESSAGES = (
    "error: cannot open '{home}/conf/a.toml': no such file",
    "error: worker {pid} died while holding {tmp}/x.lock",
    "Error: listen EADDRINUSE: address already in use {ip}:{port}",
    "fatal: commit {hash} is not in this tree",
    "ERROR: job {uuid} was rejected: quota is {n} bytes",
    "{time} ERROR disk quota of {n} exceeded",
    "[{time}] FATAL: the queue at {ip} did not answer after {took}",
    "error: container {hash} is gone (pid {pid}, port {port})",
    "error: {home}/src/a.rs:{pid}:{port}: the plugin is too old: {version}",
    "Error: request {uuid} to http://{ip}:{port}/v1/{hash} failed: the answer was empty",
    "error: could not write {n} bytes to {tmp}/out.bin after {took}",
)


@pytest.mark.parametrize("message", MESSAGES)
@settings(deadline=None, max_examples=25)
@given(one=MACHINES, other=MACHINES)
def test_one_failure_on_two_machines_has_one_key(
    message: str, one: Mapping[str, str], other: Mapping[str, str]
) -> None:
    first, second = (judge(bash("frobx run", message.format_map(words))) for words in (one, other))
    assert (first.failure_class, first.program, first.shape) == (second.failure_class, second.program, second.shape)
    assert first.fingerprint == second.fingerprint
