"""Beyond the plain loop: refused calls, before the call, other hooks beside ours, plugins, the start and the end of a
session, what switches hooks off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_riggs.deliver.install.clients import GONE, PROGRAM
from agent_riggs.report.clients import installed
from e2e import clients, models, recording
from e2e.clients import Client, Machine
from e2e.test_loop import FAILING, FIX, learn, promoted

KIBITZER = "0.9.0"
CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT = clients.CLIENTS


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    clients.program(CLAUDE)
    return clients.machine(tmp_path)


def kibitzer() -> Path:
    """The folder of kibitzer's programs, in an environment of its own."""
    folder = clients.cache() / f"kibitzer-{KIBITZER}"
    if not (folder / "bin" / "kibitzer").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        words = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", f"kibitzer=={KIBITZER}"]
        subprocess.run(words, check=True, timeout=600)
    return folder / "bin"


def refused_edit(machine: Machine) -> tuple[models.Step, models.Step]:
    """Reading a file, and an edit of it whose text it does not hold."""
    notes = str(machine.project / "notes.txt")
    return ("Read", {"file_path": notes}), ("Edit", {"file_path": notes, "old_string": "nope", "new_string": "x"})


def test_an_edit_that_claude_code_refuses(machine: Machine) -> None:
    read, bad = refused_edit(machine)
    for _ in range(3):
        clients.run(CLAUDE, machine, [read, bad, bad])
    promoted(machine, "read the file again before editing it")
    machine.riggs("install", "--agent", "claude-code", "--scope", "project")
    script = clients.run(CLAUDE, machine, [read, bad])
    assert script.seen("read the file again before editing it")


@pytest.mark.parametrize("client", [CLAUDE, CODEX, COPILOT], ids=lambda client: client.name)
def test_before_the_call(machine: Machine, client: Client) -> None:
    learn(client, machine, "before", "git frobnicate web")
    machine.riggs("install", "--agent", client.name, "--scope", "project")
    script = clients.run(client, machine, [clients.shell(client, "git frobnicate web")])
    assert script.seen(FIX)
    assert script.seen("earlier sessions of this project")
    assert not script.seen("failed the same way")


def test_kibitzer_beside_us_keeps_working(machine: Machine) -> None:
    environment = {"PATH": os.pathsep.join([str(kibitzer()), machine.environment()["PATH"]])}
    words = [str(kibitzer() / "kibitzer"), "init"]
    done = subprocess.run(
        words, cwd=machine.project, env=machine.environment(environment), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    settings = machine.project / ".claude" / "settings.json"
    theirs = settings.read_bytes()
    learn(CLAUDE, machine)
    machine.riggs("install", "--agent", "claude-code", "--scope", "project")
    steps = [clients.shell(CLAUDE, "echo fine"), clients.shell(CLAUDE, FAILING)]
    script = clients.run(CLAUDE, machine, steps, environment)
    assert script.seen(FIX)
    assert json.loads(settings.read_bytes())["hooks"]["PostToolUse"] == json.loads(theirs)["hooks"]["PostToolUse"]
    rows = (machine.project / ".kibitzer" / "state.json").read_text(encoding="utf-8")
    assert json.loads(rows)["total_calls"] >= 1, "kibitzer heard of no call"
    machine.riggs("uninstall", "--agent", "claude-code", "--scope", "project")
    assert settings.read_bytes() == theirs


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda client: client.name)
def test_the_end_of_a_session_is_read_by_itself_and_doctor_proves_delivery(machine: Machine, client: Client) -> None:
    clients.program(client)
    learn(client, machine)
    machine.riggs("install", "--agent", client.name)
    path = os.pathsep.join([str(clients.program(client).parent), machine.environment()["PATH"]])
    script = clients.run(client, machine, [clients.shell(client, FAILING)], {"PATH": path})
    assert script.seen(FIX)
    wanted = ("ok", "1 told, 0 withheld (a repeat, or held out), 1 found in transcripts")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and doctor(machine).get(f"delivery ({client.name})") != wanted:
        time.sleep(1)
        clients.settled(machine)
    found = doctor(machine, path)
    assert [said for state, said in found.values() if state == "wrong"] == []
    assert found[f"delivery ({client.name})"] == wanted
    state, said = found[f"hook ({client.name})"]
    assert (state, said[:8]) == ("ok", "last ran")
    assert "client version" not in found, "the version that ran is one of those tested"
    assert installed(client.source, {"PATH": path}) == client.version
    assert len(json.loads(machine.riggs("sessions", "--json"))) == 4


