"""A fourth round: runners, clouds, clients and languages whose messages only their grammar tells."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

BUILD = "check_failed"
EITHER = "check_failed failed"
MIX = 'defmodule Shop.MixProject do\n  use Mix.Project\n  def project, do: [app: :shop, version: "0.1.0"@deps@]\nend\n'

family("just/unknown_recipe", "failed", "bad_option", "just @cause@", files={"justfile": "@hash@build:\n  echo hi\n"}, cause="deploy", twin="package")
family("just/undefined", "failed", "invalid_input", "just release @word@", files={"justfile": "@hash@release tag:\n  echo {{@cause@}}\n"}, cause="version", twin="channel")
family("task/unknown_task", "failed", "bad_option", "task @cause@", files={"Taskfile.yml": "@hash@version: '3'\ntasks:\n  ok:\n    cmds: ['true']\n"}, cause="build:web", twin="build:api")
family("poe/executable", "failed", "command_not_found", "poe @word@", files={"pyproject.toml": "@hash@[tool.poe.tasks]\n@word@ = \"@cause@ upgrade head\"\n"}, cause="alembicx", twin="djangox")
family("zig/undeclared", BUILD, "build_failed", "zig build-exe @file@.zig", files={"@file@.zig": "@pad@pub fn main() void { _ = @cause@; }\n"}, cause="total", twin="rate")
family("kubectl/refused", "failed", "network", "kubectl -n @word@ --server http://127.0.0.1:9 get pods", twins=[Twin(cmd="kubectl --context=nothing get ns")])
family("kubectl/file_missing", "failed", "missing_file", "kubectl apply -f @dir@/@file@.yaml", twins=[Twin(cmd="kubectl apply --fil x")])
family("kubectl/unknown_flag", "failed", "bad_option", "kubectl get pods @cause@ @word@", cause="--namespce", twin="--selectr")
family("kubectl/bad_yaml", "failed", "syntax_error", "kubectl apply --dry-run=client -f @file@.yaml", files={"@file@.yaml": "@hash@apiVersion: v1\nkind: Service\n metadata: @word@\n"}, twins=[Twin(cmd="kubectl apply --dry-run=client -f nothing.yaml")])
family("gcloud/no_account", "failed", "auth", "gcloud run deploy api --source . --region europe-west1 --project @word@-1", twins=[Twin(cmd="gcloud compute instance list")])
family("gcloud/choice", "failed", "bad_option", "gcloud compute @cause@ list", cause="instance", twin="disc")
family("aws/no_credentials", "failed", "auth", "aws s3 ls s3://@word@-assets", env={"AWS_EC2_METADATA_DISABLED": "true"}, twins=[Twin(cmd="aws s3 ls --frob")])
family("aws/argument", "failed", "bad_option", "aws lambda invoke @file@.json", twins=[Twin(cmd="aws lambda get-layer-version --layer-name x")])
family("mix/undefined", BUILD, "build_failed invalid_input", "mix compile", files={"mix.exs": MIX.replace("@deps@", ""), "lib/@file@.ex": "@hash@defmodule Shop do\n  def run, do: @cause@(@n@)\nend\n"}, cause="charge", twin="refund")
family("mix/test", BUILD, "test_failed", "mix test", files={"mix.exs": MIX.replace("@deps@", ""), "test/test_helper.exs": "ExUnit.start()\n", "test/@file@_test.exs": "@hash@defmodule CartTest do\n  use ExUnit.Case\n  test \"@cause@\" do\n    assert @n@ == 0\n  end\nend\n"}, cause="adds rows", twin="starts empty")
family("mix/no_task", "failed", "bad_option", "mix @cause@", cause="ecto.migrate", twin="phx.server")
family("erlc/undefined", EITHER, "build_failed invalid_input", "erlc @file@.erl", files={"@file@.erl": "@pad@-module(@file@).\n-export([t/0]).\nt() -> @cause@(@n@).\n"}, cause="charge", twin="refund")
family("go/generate_missing", "failed", "command_not_found", "go generate ./...", files={"go.mod": "module example.org/@word@\n\ngo 1.19\n", "@file@.go": "@pad@package main\n\n//go:generate @cause@ -type=X\n"}, cause="stringerx", twin="mockgenx")
family("go/fatal", "failed", "environment", "go run .", files={"go.mod": "module example.org/@word@\n\ngo 1.19\n", "main.go": "@pad@package main\n\nimport \"log\"\n\nfunc main() { log.Fatal(\"@cause@ is not set\") }\n"}, cause="DATABASE_URL", twin="STRIPE_KEY")
family("minitest/failed", EITHER, "test_failed", "ruby @file@_test.rb", files={"@file@_test.rb": "@hash@require 'minitest/autorun'\nclass CartTest < Minitest::Test\n  def test_@cause@; assert_equal @n@, 0; end\nend\n"}, cause="total", twin="discount")
family("python/warning_as_error", "failed", "other", "python -W error @file@.py", files={"@file@.py": "@hash@import warnings\nwarnings.warn('@cause@ is deprecated', DeprecationWarning)\n"}, cause="old_api", twin="old_rate")
family("python/asyncio_timeout", "failed", "timeout", "python @file@.py", files={"@file@.py": "@hash@import asyncio\nasync def m():\n    async with asyncio.timeout(0.01):\n        await asyncio.sleep(@n@)\nasyncio.run(m())\n"}, twins=[Twin(files={"app.py": "raise ValueError('x')\n"})])
family("node/esm_relative", "failed", "module_missing", "node @file@.mjs", files={"@file@.mjs": "@pad@import './@cause@.js'\n"}, cause="pricing", twin="stock")
family("node/test_spec", BUILD, "test_failed", "node --test --test-reporter=spec @file@.test.js", files={"@file@.test.js": "@pad@const t = require('node:test'), a = require('node:assert')\nt('@cause@', () => a.equal(@n@, 0))\n"}, cause="adds rows", twin="starts empty")
family("jshell/class_path", "failed", "missing_file", "jshell --class-path @dir@/@file@.jar x.jsh", twins=[Twin(cmd="jshell --frob")])
family("luac/syntax", EITHER, "syntax_error", "luac -p @file@.lua", files={"@file@.lua": "@pad@local x = @cause@ @cause@\n"}, cause="=", twin=")")
family("binutils/format", "failed", "other", "nm @file@.md", files={"@file@.md": "@hash@text\n"}, twins=[Twin(cmd="nm nothing.o")])
family("dpkg/archive", "failed", "missing_file permission", "dpkg -i @dir@/@file@.deb", twins=[Twin(cmd="dpkg --frob")])
family("timeout/missing", "failed", "command_not_found", "timeout 9 @cause@ @word@", cause="frobx", twin="grobx", wrap="cd")
family("etcdctl/refused", "failed", "network timeout", "etcdctl --dial-timeout=1s --command-timeout=2s --endpoints=localhost:9 get /@word@", env={"ETCDCTL_API": "3"}, twins=[Twin(cmd="etcdctl --frob")])
family("buildah/no_file", "failed", "missing_file", "buildah bud -t @word@/api .", twins=[Twin(cmd="buildah frobnicate")])
family("datamash/field", "failed", "other", "datamash -t, sum 3 < @file@.csv", files={"@file@.csv": "1,2\n"}, twins=[Twin(cmd="datamash -t, frob 1 < app.csv", files={"app.csv": "1,2\n"})])
family("mlr/file_missing", "failed", "missing_file", "mlr --icsv --ojson cat @dir@/@file@.csv", twins=[Twin(cmd="mlr --frob")])
family("snakemake/input_missing", "failed", "missing_file", "snakemake --cores 1", files={"Snakefile": "@hash@rule all:\n  input: \"@word@.txt\"\nrule a:\n  input: \"raw_@word@.txt\"\n  output: \"@word@.txt\"\n  shell: \"cp {input} {output}\"\n"}, twins=[Twin(cmd="snakemake --cores 1 --frob")])
family("httpie/refused", "failed", "network", "http --ignore-stdin GET :9/@word@", twins=[Twin(cmd="http --ignore-stdin --frob GET :9")])
family("cython/syntax", EITHER, "build_failed syntax_error", "cython -3 @file@.pyx", files={"@file@.pyx": "@pad@cdef int f(:\n  return 1\n"}, twins=[Twin(files={"app.pyx": "x = nothing_x\n"}, cmd="cython --frob app.pyx")])
family("wrangler/no_name", "failed", "bad_option invalid_input missing_file", "wrangler secret put @word@", twins=[Twin(cmd="wrangler frobnicate")])
family("cdk/no_app", "failed", "bad_option missing_file", "cdk synth", twins=[Twin(cmd="cdk frobnicate")])
family("cucumber/undefined", BUILD, "test_failed", "cucumber-js", files={"features/@file@.feature": "Feature: @word@\n  Scenario: @cause@\n    Given nothing\n", "package.json": "{}"}, cause="adds rows", twin="starts empty")
