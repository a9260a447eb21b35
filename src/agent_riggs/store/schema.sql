-- The store contract of agent-riggs: tables, columns, types. Version 2.
--
-- Version history
--   1  first version. Tables of the public agent-riggs 0.1 and 0.2 are migrated into it (migrations.py).
--   2  turns.input_mark and turns.held; tables sightings, nudge_trials and deliveries.
--
-- Names and types of the columns marked "contract" are fixed: other programs read them (kibitzer's
-- RatchetConsumer, notebooks, a team hub). Every other column is ours: nullable or with a default.
-- Times are UTC. Ids are derived from what they name, never counted, so any order of ingests gives the same ones.

CREATE TABLE IF NOT EXISTS turns (
    turn_id BIGINT PRIMARY KEY,
    session_id VARCHAR,
    project VARCHAR,
    turn_number INTEGER,
    timestamp TIMESTAMPTZ,
    tool_name VARCHAR,
    tool_success BOOLEAN,
    mode VARCHAR,
    trust_score DOUBLE,
    trust_1 DOUBLE,
    trust_5 DOUBLE,
    trust_15 DOUBLE,
    event_category VARCHAR,
    metadata JSON,
    source VARCHAR,
    outcome VARCHAR,
    rule VARCHAR,
    agent VARCHAR,
    call_id VARCHAR,
    root_session_id VARCHAR,
    agent_id VARCHAR,
    exit_code INTEGER,
    flag BOOLEAN,
    category VARCHAR,
    failure_class VARCHAR,
    program VARCHAR,
    shape VARCHAR,
    fingerprint VARCHAR,
    secondary VARCHAR,
    specific BOOLEAN,
    excerpt VARCHAR,
    user_said VARCHAR,
    task_id VARCHAR,
    mode_source VARCHAR,
    model VARCHAR,
    cwd VARCHAR,
    project_path VARCHAR,
    host VARCHAR,
    provenance VARCHAR,
    ended_at TIMESTAMPTZ,
    order_at TIMESTAMPTZ,
    transcript_id BIGINT,
    position BIGINT,
    rules_version INTEGER,
    input_mark BIGINT,
    held JSON
);
COMMENT ON TABLE turns IS 'One row per tool call, each call once.';
COMMENT ON COLUMN turns.turn_id IS 'contract. First 63 bits of SHA-256 over agent and call id.';
COMMENT ON COLUMN turns.session_id IS 'contract. The session that made the call; for a subagent the session that started it.';
COMMENT ON COLUMN turns.project IS 'contract. Name of the project folder.';
COMMENT ON COLUMN turns.turn_number IS 'contract. Place of the call inside its session, from 1, in file order. NULL until settled.';
COMMENT ON COLUMN turns.timestamp IS 'contract. When the call was made, as recorded; NULL when the transcript gives no usable time.';
COMMENT ON COLUMN turns.tool_name IS 'contract. Canonical tool name; the raw name is in metadata.tool when it differs.';
COMMENT ON COLUMN turns.tool_success IS 'contract. True for ok and benign, false for failed, check_failed and denied, NULL for every other outcome.';
COMMENT ON COLUMN turns.mode IS 'contract. Permission or agent mode in force; NULL when unknown, and unknown matches any.';
COMMENT ON COLUMN turns.trust_score IS 'contract. Score of this call, 0 to 1; NULL when its outcome says nothing about trust.';
COMMENT ON COLUMN turns.trust_1 IS 'contract. EWMA "now" after this call (weight 0.4 by default).';
COMMENT ON COLUMN turns.trust_5 IS 'contract. EWMA "session" after this call (weight 0.08 by default).';
COMMENT ON COLUMN turns.trust_15 IS 'contract. EWMA "baseline" after this call (weight 0.02 by default).';
COMMENT ON COLUMN turns.event_category IS 'contract. success, suboptimal, failure, repeated_failure, path_denial, mode_switch_agent, mode_switch_controller, or the outcome''s own name.';
COMMENT ON COLUMN turns.metadata IS 'contract. JSON object: input (redacted, cut), and tool, branch, version where known.';
COMMENT ON COLUMN turns.source IS 'contract. Name of the source that read the call.';
COMMENT ON COLUMN turns.outcome IS 'ok, benign, failed, check_failed, denied, rejected, interrupted, cancelled, masked, pending or unknown.';
COMMENT ON COLUMN turns.rule IS 'Name of the rule that decided the outcome.';
COMMENT ON COLUMN turns.agent IS 'The coding agent: claude_code, codex, gemini, opencode, copilot ...';
COMMENT ON COLUMN turns.call_id IS 'The agent''s own id of the call, prefixed with the session where the agent reuses ids.';
COMMENT ON COLUMN turns.root_session_id IS 'First session of the lineage (forks and subagents count as their root).';
COMMENT ON COLUMN turns.agent_id IS 'Subagent that made the call; NULL for the main thread.';
COMMENT ON COLUMN turns.exit_code IS 'Exit code, structured or read from the text; NULL when there is none.';
COMMENT ON COLUMN turns.flag IS 'The agent''s own error flag as recorded; NULL when absent.';
COMMENT ON COLUMN turns.category IS 'Coarse category of a failure, as in failure_stream.failure_category.';
COMMENT ON COLUMN turns.failure_class IS 'Finer class of a failure, or of the suspect behind a masked call.';
COMMENT ON COLUMN turns.program IS 'For a shell call the program that decided the outcome.';
COMMENT ON COLUMN turns.shape IS 'The error line with paths, numbers, ids and quoted content masked.';
COMMENT ON COLUMN turns.fingerprint IS 'Key of the failure: f and 16 hex digits over class, tool, program and shape.';
COMMENT ON COLUMN turns.secondary IS 'Fingerprints of further diagnostics in the same output, space separated; for recall only.';
COMMENT ON COLUMN turns.specific IS 'Whether the fingerprint names a cause.';
COMMENT ON COLUMN turns.excerpt IS 'Redacted excerpt of the result of a call that is no plain success, at most 400 characters.';
COMMENT ON COLUMN turns.user_said IS 'The human''s own words on a rejection, redacted.';
COMMENT ON COLUMN turns.task_id IS 'Background task whose outcome arrives later.';
COMMENT ON COLUMN turns.mode_source IS 'recorded, inferred, kibitzer or settings.';
COMMENT ON COLUMN turns.model IS 'Model that made the call.';
COMMENT ON COLUMN turns.cwd IS 'Working folder of the call as recorded.';
COMMENT ON COLUMN turns.project_path IS 'Folder under which the transcript knows the project.';
COMMENT ON COLUMN turns.host IS 'Label of the machine the transcript came from; NULL for this one.';
COMMENT ON COLUMN turns.provenance IS 'transcript, kibitzer, blq or direct: who observed the outcome.';
COMMENT ON COLUMN turns.ended_at IS 'When the result arrived.';
COMMENT ON COLUMN turns.order_at IS 'Time used to order calls across sessions: never runs backwards inside a transcript.';
COMMENT ON COLUMN turns.transcript_id IS 'The transcript that owns the call.';
COMMENT ON COLUMN turns.position IS 'Place inside that transcript (byte offset plus block index).';
COMMENT ON COLUMN turns.rules_version IS 'Version of the outcome and shape rules that judged the call.';
COMMENT ON COLUMN turns.input_mark IS 'First 63 bits of SHA-256 over the raw tool name and the first 500 characters of the arguments as JSON: what sister tools'' records are joined by.';
COMMENT ON COLUMN turns.held IS 'JSON object: what the transcript alone says of columns that a sister tool''s record changed; NULL when it changed none.';