def doctor(machine: Machine, path: str = "") -> dict[str, tuple[str, str]]:
    """What doctor says, by name; the last of several."""
    checks = json.loads(machine.riggs("doctor", "--json", code=None, **({"PATH": path} if path else {})))
    return {check["name"]: (check["state"], check["found"]) for check in checks}


@pytest.mark.parametrize("client", [CLAUDE, CODEX, GEMINI, COPILOT], ids=lambda client: client.name)
def test_the_brief_is_told_at_the_start_when_asked_for(machine: Machine, client: Client) -> None:
    clients.program(client)
    learn(client, machine)
    machine.riggs("install", "--agent", client.name, "--brief")
    clients.run(client, machine, [clients.shell(client, "echo hello")])
    clients.settled(machine)
    machine.riggs("ingest")
    script = clients.run(client, machine, [clients.shell(client, "echo hello")])
    assert script.seen(FIX)
    assert not script.seen("failed the same way")


OFF = '{"disableAllHooks": true}'
POLICIES = (
    (CLAUDE, "project/.claude/settings.local.json", OFF),
    (CODEX, "home/.codex/config.toml", "[features]\nhooks = false\n"),
    (GEMINI, "project/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
    (COPILOT, "project/.github/copilot/settings.json", OFF),
    (COPILOT, "project/.claude/settings.json", OFF),
    (OPENCODE, "environment", "OPENCODE_PURE"),
)


@pytest.mark.parametrize(("client", "place", "text"), POLICIES, ids=lambda value: getattr(value, "name", ""))
def test_what_switches_hooks_off_is_what_doctor_names(machine: Machine, client: Client, place: str, text: str) -> None:
    clients.program(client)
    learn(client, machine)
    machine.riggs("install", "--agent", client.name)
    off = {text: "1"} if place == "environment" else {}
    if not off:
        path = {"home": machine.home, "project": machine.project}[place.partition("/")[0]] / place.partition("/")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text(encoding="utf-8") if path.suffix == ".toml" else "") + text, encoding="utf-8")
    script = clients.run(client, machine, [clients.shell(client, FAILING)], off)
    assert not script.seen(FIX)
    checks = json.loads(machine.riggs("doctor", "--json", code=1, **off))
    (said,) = (check["found"] for check in checks if check["state"] == "wrong")
    assert said.startswith("switched off: ")


def test_codex_runs_no_hook_until_it_was_allowed(machine: Machine) -> None:
    clients.program(CODEX)
    learn(CODEX, machine)
    machine.riggs("install", "--agent", "codex")
    asked = [clients.shell(CODEX, FAILING)]
    assert not clients.run(CODEX, machine, asked, without=(clients.ANY_HOOK,)).seen(FIX)
    assert "has not been allowed" in doctor(machine)["hook (codex)"][1]
    clients.allow_hooks(machine)
    assert "has not been allowed" not in doctor(machine)["hook (codex)"][1]
    assert clients.run(CODEX, machine, asked, without=(clients.ANY_HOOK,)).seen(FIX)


@pytest.mark.parametrize("client", [CLAUDE, CODEX, COPILOT], ids=lambda client: client.name)
@pytest.mark.parametrize("twice", [False, True], ids=["alone", "beside the settings"])
def test_the_plugin_is_loaded_as_its_readme_says(machine: Machine, client: Client, twice: bool) -> None:
    clients.program(client)
    learn(client, machine)
    folder = machine.home / "market place"
    machine.riggs("install", "--plugin", str(folder))
    if twice:
        machine.riggs("install", "--agent", client.name)
    said = (folder / "agent-riggs" / "README.md").read_text(encoding="utf-8").splitlines()
    lines = [line for line in said if line.startswith(f"{client.program} plugin ")]
    assert len(lines) == 2
    for line in lines:
        words = [word.replace("FOLDER", str(folder)) for word in line.split()]
        clients.ask(client, machine, *words[1:])
    script = clients.run(client, machine, [clients.shell(client, FAILING)])
    assert script.seen(FIX)
    told = json.dumps(script.requests[-1], ensure_ascii=False).count(FIX)
    assert told == 1, "one line of advice for one call"


