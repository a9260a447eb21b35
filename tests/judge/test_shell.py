"""Shell lines: which program a line runs, who decides its exit code, what hides a failure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.judge import grammar
from agent_riggs.judge.shell import (
    MAX_COMMAND,
    candidates,
    deciding,
    find,
    hidden,
    masks_failure,
    parse,
    program_key,
    returns,
)
from agent_riggs.judge.syntax import scan
from agent_riggs.judge.wrappers import program_name


def key(line: str) -> str:
    command = deciding(parse(line))
    return program_key(command, True) if command is not None else ""


@pytest.mark.parametrize(
    "line",
    [
        "deploy",
        "cd d && deploy",
        "cd 'a b' && deploy 2>&1",
        "A=1 B='2 3' deploy",
        "timeout 60 deploy",
        "timeout -k 5 --signal TERM 1m deploy",
        "sudo deploy",
        "sudo -u root -E deploy",
        "sudo A=1 deploy",
        "doas deploy",
        "env A=1 -u B deploy",
        "env -i PATH=/bin deploy",
        'sudo -E env "PATH=$PATH" deploy',
        "nohup deploy",
        "time deploy",
        "/usr/bin/time -f %e deploy",
        "nice -n 10 deploy",
        "stdbuf -oL -e0 deploy",
        "watch -n 2 deploy",
        "exec deploy",
        "command deploy",
        "uv run deploy",
        "uv run --with p --python 3.12 deploy",
        "uvx deploy",
        "uvx deploy@latest",
        "npx deploy",
        "npx -y deploy@5",
        "npx --package=thing deploy",
        "npm exec -- deploy",
        "pnpm --filter web exec deploy",
        "pnpm dlx deploy",
        "yarn dlx deploy",
        "bunx deploy",
        "bun x deploy",
        "poetry run deploy",
        "pdm run deploy",
        "hatch run deploy",
        "pipenv run deploy",
        "pipx run deploy",
        "conda run -n env deploy",
        "bundle exec deploy",
        "mise exec node@20 -- deploy",
        "op run --env-file x -- deploy",
        "direnv exec . deploy",
        "xvfb-run -a deploy",
        "flock /tmp/lock deploy",
        "bash -c deploy",
        "bash -lc 'deploy'",
        "bash -o pipefail -c 'deploy'",
        'sh -c "cd d && deploy"',
        "/bin/zsh -lc 'A=1 timeout 5 deploy 2>&1 | head'",
        "bash -lc \"bash -c 'deploy'\"",
        "eval 'deploy'",
        "su app -c 'deploy'",
        "bash <<'EOF'\ndeploy\nEOF",
        "ls | xargs deploy",
        "ls | xargs -n1 -I {} deploy {}",
        "find . -name x -exec deploy {} \\;",
        "find . -type f -exec deploy {} +",
        "docker exec -it box deploy",
        "docker exec box sh -c 'deploy'",
        "docker compose exec -T web deploy",
        "docker compose -f a.yml run --rm web deploy",
        "docker-compose run web deploy",
        "podman exec box deploy",
        "kubectl exec -n space pod -- deploy",
        "kubectl -n space exec -it pod -c main -- deploy",
        "ssh host deploy",
        "ssh -i key -p 22 user@host 'cd d && deploy'",
        "ssh host <<EOF\ndeploy\nEOF",
        "wsl -d Ubuntu -- deploy",
        "deploy 2>&1 | head -5",
        "deploy |& tail",
        "deploy | tee log | grep x | sort -u",
        "deploy > log 2>&1",
        "(deploy)",
        "{ deploy; }",
        "(cd d && deploy) | tail",
        "if true; then deploy; fi",
        "if [ -f x ]; then echo no; else deploy; fi",
        "for i in 1 2; do deploy; done",
        "for i in $(ls); do deploy; done | tail",
        "while read -r l; do deploy; done < f",
        "case $1 in a) deploy;; esac",
        "[ -f x ] && deploy",
        "[[ -f x && -d y ]] && deploy",
        "! deploy",
        "deploy <<EOF\nx; y | z\nEOF",
        "deploy <<< text",
        "deploy $(other)",
        'deploy "$(other | more)"',
        "deploy `other`",
        "out=$(deploy)",
        'out="$(deploy 2>&1)"; echo "$out" | tail',
        "deploy || true",
        "deploy || echo failed",
        "deploy || exit 1",
        "deploy || { echo failed; exit 1; }",
        "deploy && echo ok || echo bad",
        "deploy; echo done",
        'deploy; echo "exit: $?"',
        "deploy; exit $?",
        "deploy > log; code=$?; tail log; exit $code",
        "deploy &",
        "\\\ndeploy",
        "deploy \\\n",
        "deploy # a comment",
        "# a comment\ndeploy",
        "export A=1; deploy",
        "source venv/bin/activate && deploy",
        "set -euo pipefail\ndeploy",
        "T=deploy; $T",
        "T=deploy\n${T}",
        "./bin/deploy",
        "/opt/tools/bin/deploy",
        "$HOME/bin/deploy",
        '"$HOME/my tools/deploy"',
        "~/bin/deploy",
        "node_modules/.bin/deploy",
        "$(npm bin)/deploy",
        "$(which deploy)",
        "C:\\tools\\deploy.exe",
        "'C:\\Program Files\\x\\deploy.exe'",
        "& 'C:\\my tools\\deploy.exe'",
        "deploy.cmd",
        "cmd /c deploy",
        'cmd.exe /d /s /c "deploy"',
        "powershell -Command deploy",
        'powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "deploy"',
        "pwsh -c 'deploy | Select-Object -First 3'",
        "$x = 1; deploy",
        "if (Test-Path x) { deploy }",
        "deploy | Out-String",
        "f() { deploy; }; f",
        "while ! deploy; do sleep 1; done",
        "if deploy; then echo yes; fi",
    ],
)
def test_one_program_however_it_is_started(line: str) -> None:
    assert key(line) == "deploy"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python -m pytest -q", "pytest"),
        ("python3.12 -m pip install x", "pip install"),
        ("py -3 -m mypy src", "mypy"),
        ("uv run -m pytest", "pytest"),
        ("uv run python -m pytest", "pytest"),
        ("coverage run -m pytest", "pytest"),
        ("C:\\Python\\python.exe -m pytest", "pytest"),
        ("python scripts/x.py", "python"),
        ("python3 -c 'import x'", "python"),
        ("python3 - <<'EOF'\nimport x\nEOF", "python"),
        ("cat x | python3 -", "python"),
        ("uv run tool.py", "python"),
        ("node x.js", "node"),
        ("./scripts/release.sh --now", "release.sh"),
        ("bash -x scripts/release.sh", "release.sh"),
        ("pwsh -File build.ps1", "build.ps1"),
        ("pip3 install x", "pip install"),
        ("git -C dir -c a=b push origin main", "git push"),
        ("git stash pop", "git stash pop"),
        ("gh -R a/b pr create --title x", "gh pr create"),
        ("gh api repos/a/b", "gh api"),
        ("docker --context x run --rm img cmd", "docker run"),
        ("docker compose -f a.yml up -d", "docker compose up"),
        ("docker-compose up", "docker compose up"),
        ("kubectl -n x get pods", "kubectl get"),
        ("npm run build", "npm run build"),
        ("npm --prefix web run build", "npm run build"),
        ("npm test", "npm test"),
        ("pnpm --filter web build", "pnpm run build"),
        ("pnpm run build", "pnpm run build"),
        ("pnpm install", "pnpm install"),
        ("yarn workspace web build", "yarn run build"),
        ("bun test", "bun test"),
        ("bun run test", "bun run test"),
        ("bun x.ts", "bun"),
        ("cargo +nightly test", "cargo test"),
        ("go mod tidy", "go mod tidy"),
        ("uv pip install x", "uv pip install"),
        ("aws --profile p s3 ls", "aws s3 ls"),
        ("make -C d -j 4 test", "make test"),
        ("make", "make"),
        ("./gradlew :app:test", "gradle test"),
        ("mvnw.cmd verify", "mvn verify"),
        ("systemctl --user restart x", "systemctl restart"),
        ("terraform -chdir=x plan", "terraform plan"),
        ("wrapped git push", "git push"),
        ("wrapped status", "wrapped status"),
        ("wrapped ./x", "wrapped"),
        ("ls src", "ls"),
        ("pytest tests", "pytest"),
        ("egrep x f", "grep"),
        ("cd x", "cd"),
        ("echo x", "echo"),
        ("test -f x && echo a || echo b", "["),
        ("git add . && git commit -m \"$(cat <<'EOF'\na (b) && c\nEOF\n)\" && git push 2>&1 | tail -3", "git push"),
        ("curl -s u | jq .", "curl"),
        ("a || b", "b"),
        ("a && b", "b"),
        ("a; b", "b"),
        ("a\nb", "b"),
        ("a | b", "b"),
        ("$TOOL x", "$TOOL"),
        ("Get-Content -Path 'x' | Select-Object -First 3", "get-content"),
        ('$i=0; Get-Content x | ForEach-Object { $i++; "$i $_" }', "get-content"),
        ("sete", "sete"),
        ("", ""),
        ("# only a comment", ""),
    ],
)
def test_program_and_subcommand(line: str, expected: str) -> None:
    assert key(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a && b", ["a", "b"]),
        ("a || b", ["b"]),
        ("a; b", ["b"]),
        ("set -e; a; b", ["a", "b"]),
        ("cd x && a && b | tail", ["a", "b"]),
        ("a | b", ["b"]),
        ("set -o pipefail; a | b", ["a", "b"]),
        ("a || exit 1; b", ["b"]),
        ("a || exit 1", ["a"]),
        ("if c; then a; else b; fi", ["a", "b"]),
        ("bash -c 'set -e; a; b'", ["a", "b"]),
    ],
)
def test_candidates_are_all_that_may_have_failed(line: str, expected: list[str]) -> None:
    assert [c.program for c in candidates(parse(line))] == expected


@pytest.mark.parametrize(
    "line",
    [
        "x | tail",
        "x 2>&1 | grep -v y | head -3",
        "x |& cat",
        "x || true",
        "x || :",
        "x || echo failed",
        "x; echo done",
        "x; echo $?",
        "x &",
        "nohup x > log 2>&1 &",
        "(x || true)",
        "bash -c 'x | tail'",
        "x && echo ok || echo bad",
        "if x; then echo ok; else echo bad; fi",
        'out=$(x); echo "$out"',
        "x | Out-String",
    ],
)
def test_masked(line: str) -> None:
    assert masks_failure(parse(line))
    assert [c.program for c in hidden(parse(line))] in (["x"], [])


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "x && echo ok",
        "x || y",
        "y; x",
        "set -o pipefail; x | tail",
        "set -euo pipefail\nx | tail",
        "x || exit 1",
        "x || { echo no; exit 1; }",
        "x; exit $?",
        "x 2>&1",
        "cat f | x",
        "x & wait; x",
        "",
    ],
)
def test_not_masked(line: str) -> None:
    assert not masks_failure(parse(line))


def test_returns_is_the_owner_of_the_exit_code() -> None:
    for line, program in [("x | grep y", "grep"), ("x; echo done", "echo"), ("x && y", "y"), ("x || z", "z")]:
        command = returns(parse(line))
        assert command is not None
        assert command.program == program


def test_hidden_names_every_check_that_went_unseen() -> None:
    assert [c.program for c in hidden(parse("pytest; mypy src | tail; git status"))] == ["pytest", "mypy"]
    assert hidden(parse("x || y")) == ()


def test_find_by_the_owner_of_a_diagnostic() -> None:
    line = parse("cd d && sudo timeout 5 npx tsc | head && git -C d push")
    assert [getattr(find(line, name), "program", None) for name in ("cd", "tsc", "git", "timeout", "sudo", "npx")] == [
        "cd", "tsc", "git", "timeout", "sudo", "npx",
    ]  # fmt: skip
    assert find(line, "make") is None
    assert getattr(find(line, "/usr/bin/git"), "sub", None) == ("push",)


def test_transport_is_kept_beside_the_program() -> None:
    command = deciding(parse("docker compose exec -T web npm test"))
    assert command is not None
    assert (command.program, command.transport, command.via) == ("npm", "docker compose exec", ("docker compose exec",))
    assert program_key(command, False) == "npm"
    owner = find(parse("ssh host x"), "ssh")
    assert owner is not None
    assert owner.program == "ssh"


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("grep x f", {1}),
        ("rg x", {1}),
        ("diff a b", {1}),
        ("test -f x", {1}),
        ("[ -f x ]", {1}),
        ("which x", {1}),
        ("command -v x", {1, 127}),
        ("pgrep x", {1}),
        ("ls x", {1, 2}),
        ("git diff --quiet", {1, 2}),
        ("git diff --exit-code HEAD", {1, 2}),
        ("git merge-base --is-ancestor a b", {1}),
        ("git rev-parse --verify x", {1, 128}),
        ("git grep x", {1}),
        ("curl -fsS u", {22}),
        ("ls | xargs grep x", {1, 123}),
        ("git push", set()),
        ("git diff", set()),
        ("curl u", set()),
        ("pytest", set()),
    ],
)
def test_probes_answer_with_their_exit_code(line: str, codes: set[int]) -> None:
    command = returns(parse(line))
    assert command is not None
    assert command.answers == codes
    assert command.is_probe == bool(codes)


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("cat x", True),
        ("rg x", True),
        ("git show HEAD", True),
        ("git log -p", True),
        ("git diff", True),
        ("sed -n 1,5p f", True),
        ("sed -i s/a/b/ f", False),
        ("echo 'FAILED x'", True),
        ("docker compose logs web", True),
        ("gh run view 1 --log-failed", True),
        ("Get-Content x", True),
        ("git push", False),
        ("npm test", False),
        ("python x.py", False),
    ],
)
def test_readers_print_text_that_is_not_theirs(line: str, reads: bool) -> None:
    command = deciding(parse(line))
    assert command is not None
    assert command.is_reader is reads


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("pytest -q", "test"),
        ("npx jest", "test"),
        ("go test ./...", "test"),
        ("cargo nextest run", "test"),
        ("node --test", "test"),
        ("npm test", "test"),
        ("npm run test:unit", "test"),
        ("pnpm --filter web e2e", "test"),
        ("bun test", "test"),
        ("make test", "test"),
        ("./gradlew testDebugUnitTest", "test"),
        ("mvn verify", "test"),
        ("bash scripts/run-tests.sh", "test"),
        ("ruff check .", "lint"),
        ("ruff format --check .", "lint"),
        ("eslint src", "lint"),
        ("npm run lint:fix", "lint"),
        ("cargo clippy", "lint"),
        ("prettier --check .", "lint"),
        ("pre-commit run -a", "lint"),
        ("mypy src", "type"),
        ("npx tsc --noEmit", "type"),
        ("yarn type-check", "type"),
        ("npm run typecheck", "type"),
        ("uvx ty check", "type"),
        ("make", "build"),
        ("make all", "build"),
        ("cargo build", "build"),
        ("npm run build", "build"),
        ("docker build .", "build"),
        ("docker compose build", "build"),
        ("gcc -c x.c", "build"),
        ("cmake --build b", "build"),
        ("npm run check", "check"),
        ("just ci", "check"),
        ("hatch run lint:style", "lint"),
        ("ruff format .", None),
        ("npm install", None),
        ("npm run dev", None),
        ("git push", None),
        ("make install", None),
        ("./scripts/deploy.sh", None),
        ("latest", None),
        ("python x.py", None),
    ],
)
def test_checks(line: str, kind: str | None) -> None:
    command = deciding(parse(line))
    assert command is not None
    assert command.check == kind


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("/usr/bin/python3.11", "python"),
        ("python3", "python"),
        ("C:\\x\\Python.EXE", "python"),
        ("pip3.12", "pip"),
        ("clang-15", "clang"),
        ("g++-12", "g++"),
        ("npm.cmd", "npm"),
        ("gradlew.bat", "gradle"),
        ("foo.sh", "foo.sh"),
        ("base64", "base64"),
        ("sha256sum", "sha256sum"),
        ("Get-ChildItem", "get-childitem"),
        ("\\ls", "ls"),
        ("[[", "["),
        (".", "source"),
    ],
)
def test_program_name(word: str, name: str) -> None:
    assert program_name(word) == name


def test_redirections_negation_and_pipes_are_kept() -> None:
    first, second = parse("! x 2>/dev/null | y").commands
    assert (first.err, first.negated, first.next, first.pipe) == ("null", True, "|", 0)
    assert (second.pipe, second.pipeline == first.pipeline) == (1, True)
    assert parse("x > f 2>&1").commands[0].err == "file"
    assert parse("x 2>&1 > f").commands[0].err == "out"
    assert parse("x $(y) 2>&1").commands[0].err == "out"


def test_only_the_head_of_a_long_command_counts() -> None:
    line = "deploy --file x; " + "# " + "y" * (2 * MAX_COMMAND)
    assert parse(line) == parse(line[:MAX_COMMAND])
    assert key(line) == "deploy"
    assert key("cat > f <<'EOF'\n" + "text (with brackets) && more\n" * 500 + "EOF\nother") == "cat"


def test_deep_nesting_is_cut_not_raised() -> None:
    for line in ("(" * 2000 + "x" + ")" * 2000, "$(" * 1500, "bash -c " * 500 + "x", "if a; then " * 300, "x | " * 900):
        deciding(parse(line))


def test_without_the_grammar_some_command_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "_parser", lambda: None)
    for line in ("deploy0 $(other)", 'deploy0 "$(cat <<EOF\nx\nEOF\n)"', "for i in a; do deploy0; done", "(deploy0)"):
        programs = [c.program for c in parse(line).commands]
        assert "deploy0" in programs, line


PIECES = (
    "x y git push cd d && || | ; & \n ( ) { } if then fi for in do done while case esac ! [ [[ ]] $( ` ' \" \\ << <<EOF"
    " EOF > 2>&1 < # $ ${ = A=1 bash -c sudo timeout 5 xargs find -exec env -- - -m python function 'C:\\x.exe' $x"
)
SHELL_TEXT = st.lists(st.sampled_from(PIECES.split(" ")), max_size=25).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), SHELL_TEXT))
def test_nothing_raises_and_the_answers_fit_together(text: str) -> None:
    line = parse(text)
    command = deciding(line)
    assert (command is None) == (not line.commands)
    assert masks_failure(line) == (command is not None and not command.decides)
    for found in line.commands:
        assert found.program
        assert found.check in ("test", "lint", "type", "build", "check", None)
        assert isinstance((found.is_filter, found.is_reader, found.is_trivial, found.answers), tuple)
    assert set(candidates(line)) <= set(line.commands)
    assert set(hidden(line)) <= set(line.commands)


WORDS = st.sampled_from(
    ["x", "git", "push", "-q", "a/b.c", "'q w'", '"d $V"', "$V", "A=1", "*.py", "2>&1", ">f", "2>/dev/null"]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(st.sampled_from(["&&", "||", "|", ";", "&"]), max_size=5))
def test_scanner_and_grammar_agree(words: list[str], connectors: list[str]) -> None:
    line = "tool " + " ".join(words) + "".join(f" {c} next{n} {words[0]}" for n, c in enumerate(connectors))
    by_scanner = scan(line)
    by_grammar, clean = grammar.tree(line)
    assert by_scanner is not None
    if clean:
        assert [i.node.words for i in by_scanner] == [i.node.words for i in by_grammar]  # type: ignore[union-attr]
        assert [i.next for i in by_scanner] == [i.next for i in by_grammar]