CREATE TABLE IF NOT EXISTS failure_stream (
    failure_id BIGINT PRIMARY KEY,
    turn_id BIGINT,
    session_id VARCHAR,
    project VARCHAR,
    occurred_at TIMESTAMPTZ,
    failure_category VARCHAR,
    tool_name VARCHAR,
    mode VARCHAR,
    trust_at_failure DOUBLE,
    detail JSON,
    root_session_id VARCHAR,
    agent VARCHAR,
    outcome VARCHAR,
    failure_class VARCHAR,
    program VARCHAR,
    shape VARCHAR,
    fingerprint VARCHAR,
    specific BOOLEAN,
    excerpt VARCHAR
);
COMMENT ON TABLE failure_stream IS 'One row per failure: calls whose outcome is failed, check_failed or denied. Rows inserted by others count.';
COMMENT ON COLUMN failure_stream.failure_id IS 'contract. Equal to turn_id for failures read from transcripts.';
COMMENT ON COLUMN failure_stream.turn_id IS 'contract. The call that failed; no foreign key, rows may be inserted directly.';
COMMENT ON COLUMN failure_stream.session_id IS 'contract. As in turns.';
COMMENT ON COLUMN failure_stream.project IS 'contract. Name of the project folder.';
COMMENT ON COLUMN failure_stream.occurred_at IS 'contract. When the call was made.';
COMMENT ON COLUMN failure_stream.failure_category IS 'contract. Coarse category: failure, path_denial, timeout, check_failed, denied or generation. No hyphen inside.';
COMMENT ON COLUMN failure_stream.tool_name IS 'contract. Canonical tool name.';
COMMENT ON COLUMN failure_stream.mode IS 'contract. Mode in force; NULL when unknown.';
COMMENT ON COLUMN failure_stream.trust_at_failure IS 'contract. trust_1 just before the failure, not the failure''s own score.';
COMMENT ON COLUMN failure_stream.detail IS 'contract. JSON object: class, program, shape, fingerprint, exit_code, rule.';
COMMENT ON COLUMN failure_stream.root_session_id IS 'As in turns; NULL for rows inserted directly (then session_id counts).';
COMMENT ON COLUMN failure_stream.agent IS 'As in turns.';
COMMENT ON COLUMN failure_stream.outcome IS 'failed, check_failed or denied.';
COMMENT ON COLUMN failure_stream.failure_class IS 'Finer class, part of the fingerprint.';
COMMENT ON COLUMN failure_stream.program IS 'As in turns.';
COMMENT ON COLUMN failure_stream.shape IS 'As in turns.';
COMMENT ON COLUMN failure_stream.fingerprint IS 'As in turns.';
COMMENT ON COLUMN failure_stream.specific IS 'As in turns.';
COMMENT ON COLUMN failure_stream.excerpt IS 'Redacted excerpt, at most 400 characters.';

