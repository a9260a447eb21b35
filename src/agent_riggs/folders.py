"""Folders as text and on disk: which project a working folder belongs to, and where its state lies.

The lowest part of project identity, in strings, and nothing imported but ``os``: the hook answers from here before
it loads anything else. ``paths`` puts nouns on top of it.

Two kinds of answer live here. *Lexical* ones (``normal``, ``fold``, ``under``) look at the text alone: they work for
folders that are deleted or lie on another machine. ``root_of`` looks at the disk, and reads git's own files instead
of starting git. Only ``make`` creates folders.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORKTREES = "/.claude/worktrees/"
"""Claude Code puts the worktrees it makes in ``<project>/.claude/worktrees/<name>``."""

MARK = ".riggs"
"""The folder that holds a project's store; makes a folder outside any repository a project root."""

STATE_VARIABLE = "AGENT_RIGGS_STATE_DIR"

MAX_PATH = 4096
"""Characters of a path that any system opens in one piece."""


def possible(path: str) -> bool:
    """Whether a recorded text can name a folder at all: not when it is empty or endless, or holds what no name can."""
    return 0 < len(path) <= MAX_PATH and "\0" not in path and is_text(path)


def is_text(path: str) -> bool:
    """Whether a name is text. A Unix system takes any bytes for one; those that are no UTF-8 come as half characters,
    which neither JSON nor a database takes."""
    return path.isascii() or path.encode("utf-8", "ignore").decode() == path


def drive_of(path: str) -> str | None:
    """``c:`` for a Windows drive path in any spelling, ``//`` for a share, ``None`` for any other path.

    Spellings: either slash, any case, ``\\\\?\\`` and ``\\\\.\\`` before it, WSL's ``/mnt/c``, Cygwin's
    ``/cygdrive/c``. A share starts with two slashes or backslashes.
    """
    return _split(path)[0]


def normal(path: str) -> str:
    """One spelling per folder, by text alone: forward slashes, no ``.`` or ``..``, no slash at the end.

    Windows paths (a drive letter or a share, on any machine) come out in lower case, because there case does not
    tell folders apart; other paths keep theirs. The empty path stays empty.
    """
    drive, rest = _split(path)
    if drive is None:
        return _tidy(rest)
    if drive == "//":
        server, _, rest = rest.partition("/")
        drive += server
    inside = _tidy("/" + rest)
    return (drive + inside if drive[-1] == ":" else drive + inside.rstrip("/")).lower()


def fold(path: str) -> str:
    """``path`` without its ``/.claude/worktrees/<name>`` parts: where the project's own copy of that folder lies.

    By text alone. Of a Windows path the slashes come out forward; the letters' case is kept.
    """
    text = path.replace("\\", "/") if drive_of(path) else path
    while True:
        head, found, tail = (text + "/").partition(WORKTREES)
        name, _, inside = tail.partition("/")
        if not found or not name:
            return text
        text = f"{head}/{inside}".rstrip("/") or "/"


