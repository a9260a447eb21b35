"""Other languages."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

LANGS = {
    # program, extension, module line, undefined-name line, syntax line, other syntax line, failing line
    "perl": ("perl", "pl", "use @cause@;", "use strict; print $@cause@;", "if (1) { print @n@;", "my $x = ;"),
    "ruby": ("ruby", "rb", "require '@cause@'", "puts @cause@", "def @word@(", "x = = 1"),
    "php": ("php", "php", "<?php new @cause@\\Client();", "<?php @cause@();", "<?php $@word@ = ;", "<?php if (1 {"),
    "lua": ("lua5.4", "lua", "require('@cause@')", "print(@cause@.x)", "local @word@ = ", "if true then"),
    "tcl": ("tclsh", "tcl", "package require @cause@", "puts $@cause@", "puts {@word@", "expr {1 +}"),
    "r": ("Rscript", "R", "library(@cause@)", "print(@cause@)", "@word@ <- (1", "x <- <- 1"),
    "nim": ("nim check --hints:off", "nim", "import @cause@", "echo @cause@", "let @word@ =", "if true"),
    "elixir": ("elixir", "exs", "@cause@.run(1)", "IO.puts(@cause@)", "def @word@ do", "x = = 1"),
    "ocaml": ("ocaml", "ml", "open @cause@", "let () = print_int @cause@", "let @word@ =", "let x = \"abc"),
    "ghc": ("runghc", "hs", "import @cause@\nmain = return ()", "main = print @cause@", "main = do { let @word@ = ", "main = case 1 of"),
    "guile": ("guile --no-auto-compile", "scm", "(use-modules (@cause@))", "(display @cause@)", "(display @n@", "(display 1))"),
}
CAPS = {"elixir", "ocaml", "ghc"}
COMPILED = {"nim"}
for _name, (_run, _ext, _module, _undefined, _syntax, _syntax2) in LANGS.items():
    _cmd, _file = f"{_run} @dir@/@file@.{_ext}", f"@dir@/@file@.{_ext}"
    _one, _two = ("InvoiceKit", "RatesKit") if _name in CAPS or _name == "perl" else ("invoicekit", "rateskit")
    _outcome = "check_failed" if _name in COMPILED else "failed"
    _pad = "" if _name == "php" else "@pad@"
    family(f"{_name}/module_missing", _outcome, "module_missing missing_file other build_failed", _cmd,
           files={_file: _pad + _module + "\n"}, cause=_one, twin=_two)
    family(f"{_name}/undefined", _outcome, "other build_failed type_failed module_missing syntax_error bad_path", _cmd,
           files={_file: _pad + _undefined + "\n"}, cause="totalz", twin="ratez")
    family(f"{_name}/syntax", _outcome, "syntax_error build_failed", _cmd, files={_file: _pad + _syntax + "\n"},
           twins=[Twin(files={_file: _syntax2 + "\n"})])
    family(f"{_name}/script_missing", "failed check_failed", "missing_file bad_path module_missing build_failed other", f"{_run} @dir@/@word@.{_ext}",
           twins=[Twin(files={_file: _module + "\n"}, cause=_one, cmd=_cmd)])

family("perl/die", "failed", "other", "perl @file@.pl", files={"@file@.pl": "@pad@die '@cause@'\n"}, cause="no rate table", twin="no tax table")
family("perl/file_missing", "failed", "missing_file bad_path other", "perl @file@.pl", files={"@file@.pl":
       "@pad@open(my $f, '<', '@project@/@word@.csv') or die \"cannot open @word@.csv: $!\";\n"},
       twins=[Twin(files={"app.pl": "open(my $f, '<', '@project@/.') or die; opendir(my $d, 'x') or die \"no: $!\";\n"})])
family("ruby/no_method", "failed", "other", "ruby @file@.rb", files={"@file@.rb": "@pad@nil.@cause@\n"}, cause="price", twin="owner")
family("ruby/enoent", "failed", "missing_file bad_path", "ruby @file@.rb", files={"@file@.rb": "@pad@File.read('@project@/@word@.csv')\n"},
       twins=[Twin(files={"app.rb": "File.read('/proc')\n"})])
family("ruby/key_missing", "failed", "other", "ruby @file@.rb", files={"@file@.rb": "@pad@{'@word@' => 1}.fetch('@cause@')\n"}, cause="currency", twin="country")
family("bundler/no_gemfile", "failed", "missing_file", "bundle install --local", b_cmd="bundle exec rake",
       twins=[Twin(cmd="bundle frobnicate", files={"Gemfile": "source 'https://rubygems.org'\n"})])
family("bundler/gem_missing", "failed", "module_missing missing_file", "bundle install --local", files={"Gemfile": "source 'https://rubygems.org'\n@pad@gem '@cause@'\n"},
       cause="invoice-kit", twin="rates-kit")
family("bundler/exec_missing", "failed", "command_not_found", "bundle exec @cause@ --port @n@", files={"Gemfile": "source 'https://rubygems.org'\n"},
       cause="pumax", twin="thinx")
family("rake/no_task", "failed check_failed", "bad_option missing_file build_failed other", "rake @cause@", files={"Rakefile": "@pad@task :ok\n"}, cause="db:migrte", twin="tset")
family("rake/no_file", "failed", "missing_file", "rake test", twins=[Twin(cmd="rake --frobnicate", files={"Rakefile": ""})])
family("php/type_error", "failed", "other", "php @file@.php", files={"@file@.php": "<?php\n@pad@function charge(int $a) {}\ncharge('@word@');\n"},
       twins=[Twin(files={"app.php": "<?php\n$a = null;\n$a->total();\n"})])
family("php/lint", "check_failed failed", "syntax_error lint_failed", "php -l @file@.php", files={"@file@.php": "<?php\n@pad@$@word@ = ;\n"},
       twins=[Twin(files={"app.php": "<?php\nif (1 {\n"})])
family("composer/no_json", "failed", "missing_file", "composer install", env={"COMPOSER_DISABLE_NETWORK": "1", "COMPOSER_ALLOW_SUPERUSER": "1"},
       twins=[Twin(cmd="composer frobnicate")])
family("composer/json_syntax", "check_failed", "syntax_error invalid_input", "composer validate", env={"COMPOSER_ALLOW_SUPERUSER": "1"},
       files={"composer.json": "@pad@{\"name\": \"acme/@word@\",}\n"}, twins=[Twin(files={"composer.json": "[}"})])
family("composer/platform", "failed", "conflict environment module_missing other", "composer update --no-interaction",
       env={"COMPOSER_DISABLE_NETWORK": "1", "COMPOSER_ALLOW_SUPERUSER": "1"},
       files={"composer.json": '{"name": "acme/@word@", "repositories": [{"packagist.org": false}], "require": {"@cause@": "*"}}'},
       cause="ext-invoice", twin="ext-rates")
family("swipl/unknown_procedure", "failed", "other module_missing", "swipl -g @cause@ -t halt @file@.pl", files={"@file@.pl": "@pad@ok.\n"}, cause="run_rates", twin="run_stock")
family("swipl/script_missing", "failed", "missing_file bad_path module_missing", "swipl -g halt @dir@/@word@.pl", twins=[Twin(cmd="swipl -g foo_bar -t halt")])
family("erlang/escript_undefined", "failed", "other module_missing", "escript @file@.erl", files={"@file@.erl": "#!/usr/bin/env escript\n@pad@main(_) -> @cause@:go().\n"},
       cause="rates", twin="stock")
