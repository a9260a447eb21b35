"""The shells and the small programs every line is made of."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

family("shell/command_not_found", "failed", "command_not_found", "@cause@ --port @n@ @word@", cause="gruntx", twin="gulpx")
family("shell/script_missing", "failed", "missing_file command_not_found bad_path", "./@dir@/release.sh",
       b_cmd="./@dir@/release.sh --all",
       twins=[Twin(cmd="bash src/release.sh", files={"src/release.sh": "gruntx\n"})])
family("shell/not_executable", "failed", "permission", "./@dir@/release.sh", files={"@dir@/release.sh": "echo\n"}, user=True,
       twins=[Twin(cmd="./src/none.sh")])
family("shell/bad_interpreter", "failed", "command_not_found missing_file environment", "./release.sh",
       files={"release.sh": "#!/usr/bin/@cause@\necho\n"}, setup="chmod +x release.sh", cause="pythonx",
       twins=[Twin(cmd="./none.sh"), Twin(setup="")])
family("shell/env_interpreter", "failed", "command_not_found missing_file environment", "./release.sh",
       files={"release.sh": "#!/usr/bin/env @cause@\necho\n"}, setup="chmod +x release.sh", cause="pythonx",
       twin="rubyx")
family("shell/syntax_error", "failed", "syntax_error", "bash @dir@/release.sh",
       files={"@dir@/release.sh": "@pad@if true; then\necho @n@\n"},
       twins=[Twin(files={"src/release.sh": "echo )\n"})])
family("shell/unbound_variable", "failed", "environment other invalid_input", "bash @dir@/release.sh",
       files={"@dir@/release.sh": "@pad@set -u\necho $@cause@\n"}, cause="DEPLOY_ENV", twin="DEPLOY_KEY")
family("shell/required_variable", "failed", "environment other invalid_input", "bash @dir@/release.sh",
       files={"@dir@/release.sh": "@pad@: ${@cause@:?must be set}\n"}, cause="DEPLOY_ENV", twin="DEPLOY_KEY")
family("shell/script_calls_missing", "failed", "command_not_found", "bash @dir@/release.sh",
       files={"@dir@/release.sh": "@pad@set -e\n@cause@ build\n"}, cause="gruntx", twin="gulpx")
family("shell/cd_missing", "failed", "missing_file bad_path", "cd @dir@/@word@ && make", b_cmd="cd @dir@/@word@ && make test",
       wrap="plain", twins=[Twin(cmd="cd src/app.py && make", files={"src/app.py": ""})])
family("shell/permission_write", "failed", "permission", "echo @n@ > /etc/@word@.conf", user=True,
       twins=[Twin(cmd="echo 3 > /nowhere/basket.conf")])
family("shell/dash_syntax", "failed", "syntax_error", "dash release.sh", files={"release.sh": "@pad@a=(1 @n@)\n"},
       twins=[Twin(files={"release.sh": "if true; then\n"})])
family("shell/dash_not_found", "failed", "command_not_found", "sh release.sh", files={"release.sh": "@pad@@cause@ -v\n"},
       cause="gruntx", twin="gulpx")
family("shell/bashism", "failed", "command_not_found syntax_error other", "sh release.sh",
       files={"release.sh": "@pad@source ./@word@.env\n"}, twins=[Twin(files={"release.sh": ". ./basket.env\n"})])
family("shell/localized_not_found", "failed", "command_not_found", "LC_ALL=de_DE.UTF-8 bash release.sh",
       files={"release.sh": "@pad@@cause@ -v\n"}, cause="gruntx", twin="gulpx")
family("shell/killed", "failed", "killed", "bash release.sh", files={"release.sh": "@pad@echo start @n@\nkill -9 $$\n"}, wrap="cd",
       twins=[Twin(files={"release.sh": "kill -SEGV $$\n"})])
family("shell/disk_full_cat", "failed", "environment", "cat @word@.txt > /dev/full", wrap="cd", files={"@word@.txt": "@word@\n"},
       twins=[Twin(cmd="cat none.txt > /dev/null")])
family("zsh/command_not_found", "failed", "command_not_found", "zsh -c '@cause@ --port @n@'", cause="gruntx", twin="gulpx")
family("zsh/no_matches", "failed", "missing_file other bad_path", "zsh -c 'ls @dir@/*.@word@'", setup="mkdir -p @dir@",
       twins=[Twin(cmd="zsh -c 'ls src/basket.none'")])
family("fish/command_not_found", "failed", "command_not_found", "fish release.fish", files={"release.fish": "@pad@@cause@ -v\n"},
       cause="gruntx", twin="gulpx")
family("fish/syntax_error", "failed", "syntax_error", "fish release.fish", files={"release.fish": "@pad@if true\necho @n@\n"},
       twins=[Twin(files={"release.fish": "echo )\n"})])
family("shellcheck/finding", "check_failed", "lint_failed", "shellcheck @dir@/release.sh",
       files={"@dir@/release.sh": "#!/bin/bash\n@pad@rm $1\n"},
       twins=[Twin(files={"src/release.sh": "#!/bin/bash\ncd /x\n"})])
family("shellcheck/several", "check_failed", "lint_failed", "shellcheck -f gcc release.sh", multi=True,
       files={"release.sh": "#!/bin/bash\n@pad@rm $1\ncd /x\nx=@n@\n"},
       twins=[Twin(files={"release.sh": "#!/bin/bash\necho `ls`\nread x\necho $x\n"})])

COREUTILS = {
    "cat": "cat @dir@/@word@.txt",
    "cp": "cp @dir@/@word@.txt /tmp/",
    "mv": "mv @dir@/@word@.txt @word@.bak",
    "rm": "rm @dir@/@word@.txt",
    "head": "head -n @n@ @dir@/@word@.log",
    "wc": "wc -l @dir@/@word@.log",
    "chmod": "chmod +x @dir@/release.sh",
    "sed": "sed -i s/a/b/ @dir@/@word@.py",
    "awk": "awk '{print $1}' @dir@/@word@.txt",
    "tar": "tar xzf @dir@/@word@.tgz",
    "unzip": "unzip -q @dir@/@word@.zip",
    "sort": "sort @dir@/@word@.csv",
}
OPTION_TWIN = "--frobnicate"
for _tool, _cmd in COREUTILS.items():
    family(f"coreutils/{_tool}_missing_file", "failed", "missing_file bad_path", _cmd,
           twins=[Twin(cmd=f"{_tool} {OPTION_TWIN} x.txt")])
family("coreutils/unknown_option", "failed", "bad_option", "sort --@cause@ @word@.txt", cause="by-date", twin="by-size")
family("coreutils/rm_directory", "failed", "is_directory", "rm @dir@", setup="mkdir -p @dir@", twins=[Twin(cmd="rm src2")])
family("coreutils/cp_directory", "failed", "is_directory other bad_option", "cp @dir@ /tmp/copy-@word@", setup="mkdir -p @dir@",
       twins=[Twin(cmd="cp none /tmp/copy")])
family("coreutils/mkdir_exists", "failed", "conflict other bad_path", "mkdir @dir@", setup="mkdir -p @dir@",
       twins=[Twin(cmd="mkdir a/b/c")])
family("coreutils/rmdir_not_empty", "failed", "conflict other bad_path", "rmdir @dir@", setup="mkdir -p @dir@; touch @dir@/x",
       twins=[Twin(cmd="rmdir none")])
family("coreutils/permission_dir", "failed", "permission", "mkdir /var/lib/@word@", user=True,
       twins=[Twin(cmd="mkdir a/b/c")])
family("coreutils/rm_permission", "failed", "permission", "rm -f /etc/hostname", b_cmd="rm -f /etc/passwd", user=True,
       twins=[Twin(cmd="rm src", setup="mkdir src")])
family("coreutils/not_a_directory", "failed", "bad_path missing_file other", "cat @word@.txt/@file@.txt", files={"@word@.txt": ""},
       twins=[Twin(cmd="cat basket2.txt/app.txt")])
family("coreutils/ln_exists", "failed", "conflict other", "ln -s @dir@ @word@", files={"@word@": ""},
       twins=[Twin(cmd="ln basket2 basket3")])
family("grep/bad_regex", "failed", "syntax_error invalid_input other bad_option", "grep -E '(@word@' @file@.txt", files={"@file@.txt": "x\n"},
       twins=[Twin(cmd="grep -E basket none.txt"), Twin(cmd="grep --recurse x")])
family("grep/missing_file", "failed", "missing_file bad_path", "grep -n @word@ @dir@/@file@.txt",
       twins=[Twin(cmd="grep -n basket src", setup="mkdir src")])
family("sed/bad_expression", "failed", "syntax_error other", "sed 's/@word@/x' @file@.txt", files={"@file@.txt": "x\n"},
       twins=[Twin(cmd="sed 's/a/b/q3z' app.txt")])
family("awk/syntax_error", "failed", "syntax_error", "awk '{print $1' @file@.txt", files={"@file@.txt": "x\n"},
       twins=[Twin(cmd="awk -f none.awk app.txt")])
family("find/unknown_predicate", "failed", "bad_option", "find . -@cause@ @word@", cause="filename", twin="contains")
family("find/missing_start", "failed", "missing_file bad_path", "find @dir@/@word@ -name '*.py'", twins=[Twin(cmd="find . -nam x")])
family("tar/not_gzip", "failed", "other invalid_input", "tar xzf @word@.tgz", files={"@word@.tgz": "plain text\n"},
       twins=[Twin(cmd="tar xf none.tar")])
family("xargs/failed_child", "failed", "missing_file bad_path command_not_found", "echo @word@ | xargs @cause@", cause="gruntx", twin="gulpx")