CREATE TABLE IF NOT EXISTS ratchet_decisions (
    decision_id BIGINT PRIMARY KEY,
    decided_at TIMESTAMPTZ,
    candidate_type VARCHAR,
    candidate_key VARCHAR,
    decision VARCHAR,
    reason VARCHAR,
    evidence JSON,
    config_change JSON,
    fix VARCHAR,
    decided_by VARCHAR,
    snoozed_until TIMESTAMPTZ,
    previous_hash VARCHAR,
    hash VARCHAR
);
COMMENT ON TABLE ratchet_decisions IS 'What humans decided. At most one promoted row per key.';
COMMENT ON COLUMN ratchet_decisions.decision_id IS 'contract. First 63 bits of the row''s hash; kept as found for rows written by others.';
COMMENT ON COLUMN ratchet_decisions.decided_at IS 'contract. When the human decided.';
COMMENT ON COLUMN ratchet_decisions.candidate_type IS 'contract. constraint_promotion, failure_pattern, tool_promotion or nudged_tool_promotion.';
COMMENT ON COLUMN ratchet_decisions.candidate_key IS 'contract. Compared whole, never parsed.';
COMMENT ON COLUMN ratchet_decisions.decision IS 'contract. promoted, rejected, snoozed, retired or superseded.';
COMMENT ON COLUMN ratchet_decisions.reason IS 'contract. Shown to the agent by kibitzer, so it carries the fix.';
COMMENT ON COLUMN ratchet_decisions.evidence IS 'contract. JSON object, see docs/schema.md.';
COMMENT ON COLUMN ratchet_decisions.config_change IS 'contract. JSON object: what else the promotion changed; NULL when nothing.';
COMMENT ON COLUMN ratchet_decisions.fix IS 'The fix text alone.';
COMMENT ON COLUMN ratchet_decisions.decided_by IS 'Login name of the human; foreign rows have none.';
COMMENT ON COLUMN ratchet_decisions.snoozed_until IS 'For decision snoozed: when the candidate returns.';
COMMENT ON COLUMN ratchet_decisions.previous_hash IS 'Hash of the entry before it in the decision log.';
COMMENT ON COLUMN ratchet_decisions.hash IS 'Hash of this entry in the decision log; NULL marks a row that the log does not hold.';

