"""Data bases, the network, containers and infrastructure tools."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

PSQL = "psql -v ON_ERROR_STOP=1 -d postgres -c"
family("psql/connection_refused", "failed", "network", "psql -h 127.0.0.1 -p 4@n@9 -d @word@ -c 'select 1'", b_cmd="psql -h 127.0.0.1 -p @n@ -d @word@ -c 'select 1'",
       twins=[Twin(cmd="psql -h shop.invalid -d basket -c 'select 1'")])
family("psql/no_database", "failed", "other missing_file auth environment", "psql -d @cause@ -c 'select @n@'", cause="shop_test", twin="rates_test")
family("psql/no_role", "failed", "auth other", "psql -U @cause@ -d postgres -c 'select @n@'", cause="shop_owner", twin="rates_owner")
family("psql/no_relation", "failed", "other missing_file", f"{PSQL} 'select * from @cause@ where id = @n@'", cause="orders", twin="customers")
family("psql/no_column", "failed", "other missing_file", f"{PSQL} 'select @cause@, @n@ from pg_class'", cause="amount", twin="owner_name")
family("psql/syntax", "failed", "syntax_error", "psql -v ON_ERROR_STOP=1 -d postgres -f @word@.sql", files={"@word@.sql": "@pad@SELEC @n@;\n"},
       twins=[Twin(files={"basket.sql": "INSERT INTO VALUES (1);\n"})])
family("psql/file_missing", "failed", "missing_file bad_path", "psql -d postgres -f @dir@/@word@.sql", twins=[Twin(cmd="psql --databse postgres")])
family("psql/unique", "failed", "conflict other", "psql -v ON_ERROR_STOP=1 -q -d postgres -f @word@.sql",
       files={"@word@.sql": "@pad@CREATE TEMP TABLE t (id int CONSTRAINT @cause@ UNIQUE);\nINSERT INTO t VALUES (@n@), (@n@);\n"},
       cause="orders_number_key", twin="orders_code_key")
family("psql/foreign_key", "failed", "conflict other", "psql -v ON_ERROR_STOP=1 -q -d postgres -f @word@.sql",
       files={"@word@.sql": "@pad@CREATE TEMP TABLE p (id int PRIMARY KEY);\nCREATE TEMP TABLE t (p int CONSTRAINT @cause@ REFERENCES p);\n"
                            "INSERT INTO t VALUES (@n@);\n"}, cause="orders_owner_fk", twin="orders_rate_fk")
family("psql/exists", "failed", "conflict other", "psql -v ON_ERROR_STOP=1 -q -d postgres -f @word@.sql",
       files={"@word@.sql": "@pad@CREATE TEMP TABLE @cause@ (id int);\nCREATE TEMP TABLE @cause@ (id int, n int);\n"}, cause="orders", twin="rates")
family("psql/division", "failed", "other", f"{PSQL} 'select @n@ / 0'", twins=[Twin(cmd=f"{PSQL} \"select 'x'::int\"")])
family("postgres/createdb_exists", "failed", "conflict other", "createdb template1", b_cmd="createdb template1 --owner postgres", twins=[Twin(cmd="createdb --templ x")])
family("postgres/pg_dump_missing", "failed", "other missing_file auth", "pg_dump @cause@ -f @word@.dump", cause="shop_test", twin="rates_test")
family("postgres/initdb_root", "failed", "permission environment other", "initdb -D @project@/@word@", twins=[Twin(cmd="initdb --frob")])
family("postgres/port_data_missing", "failed", "missing_file other bad_path environment", "pg_ctl -D @project@/@word@ start", user=True, twins=[Twin(cmd="pg_ctl -D x strat")])
family("sqlite/no_table", "failed", "other missing_file", "sqlite3 @word@.db 'select * from @cause@ where id=@n@'", cause="orders", twin="customers")
family("sqlite/syntax", "failed", "syntax_error", "sqlite3 @word@.db 'selec @n@'", twins=[Twin(cmd="sqlite3 basket.db 'select 1 from from x'")])
family("sqlite/cannot_open", "failed", "missing_file bad_path permission other", "sqlite3 @dir@/@word@.db 'select 1'", twins=[Twin(cmd="sqlite3 --frob x.db")])
family("sqlite/not_a_database", "failed", "other invalid_input", "sqlite3 @word@.db .tables", files={"@word@.db": "plain text, no data base at all, @word@\n" * 30},
       twins=[Twin(cmd="sqlite3 none/basket.db .tables")])
family("sqlite/constraint", "failed", "conflict other", "sqlite3 @word@.db < @file@.sql", files={"@file@.sql":
       "@pad@create table t(@cause@ unique);\ninsert into t values (@n@), (@n@);\n"}, cause="number", twin="code")
family("mysql/refused", "failed", "network", "mysql -h 127.0.0.1 -P 4@n@ -e 'select 1'", b_cmd="mysql -h 127.0.0.1 -P @n@ -u @word@ -e 'select 1'",
       twins=[Twin(cmd="mysql --databse x")])
family("mysql/socket", "failed", "network missing_file", "mysql -e 'select @n@' @word@", twins=[Twin(cmd="mysql -h shop.invalid -e 'select 1'")])
family("redis/refused", "failed", "network", "redis-cli -p 4@n@ ping", b_cmd="redis-cli -h 127.0.0.1 -p @n@ get @word@", twins=[Twin(cmd="redis-cli -h shop.invalid ping")])
family("jq/syntax", "failed", "syntax_error", "jq '.@word@ | ' @file@.json", files={"@file@.json": "{}"}, twins=[Twin(cmd="jq '.a b' app.json")])
family("jq/parse_error", "failed", "invalid_input syntax_error other", "jq . @file@.json", files={"@file@.json": "@pad@{\"@word@\": @n@,}\n"},
       twins=[Twin(files={"app.json": "{\"a\": 1"})])
family("jq/cannot_index", "failed", "other invalid_input", "jq '.items.@cause@' @file@.json", files={"@file@.json": '{"items": [@n@]}'}, cause="price", twin="owner")
family("jq/file_missing", "failed", "missing_file bad_path", "jq . @dir@/@word@.json", twins=[Twin(cmd="jq --frob . x.json")])
family("jq/not_defined", "failed", "other bad_option syntax_error", "jq '@cause@(.x)' @file@.json", files={"@file@.json": "{}"}, cause="uniqe", twin="flaten")

family("curl/refused", "failed", "network", "curl -sS http://127.0.0.1:@n@/@word@", twins=[Twin(cmd="curl -sS http://shop.invalid/")])
family("curl/bad_option", "failed", "bad_option", "curl --@cause@ http://127.0.0.1:@n@/", cause="jsonn", twin="retires")
family("curl/malformed", "failed", "invalid_input other bad_option network", "curl -sS 'http://@word@ x:@n@/'", twins=[Twin(cmd="curl -sS shopp://x/")])
family("curl/file_missing", "failed", "missing_file network bad_path other", "curl -sS file://@project@/@word@.json", twins=[Twin(cmd="curl -sS -o /none/x/y file:///etc/hostname")])
family("ssh/refused", "failed", "network", "ssh -p 4@n@ deploy@127.0.0.1 uptime", b_cmd="ssh -p @n@ @word@@127.0.0.1 systemctl status", twins=[Twin(cmd="ssh deploy@shop.invalid uptime")])
family("ssh/key_missing", "failed", "missing_file auth", "ssh-keygen -y -f @home@/.ssh/@word@_ed25519", twins=[Twin(cmd="ssh-keygen -t rsb")])
family("scp/refused", "failed", "network", "scp -P 4@n@ @word@.tgz deploy@127.0.0.1:/srv/", b_cmd="scp -P @n@ @word@.tgz deploy@127.0.0.1:/opt/", files={"@word@.tgz": "x"},
       twins=[Twin(cmd="scp basket2.tgz /tmp/none/x")])
family("rsync/source_missing", "failed", "missing_file bad_path", "rsync -a @dir@/@word@/ /tmp/copy-@word@/", twins=[Twin(cmd="rsync --frob a b")])
family("docker/no_daemon", "failed", "network environment", "docker ps", b_cmd="docker ps -a",
       twins=[Twin(cmd="docker sp")])
family("docker/build_no_daemon", "failed", "network environment", "docker build -t @word@ .", b_cmd="docker build -q -t @word@ @dir@", files={"@dir@/x": "", "@dir@/Dockerfile": "FROM scratch\n", "Dockerfile": "FROM scratch\n"},
       twins=[Twin(cmd="docker build -t basket", files={})])
family("docker/unknown_flag", "failed", "bad_option", "docker run --@cause@ @word@", cause="remov", twin="interactiv")
family("docker/unknown_command", "failed", "bad_option", "docker @cause@", cause="bild", twin="pss")
family("podman/image_missing", "failed", "missing_file other network module_missing environment permission", "podman run --pull never --rm @cause@ true", cause="localhost/invoice", twin="localhost/rates")
family("terraform/not_initialized", "failed", "environment module_missing conflict other missing_file", "terraform plan -no-color", files={"main.tf": "@pad@resource \"null_resource\" \"@word@\" {}\n"},
       twins=[Twin(cmd="terraform plann")])
family("terraform/syntax", "failed check_failed", "syntax_error lint_failed", "terraform validate -no-color", files={"main.tf": "@pad@variable \"@word@\" {\n"},
       twins=[Twin(files={"main.tf": "variable basket 3\n"})])
family("terraform/undeclared", "failed check_failed", "other invalid_input lint_failed", "terraform validate -no-color", files={"main.tf": "@pad@output \"x\" {\n  value = var.@cause@\n}\n"},
       cause="region", twin="bucket")
family("terraform/bad_argument", "failed check_failed", "other invalid_input lint_failed bad_option", "terraform validate -no-color",
       files={"main.tf": "@pad@variable \"@word@\" {\n  @cause@ = 1\n}\n"}, cause="defualt", twin="descripton")
family("terraform/no_variable", "failed", "other invalid_input environment", "terraform plan -no-color -input=false", files={"main.tf": "@pad@variable \"@cause@\" {}\n"},
       cause="region", twin="bucket")
family("terraform/fmt_check", "check_failed failed", "lint_failed other", "terraform fmt -check -diff", files={"main.tf": "@pad@variable   \"@word@\" {}\n"},
       twins=[Twin(files={"main.tf": "variable {{\n"})])
