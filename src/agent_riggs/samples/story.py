"""What happens in the sample sessions: an invented project that watches tide gauges, with a Python service and a web
page, and the mistakes an agent makes in it again and again."""

from __future__ import annotations

from agent_riggs.samples.records import Call, Damaged, Prompt, Session, Step, TaskEnded, Together

Steps = tuple[Step, ...]


def ran(command: str, output: str = "", seconds: int = 4) -> Call:
    """A shell command that succeeded."""
    return Call("Bash", {"command": command}, output, seconds=seconds)


def failed(command: str, code: int, output: str, seconds: int = 4) -> Call:
    """A shell command that failed."""
    return Call("Bash", {"command": command}, f"Exit code {code}\n{output}".rstrip(), error=True, seconds=seconds)


def read(path: str) -> Call:
    """A file that was read."""
    return Call("Read", {"file_path": path}, f"     1\t# {path}\n     2\t...\n")


def edited(path: str, old: str, new: str) -> Call:
    """An edit that was made."""
    text = f"The file {path} has been updated."
    return Call("Edit", {"file_path": path, "old_string": old, "new_string": new}, text)


def refused(tool: str, path: str, message: str, old: str = "x", new: str = "y") -> Call:
    """A file tool that complained."""
    given = {"file_path": path} if tool == "Read" else {"file_path": path, "old_string": old, "new_string": new}
    return Call(tool, given, f"<tool_use_error>{message}</tool_use_error>", error=True)


def wrong_script(page: str) -> Steps:
    """The test script is called ``test``, not ``tests``."""
    output = 'npm error Missing script: "tests"\nnpm error\nnpm error Did you mean this?\nnpm error   npm run test'
    passed = f"> web@1.4.0 test\n> vitest run\n\n ✓ src/{page}.test.ts (6 tests)\n\n Test Files  1 passed (1)"
    return failed("cd web && npm run tests", 1, output), ran("cd web && npm run test", passed, 9)


def stale_edit(path: str, old: str, new: str) -> Steps:
    """The text to replace is not what stands in the file."""
    message = f"String to replace not found in file.\nString: {old}"
    return refused("Edit", path, message, old, new), read(path), edited(path, old.strip(), new)


def unread_edit(path: str) -> Steps:
    """The file was not read before it was changed."""
    message = "File has not been read yet. Read it first before writing to it."
    return (
        refused("Edit", path, message, "limit = 10", "limit = 25"),
        read(path),
        edited(path, "limit = 10", "limit = 25"),
    )


def outside_the_environment(script: str, line: int) -> Steps:
    """The system's Python does not have the project's packages."""
    trace = f'Traceback (most recent call last):\n  File "scripts/{script}.py", line {line}, in <module>\n'
    trace += "    import sqlalchemy\nModuleNotFoundError: No module named 'sqlalchemy'"
    fixed = f".venv/bin/python scripts/{script}.py --station north-pier"
    return failed(f"python3 scripts/{script}.py --station north-pier", 1, trace), ran(fixed, "412 readings\n", 11)


def port_in_use(port: int) -> Steps:
    """An earlier server still runs."""
    trace = f"node:net:1904\nError: listen EADDRINUSE: address already in use 127.0.0.1:{port}\n"
    trace += "    at Server.setupListenHandle [as _listen2] (node:net:1904:16)"
    answer = f"> web@1.4.0 serve\n> node server.mjs\n\nlistening on 127.0.0.1:{port}\n"
    return (
        failed("cd web && npm run serve", 1, trace),
        ran(f"fuser -k {port}/tcp", f"{port}/tcp:            41{port % 97}"),
        ran("cd web && npm run serve", answer, 6),
    )


def unsorted_imports(path: str, count: int) -> Steps:
    """The linter complains about the order of imports, which it can repair itself."""
    report = "\n".join(f"{path}:{3 + n}:1: I001 [*] Import block is un-sorted or un-formatted" for n in range(count))
    report += f"\nFound {count} errors.\n[*] {count} fixable with the `--fix` option."
    return failed("ruff check gauges", 1, report), ran(
        "ruff check --fix gauges", f"Found {count} errors ({count} fixed, 0 remaining)."
    )


def old_compose() -> Steps:
    """Compose is a sub-command of docker here."""
    return (
        failed("docker-compose up -d database", 127, "/bin/bash: line 1: docker-compose: command not found"),
        ran("docker compose up -d database", " Container tidewatch-database-1  Started", 8),
    )


def alarm_drill(station: str) -> Call:
    """A drill ends with an error on purpose: it shows that the alarm is raised."""
    trace = (
        f'Traceback (most recent call last):\n  File "scripts/drill.py", line 31, in <module>\n    watch("{station}")\n'
    )
    trace += "gauges.alarm.SilentGauge: no reading for 61 minutes"
    return failed(f".venv/bin/python scripts/drill.py --silence {station}", 1, trace, 9)