CREATE TABLE IF NOT EXISTS session_summaries (
    session_id VARCHAR PRIMARY KEY,
    project VARCHAR,
    started_at TIMESTAMPTZ,
    ended_at TIMESTAMPTZ,
    duration DOUBLE,
    total_turns INTEGER,
    total_failures INTEGER,
    failure_rate DOUBLE,
    trust_start DOUBLE,
    trust_end DOUBLE,
    trust_delta DOUBLE,
    modes_used VARCHAR[],
    mode_switches INTEGER,
    computation_channel_fraction DOUBLE,
    structured_tool_fraction DOUBLE,
    agent VARCHAR,
    root_session_id VARCHAR,
    models VARCHAR[],
    host VARCHAR
);
COMMENT ON TABLE session_summaries IS 'One row per session. Derived from turns; a session without a call has its times only.';
COMMENT ON COLUMN session_summaries.session_id IS 'contract.';
COMMENT ON COLUMN session_summaries.project IS 'contract. Name of the project folder.';
COMMENT ON COLUMN session_summaries.started_at IS 'contract. Time of the first call.';
COMMENT ON COLUMN session_summaries.ended_at IS 'contract. Time of the last call or result.';
COMMENT ON COLUMN session_summaries.duration IS 'contract. Seconds between the two.';
COMMENT ON COLUMN session_summaries.total_turns IS 'contract. Calls, subagents'' included.';
COMMENT ON COLUMN session_summaries.total_failures IS 'contract. Rows in failure_stream.';
COMMENT ON COLUMN session_summaries.failure_rate IS 'contract. total_failures / total_turns.';
COMMENT ON COLUMN session_summaries.trust_start IS 'contract. trust_1 before the first call.';
COMMENT ON COLUMN session_summaries.trust_end IS 'contract. trust_1 after the last call.';
COMMENT ON COLUMN session_summaries.trust_delta IS 'contract. trust_end - trust_start.';
COMMENT ON COLUMN session_summaries.modes_used IS 'contract. Known modes in order of first use.';
COMMENT ON COLUMN session_summaries.mode_switches IS 'contract. Changes between known modes in call order.';
COMMENT ON COLUMN session_summaries.computation_channel_fraction IS 'contract. Share of calls that ran a shell command.';
COMMENT ON COLUMN session_summaries.structured_tool_fraction IS 'contract. Share of calls made through any other tool.';
COMMENT ON COLUMN session_summaries.agent IS 'As in turns.';
COMMENT ON COLUMN session_summaries.root_session_id IS 'As in turns.';
COMMENT ON COLUMN session_summaries.models IS 'Models used, in order of first use.';
COMMENT ON COLUMN session_summaries.host IS 'As in turns.';

CREATE TABLE IF NOT EXISTS nudge_trials (
    trial_id BIGINT PRIMARY KEY,
    plugin VARCHAR,
    arm VARCHAR,
    heed BOOLEAN,
    turns_to_heed INTEGER,
    session_id VARCHAR,
    ts TIMESTAMPTZ
);
COMMENT ON TABLE nudge_trials IS 'kibitzer''s trials of its own nudges, those of this project''s sessions.';
COMMENT ON COLUMN nudge_trials.trial_id IS 'contract. First 63 bits of SHA-256 over session, plugin, arm and time.';
COMMENT ON COLUMN nudge_trials.plugin IS 'contract. The sister tool that was suggested.';
COMMENT ON COLUMN nudge_trials.arm IS 'contract. nudge, control or suppressed.';
COMMENT ON COLUMN nudge_trials.heed IS 'contract. Whether the agent went on to use the tool; NULL when suppressed.';
COMMENT ON COLUMN nudge_trials.turns_to_heed IS 'contract. Calls until it did.';
COMMENT ON COLUMN nudge_trials.session_id IS 'contract. As in turns.';
COMMENT ON COLUMN nudge_trials.ts IS 'contract. When the trial closed.';

