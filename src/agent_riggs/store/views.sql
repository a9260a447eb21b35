-- The questions behind candidates, as temporary table macros: they exist only while a connection is open, so a store
-- opened read-only can be asked too. Times are microseconds since 1970 UTC; a NULL time is inside any span.
-- Counts are over root sessions: forks and subagents count as the session they came from.

CREATE OR REPLACE TEMP MACRO failures_between(since, until) AS TABLE
    SELECT failure_id, turn_id, fingerprint, failure_category, coalesce(tool_name, 'unknown') AS tool_name, mode,
           failure_class, program, shape, specific, outcome, trust_at_failure, session_id,
           coalesce(root_session_id, session_id, '') AS root,
           epoch_us(occurred_at) AS moment,
           epoch_us(occurred_at) // 86400000000 AS day
    FROM failure_stream
    WHERE occurred_at IS NULL OR (epoch_us(occurred_at) >= since AND epoch_us(occurred_at) <= until);

-- The fingerprints worth counting exactly, most root sessions first. Exact counts of distinct sessions over a million
-- rows take seven times as long as estimated ones, so the choice is made by estimate and the counting by pattern_totals.
CREATE OR REPLACE TEMP MACRO leading_patterns(since, until) AS TABLE
    SELECT fingerprint, count(*) AS occurrences, approx_count_distinct(root) AS sessions
    FROM failures_between(since, until)
    WHERE fingerprint IS NOT NULL
    GROUP BY fingerprint;

-- One row per fingerprint among `marks`: how often, in how many root sessions, on how many days. A key is built from
-- the category and the tool that go with the fingerprint.
CREATE OR REPLACE TEMP MACRO pattern_totals(since, until, marks) AS TABLE
    SELECT fingerprint, max(failure_category) AS category, max(tool_name) AS tool, max(failure_class) AS failure_class,
           max(program) AS program, max(shape) AS shape, bool_or(coalesce(specific, false)) AS specific,
           max(outcome) AS outcome, count(*) AS occurrences, count(DISTINCT root) AS sessions,
           count(DISTINCT day) AS days, avg(trust_at_failure) AS trust, min(moment) AS first_seen,
           max(moment) AS last_seen
    FROM failures_between(since, until)
    WHERE list_contains(marks, fingerprint)
    GROUP BY fingerprint;

-- One row per contract key: category, tool and mode. Rows that other programs insert count like ours. Few keys cover
-- many rows, so each distinct count is made over rows grouped once before: a third of the time over a million.
CREATE OR REPLACE TEMP MACRO constraint_totals(since, until) AS TABLE
    WITH by_root AS (
        SELECT failure_category AS category, tool_name AS tool, mode, root, day, count(*) AS n,
               sum(trust_at_failure) AS trust, count(trust_at_failure) AS trusted, min(moment) AS first_seen,
               max(moment) AS last_seen, arg_max(turn_id, moment) AS latest
        FROM failures_between(since, until) WHERE failure_category IS NOT NULL GROUP BY ALL),
    by_key AS (
        SELECT category, tool, mode, sum(n)::BIGINT AS occurrences, count(DISTINCT root) AS sessions,
               count(DISTINCT day) AS days, sum(trust) / nullif(sum(trusted), 0) AS trust, min(first_seen) AS first_seen,
               max(last_seen) AS last_seen, arg_max(latest, last_seen, 3) AS latest
        FROM by_root GROUP BY ALL),
    by_shape AS (
        SELECT category, tool, mode, count(fingerprint) AS shapes FROM (
            SELECT DISTINCT failure_category AS category, tool_name AS tool, mode, fingerprint
            FROM failures_between(since, until) WHERE failure_category IS NOT NULL)
        GROUP BY ALL)
    SELECT k.category, k.tool, k.mode, k.occurrences, k.sessions, k.days, k.trust, k.first_seen, k.last_seen,
           s.shapes, k.latest
    FROM by_key k JOIN by_shape s
      ON s.category = k.category AND s.tool = k.tool AND s.mode IS NOT DISTINCT FROM k.mode;

-- Shell calls that a structured tool would have served: one row per program.
CREATE OR REPLACE TEMP MACRO shortcut_totals(since, until) AS TABLE
    SELECT tool_name AS tool, program, count(*) AS frequency,
           count(DISTINCT coalesce(root_session_id, session_id)) AS sessions,
           min(epoch_us(timestamp)) AS first_seen, max(epoch_us(timestamp)) AS last_seen
    FROM turns
    WHERE event_category = 'suboptimal' AND program IS NOT NULL
          AND (timestamp IS NULL OR (epoch_us(timestamp) >= since AND epoch_us(timestamp) <= until))
    GROUP BY ALL;