def behind_the_remote(branch: str) -> Steps:
    """Somebody else pushed first."""
    output = (
        f"To git.example:harbor/tidewatch.git\n ! [rejected]        {branch} -> {branch} (fetch first)\n"
        "error: failed to push some refs to 'git.example:harbor/tidewatch.git'"
    )
    return (
        failed(f"git push origin {branch}", 1, output),
        ran(f"git pull --rebase origin {branch}", f"Successfully rebased and updated refs/heads/{branch}."),
        ran(f"git push origin {branch}", f"To git.example:harbor/tidewatch.git\n   3f1c..9ab2  {branch} -> {branch}"),
    )


def red_then_green(test: str, path: str, old: str, new: str) -> Steps:
    """A test that fails until the code is changed: how work goes, no mistake to remember."""
    report = (
        f"FAILED tests/test_{test}.py::test_{test} - AssertionError: assert 3 == 4\n"
        "=================== 1 failed, 11 passed in 0.84s ===================="
    )
    return (
        read(path),
        failed(f".venv/bin/pytest -q tests/test_{test}.py", 1, report, 7),
        edited(path, old, new),
        ran(f".venv/bin/pytest -q tests/test_{test}.py", "12 passed in 0.79s", 7),
    )


def human_says_no(command: str, words: str) -> Call:
    """The human rejects a call and says why."""
    text = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
        f"the new_string was NOT written to the file). To tell you how to proceed, the user said:\n{words}"
    )
    return Call("Bash", {"command": command}, text, error=True, detail="User rejected tool use", seconds=40)


def interrupted(command: str) -> Call:
    """The human presses Escape while the command runs."""
    return Call("Bash", {"command": command}, "[Request interrupted by user for tool use]", error=True, seconds=90)


def one_breaks_the_others(path: str) -> Together:
    """Three calls at once; the first fails and the agent cancels the rest."""
    gone = "<tool_use_error>Cancelled: parallel tool call Bash(ls gauges/feeds) errored</tool_use_error>"
    return Together(
        (
            failed("ls gauges/feeds", 2, "ls: cannot access 'gauges/feeds': No such file or directory"),
            Call("Bash", {"command": "git log --oneline -3"}, gone, error=True),
            Call("Read", {"file_path": path}, gone, error=True),
        )
    )


def in_the_background(task: str) -> Steps:
    """The end-to-end tests run in the background and fail later."""
    started = f"Command running in background with ID: {task}. Output is being written to the task's file."
    call = Call("Bash", {"command": "cd web && npm run e2e", "run_in_background": True}, started, task=task)
    summary = 'Background command "cd web && npm run e2e" failed with exit code 1'
    return call, read("web/e2e/map.spec.ts"), TaskEnded(task, "failed", summary)


def helper(topic: str, steps: Steps) -> Call:
    """A subagent with a task of its own."""
    given = {"description": topic, "prompt": f"{topic}. Report what you find.", "subagent_type": "general-purpose"}
    return Call(
        "Agent", given, f"{topic}: done.", detail={"status": "completed"}, agent=(Prompt(given["prompt"]), *steps)
    )


NOT_FOUND = refused("Read", "gauges/settings.py", "File does not exist. Did you mean gauges/config.py?")
SLOW = Call(
    "Bash",
    {"command": ".venv/bin/python scripts/backfill.py --all", "timeout": 120000},
    "Exit code 143\nCommand timed out after 2m 0s",
    error=True,
    seconds=120,
)
DENIED = Call(
    "Bash",
    {"command": "rm -rf data/archive"},
    "Permission to use Bash with command rm -rf data/archive has been denied.",
    error=True,
)
NO_MATCH = Call(
    "Bash",
    {"command": "grep -rn tidal_range gauges | wc -l && grep -q tidal_range web/src/map.ts"},
    "Exit code 1\n0",
    error=True,
)