def under(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies inside it, by text alone: ``/w/app-2`` is not under ``/w/app``."""
    inner, outer = normal(path), normal(folder)
    return bool(inner and outer) and (inner == outer or inner.startswith(outer.rstrip("/") + "/"))


def same(path: str, other: str) -> bool:
    """Whether two spellings name one folder, by text alone."""
    return normal(path) == normal(other) != ""


def root_of(start: str) -> str:
    """Root of the project that the folder ``start`` belongs to, links resolved. Reads the disk, writes nothing.

    The repository around it, if there is one: its main folder, also when ``start`` lies in one of its worktrees. A
    submodule is a project of its own; a bare repository is its own root. Outside any repository the nearest folder
    upwards that holds ``.riggs`` (the user's home folder does not count), else the folder itself. A folder that no
    longer exists belongs where it would lie: to the project around it, but a project of its own if there is none.
    """
    real = os.path.realpath(start)
    folder = os.path.realpath(fold(real))
    found = _repository(real) if os.path.isdir(real) else None
    return found or _repository(folder) or _marked(folder) or folder


def native(path: str) -> str | None:
    """How this machine spells a recorded path; ``None`` for one that can only exist on another machine, or nowhere."""
    if not possible(path):
        return None
    drive, rest = _split(path)
    if os.name == "nt":
        if drive is None:
            return None
        return ("\\\\" if drive == "//" else drive + "\\") + rest.replace("/", "\\")
    if path.startswith("/") and drive != "//":
        return path
    if drive is None:
        return None
    mount = f"/mnt/{drive[0].lower()}"
    return f"{mount}/{rest}" if drive != "//" and os.path.isdir(mount) else None


def worktrees(root: str) -> Iterator[str]:
    """Folders of the linked worktrees that the repository at ``root`` knows, deleted ones included."""
    common = _common_of(root)
    admin = os.path.join(common, "worktrees") if common else ""
    for name in _names(admin):
        dotgit = _first_line(os.path.join(admin, name, "gitdir"))
        if dotgit:
            yield os.path.dirname(os.path.normpath(os.path.join(admin, name, dotgit)))


def key_of(root: str) -> str:
    """Key of the project at ``root``: its name made plain, and 12 hex digits of SHA-256 over its whole path."""
    from agent_riggs.hashing import sha256

    path = normal(root)
    name = path.rsplit("/", 1)[-1]
    plain = "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in name.lower()).split())
    return f"{plain[:40].rstrip('-') or 'root'}-{sha256(path.encode('utf-8', 'surrogatepass'))[:12]}"


def home_of(environ: Mapping[str, str]) -> str | None:
    """The user's home folder; ``None`` when neither the environment nor the user database knows one."""
    home = environ.get("USERPROFILE" if os.name == "nt" else "HOME", "")
    if os.path.isabs(home):
        return home
    if os.name == "nt":
        return None
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir or None
    except KeyError:
        return None


def state_of(environ: Mapping[str, str], platform: str) -> str | None:
    """The folder for all state of this user, outside any repository; ``None`` when there is no place for it.

    ``$AGENT_RIGGS_STATE_DIR``; else ``agent-riggs`` in the platform's place for such things: ``$XDG_STATE_HOME`` or
    ``~/.local/state``, on macOS ``~/Library/Application Support``, on Windows ``%LOCALAPPDATA%``. ``platform`` is
    ``sys.platform``. Relative values are ignored, as the XDG specification demands.
    """
    home = home_of(environ)
    chosen = environ.get(STATE_VARIABLE, "")
    if chosen.startswith("~") and home:
        chosen = home + chosen[1:]
    if os.path.isabs(chosen):
        return chosen
    if platform == "win32":
        base = environ.get("LOCALAPPDATA", "") or (home and os.path.join(home, "AppData", "Local")) or ""
    elif platform == "darwin":
        base = os.path.join(home, "Library", "Application Support") if home else ""
    else:
        base = environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.join(home, ".local", "state") if home else ""
    return os.path.join(base, "agent-riggs") if base else None


def make(folder: str) -> None:
    """Make a folder, and those above it that are missing, each for the user alone. Raises ``OSError``.

    ``os.makedirs`` gives its mode to the last folder only: the others would be as open as the umask lets them.
    """
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    if parent and parent != folder:
        make(parent)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _split(path: str) -> tuple[str | None, str]:
    """Windows drive (``c:``, ``//`` for a share, ``None`` for no Windows path) and the rest, in forward slashes."""
    text = path.replace("\\", "/") if path[:1] == "\\" or path[1:2] == ":" or path[:2] == "//" else path
    if text.startswith("///"):
        text = "/" + text.lstrip("/")
    device = _tidy("/" + text[4:])[1:] if text[:4] in ("//?/", "//./") else ""
    if device[:4].upper() == "UNC/":
        return "//", device[4:].lstrip("/")
    if _has_drive(device):
        text = device
    if _has_drive(text):
        return text[:2], text[2:].lstrip("/")
    if text.startswith("//") and text != "//":
        return "//", text[2:]
    place = _tidy(text) if text[:1] == "/" and ("/mnt/" in text or "/cygdrive/" in text) else ""
    for mount in ("/mnt/", "/cygdrive/"):
        letter, rest = place[len(mount) : len(mount) + 1], place[len(mount) + 1 :]
        if place.startswith(mount) and letter.isascii() and letter.isalpha() and rest[:1] in ("", "/"):
            return letter + ":", rest.replace("\\", "/").lstrip("/")
    return None, text


def _has_drive(text: str) -> bool:
    return text[1:2] == ":" and text[:1].isascii() and text[:1].isalpha() and text[2:3] in ("", "/")


def _tidy(path: str) -> str:
    """``path`` without ``.``, ``..``, doubled slashes and the slash at the end."""
    if not path:
        return ""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part == ".." and path[0] == "/":
            continue
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if path[0] == "/" else "") + "/".join(parts) or "."


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _repository(folder: str) -> str | None:
    """Root of the git repository around ``folder``; ``None`` when there is none."""
    for place in _upwards(folder):
        dotgit = os.path.join(place, ".git")
        if os.path.isfile(dotgit):
            target = _gitdir(dotgit)
            if target is not None:
                return _main_folder(place, target)
        elif _is_gitdir(dotgit):
            return place
        if _is_gitdir(place):
            return os.path.dirname(place) if os.path.basename(place) == ".git" else place
    return None


def _is_gitdir(path: str) -> bool:
    """Whether ``path`` is a git directory: what git itself looks for (gitrepository-layout)."""
    return os.path.lexists(os.path.join(path, "HEAD")) and (
        os.path.isdir(os.path.join(path, "objects")) and os.path.isdir(os.path.join(path, "refs"))
    )


def _gitdir(dotgit: str) -> str | None:
    """Where a ``.git`` file points to; ``None`` when it says nothing of the kind."""
    word, _, target = _first_line(dotgit).partition(":")
    if word != "gitdir" or not target.strip():
        return None
    return os.path.realpath(os.path.join(os.path.dirname(dotgit), target.strip()))


def _main_folder(place: str, gitdir: str) -> str:
    """Root for a folder whose ``.git`` is a file: of a worktree the main folder, else (submodule, git directory
    kept elsewhere) the folder itself."""
    common = _first_line(os.path.join(gitdir, "commondir"))
    admin = os.path.dirname(gitdir)
    if not common and os.path.basename(admin) == "worktrees" and not os.path.exists(gitdir):
        gitdir, common = admin, ".."  # the worktree's entry was pruned; its place still tells the repository
    if not common:
        return _outside_worktree(place, gitdir)
    folder = os.path.realpath(os.path.join(gitdir, common))
    parent = os.path.dirname(folder)
    if os.path.basename(folder) == ".git" or _gitdir(os.path.join(parent, ".git")) == folder:
        return parent
    checkout = _core_worktree(os.path.join(folder, "config"))
    return os.path.realpath(os.path.join(folder, checkout)) if checkout else folder


def _outside_worktree(place: str, gitdir: str) -> str:
    """``place``, or for a submodule inside a worktree its place in the main folder, if it is checked out there."""
    if "/modules/" not in gitdir.replace("\\", "/").rpartition("/worktrees/")[2]:
        return place
    for outer in _upwards(os.path.dirname(place)):
        target = _gitdir(os.path.join(outer, ".git"))
        if target is not None and os.path.exists(os.path.join(target, "commondir")):
            twin = os.path.join(_main_folder(outer, target), os.path.relpath(place, outer))
            return twin if os.path.lexists(os.path.join(twin, ".git")) else place
    return place


def _common_of(root: str) -> str | None:
    """The git directory that the main folder ``root`` shares with its worktrees; ``None`` outside git."""
    dotgit = os.path.join(root, ".git")
    if os.path.isfile(dotgit):
        return _gitdir(dotgit)
    if _is_gitdir(dotgit):
        return dotgit
    return root if _is_gitdir(root) else None


def _core_worktree(config: str) -> str:
    """``core.worktree`` of a git configuration file: git writes it for submodules, whose worktrees need it."""
    section = ""
    for line in _lines(config):
        line = line.strip()
        if line.startswith("["):
            section = line.lower()
        name, found, value = line.partition("=")
        if section == "[core]" and found and name.strip().lower() == "worktree":
            return _path_in(value.strip().strip('"'))
    return ""


def _marked(folder: str) -> str | None:
    """The nearest folder upwards that holds a ``.riggs`` of this user's, the home folder apart."""
    home = os.path.realpath(os.path.expanduser("~"))
    return next((p for p in _upwards(folder) if p != home and _is_own_folder(os.path.join(p, MARK))), None)


def _is_own_folder(path: str) -> bool:
    """Whether it is a folder of this user's: in a shared place another user's ``.riggs`` must not attract ours."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return os.path.isdir(path) and (os.name == "nt" or found.st_uid == os.getuid())


def _first_line(path: str) -> str:
    """What a file of git's says that holds one path; empty when it holds none."""
    return _path_in(next(iter(_lines(path)), "").strip())


def _path_in(text: str) -> str:
    return text if possible(text) else ""


def _lines(path: str) -> list[str]:
    """Lines of a small text file of git's; none when it cannot be read."""
    return (small_file(path, 65536) or b"").decode("utf-8", "surrogateescape").split("\n")


def small_file(path: str, most: int, private: bool = False, end: bool = False) -> bytes | None:
    """The first ``most`` bytes of a file, or the last; ``None`` when they cannot be had, or only by waiting.

    What is no regular file is not read: a pipe or a terminal in its place would be waited for. ``private``: nor one
    that is not, see ``is_private``.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if status.st_mode & 0o170000 != 0o100000:
            return None
        if private and not is_private(status):
            return None
        if end:
            os.lseek(descriptor, max(0, status.st_size - most), os.SEEK_SET)
        return os.read(descriptor, min(most, status.st_size + 1))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def is_private(status: os.stat_result) -> bool:
    """Written by this user, and by nobody else since; Windows has no such bits."""
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


_AT_ONCE = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder)) if folder else []
    except OSError:
        return []
