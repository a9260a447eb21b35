"""Node, its package managers and the tools around it."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

import json

from families.dsl import Twin, family

JS = "@dir@/@file@.js"
TS = "@dir@/@file@.ts"


def package(**keys: object) -> str:
    return json.dumps({"name": "@word@", "version": "1.@n@.0", **keys}, indent=2)


def js(body: str) -> dict[str, str]:
    return {JS: "@pad@" + body}


def ts(body: str, **options: object) -> dict[str, str]:
    config = {"compilerOptions": {"strict": True, "noEmit": True, "types": [], **options}, "include": ["**/*.ts"]}
    return {TS: "@pad@" + body, "tsconfig.json": json.dumps(config)}


NODE = f"node {JS}"
family("node/module_missing", "failed", "module_missing", NODE, files=js("require('@cause@')\n"), cause="left-padx",
       twin="right-padx", windows=True)
family("node/own_module_missing", "failed", "module_missing missing_file", NODE, files=js("require('./@cause@')\n"),
       cause="pricing", twins=[Twin(files=js("require('stock-x')\n"))])
family("node/esm_package_missing", "failed", "module_missing", "node @dir@/@file@.mjs",
       files={"@dir@/@file@.mjs": "@pad@import x from '@cause@'\n"}, cause="left-padx", twin="right-padx")
family("node/esm_named_export", "failed", "syntax_error module_missing other", "node @dir@/@file@.mjs",
       files={"@dir@/@file@.mjs": "@pad@import { @cause@ } from 'node:fs'\n"}, cause="readAll", twin="writeAll")
family("node/import_outside_module", "failed", "syntax_error", "node @dir@/@file@.cjs",
       files={"@dir@/@file@.cjs": "@pad@import fs from 'fs'\n"},
       twins=[Twin(files={"src/app.cjs": "export default {\n"})])
family("node/require_in_esm", "failed", "other syntax_error", "node @dir@/@file@.mjs",
       files={"@dir@/@file@.mjs": "@pad@const a = require('fs')\n"},
       twins=[Twin(files={"src/app.mjs": "const a = __dirname\n"})])
family("node/syntax_error", "failed", "syntax_error", NODE, files=js("const @word@ = {\n"),
       twins=[Twin(files=js("const a = 1 2\n"))])
family("node/reference_error", "failed", "other", NODE, files=js("console.log(@cause@)\n"), cause="settingz",
       twin="configz", windows=True)
family("node/undefined_property", "failed", "other", NODE, files=js("const @word@ = {}\nconsole.log(@word@.items.@cause@)\n"),
       cause="length", twin="price")
family("node/not_a_function", "failed", "other", NODE, files=js("const cart = {}\ncart.@cause@(@n@)\n"), cause="checkout",
       twin="refund")
family("node/enoent", "failed", "missing_file bad_path", NODE, files=js("require('fs').readFileSync('@project@/@word@.json')\n"),
       twins=[Twin(files=js("require('fs').readFileSync('@project@')\n"))], windows=True)
family("node/eacces", "failed", "permission", NODE, files=js("require('fs').writeFileSync('/etc/@word@', '')\n"), user=True,
       twins=[Twin(files=js("require('fs').mkdirSync('/proc/x')\n"))])
family("node/eaddrinuse", "failed", "network conflict environment other", NODE,
       files=js("const net = require('net')\nconst a = net.createServer().listen(0, '127.0.0.1', () =>\n"
                "  net.createServer().listen(a.address().port, '127.0.0.1'))\n"),
       twins=[Twin(files=js("require('net').createServer().listen(8000, '203.0.113.9')\n"))])
family("node/econnrefused", "failed", "network", NODE, files=js("require('http').get('http://127.0.0.1:@n@/@word@')\n"),
       twins=[Twin(files=js("require('http').get('http://shop.invalid/')\n"))])
family("node/fetch_refused", "failed", "network", NODE, files=js("fetch('http://127.0.0.1:@n@/@word@')\n"),
       twins=[Twin(files=js("fetch('/basket')\n"))])
family("node/out_of_memory", "failed", "environment killed other", "node --max-old-space-size=12 @dir@/@file@.js",
       files=js("const @word@ = []\nfor (;;) @word@.push(new Array(1000).fill('@n@'))\n"),
       twins=[Twin(files=js("process.abort()\n"))])
family("node/unhandled_rejection", "failed", "other", NODE, files=js("Promise.reject(new Error('@cause@'))\n"),
       cause="no rate table loaded", twin="no tax table loaded")
family("node/json_parse", "failed", "other syntax_error invalid_input", NODE, files=js("JSON.parse('{\"@word@\": @n@,}')\n"),
       twins=[Twin(files=js("JSON.parse('')\n"))])
family("node/script_missing", "failed", "module_missing missing_file bad_path", "node @dir@/@word@.js",
       twins=[Twin(cmd="node --inspct app.js")])
family("node/bad_option", "failed", "bad_option", "node --@cause@ @file@.js", cause="experimental-tipes", twin="env-fil=x")
family("node/assert", "failed check_failed", "other test_failed", NODE, files=js("require('assert').strictEqual(@n@, 0)\n"),
       twins=[Twin(files=js("require('assert').ok(false, 'no stock')\n"))])
family("node/test_runner", "check_failed", "test_failed", "node --test @dir@/", b_cmd="node --test",
       files={"@dir@/@file@.test.js": "@pad@require('node:test')('@cause@', () => "
                                      "{ require('assert').strictEqual(1, @n@) })\n"},
       cause="total with tax", twin="discount limit")

family("npm/missing_script", "failed", "missing_file bad_option command_not_found other", "npm run @cause@", cause="lint:fix",
       twin="test:unit", files={"package.json": package(scripts={"build": "true"})})
family("npm/no_package_json", "failed", "missing_file", "npm run build", b_cmd="npm run build", twins=[Twin(cmd="npm ci", files={"package.json": package()})])
family("npm/lock_out_of_date", "failed", "conflict other invalid_input vcs", "npm ci",
       files={"package.json": package(dependencies={"ms": "2.0.0"}),
              "package-lock.json": package(lockfileVersion=3, packages={"": {"name": "@word@"}})},
       twins=[Twin(cmd="npm ci", files={"package.json": package()})])
family("npm/unknown_command", "failed", "bad_option", "npm @cause@ left-pad", cause="instlal", twin="pblish",
       files={"package.json": package()})
family("npm/package_404", "failed", "module_missing missing_file http_error network", "npm install @cause@",
       cause="@acme-shop-internal/pricing-kit-x", twin="@acme-shop-internal/stock-kit-x",
       files={"package.json": package()})
family("npm/no_version", "failed", "module_missing conflict missing_file other", "npm install ms@@cause@", cause="99.0.0",
       twins=[Twin(cmd="npm install left-pad@77.0.0")], files={"package.json": package()})
family("npm/peer_conflict", "failed", "conflict", "npm install --no-audit",
       files={"package.json": package(dependencies={"react": "17.0.2", "react-dom": "18.2.0"})},
       twins=[Twin(files={"package.json": package(dependencies={"eslint": "9.0.0", "eslint-plugin-import": "2.25.0"})})])
family("npm/package_json_syntax", "failed", "syntax_error invalid_input", "npm run build",
       files={"package.json": "@pad@{\"name\": \"@word@\",}\n"}, twins=[Twin(files={"package.json": ""})])
family("npm/script_command_missing", "failed", "command_not_found", "npm run build", cause="parcelx", twin="gulpx",
       files={"package.json": package(scripts={"build": "@cause@ --out @word@"})})
family("npm/script_module_missing", "failed", "module_missing", "npm run build",
       files={"package.json": package(scripts={"build": NODE}), JS: "@pad@require('@cause@')\n"}, cause="left-padx",
       twin="right-padx")
family("npm/registry_refused", "failed", "network", "npm install ms --registry http://127.0.0.1:@n@ --fetch-retries 0",
       files={"package.json": package()},
       twins=[Twin(cmd="npm install ms --registry http://shop.invalid --fetch-retries 0")])
family("npm/engines", "failed", "conflict environment other", "npm install --engine-strict --offline",
       files={"package.json": package(engines={"node": ">=99"})},
       twins=[Twin(files={"package.json": package(os=["solaris"])})])
family("npx/not_found", "failed", "command_not_found module_missing missing_file http_error network", "npx --no-install @cause@ --port @n@",
       cause="shop-cli-x", twin="stock-cli-x")
family("pnpm/missing_script", "failed", "missing_file bad_option command_not_found other", "pnpm run @cause@", cause="lint:fix",
       twin="test:unit", files={"package.json": package(scripts={"build": "true"})})
family("pnpm/no_package_json", "failed", "missing_file", "pnpm run build", twins=[Twin(cmd="pnpm run buidl", files={"package.json": package()})])
family("pnpm/frozen_lockfile", "failed", "conflict other missing_file", "pnpm install --frozen-lockfile --offline",
       files={"package.json": package(dependencies={"ms": "2.0.0"})},
       twins=[Twin(cmd="pnpm install --offline", files={"package.json": package(dependencies={"nothing-x": "1"})})])
family("yarn/missing_script", "failed", "missing_file bad_option command_not_found other", "yarn @cause@", cause="lint:fix",
       twin="test:unit", files={"package.json": package(scripts={"build": "true"})})
family("yarn/frozen_lockfile", "failed", "conflict other missing_file", "yarn install --frozen-lockfile --offline",
       files={"package.json": package(dependencies={"ms": "2.0.0"}), "yarn.lock": "# yarn lockfile v1\n"},
       twins=[Twin(files={"package.json": "{,"})])
family("bun/module_missing", "failed", "module_missing", f"bun run {JS}", files=js("require('@cause@')\n"), cause="left-padx",
       twin="right-padx")
family("bun/missing_script", "failed", "missing_file bad_option command_not_found other module_missing", "bun run @cause@", cause="lintfix",
       twin="testunit", files={"package.json": package(scripts={"build": "true"})})
family("bun/test_failed", "check_failed", "test_failed", "bun test @file@",
       files={"@file@.test.js": "@pad@import {test, expect} from 'bun:test'\ntest('@cause@', () => "
                                "expect(@n@).toBe(0))\n"}, cause="total with tax", twin="discount limit")
family("deno/module_missing", "failed", "module_missing missing_file", f"deno run --no-remote {TS}", files={TS: "@pad@import './@cause@.ts'\n"},
       cause="pricing", twins=[Twin(files={TS: "import 'stock-x'\n"})])
family("deno/permission", "failed", "permission sandbox", f"deno run --no-prompt {TS}", files={TS: "@pad@Deno.env.get('@cause@')\n"},
       cause="SHOP_KEY", twins=[Twin(files={"src/app.ts": "Deno.readTextFileSync('a')\n"})])

family("tsc/type_mismatch", "check_failed", "type_failed", "tsc -p .", files=ts("const @word@: number = 'x'\n"),
       twins=[Twin(files=ts("function f(a: number) {}\nf()\n"))])
family("tsc/module_missing", "check_failed", "type_failed module_missing", "tsc -p .", files=ts("import x from '@cause@'\nx\n"),
       cause="left-padx", twin="right-padx")
family("tsc/property_missing", "check_failed", "type_failed", "tsc -p .",
       files=ts("interface Order { id: number }\ndeclare const o: Order\no.@cause@\n"), cause="amount",
       twin="owner")
family("tsc/cannot_find_name", "check_failed", "type_failed", "tsc -p .", files=ts("console\n@cause@\n".replace("console\n", "")),
       cause="settingz", twin="configz")
family("tsc/several", "check_failed", "type_failed", "tsc -p .", multi=True,
       files=ts("const a: number = 'x'\nfunction f(x) {}\nzz()\n"),
       twins=[Twin(files=ts("class A { b: string }\nnew A(1)\n"))])
family("tsc/syntax", "check_failed", "syntax_error type_failed", "tsc -p .", files=ts("const @word@ = {\n"),
       twins=[Twin(files=ts("let = 3 4\n"))])
family("tsc/bad_option", "failed", "bad_option", "tsc --@cause@ @file@.ts", cause="strictr", twin="noEmitt")
family("tsc/no_config", "failed", "missing_file bad_path", "tsc -p @dir@", twins=[Twin(cmd="tsc basket.ts")])
family("tsx/module_missing", "failed", "module_missing", f"tsx {TS}", files={TS: "@pad@import '@cause@'\n"}, cause="left-padx",
       twin="right-padx")
family("tsnode/type_error", "failed check_failed", "type_failed", f"ts-node {TS}",
       files={TS: "@pad@const @word@: number = 'x'\n"}, twins=[Twin(files={"src/app.ts": "missingz()\n"})])

ESLINT = {"eslint.config.js": "module.exports = [{ rules: { 'no-unused-vars': 2, 'no-undef': 2, eqeqeq: 2, 'no-var': 2 } }]\n"}
family("eslint/no_unused", "check_failed", "lint_failed", "eslint @dir@", files={**ESLINT, JS: "@pad@const @word@ = 1\n"},
       twins=[Twin(files={**ESLINT, "src/app.js": "var_ = 1 == 2\n"})], windows=True)
family("eslint/several", "check_failed", "lint_failed", "eslint @dir@", multi=True,
       files={**ESLINT, JS: "@pad@const b = 1\nif (1 == 2) zz()\n"},
       twins=[Twin(files={**ESLINT, "src/app.js": "var a = 1\na()\n"})])
family("eslint/parse_error", "check_failed failed", "syntax_error lint_failed", "eslint @dir@", files={**ESLINT, JS: "@pad@const @word@ = {\n"},
       twins=[Twin(files={**ESLINT, "src/app.js": "const a = 1 2\n"})])
family("eslint/no_config", "failed", "missing_file other environment", "eslint @dir@", files=js("1\n"),
       twins=[Twin(files={"eslint.config.js": "module.exports = [{ rules: { nope: 2 } }]\n", "src/app.js": "1\n"})])
family("eslint/no_files", "failed", "missing_file bad_path", "eslint @word@", files=ESLINT,
       twins=[Twin(cmd="eslint --fixx src")])
family("eslint/plugin_missing", "failed", "module_missing", "eslint @dir@", cause="eslint-plugin-shopx",
       twin="eslint-plugin-stockx",
       files={"eslint.config.js": "@pad@const p = require('@cause@')\nmodule.exports = [p]\n", JS: "1\n"})
family("prettier/check", "check_failed", "lint_failed", "prettier --check @dir@", files=js("const a   = 1\n"),
       twins=[Twin(files=js("const a = {\n"))])
family("prettier/no_files", "failed", "missing_file bad_path", "prettier --check @word@", twins=[Twin(cmd="prettier --check src", files=js("const {\n"))])
family("biome/lint", "check_failed", "lint_failed", "biome lint @dir@", files=js("debugger;\n"),
       twins=[Twin(files=js("if (globalThis.a == 1) { b() }\n"))])
family("stylelint/finding", "check_failed", "lint_failed", "stylelint '@dir@/*.css'",
       files={"@dir@/@file@.css": "@pad@a { colr: red }\n",
              ".stylelintrc.json": '{"rules": {"property-no-unknown": true, "block-no-empty": true}}'},
       twins=[Twin(files={"src/app.css": "a {}\n",
                          ".stylelintrc.json": '{"rules": {"block-no-empty": true}}'})])
family("markdownlint/finding", "check_failed", "lint_failed", "markdownlint @word@.md", files={"@word@.md": "# @word@\n\nText\n@dash@\n### Deep\n"},
       twins=[Twin(files={"basket.md": "# a\n\n* x\n- y\n"})])

SPEC = "@dir@/@file@.test.js"
family("jest/assertion", "check_failed", "test_failed", "jest", files={"package.json": package(), SPEC:
       "@pad@test('@cause@', () => { expect(@n@).toBe(0) })\n"}, cause="total with tax", twin="discount limit",
       windows=True)
family("jest/module_missing", "check_failed", "module_missing test_failed", "jest", files={"package.json": package(), SPEC:
       "@pad@require('@cause@')\ntest('a', () => {})\n"}, cause="left-padx", twin="right-padx")
family("jest/syntax", "check_failed", "syntax_error test_failed", "jest", files={"package.json": package(), SPEC: "@pad@test('a', () => {\n"},
       twins=[Twin(files={"package.json": package(), "src/app.test.js": "import x from 'y' z\n"})])
family("jest/no_tests", "failed check_failed", "missing_file test_failed other", "jest @word@", files={"package.json": package(), "a.test.js": "test('a', () => {})\n"},
       twins=[Twin(cmd="jest --colour-mode")])
family("vitest/assertion", "check_failed", "test_failed", "vitest run", files={SPEC: "@pad@import {test, expect} from 'vitest'\n"
       "test('@cause@', () => { expect(@n@).toBe(0) })\n"}, cause="total with tax", twin="discount limit")
family("vitest/module_missing", "check_failed", "module_missing test_failed", "vitest run", files={SPEC: "@pad@import x from '@cause@'\n"},
       cause="left-padx", twin="right-padx")
family("mocha/assertion", "check_failed", "test_failed", "mocha @dir@", files={SPEC: "@pad@it('@cause@', () => "
       "{ require('assert').strictEqual(@n@, 0) })\n"}, cause="total with tax", twin="discount limit")
family("mocha/no_files", "failed check_failed", "missing_file test_failed bad_path", "mocha @dir@/@word@", twins=[Twin(cmd="mocha --reporter nope src",
       files={"src/a.js": ""})])
family("vite/import_missing", "check_failed failed", "build_failed module_missing", "vite build",
       files={"index.html": '<script type="module" src="/@dir@/@file@.js"></script>', JS: "@pad@import '@cause@'\n"},
       cause="left-padx", twin="right-padx")
family("vite/no_entry", "check_failed failed", "build_failed missing_file module_missing", "vite build",
       twins=[Twin(files={"index.html": '<script type="module" src="/a.js"></script>', "a.js": "const {\n"})])
family("webpack/module_missing", "check_failed failed", "build_failed module_missing", f"webpack --mode development ./{JS}",
       files=js("import '@cause@'\n"), cause="left-padx", twin="right-padx")
family("esbuild/module_missing", "check_failed failed", "build_failed module_missing", f"esbuild --bundle --platform=node {JS}",
       files=js("import '@cause@'\n"), cause="left-padx", twin="right-padx")
family("esbuild/syntax", "check_failed failed", "syntax_error build_failed", f"esbuild {JS}", files=js("const @word@ = {\n"),
       twins=[Twin(cmd=f"esbuild --bundel {JS}")])
family("rollup/import_missing", "check_failed failed", "build_failed module_missing", f"rollup {JS} --format es",
       files=js("import './@cause@.js'\n"), cause="pricing", twins=[Twin(files=js("const {\n"))])
family("swc/syntax", "check_failed failed", "syntax_error build_failed", f"swc {JS}", files=js("const @word@ = {\n"),
       twins=[Twin(files=js("const a = 1 2\n"))])
family("turbo/no_config", "failed check_failed", "missing_file other build_failed", "turbo run @cause@", cause="build", twins=[Twin(cmd="turbo run build --frob")],
       env={"TURBO_TELEMETRY_DISABLED": "1"}, files={"package.json": package()})
family("commitlint/message", "check_failed failed", "lint_failed other", "echo 'fixed @word@' | commitlint",
       files={"commitlint.config.js": "module.exports = { rules: { 'type-empty': [2, 'never'], "
                                      "'header-max-length': [2, 'always', 40] } }\n"},
       twins=[Twin(cmd="echo 'fix: a very long subject line about the basket page' | commitlint")])
family("prisma/unknown_command", "failed", "bad_option", "prisma @cause@ --schema @word@.prisma", cause="validat", twin="migrat")
