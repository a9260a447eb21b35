"""Compilers and build tools: C, C++, make, cmake, Rust, Go, the JVM."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

C = "@dir@/@file@.c"
CC = f"gcc -Wall -c {C}"


def c(body: str) -> dict[str, str]:
    return {C: "@pad@" + body}


def cpp(body: str) -> dict[str, str]:
    return {"@dir@/@file@.cpp": "@pad@" + body}


BUILD = "check_failed"
ANY = "build_failed syntax_error type_failed"
family("gcc/header_missing", BUILD + " failed", "build_failed missing_file module_missing", CC, files=c('#include "@cause@.h"\n'), cause="pricing/rates",
       twin="pricing/stock", windows=True)
family("gcc/undeclared", BUILD, ANY, CC, files=c("int main(void) { return @cause@; }\n"), cause="totalz",
       twin="ratez")
family("gcc/syntax", BUILD, ANY, CC, files=c("int main(void) { int @word@ = @n@ return 0; }\n"),
       twins=[Twin(files=c("int main(void) { if (1) return 0; \n"))])
family("gcc/several", BUILD, ANY, f"gcc -c {C}", multi=True,
       files=c("int a(void) { return zz; }\nint b(void) { return yy(1, 2; }\nint d = \"x\"->q;\n"),
       twins=[Twin(files=c("struct s { int a; };\nint f(struct s *p) { return p->b; }\nint g(void) { void x = 1; }\n"))])
family("gcc/implicit_function", BUILD, ANY, f"gcc -Werror=implicit-function-declaration -c {C}",
       files=c("int main(void) { return @cause@(@n@); }\n"), cause="load_rates", twin="load_stock")
family("gcc/werror", BUILD, ANY + " lint_failed", f"gcc -Wall -Werror -c {C}", files=c("int main(void) { int @cause@ = 1; return 0; }\n"),
       cause="unused_total", twins=[Twin(files=c("int main(void) { int a; return a; }\n"))])
family("gcc/undefined_reference", BUILD, "build_failed", f"gcc {C} -o @word@", files=c("int @cause@(int);\nint main(void) { return @cause@(@n@); }\n"),
       cause="load_rates", twin="load_stock")
family("gcc/library_missing", BUILD, "build_failed module_missing missing_file", f"gcc {C} -l@cause@", files=c("int main(void) { return 0; }\n"),
       cause="invoicex", twin="ratesx")
family("gcc/file_missing", BUILD + " failed", "missing_file build_failed bad_path", "gcc -c @dir@/@word@.c", twins=[Twin(cmd="gcc")])
family("gcc/bad_option", "failed " + BUILD, "bad_option", f"gcc -c -f@cause@ {C}", files=c("int a;\n"), cause="fastest", twin="no-thing")
family("gcc/multiple_definition", BUILD, "build_failed", "gcc a.c b.c main.c -o @word@", cause="rate",
       files={"a.c": "@pad@int @cause@ = 1;\n", "b.c": "int @cause@ = @n@;\n", "main.c": "int main(void){return 0;}\n"}, twin="stock")
family("gxx/no_member", BUILD, ANY, "g++ -c @dir@/@file@.cpp", files=cpp("struct Order { int id; };\nint f(Order o) { return o.@cause@; }\n"),
       cause="amount", twin="owner")
family("gxx/no_matching_function", BUILD, ANY, "g++ -c @dir@/@file@.cpp",
       files=cpp("template <class T> void @cause@(T *, T);\nvoid g() { @cause@(1, @n@); }\n"), cause="charge",
       twin="refund")
family("gxx/namespace_member", BUILD, ANY, "g++ -c @dir@/@file@.cpp", files=cpp("#include <vector>\nstd::@cause@<int> x;\n"),
       cause="vectr", twin="optionl")
family("clang/undeclared", BUILD, ANY, f"clang -c {C}", files=c("int main(void) { return @cause@; }\n"), cause="totalz",
       twin="ratez")
family("clang/header_missing", BUILD + " failed", "build_failed missing_file module_missing", f"clang -c {C}", files=c("#include <@cause@.h>\n"),
       cause="invoicex", twin="ratesx")

family("make/no_target", "failed " + BUILD, "bad_option build_failed missing_file other", "make @cause@", cause="deploy", twin="package",
       files={"Makefile": "all:\n\ttrue\n"})
family("make/no_makefile", "failed " + BUILD, "missing_file build_failed", "make", b_cmd="make -C @dir@", setup="mkdir -p @dir@", wrap="plain",
       twins=[Twin(cmd="make test")])
family("make/missing_separator", "failed " + BUILD, "syntax_error build_failed", "make", files={"Makefile": "@pad@all:\n    true @n@\n"},
       twins=[Twin(files={"Makefile": "ifeq (1,1)\nall:\n\ttrue\n"})])
family("make/no_rule_for_source", "failed " + BUILD, "build_failed missing_file bad_option", "make",
       files={"Makefile": "all: @cause@\n\tcc @cause@\n"}, cause="gen/rates.c", twins=[Twin(files={"Makefile": "all:\n\tfalse\n"})])
family("make/recipe_command_missing", "failed " + BUILD, "command_not_found", "make build", files={"Makefile": "@pad@build:\n\t@cause@ --out @word@\n"},
       cause="gruntx", twin="gulpx")
family("make/compiles_undeclared", BUILD, ANY, "make", files={"Makefile": f"all:\n\tgcc -c {C}\n", C: "@pad@int main(void) {{ return @cause@; }}\n"
       .replace("{{", "{").replace("}}", "}")}, cause="totalz", twin="ratez")
family("make/tests_fail", BUILD, "test_failed", "make test", files={"Makefile": "test:\n\tpytest -q test_@word@.py\n",
       "test_@word@.py": "@pad@def test_@cause@():\n    assert @n@ == 0\n"}, cause="total_with_tax", twin="discount_limit")

CMAKE = "cmake_minimum_required(VERSION 3.10)\nproject(@word@ C)\n"
family("cmake/package_missing", "failed " + BUILD, "build_failed module_missing", "cmake -S . -B build-@word@",
       files={"CMakeLists.txt": CMAKE + "@pad@find_package(@cause@ REQUIRED)\n"}, cause="InvoiceKit", twin="RatesKit")
family("cmake/no_lists", "failed " + BUILD, "missing_file build_failed", "cmake -S . -B build", b_cmd="cmake .", twins=[Twin(cmd="cmake -S nowhere -B build")])
family("cmake/unknown_command", "failed " + BUILD, "build_failed syntax_error bad_option other", "cmake -S . -B build",
       files={"CMakeLists.txt": CMAKE + "@pad@@cause@(x)\n"}, cause="add_libary", twin="add_executible")
family("cmake/source_missing", "failed " + BUILD, "build_failed missing_file", "cmake -S . -B build",
       files={"CMakeLists.txt": CMAKE + "@pad@add_executable(@word@ @cause@)\n"}, cause="gen/rates.c", twins=[Twin(cause="")])
family("cmake/generator", "failed", "bad_option build_failed other environment", "cmake -G @cause@ -S . -B build-@word@", files={"CMakeLists.txt": CMAKE},
       cause="Ninjaa", twin="Xcodee")
family("cmake/build_undeclared", BUILD, ANY, "cmake --build build", setup="cmake -S . -B build >/dev/null",
       files={"CMakeLists.txt": CMAKE + "add_executable(@word@ @word@.c)\n", "@word@.c": "@pad@int main(void) { return @cause@; }\n"},
       cause="totalz", twin="ratez")

CARGO = {"Cargo.toml": '[package]\nname = "@word@"\nversion = "0.1.0"\nedition = "2021"\n'}


def rs(body: str) -> dict[str, str]:
    return {**CARGO, "src/main.rs": "@pad@" + body}


MAIN = "fn main() {}\n"
family("rustc/mismatched_types", BUILD, ANY, "rustc @file@.rs", files={"@file@.rs": '@pad@fn main() { let @word@: i32 = "x"; }\n'},
       twins=[Twin(files={"app.rs": 'fn main() { let a: i32 = 1; a.push(2); }\n'})])
family("cargo/mismatched_types", BUILD, ANY, "cargo build", b_cmd="cargo check", files=rs('fn main() { let x: i32 = "@word@"; }\n'),
       twins=[Twin(files=rs("fn total(a: i32) {}\nfn main() { total(1, 2); }\n"))])
family("cargo/borrow", BUILD, ANY, "cargo check", files=rs('fn main() { let @word@ = String::new(); let b = @word@; println!("{}{}", @word@, b); }\n'),
       twins=[Twin(files=rs("fn main() { let a = 1; a = 2; println!(\"{a}\"); }\n"))])
family("cargo/trait_bound", BUILD, ANY, "cargo build", files=rs("struct @cause@;\nfn main() { println!(\"{}\", @cause@); }\n"), cause="Order",
       twins=[Twin(files=rs("struct Order;\nfn f<T: Copy>(_: T) {}\nfn main() { f(Order); }\n"))])
family("cargo/unresolved_import", BUILD, ANY + " module_missing", "cargo build", files=rs("use @cause@::Client;\n" + MAIN), cause="invoice_kit",
       twin="rates_kit")
family("cargo/cannot_find_value", BUILD, ANY, "cargo build", files=rs("fn main() { println!(\"{}\", @cause@); }\n"), cause="totalz",
       twin="ratez")
family("cargo/several", BUILD, ANY, "cargo check", multi=True, files=rs('fn a() -> i32 { "x" }\nfn b() { zz(); }\nfn main() { a(); b(); let q: u8 = 1u64; }\n'),
       twins=[Twin(files=rs("struct S;\nfn main() { S.go(); let s = S; drop(s); drop(s); }\n"))])
family("cargo/test_failed", BUILD, "test_failed", "cargo test", files=rs(MAIN + "#[test]\nfn @cause@() { assert_eq!(@n@, 0); }\n"),
       cause="total_with_tax", twin="discount_limit")
family("cargo/clippy_like_deny", BUILD, ANY + " lint_failed", "cargo check", files=rs("#![deny(unused_variables)]\nfn main() { let @cause@ = 1; }\n"),
       cause="total", twins=[Twin(files=rs("#![deny(dead_code)]\nfn unused_fn() {}\nfn main() {}\n"))])
family("cargo/no_manifest", "failed", "missing_file", "cargo build", twins=[Twin(cmd="cargo biuld")])
family("cargo/manifest_syntax", "failed " + BUILD, "syntax_error invalid_input", "cargo build", files={"Cargo.toml": '@pad@[package\nname = "@word@"\n'},
       twins=[Twin(files={"Cargo.toml": '[package]\nname = "basket"\nversion = "one"\n'})])
family("cargo/unknown_command", "failed", "bad_option command_not_found", "cargo @cause@", files=rs(MAIN), cause="biuld", twin="tset")
family("cargo/crate_missing_offline", "failed " + BUILD, "module_missing network missing_file", "cargo build --offline",
       files={"Cargo.toml": CARGO["Cargo.toml"] + '[dependencies]\n@cause@ = "1"\n', "src/main.rs": MAIN}, cause="invoice_kit",
       twin="rates_kit")
family("cargo/feature_missing", "failed", "bad_option other missing_file", "cargo build --features @cause@", files=rs(MAIN), cause="postgres", twin="mysql")
family("cargo/panic", "failed", "other", "cargo run -q", files=rs("fn main() { let v: Vec<i32> = vec![]; println!(\"{}\", v[@n@]); }\n"),
       twins=[Twin(files=rs("fn main() { None::<i32>.unwrap(); }\n"))])
family("cargo/lock_needs_update", "failed", "conflict other", "cargo build --locked --offline", files=rs(MAIN),
       twins=[Twin(cmd="cargo build --locke")])

GO = {"go.mod": "module example.org/@word@\n\ngo 1.19\n"}


def go(body: str) -> dict[str, str]:
    return {**GO, "main.go": "package main\n@pad@" + body}


GOENV = {"GOPROXY": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local"}
GOMAIN = "func main() {}\n"
family("go/undefined", BUILD, ANY, "go build ./...", b_cmd="go vet ./...", files=go("func main() { @cause@() }\n"), cause="totalz", twin="ratez",
       env=GOENV)
family("go/unused_import", BUILD, ANY, "go build ./...", files=go('import "@cause@"\n' + GOMAIN), cause="os", twin="fmt", env=GOENV)
family("go/unused_variable", BUILD, ANY, "go build ./...", files=go("func main() { @cause@ := 1 }\n"), cause="total", twin="rate",
       env=GOENV)
family("go/type_mismatch", BUILD, ANY, "go build ./...", files=go('func main() { var @word@ int = "x"; _ = @word@ }\n'), env=GOENV,
       twins=[Twin(files=go("func f(a int) {}\nfunc main() { f() }\n"))])
family("go/package_missing", BUILD + " failed", "module_missing build_failed", "go build ./...", files=go('import _ "@cause@"\n' + GOMAIN),
       cause="github.com/acme/invoicekit", twin="github.com/acme/rateskit", env=GOENV)
family("go/std_package_missing", BUILD + " failed", "module_missing build_failed", "go build ./...", files=go('import _ "@cause@"\n' + GOMAIN),
       cause="encoding/yaml", twin="net/grpc", env=GOENV)
family("go/several", BUILD, ANY, "go build ./...", multi=True, env=GOENV, files=go('import "os"\nfunc main() { x := 1; zz(); var s string = 1 }\n'),
       twins=[Twin(files=go("type T struct{}\nfunc main() { T{}.Go(); for { y := 2 } }\n"))])
family("go/syntax", BUILD, ANY, "go build ./...", files=go("func main() { if true \n}\n"), env=GOENV,
       twins=[Twin(files=go("func main() { x = = 1 }\n"))])
family("go/test_failed", BUILD, "test_failed", "go test ./...", env=GOENV, cause="TotalWithTax", twin="DiscountLimit",
       files={**go(GOMAIN), "m_test.go": 'package main\n@pad@import "testing"\nfunc Test@cause@(t *testing.T) { t.Fatalf("got %d", @n@) }\n'})
family("go/no_module", "failed", "missing_file", "go build ./...", files={"main.go": "package main\n" + GOMAIN}, env=GOENV, twins=[Twin(cmd="go biuld")])
family("go/panic", "failed", "other", "go run .", env=GOENV, files=go("func main() { var m map[string]int; m[\"@word@\"] = @n@ }\n"),
       twins=[Twin(files=go("func main() { a := []int{}; i := 3; println(a[i]) }\n"))])
family("go/unknown_command", "failed", "bad_option", "go @cause@ ./...", cause="biuld", twin="tset", files=go(GOMAIN), env=GOENV)

JAVA = "@dir@/Main.java"


def java(body: str) -> dict[str, str]:
    return {JAVA: "@pad@public class Main {\n" + body + "\n}\n"}


family("javac/symbol", BUILD, ANY, f"javac {JAVA}", files=java("int f() { return @cause@; }"), cause="totalz", twin="ratez", windows=True)
family("javac/package_missing", BUILD, ANY + " module_missing", f"javac {JAVA}", files={JAVA: "@pad@import @cause@.Client;\nclass Main {}\n"},
       cause="com.acme.invoice", twin="com.acme.rates")
family("javac/incompatible", BUILD, ANY, f"javac {JAVA}", files=java('int @word@ = "x";'), twins=[Twin(files=java("int f() { }"))])
family("javac/syntax", BUILD, ANY, f"javac {JAVA}", files=java("int @word@ = 1"), twins=[Twin(files=java("int f() { return 1;"))])
family("javac/several", BUILD, ANY, f"javac {JAVA}", multi=True, files=java("int a = \"x\";\nint b() { return zz; }\nvoid c() { new Nope(); }"),
       twins=[Twin(files=java("int a() { }\nvoid b() { String s = null; s.nope(); }"))])
family("java/class_missing", "failed", "module_missing missing_file", "java -cp build @cause@", cause="com.acme.App", twin="com.acme.Job", b_cmd="java -cp @dir@ @cause@")
family("java/jar_missing", "failed", "missing_file bad_path", "java -jar @dir@/@word@.jar", twins=[Twin(cmd="java -jarr x.jar")])
family("java/null_pointer", "failed", "other", f"java {JAVA}", files=java("static String @cause@;\npublic static void main(String[] a) { @cause@.length(); }"),
       cause="name", twin="code")
family("java/out_of_memory", "failed", "environment other killed", f"java -Xmx8m {JAVA}", files=java("public static void main(String[] a) { "
       "var @word@ = new java.util.ArrayList<int[]>(); for (;;) @word@.add(new int[@n@99]); }"),
       twins=[Twin(files=java("static void f() { f(); }\npublic static void main(String[] a) { f(); }"))])
family("java/exception", "failed", "other", f"java {JAVA}", files=java("public static void main(String[] a) { Integer.parseInt(\"@word@\"); }"),
       twins=[Twin(files=java("public static void main(String[] a) { int[] x = new int[1]; x[3] = 1; }"))])
POM = ("<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>@word@</artifactId>"
       "<version>1.@n@</version>%s</project>")
family("maven/no_pom", "failed " + BUILD, "missing_file build_failed", "mvn -o -q compile", b_cmd="mvn -o compile", twins=[Twin(cmd="mvn -o compile", files={"pom.xml": POM % "<packaging>jarr</packaging>"})])
family("maven/unknown_phase", "failed " + BUILD, "bad_option build_failed", "mvn -o @cause@", cause="compil", twin="packge", files={"pom.xml": POM % ""})
family("maven/pom_syntax", "failed " + BUILD, "syntax_error build_failed invalid_input", "mvn -o compile", files={"pom.xml": "@pad@<project><a></project>".strip("x")},
       twins=[Twin(files={"pom.xml": "<project></project>"})])
family("maven/plugin_offline", "failed " + BUILD, "network module_missing build_failed", "mvn -o compile", files={"pom.xml": POM % ""},
       twins=[Twin(cmd="mvn -o org.acme:invoice-plugin:1.0:check")])
family("gradle/no_task", "failed " + BUILD, "bad_option build_failed missing_file other", "gradle --offline --no-daemon @cause@",
       files={"build.gradle": "", "settings.gradle": "rootProject.name = '@word@'\n"}, cause="compileJva", twin="tset")
family("kotlin/unresolved", BUILD, ANY, "kotlinc @file@.kt", files={"@file@.kt": "@pad@fun main() { println(@cause@) }\n"}, cause="totalz", twin="ratez")
family("protoc/syntax", BUILD + " failed", "syntax_error build_failed", "protoc --cpp_out=. @word@.proto",
       files={"@word@.proto": 'syntax = "proto3";\n@pad@message Order { int32 id }\n'},
       twins=[Twin(files={"basket.proto": 'syntax = "proto3";\nmessage Order { Nope id = 1; }\n'})])
family("protoc/import_missing", BUILD + " failed", "missing_file build_failed module_missing", "protoc --cpp_out=. @word@.proto",
       files={"@word@.proto": 'syntax = "proto3";\n@pad@import "@cause@.proto";\n'}, cause="rates", twins=[Twin(files={"basket.proto": "syntax = \"proto9\";\n"})])