def test_the_plugin_folder_is_loaded_for_one_session(machine: Machine) -> None:
    learn(CLAUDE, machine)
    folder = machine.home / "market place"
    machine.riggs("install", "--plugin", str(folder))
    words = ("--plugin-dir", str(folder / "agent-riggs"))
    script = clients.run(CLAUDE, machine, [clients.shell(CLAUDE, FAILING)], words=words)
    assert script.seen(FIX)


def test_the_plugin_hears_of_an_edit_that_claude_code_refuses(machine: Machine) -> None:
    read, bad = refused_edit(machine)
    for _ in range(3):
        clients.run(CLAUDE, machine, [read, bad, bad])
    promoted(machine, "read the file again before editing it")
    folder = machine.home / "marketplace"
    machine.riggs("install", "--plugin", str(folder))
    script = clients.run(CLAUDE, machine, [read, bad], words=("--plugin-dir", str(folder / "agent-riggs")))
    assert script.seen("read the file again before editing it")


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda client: client.name)
def test_a_program_that_is_gone_disturbs_nothing(machine: Machine, client: Client) -> None:
    clients.program(client)
    machine.riggs("install", "--agent", client.name, "--scope", "project")
    real = (Path(sys.executable).parent / "riggs-hook").as_posix()
    for path in recording.settings_of(client, machine):
        path.write_text(path.read_text(encoding="utf-8").replace(real, "/nowhere/riggs-hook"), encoding="utf-8")
    steps = [clients.shell(client, "echo one-fine-day"), clients.shell(client, FAILING)]
    script = clients.run(client, machine, steps, {"PATH": os.environ["PATH"]})
    assert script.seen("one-fine-day")
    assert script.seen("cannot reach the package mirror")
    assert not script.seen(PROGRAM)


def test_opencode_is_told_once_that_the_program_is_gone(machine: Machine) -> None:
    """What its terminal shows is asked of a stand-in: a run without a terminal shows nothing."""
    machine.riggs("install", "--agent", "opencode", "--scope", "project")
    (path,) = recording.settings_of(OPENCODE, machine)
    shim = path.with_suffix(".mjs")
    text = path.read_text(encoding="utf-8")
    shim.write_text(
        text.replace((Path(sys.executable).parent / PROGRAM).as_posix(), "/nowhere/riggs-hook"), encoding="utf-8"
    )
    driver = machine.home / "driver.mjs"
    driver.write_text(
        f"import {{ AgentRiggs }} from {json.dumps(shim.as_uri())}\n"
        "const shown = []\n"
        "const client = { tui: { showToast: async (toast) => shown.push(toast.body.message) } }\n"
        "const hooks = await AgentRiggs({ client, directory: process.cwd() })\n"
        'const output = { output: "no", metadata: { exit: 1 } }\n'
        'for (const callID of "ab") await hooks["tool.execute.after"]({ tool: "bash", args: {}, callID }, output)\n'
        'await hooks.event({ event: { type: "session.idle" } })\n'
        "console.log(JSON.stringify([shown, output.output]))\n",
        encoding="utf-8",
    )
    done = subprocess.run(["node", str(driver)], capture_output=True, text=True, timeout=60, env=machine.environment())
    assert json.loads(done.stdout) == [[GONE], "no"], done.stderr


def test_the_plugin_is_valid(machine: Machine) -> None:
    folder = machine.home / "marketplace"
    machine.riggs("install", "--plugin", str(folder))
    said = clients.ask(CLAUDE, machine, "plugin", "validate", "--strict", str(folder))
    assert "passed" in said.lower()