SESSIONS: tuple[Session, ...] = (
    Session(
        "gauge-import",
        24.2,
        (
            Prompt("Read the new gauge at the north pier and store its readings"),
            ran("git status --short", ""),
            *outside_the_environment("import_gauge", 4),
            *stale_edit("gauges/importer.py", "    rows = parse(text) ", "    rows = parse(text, station)"),
            *old_compose(),
            *red_then_green("importer", "gauges/importer.py", "return 3", "return len(rows)"),
            *unsorted_imports("gauges/importer.py", 2),
            ran('git commit -am "Import the north pier gauge"', "[main 4c1d2aa] Import the north pier gauge"),
        ),
        version="2.1.90",
    ),
    Session(
        "map-page",
        22.0,
        (
            Prompt("The map should show the last reading of each gauge"),
            *wrong_script("map"),
            *stale_edit("web/src/map.ts", "const last = readings[0]", "const last = readings.at(-1)"),
            *port_in_use(4173),
            ran("cd web && npm run build", "vite v7 building for production...\n✓ built in 2.1s", 12),
        ),
        mode="acceptEdits",
        version="2.1.90",
    ),
    Session(
        "surge-alarm",
        19.1,
        (
            Prompt("Send an alarm when the water rises more than 40 cm in an hour"),
            one_breaks_the_others("gauges/alarm.py"),
            read("gauges/alarm.py"),
            *outside_the_environment("replay_storm", 9),
            *unread_edit("gauges/limits.py"),
            *red_then_green("alarm", "gauges/alarm.py", "rise > 0.5", "rise > 0.4"),
            alarm_drill("north-pier"),
            *behind_the_remote("main"),
        ),
        version="2.1.112",
    ),
    Session(
        "readings-table",
        16.3,
        (
            Prompt("Add a table of readings under the map, newest first"),
            *stale_edit("web/src/table.ts", "sort((a, b) => a.at - b.at)", "sort((a, b) => b.at - a.at)"),
            *wrong_script("table"),
            *in_the_background("bq7d2k1"),
            *port_in_use(4173),
            interrupted("cd web && npm run e2e"),
            Prompt("Leave the end-to-end tests, I will run them on the other machine"),
            *unsorted_imports("gauges/api.py", 3),
        ),
        mode="acceptEdits",
        version="2.1.112",
    ),
    Session(
        "database-move",
        13.8,
        (
            Prompt("Move the readings to the new database"),
            *old_compose(),
            human_says_no(
                "psql postgres://production.example/tides -c 'truncate readings'",
                "never touch production: use the copy in docker compose",
            ),
            ran("docker compose exec database psql -c 'truncate readings'", "TRUNCATE TABLE"),
            *outside_the_environment("move_readings", 12),
            SLOW,
            ran(".venv/bin/python scripts/backfill.py --all --days 30", "30 days, 86400 readings", 95),
            DENIED,
        ),
        version="2.1.112",
        branch="new-database",
    ),
    Session(
        "station-names",
        11.2,
        (
            Prompt("Stations need a short and a long name"),
            *stale_edit("gauges/stations.py", "    name: str ", "    short_name: str"),
            *unread_edit("gauges/api.py"),
            NO_MATCH,
            *unsorted_imports("gauges/stations.py", 1),
            *wrong_script("stations"),
            *behind_the_remote("new-database"),
        ),
        branch="new-database",
    ),
    Session(
        "review-of-alarms",
        8.4,
        (
            Prompt("Look through the alarm code for mistakes"),
            helper(
                "Check the alarm thresholds",
                (NOT_FOUND, read("gauges/config.py"), *outside_the_environment("check_limits", 6)),
            ),
            *red_then_green("limits", "gauges/limits.py", "low, high = high, low", "low, high = sorted((low, high))"),
            *stale_edit("gauges/limits.py", "LOW = 0.2", "LOW = 0.25"),
            alarm_drill("lighthouse"),
        ),
    ),
    Session(
        "chart",
        6.1,
        (
            Prompt("A chart of the last 48 hours for each gauge"),
            *port_in_use(4174),
            *wrong_script("chart"),
            Damaged('{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_01'),
            *stale_edit("web/src/chart.ts", "hours: 24", "hours: 48"),
            ran("cd web && npm run build", "vite v7 building for production...\n✓ built in 2.3s", 12),
        ),
        mode="acceptEdits",
    ),
    Session(
        "nightly-report",
        3.9,
        (
            Prompt("Mail a report of the night's readings each morning"),
            NOT_FOUND,
            read("gauges/config.py"),
            *outside_the_environment("report", 3),
            *unsorted_imports("gauges/report.py", 2),
            *red_then_green("report", "gauges/report.py", "nights = 3", "nights = 4"),
            *old_compose(),
        ),
    ),
    Session(
        "time-zones",
        1.7,
        (
            Prompt("Readings from the islands are an hour off"),
            *unread_edit("gauges/clock.py"),
            *stale_edit("gauges/clock.py", "tzinfo=None", "tzinfo=UTC"),
            *red_then_green("clock", "gauges/clock.py", "hour + 1", "hour"),
            *behind_the_remote("main"),
            *wrong_script("clock"),
        ),
    ),
    Session(
        "release",
        0.1,
        (
            Prompt("Prepare release 1.5"),
            *unsorted_imports("gauges/__init__.py", 1),
            *port_in_use(4173),
            *old_compose(),
            alarm_drill("north-pier"),
            ran(".venv/bin/pytest -q", "212 passed in 14.20s", 20),
            ran('git tag -a v1.5.0 -m "Release 1.5"', ""),
        ),
    ),
)
