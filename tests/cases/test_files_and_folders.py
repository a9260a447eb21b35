"""Where transcripts lie and whose they are: moved, linked, locked, deleted; folders that change, vanish or deny."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_riggs.errors import RiggsError
from agent_riggs.paths import find_project
from cases.scene import Scene, fails, works
from faces.run import Ran
from test_folders import git


def restricted(scene: Scene, *words: str, limit: Callable[[], None] | None = None, **environ: str | None) -> Ran:
    """A command in a process for which permissions count, whoever runs the tests; ``None`` removes a variable."""

    def enter() -> None:
        if os.geteuid() == 0:
            drop = ctypes.CDLL(None).prctl
            for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                drop(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
        if limit:
            limit()

    wanted = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environ}
    done = subprocess.run(
        [sys.executable, "-m", "agent_riggs", *words],
        cwd=scene.root,
        env={name: value for name, value in wanted.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=enter,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(autouse=True)
def unlocked(scene: Scene) -> Iterator[None]:
    """Whatever a test locks is opened again, so that it can be removed."""
    yield
    for top in (scene.home, scene.root):
        for folder, _, files in [(str(top), [], []), *os.walk(top)]:
            os.chmod(folder, 0o700)
            for file in files:
                if not os.path.islink(os.path.join(folder, file)):
                    os.chmod(os.path.join(folder, file), 0o600)


# --- transcripts


@pytest.mark.skipif(sys.platform != "linux", reason="only there a name may be any bytes")
@pytest.mark.parametrize("place", [b"-srv-shop/b\xffd.jsonl", b"-w-\xfe/q.jsonl"])
def test_a_file_whose_name_is_no_text_is_a_problem_of_its_own(scene: Scene, place: bytes) -> None:
    scene.write(*works(1), *fails(2))
    path = os.path.join(os.fsencode(scene.projects), place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"".join(line + b"\n" for line in scene.lines(*works(3), name="bad")))
    for _ in range(2):
        assert scene.ingest()["calls"] == 2
    ((where, why),) = scene.rows("SELECT path, reason FROM problems")
    assert where.endswith(os.fsdecode(place).encode("utf-8", "backslashreplace").decode())
    assert why == "its name is no UTF-8"
    assert scene.run("ingest", "--all").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only there a name may be any bytes")
def test_a_project_whose_name_is_no_text_is_told_so(scene: Scene) -> None:
    root = os.fsdecode(os.fsencode(scene.root) + b"-\xff")
    os.mkdir(root)
    os.symlink(root, scene.root / "link")
    scene.write(*works(1), cwd=str(scene.root / "link"), name="linked")
    scene.write(*works(2))
    with pytest.raises(RiggsError, match="whose name is no UTF-8"):
        find_project(Path(root))
    assert scene.run("ingest", "--all").code == 0
    assert scene.rows("SELECT session_id FROM session_summaries") == [("one",)]


def test_a_shrunk_replaced_or_deleted_file_loses_nothing_and_doubles_nothing(scene: Scene) -> None:
    path = scene.write(*works(1), *fails(2), *works(3))
    assert scene.ingest()["calls"] == 3
    before = scene.rows("SELECT turn_id FROM turns ORDER BY 1")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    assert scene.ingest()["calls"] == 3
    path.write_bytes(b"".join(scene.lines(*works(4), *works(5), *fails(6), *works(7)))[:-1])
    path.write_bytes(b"".join(line + b"\n" for line in scene.lines(*works(4), *works(5), *fails(6), *works(7))))
    assert scene.ingest()["outcomes"] == {"ok": 5, "failed": 2}
    assert set(before) < set(scene.rows("SELECT turn_id FROM turns"))
    shutil.rmtree(scene.projects)
    assert scene.ingest()["calls"] == 7
    assert scene.rows("SELECT gone FROM transcripts") == [(True,)]
    assert scene.run("failures", "--json", "--all").json[0]["times"] == 2


def test_a_store_that_was_deleted_is_rebuilt_with_the_same_ids(scene: Scene) -> None:
    scene.write(*works(1), *fails(2))
    scene.ingest()
    before = scene.rows("FROM turns ORDER BY turn_id"), scene.rows("FROM failure_stream ORDER BY failure_id")
    scene.store.unlink()
    assert scene.ingest()["new_calls"] == 2
    assert (scene.rows("FROM turns ORDER BY turn_id"), scene.rows("FROM failure_stream ORDER BY failure_id")) == before


@pytest.mark.parametrize("target", ["-srv-elsewhere", "-srv/-srv-shop"], ids=["renamed", "one level too deep"])
def test_a_folder_that_moved_is_found_with_the_same_ids(scene: Scene, target: str) -> None:
    path = scene.write(*works(1), *fails(2))
    scene.ingest()
    before = scene.rows("SELECT turn_id, session_id, transcript_id FROM turns ORDER BY 1")
    new = scene.projects / target
    new.parent.mkdir(parents=True, exist_ok=True)
    path.parent.rename(new)
    counts = scene.ingest()
    assert (counts["new_calls"], counts["changed_calls"], counts["calls"]) == (0, 0, 2)
    assert scene.rows("SELECT turn_id, session_id, transcript_id FROM turns ORDER BY 1") == before
    assert scene.rows("SELECT key, gone FROM transcripts") == [(str(new / path.name), False)]
    (new / path.name).write_bytes(b"".join(line + b"\n" for line in scene.lines(*works(1), *fails(2), *works(3))))
    assert scene.ingest()["new_calls"] == 1


@pytest.mark.parametrize("folder", ["-", "--srv--shop", "-srv-my-shop", "-srv---", "x" * 200 + "-1f3a"])
def test_the_name_of_a_folder_says_nothing_about_the_project(scene: Scene, folder: str) -> None:
    scene.write(*works(1), name="mine", folder=folder)
    scene.write(*works(2), name="theirs", folder=folder, cwd="/srv/other ü")
    assert (scene.ingest()["calls"], scene.rows("SELECT session_id FROM turns")) == (1, [("mine",)])


def test_every_real_file_is_read_once_however_many_links_lead_there(scene: Scene) -> None:
    path = scene.write(*works(1), *fails(2))
    folder = path.parent
    (folder / "linked.jsonl").symlink_to(path)
    (folder / "dangling.jsonl").symlink_to(folder / "nowhere")
    (folder / "itself.jsonl").symlink_to(folder / "itself.jsonl")
    (folder / "loop").symlink_to(scene.projects)
    (scene.projects / "-linked").symlink_to(folder)
    os.link(path, folder / "hard.jsonl")
    (scene.home / ".config").mkdir()
    (scene.home / ".config" / "claude").symlink_to(scene.home / ".claude")
    counts = scene.ingest()
    assert (counts["calls"], counts["sessions"]) == (2, 1)
    assert scene.rows("SELECT path FROM problems") == [(str(folder / "itself.jsonl"),)]
    assert scene.rows("SELECT count(*) FROM transcripts") == [(1,)]


def test_a_project_seen_through_a_link_is_the_project(scene: Scene) -> None:
    link = scene.root.parent / "seen"
    link.symlink_to(scene.root)
    scene.write(*works(1), name="direct")
    scene.write(*works(2), name="through", cwd=str(link / "src"))
    through = Scene(scene.home, link)
    assert through.ingest()["calls"] == 2
    assert scene.ingest()["new_calls"] == 0


def test_what_may_not_be_read_is_one_warning_each_until_it_may(scene: Scene) -> None:
    scene.write(*works(1), name="good")
    file = scene.write(*fails(2), name="closed")
    folder = scene.write(*works(3), name="inside", folder="-closed").parent
    file.chmod(0)
    folder.chmod(0)
    for problems in (2, 0):
        ran = restricted(scene, "ingest", "--json")
        assert (ran.code, ran.json["calls"], ran.json["problems"]) == (0, 1, problems)
    shown = scene.run("problems", "--json").json
    assert [(row["path"], row["reason"]) for row in shown] == [
        (str(place), "cannot be read: Permission denied") for place in sorted((file, folder))
    ]
    file.chmod(0o600)
    folder.chmod(0o700)
    counts = scene.ingest()
    assert (counts["new_calls"], counts["calls"]) == (2, 3)
    assert scene.run("problems", "--json").json == [], "what was mended is no problem any more"


def test_a_project_of_unreadable_transcripts_alone_is_a_warning_and_no_riddle(scene: Scene) -> None:
    scene.write(*fails(1)).chmod(0)
    ran = restricted(scene, "ingest")
    assert (ran.code, "1 problem" in ran.out, "error" in ran.err) == (0, True, False)
    assert "what could not be read: agent-riggs problems" in ran.err


# --- the folder a record was made in


def test_a_session_belongs_to_the_nearest_folder_it_names(scene: Scene) -> None:
    gone = scene.root / "gone" / "deeper"
    other = scene.root.parent / "other"
    other.mkdir()
    scene.write(*works(1, cwd=None), *works(2), name="late")
    scene.write(
        *works(3), *works(4, cwd=...), *works(5, cwd=7), *works(6, cwd=str(scene.root / "src")), name="changing"
    )
    scene.write(*works(7, cwd=str(gone)), name="deleted")
    scene.write(*works(8, cwd=str(other)), name="other")
    scene.write(*works(9, cwd=f"{scene.root}-2"), name="neighbor")
    scene.write(*works(10, cwd=f"/mnt/copy{scene.root}"), name="embedded")
    assert scene.ingest()["calls"] == 7
    found = scene.rows("SELECT session_id, cwd FROM turns ORDER BY call_id")
    assert [session for session, _ in found] == ["late"] * 2 + ["changing"] * 4 + ["deleted"]
    root, inner = str(scene.root), str(scene.root / "src")
    assert [cwd for _, cwd in found[1:]] == [root, root, root, root, inner, str(gone)]
    assert not gone.parent.exists()
    assert not Path(f"{scene.root}-2").exists()


def test_a_session_that_names_no_folder_is_read_once_it_is_named(scene: Scene) -> None:
    path = scene.write(*works(1, cwd=...), *fails(2, cwd=...))
    ran = scene.run("ingest")
    assert (ran.code, "error" in ran.err) == (0, False)
    assert "1 transcript there, of no known folder" in ran.err
    assert "agent-riggs ingest PATH" in ran.err
    assert scene.ingest(str(path))["outcomes"] == {"ok": 1, "failed": 1}
    path.write_bytes(path.read_bytes() + b"".join(line + b"\n" for line in scene.lines(*works(3), cwd=...)))
    assert scene.ingest()["new_calls"] == 1, "from then on it is this project's"


def test_a_project_that_was_moved_keeps_its_memory_and_two_of_one_name_stay_apart(scene: Scene) -> None:
    scene.write(*works(1), *fails(2))
    twin = Scene(scene.home, scene.root.parent / "elsewhere" / scene.root.name)
    twin.root.mkdir(parents=True)
    twin.write(*works(3), name="twin")
    assert (scene.ingest()["calls"], twin.ingest()["calls"]) == (2, 1)
    moved = Scene(scene.home, scene.root.with_name("moved"))
    scene.root.rename(moved.root)
    assert moved.run("status", "--json").json["totals"]["calls"] == 2
    assert len(moved.run("failures", "--all", "--json").json) == 1
    assert moved.ingest("--recorded-as", str(scene.root))["calls"] == 2
    assert twin.ingest()["calls"] == 1
    scene.root.mkdir()


def test_paths_of_another_system_compare_as_that_system_does(scene: Scene) -> None:
    for number, cwd in enumerate(["C:\\Trade\\Shop", "c:/trade/shop/src", "/mnt/c/TRADE/shop"]):
        scene.write(*works(number), name=f"windows{number}", cwd=cwd)
    scene.write(*works(10), name="upper", cwd="/srv/Shop")
    scene.write(*works(11), name="lower", cwd="/srv/shop")
    assert scene.ingest()["calls"] == 0
    assert scene.ingest("--recorded-as", "C:/trade/shop")["calls"] == 3
    assert scene.ingest("--recorded-as", "/srv/shop")["calls"] == 4


def test_a_sub_folder_reads_and_writes_the_projects_store(scene: Scene) -> None:
    git("init", "-q", at=scene.root)
    (scene.root / "sub").mkdir()
    scene.write(*fails(1))
    assert Scene(scene.home, scene.root / "sub").ingest()["calls"] == 1
    assert scene.store.exists()
    assert not (scene.root / "sub" / ".riggs").exists()


# --- places that cannot be written


def test_a_project_that_cannot_be_written_is_one_clear_line_and_can_still_be_read(scene: Scene) -> None:
    scene.write(*fails(1))
    scene.root.chmod(0o500)
    ran = restricted(scene, "ingest")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 2)
    assert ran.err.startswith(f"error: cannot write {scene.root / '.riggs'}: Permission denied\n hint: ")
    scene.root.chmod(0o700)
    scene.ingest()
    content = scene.store.read_bytes()
    scene.store.chmod(0o400)
    scene.store.parent.chmod(0o500)
    scene.write(*works(2), name="new")
    ran = restricted(scene, "ingest")
    assert (ran.code, len(ran.err.splitlines())) == (1, 2)
    assert restricted(scene, "failures", "--all", "--json").json[0]["times"] == 1
    assert scene.store.read_bytes() == content


def test_a_home_that_cannot_be_written_costs_nothing(scene: Scene) -> None:
    scene.write(*fails(1))
    for folder in (scene.home, *(path for path in scene.home.rglob("*") if path.is_dir())):
        folder.chmod(0o500)
    closed = {"AGENT_RIGGS_STATE_DIR": str(scene.home / "state"), "TMPDIR": str(scene.home)}
    assert restricted(scene, "ingest", "--json", **closed).json["calls"] == 1
    ran = restricted(scene, "failures", "--all", **closed)
    assert (ran.code, "error" in ran.err) == (0, False)


def test_without_any_home_there_is_one_clear_line(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    for name in [one for one in os.environ if one in ("HOME", "USERPROFILE") or one.startswith(("XDG_", "AGENT_"))]:
        monkeypatch.delenv(name)
    for words in (["status"], ["failures"], ["ingest"]):
        ran = scene.run(*words)
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 2)
        assert ran.err.startswith("error: ")


@pytest.mark.parametrize("room", [20_000, 1_000_000])
def test_a_full_disk_is_one_clear_line_and_the_store_stays_as_it_was(scene: Scene, room: int) -> None:
    import resource
    import signal

    scene.write(*works(1), name="before")
    scene.ingest()
    before = scene.rows("FROM turns")
    scene.write(*(part for n in range(10, 900) for part in fails(n)), name="after")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    ran = restricted(scene, "ingest", limit=limit)
    assert (ran.code, "Traceback" in ran.err) == (1, False)
    assert [line.split(":")[0] for line in ran.err.splitlines()] == ["error", " hint"]
    assert set(before) <= set(scene.rows("FROM turns"))
    assert scene.run("status").code == 0
    counts = scene.ingest()
    assert counts["calls"] == 891
    assert scene.rows("SELECT count(DISTINCT turn_id) FROM turns") == [(891,)]
