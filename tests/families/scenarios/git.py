"""Git, and what hangs on it."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

INIT = "git init -q -b main; git config user.email @word@@example.org; git config user.name @word@; "
ONE = INIT + "echo @n@ > @word@.txt; git add .; git commit -qm 'first @word@'; "
REMOTE = ONE + "git init -q --bare -b main @home@/remote-@word@.git; git remote add origin @home@/remote-@word@.git; " \
    "git push -q origin main; "
AHEAD = REMOTE + "git clone -q @home@/remote-@word@.git ../other-@word@; (cd ../other-@word@; " \
    "git config user.email a@b.c; git config user.name x; echo other > o.txt; git add .; git commit -qm o; " \
    "git push -q origin main); echo more >> @word@.txt; git commit -qam more; "
TWO = ONE + "git switch -qc side; echo side > @word@.txt; git commit -qam side; git switch -q main; " \
    "echo main > @word@.txt; git commit -qam main; "

family("git/not_a_repository", "failed", "vcs", "git status", twins=[Twin(cmd="git push origin main", setup=ONE)])
family("git/pathspec", "failed", "vcs bad_path", "git add @dir@/@word@-gone.txt", setup=ONE,
       twins=[Twin(cmd="git commit -m x")])
family("git/unknown_branch", "failed", "vcs", "git checkout @cause@", setup=ONE, cause="release/next", twin="hotfix/tax")
family("git/unknown_revision", "failed", "vcs", "git log @cause@", setup=ONE, cause="v9-stable",
       twins=[Twin(cause="v8-stable"), Twin(cmd="git show HEAD~5:a.txt")])
family("git/unknown_command", "failed", "bad_option", "git @cause@ -m x", setup=ONE, cause="comit", twin="pussh")
family("git/unknown_option", "failed", "bad_option", "git log --@cause@", setup=ONE, cause="onelinee", twin="graphs")
family("git/merge_conflict", "failed", "conflict", "git merge side", setup=TWO,
       twins=[Twin(setup=TWO + "echo dirty > basket.txt; ")])
family("git/non_fast_forward", "failed", "vcs conflict", "git push origin main", setup=AHEAD,
       twins=[Twin(setup=ONE), Twin(cmd="git push origin nowhere")])
family("git/push_no_upstream", "failed", "vcs", "git push", setup=REMOTE + "git switch -qc work-@word@",
       twins=[Twin(setup=ONE)])
family("git/remote_missing", "failed", "vcs", "git fetch @cause@", setup=ONE, cause="upstream", twin="mirror")
family("git/remote_gone", "failed", "vcs missing_file", "git fetch origin", setup=REMOTE + "rm -rf @home@/remote-@word@.git",
       twins=[Twin(cmd="git fetch origin no-such-branch", setup=REMOTE)])
family("git/index_lock", "failed", "vcs conflict", "git commit -am later", setup=ONE + "echo x >> @word@.txt; touch .git/index.lock",
       twins=[Twin(setup=ONE + "echo x >> basket.txt; touch .git/HEAD.lock")])
family("git/hook_failed", "failed check_failed", "vcs other lint_failed", "git commit -am @word@", cause="no ticket number",
       twin="branch is frozen",
       setup=ONE + "echo x >> @word@.txt; printf '#!/bin/sh\\necho \"error: @cause@\" >&2\\nexit 1\\n' > .git/hooks/pre-commit; "
             "chmod +x .git/hooks/pre-commit")
family("git/nothing_to_commit", "failed", "vcs other", "git commit -m 'update @word@'", setup=ONE,
       twins=[Twin(setup=ONE + "echo x >> basket.txt")])
family("git/untracked_only", "failed", "vcs other", "git commit -m 'add @word@'", setup=ONE + "touch new-@word@.txt",
       twins=[Twin(setup=ONE)])
family("git/identity", "failed", "vcs environment auth other", "git commit --allow-empty -m @word@",
       setup="git init -q; git config user.useConfigOnly true",
       twins=[Twin(setup="git init -q; git config user.email a@b.c; git config user.name a; touch .git/index.lock")])
family("git/overwritten_checkout", "failed", "vcs conflict", "git checkout side", setup=TWO + "echo dirty > @word@.txt",
       twins=[Twin(cmd="git rebase side")])
family("git/rebase_unstaged", "failed", "vcs conflict", "git rebase side", setup=TWO + "echo dirty > @word@.txt",
       twins=[Twin(setup=TWO)])
family("git/stash_none", "failed", "vcs other", "git stash pop", setup=ONE, twins=[Twin(cmd="git stash show -p stash@{4}")])
family("git/clone_exists", "failed", "vcs conflict", "git clone @home@/remote-@word@.git @dir@", setup=REMOTE +
       "mkdir -p @dir@; touch @dir@/x", twins=[Twin(cmd="git clone @home@/none.git new")])
family("git/clone_refused", "failed", "network vcs", "git clone http://127.0.0.1:@n@/@word@.git",
       twins=[Twin(cmd="git clone http://shop.invalid/a.git")])
family("git/ssh_refused", "failed", "network auth vcs", "git clone ssh://git@127.0.0.1:@n@/@word@.git",
       env={"GIT_SSH_COMMAND": "ssh -o StrictHostKeyChecking=no"},
       twins=[Twin(cmd="git clone ssh://git@shop.invalid/a.git")])
family("git/branch_exists", "failed", "vcs conflict", "git branch @cause@", setup=ONE + "git branch release; git branch next",
       cause="release", twins=[Twin(cmd="git branch 'a b'")])
family("git/branch_delete", "failed", "vcs", "git branch -d side", setup=TWO, twins=[Twin(cmd="git branch -d main")])
family("git/tag_exists", "failed", "vcs conflict", "git tag v1", setup=ONE + "git tag v1", twins=[Twin(cmd="git tag -d v2")])
family("git/apply_failed", "failed", "vcs conflict", "git apply @word@.patch",
       files={"@word@.patch": "--- a/@word@.txt\n+++ b/@word@.txt\n@@ -1,1 +1,1 @@\n-absent\n+new\n"}, setup=ONE,
       twins=[Twin(files={"basket.patch": "nonsense\n"}), Twin(files={}, cmd="git apply none.patch")])
family("git/cherry_pick_conflict", "failed", "conflict vcs", "git cherry-pick side", setup=TWO,
       twins=[Twin(cmd="git cherry-pick deadbeef")])
family("git/worktree_exists", "failed", "vcs conflict", "git worktree add ../wt-@word@ main", setup=ONE,
       twins=[Twin(cmd="git worktree add ../wt nobranch")])
family("git/dubious_ownership", "failed", "vcs permission", "git status", setup=ONE + "chown -R 1600:1600 .", user=False,
       twins=[Twin(setup="")])
family("git/mv_missing", "failed", "vcs bad_path", "git mv @word@-old.txt @dir@.txt", setup=ONE,
       twins=[Twin(cmd="git rm basket-old.txt")])
family("git/ignored", "failed", "vcs bad_path", "git add build-@word@/out.txt", setup=ONE +
       "mkdir build-@word@; touch build-@word@/out.txt; echo 'build-*' > .gitignore",
       twins=[Twin(cmd="git add build-none/out.txt")])
family("git/pull_divergent", "failed", "vcs conflict", "git pull origin main", setup=AHEAD,
       twins=[Twin(cmd="git pull --ff-only origin main")])
family("git/localized", "failed", "vcs", "git checkout @cause@", setup=ONE + "echo x > un-@word@.txt; ", cause="release/next",
       env={"LANGUAGE": "de", "LC_ALL": "de_DE.UTF-8"}, twins=[Twin(cmd="git push origin main")])
family("git/localized_repo", "failed", "vcs", "git log", env={"LANGUAGE": "fr", "LC_ALL": "fr_FR.UTF-8"},
       twins=[Twin(cmd="git logg")])
family("git/submodule", "failed", "vcs", "git submodule update --init vendor/lib", setup=ONE,
       twins=[Twin(cmd="git submodule foo")])
family("git/bisect", "failed", "vcs bad_option other", "git bisect good", setup=ONE, b_cmd="git bisect good HEAD",
       twins=[Twin(cmd="git bisect nonsense")])