CREATE TABLE IF NOT EXISTS sightings (
    turn_id BIGINT PRIMARY KEY,
    session_id VARCHAR,
    project VARCHAR,
    timestamp TIMESTAMPTZ,
    tool_name VARCHAR,
    tool_success BOOLEAN,
    mode VARCHAR,
    metadata JSON,
    source VARCHAR,
    outcome VARCHAR,
    rule VARCHAR,
    agent VARCHAR,
    call_id VARCHAR,
    agent_id VARCHAR,
    exit_code INTEGER,
    flag BOOLEAN,
    category VARCHAR,
    failure_class VARCHAR,
    program VARCHAR,
    shape VARCHAR,
    fingerprint VARCHAR,
    secondary VARCHAR,
    specific BOOLEAN,
    excerpt VARCHAR,
    user_said VARCHAR,
    task_id VARCHAR,
    mode_source VARCHAR,
    model VARCHAR,
    cwd VARCHAR,
    project_path VARCHAR,
    host VARCHAR,
    provenance VARCHAR,
    ended_at TIMESTAMPTZ,
    transcript_id BIGINT,
    position BIGINT,
    rules_version INTEGER,
    input_mark BIGINT,
    kind VARCHAR,
    evidence BOOLEAN,
    mode_after VARCHAR,
    also_at TIMESTAMPTZ,
    same_as BIGINT,
    settled BOOLEAN
);
COMMENT ON TABLE sightings IS 'What sister tools (kibitzer, blq) recorded. One that no transcript holds, and that is evidence, is a turn of the same id.';
COMMENT ON COLUMN sightings.turn_id IS 'Its id, and that of the turn it becomes where no transcript holds the event.';
COMMENT ON COLUMN sightings.session_id IS 'The session the tool names; for a run, which has none, blq and the day.';
COMMENT ON COLUMN sightings.project IS 'As in turns.';
COMMENT ON COLUMN sightings.timestamp IS 'When the tool recorded it, made UTC.';
COMMENT ON COLUMN sightings.tool_name IS 'As in turns.';
COMMENT ON COLUMN sightings.tool_success IS 'As in turns.';
COMMENT ON COLUMN sightings.mode IS 'kibitzer''s mode in force when it happened.';
COMMENT ON COLUMN sightings.metadata IS 'As in turns.';
COMMENT ON COLUMN sightings.source IS 'As in turns.';
COMMENT ON COLUMN sightings.outcome IS 'As in turns.';
COMMENT ON COLUMN sightings.rule IS 'As in turns.';
COMMENT ON COLUMN sightings.agent IS 'As in turns.';
COMMENT ON COLUMN sightings.call_id IS 'As in turns.';
COMMENT ON COLUMN sightings.agent_id IS 'As in turns.';
COMMENT ON COLUMN sightings.exit_code IS 'As in turns.';
COMMENT ON COLUMN sightings.flag IS 'As in turns.';
COMMENT ON COLUMN sightings.category IS 'As in turns.';
COMMENT ON COLUMN sightings.failure_class IS 'As in turns.';
COMMENT ON COLUMN sightings.program IS 'As in turns.';
COMMENT ON COLUMN sightings.shape IS 'As in turns.';
COMMENT ON COLUMN sightings.fingerprint IS 'As in turns.';
COMMENT ON COLUMN sightings.secondary IS 'As in turns.';
COMMENT ON COLUMN sightings.specific IS 'As in turns.';
COMMENT ON COLUMN sightings.excerpt IS 'As in turns.';
COMMENT ON COLUMN sightings.user_said IS 'As in turns.';
COMMENT ON COLUMN sightings.task_id IS 'As in turns.';
COMMENT ON COLUMN sightings.mode_source IS 'As in turns.';
COMMENT ON COLUMN sightings.model IS 'As in turns.';
COMMENT ON COLUMN sightings.cwd IS 'As in turns.';
COMMENT ON COLUMN sightings.project_path IS 'As in turns.';
COMMENT ON COLUMN sightings.host IS 'As in turns.';
COMMENT ON COLUMN sightings.provenance IS 'As in turns.';
COMMENT ON COLUMN sightings.ended_at IS 'As in turns.';
COMMENT ON COLUMN sightings.transcript_id IS 'As in turns.';
COMMENT ON COLUMN sightings.position IS 'Order inside its file: twice the row number for kibitzer, the time for blq.';
COMMENT ON COLUMN sightings.rules_version IS 'As in turns.';
COMMENT ON COLUMN sightings.input_mark IS 'As in turns.';
COMMENT ON COLUMN sightings.kind IS 'call, denial, floor_block, generation, mode_switch, transition, event, run or delegate.';
COMMENT ON COLUMN sightings.evidence IS 'Whether the recorded outcome is to be believed.';
COMMENT ON COLUMN sightings.mode_after IS 'kibitzer''s mode from then on.';
COMMENT ON COLUMN sightings.also_at IS 'The other reading of a local time that came twice when a clock was set back.';
COMMENT ON COLUMN sightings.same_as IS 'The turn that is the same event; NULL when there is none.';
COMMENT ON COLUMN sightings.settled IS 'Whether it has been joined.';

