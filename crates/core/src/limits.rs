//! Every bound of the product, each with its reason.

/// Declares each bound as a constant, and [`ALL`] of them.
macro_rules! limits {
    ($($(#[doc = $doc:literal])+ pub const $name:ident: $kind:ty = $value:expr;)+) => {
        $($(#[doc = $doc])+ pub const $name: $kind = $value;)+

        /// Name, value and text of each bound, in the order of declaration: docs/reference/limits.md.
        pub const ALL: &[(&str, u64, &str)] =
            &[$((stringify!($name), $value as u64, concat!($($doc),+))),+];
    };
}

limits! {
/// Characters of `insight`, `description` and `new_content`; longer text is cut: a memory is a statement, not a document.
pub const CONTENT_CHARS_MAX: usize = 300;
/// Characters of `human_summary`: a line to show.
pub const SUMMARY_CHARS_MAX: usize = 200;
/// Characters of a perception's description at least: fewer say nothing that could be found again.
pub const DESCRIPTION_CHARS_MIN: usize = 5;
/// Bytes of text accepted before it is cut to [`CONTENT_CHARS_MAX`]: bounds the work of cutting.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a `context`, `metadata` or `context_filter`: parsed in every call, shown in answers.
pub const CONTEXT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a perception's `data` JSON text: minutes of a sampled trajectory; a bag holds the rest.
pub const DATA_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of the perceptions' data and metadata in one answer: a larger message takes the middleware
/// seconds, in which nothing else is heard.
pub const ANSWER_DATA_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Numbers taken out of one message: a skin of taxels is a thousand; an image has its own types.
pub const MESSAGE_NUMBERS_MAX: usize = 4_096;
/// Values in the JSON of one message; of longer arrays the length is kept.
pub const MESSAGE_VALUES_MAX: usize = 4_096;
/// Bytes of a message type's definition with all nested types: the longest of ROS itself takes 16 kB.
pub const DEFINITION_BYTES_MAX: usize = 1024 * 1024;
/// Message types nested in each other: known ones stay below ten.
pub const DEFINITION_DEPTH_MAX: usize = 32;
/// Bytes of a name (collection, agent, turn, key): it is an index key.
pub const NAME_BYTES_MAX: usize = 256;
/// Characters of a query: the embedding model reads no more than a few hundred tokens.
pub const QUERY_CHARS_MAX: usize = 2_000;
/// Characters of a text that is quoted in an error: it is to be known again, not to be read.
pub const QUOTED_CHARS_MAX: usize = 64;
/// Characters of an error: a few sentences; whatever a parser quotes, no more is answered or logged.
pub const ERROR_CHARS_MAX: usize = 2_000;
/// Characters of the reason given to Forget: a sentence.
pub const REASON_CHARS_MAX: usize = 300;
/// Characters of the reason given to RestoreMemory: it stands in a ledger, beside names.
pub const RESTORE_REASON_CHARS_MAX: usize = 200;
/// Entries of a memory's ledger; of more the oldest go, but for the first. Of what changes a memory
/// that often the first time and the last ones are enough.
pub const LEDGER_ENTRIES_MAX: u32 = 64;
/// Characters of the reason given to Capture: it becomes part of a description.
pub const CAPTURE_REASON_CHARS_MAX: usize = 200;
/// Seconds that Capture keeps from before and from after: as much as the streams hold.
pub const CAPTURE_SECS_MAX: u32 = 60;
/// Memories in one answer of Recall: to be read, and not an export.
pub const RECALL_N_MAX: u32 = 100;
/// Conditions in one `context_filter`: each may need a column in memory.
pub const FILTER_CONDITIONS_MAX: usize = 10;
/// Keys in one dotted path: deeper contexts are not written by hand.
pub const PATH_DEPTH_MAX: usize = 16;
/// Numbers in a spatial sort's target: sixteen joints are a humanoid's arms.
pub const SPATIAL_DIMENSIONS_MAX: usize = 16;
/// Seconds that a day's begin can lie from that of UTC: no zone is farther than 14 hours.
pub const UTC_OFFSET_SECS_MAX: u32 = 14 * 3600;
/// Days or sessions counted in one answer: more is an export.
pub const COUNTS_MAX: usize = 10_000;
/// Collections or levels named in one Recall: `*` stands for all collections.
pub const NAMES_PER_REQUEST_MAX: usize = 64;
/// Collections that Recall names because they hold better hits than it answers: a hint.
pub const BETTER_COLLECTIONS_MAX: usize = 5;
/// Scopes counted one by one in a status, those with the most memories: each step of an episode has one, and
/// a status is read by people.
pub const STATUS_SCOPES_MAX: usize = 256;
/// Days that a report looks back at most: a hundred years, beyond which a clock was wrong.
pub const REPORT_DAYS_MAX: u32 = 36_525;
/// Collections that a report names, those with the most memories: what a chart of bars has room for.
pub const REPORT_COLLECTIONS_MAX: usize = 12;
/// Tasks that a report shows, those with the most attempts: what fits on a page.
pub const REPORT_TASKS_MAX: usize = 24;
/// Tasks that are counted for a report: each takes memory while it is made.
pub const REPORT_TASKS_KNOWN_MAX: usize = 10_000;
/// Maps that a report draws, those with the most memories.
pub const REPORT_MAPS_MAX: usize = 4;
/// Memories that a report marks one by one on a map; more become cells, so that the page stays small.
pub const REPORT_MARKS_MAX: usize = 1_500;
/// Places that are gathered for a report: each takes 24 bytes while it is made.
pub const REPORT_PLACES_MAX: usize = 2_000_000;
/// Contradictions and dead letters that a report lists: a longer list nobody reads.
pub const REPORT_LIST_MAX: u32 = 50;
/// Memories of which a report says when they are archived.
pub const REPORT_NEXT_MAX: usize = 12;
/// Rows in one page of a list (`limit`).
pub const PAGE_MAX: u32 = 100;
/// Perceptions stored in one transaction: bounds how long other writers wait.
pub const BATCH_MAX: usize = 1_000;
/// Idempotency keys remembered; the oldest go first. A client that retries does so within minutes.
pub const IDEMPOTENCY_KEYS_MAX: usize = 100_000;
/// Rows at the head of each list that take part in the default ranking, and two more for each hit that
/// is asked for: with 20 what is answered hardly differs from ranking all.
pub const CONTENDERS_MIN: usize = 40;
/// Rows at the head of each list that take part in plain rank fusion (`rrf`). The weights of two rows differ by a factor of no more than
/// 1.5 / 0.8 = 1.875, so that by its place in one list alone a row beyond `1.875 (60 + n) - 60` cannot
/// overtake the n-th.
pub const LIST_MIN: usize = 64;
/// Memories that a request without a query asks for to use them (`n`); a longer list is looked through.
pub const USED_AT_ONCE_MAX: usize = 20;
/// Ids of used rows whose access counts wait to be written; beyond it they are dropped and counted.
pub const PENDING_ACCESSES_MAX: usize = 10_000;
/// Related memories in the answer of EndSession: a hint.
pub const RELATED_MEMORIES_MAX: u32 = 5;
/// Distinct tokens of a query that are looked up; of a longer query the rarest ones.
pub const QUERY_TOKENS_MAX: usize = 64;
/// Changes kept for an index that is being built meanwhile; beyond it the index is begun anew. With
/// its vector a change takes about 3 kB.
pub const RECORDED_CHANGES_MAX: usize = 50_000;
/// Stores of up to so many rows have their word index when they are open: it takes a quarter of a
/// second. Greater ones are searched on disk until it is built in the background.
pub const WORDS_AT_OPEN_MAX: u64 = 20_000;
/// Context fields with a spatial index at a time; the first built goes first.
pub const SPATIAL_FIELDS_MAX: usize = 8;
/// Context paths with a column of typed values at a time; the one idle for longest goes first. Nine
/// bytes a row each: at a million rows no more than a third of a gigabyte.
pub const COLUMNS_MAX: usize = 32;
/// Bytes of one message in a bag: greater ones are left out, since all of it is held at once.
pub const BAG_MESSAGE_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Bytes of a bag's chunk when it is unpacked: what a damaged file claims is not believed beyond it.
pub const BAG_CHUNK_BYTES_MAX: usize = 512 * 1024 * 1024;
/// Bytes of messages held to put chunks that overlap in time into order.
pub const BAG_OPEN_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Seconds that messages of one topic wait for older ones of another, however late those come; and by which a
/// stamp may differ from when its message came: beyond it the stamp is of another clock.
pub const REORDER_SECS_MAX: u32 = 10;
/// Topics that are listened to: each has its ring, its inbox and its line in the diagnostics.
pub const STREAMS_MAX: usize = 64;
/// Bytes of the text that lists the topics: a kibibyte for each, and as much again for comments.
pub const STREAMS_BYTES_MAX: usize = 128 * 1024;
/// Bytes of the access file: it is read by people.
pub const ACCESS_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a file that a parameter names and that is read as text; what it holds has bounds of its own.
pub const SETTINGS_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Entries of agents in the access file: each request looks for its own from the first.
pub const ACCESS_AGENTS_MAX: usize = 256;
/// Names, scopes or classes in one list of the access file: each request goes through them.
pub const ACCESS_GRANTS_MAX: usize = 64;
/// Patterns of what is never stored beside those that always hold.
pub const NEVER_STORE_MAX: usize = 256;
/// Bytes of one of these patterns: longer ones are not read by people.
pub const NEVER_STORE_BYTES_MAX: usize = 1_024;
/// Bytes of the name of such a pattern: it stands in answers and counts.
pub const NEVER_STORE_NAME_BYTES_MAX: usize = 32;
/// Bounds that one constraint sets: a sentence sets two at most, a table of them belongs in several.
pub const LIMITS_PER_MEMORY_MAX: usize = 32;
/// Parameters of an action that is checked: each is compared with each bound.
pub const ACTION_PARAMETERS_MAX: usize = 256;
/// Constraints that decided nothing in one answer of CheckAction; all are counted.
pub const UNDECIDED_MAX: usize = 100;
/// Bytes of a turn's text, and of its data: a skill's report, not its log.
pub const TURN_BYTES_MAX: usize = 64 * 1024;
/// Characters of a short summary: twelve of them are read at a glance.
pub const MICRO_SUMMARY_CHARS_MAX: usize = 160;
/// How often a job is begun before it is given up, unless the configuration says otherwise.
pub const JOB_ATTEMPTS_MAX: u32 = 5;
/// How often the node may end at the same step of a job before the job is given up: more than a robot is
/// switched off in the midst of one step, and few enough that a job which ends the node is not done for ever.
pub const JOB_ENDS_MAX: u32 = 20;
/// Unfinished jobs; one more is refused. A robot hands over a turn every six seconds or so: this is a week of them.
pub const JOBS_UNFINISHED_MAX: usize = 100_000;
/// Finished jobs that are remembered; the oldest go first, those that failed last of all.
pub const JOBS_FINISHED_MAX: usize = 10_000;
/// Characters of a job's `last_error`: a line to read.
pub const JOB_ERROR_CHARS_MAX: usize = 500;
/// Facts taken out of one turn; of more the most telling are kept. One that says more is a log.
pub const TURN_FACTS_MAX: usize = 32;
/// Bytes of what a chat endpoint answers: thirty facts take 10 kB.
pub const CHAT_ANSWER_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a turn's sentences, or of the statements to be summarized, that a chat endpoint is asked with:
/// some 8000 tokens, what small local models hold. Longer ones are left to the rules.
pub const CHAT_PROMPT_BYTES_MAX: usize = 32 * 1024;
/// Bytes of a turn's data that a chat endpoint is shown; longer data are left out.
pub const CHAT_DATA_BYTES_MAX: usize = 8 * 1024;
/// Facts taken from one answer of a chat endpoint: as many as the rules take.
pub const CHAT_FACTS_MAX: usize = 32;
/// Bytes of the chat endpoint's key: a header of more is refused by most servers.
pub const CHAT_KEY_BYTES_MAX: usize = 4_096;
/// Scopes that the report of a maintenance run lists one by one; of more there are the totals.
pub const MAINTENANCE_SCOPES_TOLD_MAX: u64 = 200;
/// Findings that the report of a maintenance run lists: some 100 kB, which a message and a page of jobs can hold.
pub const MAINTENANCE_FINDINGS_MAX: usize = 1_000;
/// Different notes of steps that the report of a maintenance run lists.
pub const MAINTENANCE_NOTES_MAX: usize = 50;
/// Days by which a clock may be ahead of all that was stored and be believed because a person asked for
/// maintenance: ten years. No robot is off for longer; clocks that break say 2036, 2038 or 2106.
pub const CLOCK_AHEAD_DAYS_MAX: f64 = 3660.0;
/// Maintenance runs that are remembered, and reports whose files are kept: daily ones of a quarter.
pub const MAINTENANCE_RUNS_MAX: usize = 100;
/// Numbers of one attempt at a task that are compared: a skill has some ten parameters.
pub const ATTEMPT_NUMBERS_MAX: usize = 64;
/// Texts and booleans of one attempt at a task that are compared.
pub const ATTEMPT_VALUES_MAX: usize = 64;
/// Bytes of a perception's data that are read for the values of an attempt; longer data are series, not settings.
pub const ATTEMPT_DATA_BYTES_MAX: usize = 4 * 1024;
/// Characters of a task's or an object's name: two of them leave half of a summary to the figures.
pub const EXPERIENCE_NAME_CHARS_MAX: usize = 60;
/// Attempts of known outcome from which on they are summed up: of fewer the interval says nothing.
pub const EXPERIENCE_ATTEMPTS_MIN: u64 = 5;
/// Memories that a summary of attempts names, the newest of them: their number is in its figures.
pub const EXPERIENCE_SOURCES_MAX: usize = 1_000;
/// Attempts that Compare looks at, the newest of them: about a hundred megabytes.
pub const COMPARE_ATTEMPTS_MAX: usize = 100_000;
/// Contrasts in one answer of Compare: the strongest.
pub const COMPARE_N_MAX: u32 = 100;
/// Attempts of each kind that Compare names: the newest, to look at.
pub const COMPARE_IDS_MAX: usize = 20;
/// Different values at one path that are compared; where there are more, each attempt has its own.
pub const COMPARE_VALUES_MAX: usize = 50;
/// Memories from which on a week is summarized: fewer are read as they are.
pub const WEEK_MEMORIES_MIN: u64 = 3;
/// Weeks that were missed and are summarized after all: a year, and some.
pub const WEEKS_MAX: usize = 60;
/// Memories nearest to one that are judged with it: of what was said a hundred times
/// in nearly the same words the nearest are enough.
pub const JUDGED_PER_MEMORY_MAX: usize = 32;
/// Pairs of one scope that a chat endpoint judges in one run; the rules judge the rest. At a second each this
/// is a quarter of an hour.
pub const JUDGED_BY_CHAT_MAX: usize = 1_000;
/// Memories on one subject that are compared for contradictions, the newest of them: more are
/// rows whose words are not understood.
pub const CONTRADICTORY_PER_SUBJECT_MAX: usize = 256;
/// Contradictions of one scope that one run deals with; what is over is counted and left to the next.
pub const CONTRADICTIONS_MAX: usize = 10_000;
/// Bytes by which the write queue's space is taken at a time: some tens of milliseconds of a slow flash card.
pub const WRITE_QUEUE_STEP_BYTES: u64 = 1 << 20;
/// Bytes that one call may add to the write queue: a perception with the longest data, all of which is escaped, takes 2.5 MB.
pub const WRITE_QUEUE_APPEND_BYTES_MAX: usize = 4 << 20;
/// Bytes of the writes that were queued and could not be done; of more only the count is known.
pub const WRITE_QUEUE_REJECTED_BYTES_MAX: usize = 1 << 20;
/// Backups that stay whatever their age: a clock that jumps must not take all of them.
pub const BACKUPS_KEPT_MIN: usize = 7;
/// Bytes of one line of what `memory load` reads: data and metadata of a perception, escaped.
pub const LOADED_LINE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Memories that were deleted or changed since the oldest backup and are noted beside the store, for when it is
/// damaged: a megabyte, which is written each second at most.
pub const OUTDATED_NOTED_MAX: usize = 50_000;
/// Milliseconds in which each day rows are compared with what was written of them: a hundred thousand of them on
/// a small computer, from where it ended the day before.
pub const ROWS_CHECKED_MILLIS_MAX: u64 = 5_000;
}
