"""Run kibitzer's own conformance test, unchanged, against this checkout, on each DuckDB line that both support.

After it, its consumer is held to our own kit: what is promoted is found with its fix, what is retired no longer.
The test file comes from kibitzer's source distribution, fetched by pip and checked by hash; nothing of it is kept.
Exit code 0 only when every test passed and none was skipped, on every version.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

KIBITZER = "0.9.0"
SHA256 = "670968652a8161d38e3cc44951368690e1929674e2ed337d85f226ae7834668b"
DUCKDB = ("1.5", "2.0")
TESTS = ("tests/conftest.py", "tests/test_ratchet_consumer.py")
KIT = """
import sys
from pathlib import Path
from kibitzer.ratchet import RatchetConsumer
from agent_riggs.testing import check_consumer
check_consumer(RatchetConsumer.from_db, Path(sys.argv[1]))
"""
CHECKOUT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Make an environment, run the tests once per DuckDB line."""
    with tempfile.TemporaryDirectory(prefix="agent-riggs-kibitzer-") as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        fetch(python, folder)
        pip(python, "install", str(CHECKOUT), f"kibitzer=={KIBITZER}", "pytest")
        return max([run(python, folder, line) for line in DUCKDB])


def pip(python: Path, *arguments: str) -> None:
    """Run pip quietly; raises ``CalledProcessError`` when it fails."""
    command = [str(python), "-m", "pip", "-qq", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def fetch(python: Path, folder: Path) -> None:
    """Put the test files of the source distribution into ``folder``."""
    pip(python, "download", "--no-deps", "--no-binary", ":all:", "-d", str(folder), f"kibitzer=={KIBITZER}")
    archive = folder / f"kibitzer-{KIBITZER}.tar.gz"
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{archive.name} is not the file this check was written for")
    with tarfile.open(archive) as source:
        for test in TESTS:
            member = source.extractfile(f"kibitzer-{KIBITZER}/{test}")
            if member is None:
                raise SystemExit(f"{test} is not in {archive.name}")
            target = folder / test
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(member.read())


def run(python: Path, folder: Path, line: str) -> int:
    """Run the tests on the newest DuckDB of a line; 0 when all passed and none was skipped."""
    pip(python, "install", f"duckdb=={line}.*")
    environ = {**os.environ, "HOME": str(folder), "AGENT_RIGGS_STATE_DIR": str(folder / "state")}
    report = folder / f"report-{line}.xml"
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *TESTS[1:]]
    code = subprocess.run(command, cwd=folder, env=environ, stdin=subprocess.DEVNULL).returncode
    passed, others = counts(report)
    kit = folder / f"kit-{line}"
    kit.mkdir()
    held = subprocess.run(
        [str(python), "-c", KIT, str(kit)], cwd=folder, env=environ, stdin=subprocess.DEVNULL
    ).returncode
    version = answer(python, "import duckdb; print(duckdb.__version__)")
    kept = "kept" if held == 0 else "broken"
    print(f"kibitzer {KIBITZER} on DuckDB {version}: {passed} passed, {others} failed or skipped; our kit: {kept}")
    return 0 if code == held == 0 and passed and not others else 1


def counts(report: Path) -> tuple[int, int]:
    """(passed, everything else) of a JUnit report."""
    suite = next(ElementTree.parse(report).iter("testsuite"))
    total = int(suite.get("tests", "0"))
    others = sum(int(suite.get(name, "0")) for name in ("failures", "errors", "skipped"))
    return total - others, others


def answer(python: Path, code: str) -> str:
    """What a line of Python prints there."""
    command: Sequence[str] = [str(python), "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