CREATE TABLE IF NOT EXISTS transcripts (
    transcript_id BIGINT PRIMARY KEY,
    source VARCHAR,
    key VARCHAR,
    stamp VARCHAR,
    ours BOOLEAN,
    gone BOOLEAN DEFAULT FALSE,
    byte_offset BIGINT,
    line INTEGER,
    head VARCHAR,
    state JSON,
    cwd VARCHAR,
    session_id VARCHAR,
    started_at TIMESTAMPTZ,
    ended_at TIMESTAMPTZ,
    background BOOLEAN,
    home VARCHAR,
    lines BIGINT,
    understood BIGINT,
    unknown JSON,
    warmups INTEGER,
    versions VARCHAR,
    read_at TIMESTAMPTZ
);
COMMENT ON TABLE transcripts IS 'Ingest cursors: how far each transcript was read. Transcripts of other projects are remembered too, to be skipped.';
COMMENT ON COLUMN transcripts.transcript_id IS 'First 63 bits of SHA-256 over source and key as first seen; a file that moves keeps it.';
COMMENT ON COLUMN transcripts.source IS 'Name of the source.';
COMMENT ON COLUMN transcripts.key IS 'Where it was last seen (a path, or path#session inside a database).';
COMMENT ON COLUMN transcripts.stamp IS 'device:inode:size:mtime when last read; unchanged means nothing to do.';
COMMENT ON COLUMN transcripts.ours IS 'Whether it belongs to this project.';
COMMENT ON COLUMN transcripts.gone IS 'Whether the file has since been deleted. Its rows stay.';
COMMENT ON COLUMN transcripts.byte_offset IS 'Byte after the last whole line read.';
COMMENT ON COLUMN transcripts.line IS 'Lines read.';
COMMENT ON COLUMN transcripts.head IS 'Hash of the first bytes.';
COMMENT ON COLUMN transcripts.state IS 'JSON object: the reader''s memory for going on.';
COMMENT ON COLUMN transcripts.cwd IS 'Working folder of its first record: decides the project.';
COMMENT ON COLUMN transcripts.session_id IS 'Session it belongs to.';
COMMENT ON COLUMN transcripts.started_at IS 'Time of its first record.';
COMMENT ON COLUMN transcripts.ended_at IS 'Time of its last record.';
COMMENT ON COLUMN transcripts.background IS 'Whether it says that it is a background copy.';
COMMENT ON COLUMN transcripts.home IS 'Agent home it was found under.';
COMMENT ON COLUMN transcripts.lines IS 'Lines looked at.';
COMMENT ON COLUMN transcripts.understood IS 'Lines of a known type.';
COMMENT ON COLUMN transcripts.unknown IS 'JSON object: unknown record types with counts.';
COMMENT ON COLUMN transcripts.warmups IS 'Cache warm-up calls dropped.';
COMMENT ON COLUMN transcripts.versions IS 'Agent versions seen, space separated.';
COMMENT ON COLUMN transcripts.read_at IS 'When it was last read.';

CREATE TABLE IF NOT EXISTS call_copies (
    turn_id BIGINT,
    session_id VARCHAR,
    transcript_id BIGINT,
    position BIGINT,
    PRIMARY KEY (turn_id, session_id)
);
COMMENT ON TABLE call_copies IS 'Every session in which a call was seen, for calls seen in more than one (forks, resumes that copy).';
COMMENT ON COLUMN call_copies.turn_id IS 'The call.';
COMMENT ON COLUMN call_copies.session_id IS 'A session whose transcript holds it.';
COMMENT ON COLUMN call_copies.transcript_id IS 'That transcript.';
COMMENT ON COLUMN call_copies.position IS 'Its place there.';

CREATE TABLE IF NOT EXISTS loose_results (
    turn_id BIGINT,
    call_id VARCHAR,
    task_id VARCHAR,
    transcript_id BIGINT,
    PRIMARY KEY (turn_id, task_id, transcript_id)
);
COMMENT ON TABLE loose_results IS 'Results and task notices whose call has not been seen: their transcript is read again once it has.';
COMMENT ON COLUMN loose_results.turn_id IS 'The call they wait for; 0 when only the task id is known.';
COMMENT ON COLUMN loose_results.call_id IS 'Its id.';
COMMENT ON COLUMN loose_results.task_id IS 'The background task; empty for a plain result.';
COMMENT ON COLUMN loose_results.transcript_id IS 'Where the result stands.';

CREATE TABLE IF NOT EXISTS problems (
    problem_id BIGINT PRIMARY KEY,
    seen_at TIMESTAMPTZ,
    source VARCHAR,
    path VARCHAR,
    line INTEGER,
    reason VARCHAR
);
COMMENT ON TABLE problems IS 'Inputs that could not be read.';
COMMENT ON COLUMN problems.problem_id IS 'First 63 bits of SHA-256 over path, line and reason: one row however often it is met.';
COMMENT ON COLUMN problems.seen_at IS 'When it was first met.';
COMMENT ON COLUMN problems.source IS 'Source that met it.';
COMMENT ON COLUMN problems.path IS 'File.';
COMMENT ON COLUMN problems.line IS 'Line, from 1; NULL when the whole file is meant.';
COMMENT ON COLUMN problems.reason IS 'Why, in one sentence.';

CREATE TABLE IF NOT EXISTS deliveries (
    delivery_id BIGINT PRIMARY KEY,
    told_at TIMESTAMPTZ,
    agent VARCHAR,
    session_id VARCHAR,
    call_id VARCHAR,
    turn_id BIGINT,
    candidate_key VARCHAR,
    fingerprint VARCHAR,
    moment VARCHAR,
    state VARCHAR,
    reason VARCHAR,
    seen_at TIMESTAMPTZ,
    took_ms DOUBLE
);
COMMENT ON TABLE deliveries IS 'What the hook told agents at a failure, and what it kept back. Read from the hook''s spool at ingest.';
COMMENT ON COLUMN deliveries.delivery_id IS 'First 63 bits of SHA-256 over the session and a random word of the spool line.';
COMMENT ON COLUMN deliveries.told_at IS 'When the hook spoke.';
COMMENT ON COLUMN deliveries.agent IS 'As in turns.';
COMMENT ON COLUMN deliveries.session_id IS 'The session the agent named.';
COMMENT ON COLUMN deliveries.call_id IS 'The agent''s id of the call; where hooks are told none, a time and a hash of the arguments.';
COMMENT ON COLUMN deliveries.turn_id IS 'The failure it was about, as far as a transcript shows it; NULL before the call.';
COMMENT ON COLUMN deliveries.candidate_key IS 'The ratchet that spoke.';
COMMENT ON COLUMN deliveries.fingerprint IS 'Fingerprint of the failure; before the call that of the ratchet.';
COMMENT ON COLUMN deliveries.moment IS 'after or before.';
COMMENT ON COLUMN deliveries.state IS 'delivered or withheld.';
COMMENT ON COLUMN deliveries.reason IS 'Why it was withheld; empty when it was not.';
COMMENT ON COLUMN deliveries.seen_at IS 'When the text was found in a transcript: the proof that the model was given it.';
COMMENT ON COLUMN deliveries.took_ms IS 'How long the agent waited for the hook, where its transcript says so.';

CREATE TABLE IF NOT EXISTS riggs_meta (
    key VARCHAR PRIMARY KEY,
    value VARCHAR
);
COMMENT ON TABLE riggs_meta IS 'Facts about the store itself: schema_version, store_id, rules_version, last_ingest and others.';
COMMENT ON COLUMN riggs_meta.key IS 'Name.';
COMMENT ON COLUMN riggs_meta.value IS 'Value as text.';
