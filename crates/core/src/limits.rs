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
/// Words of the names of task and object that a memory is found by besides those of its text: some names of some words.
pub const NAME_TOKENS_MAX: usize = 32;
/// Characters of `human_summary`: one line on a display.
pub const SUMMARY_CHARS_MAX: usize = 200;
/// Minimum characters of a perception's description: shorter ones contain no searchable words.
pub const DESCRIPTION_CHARS_MIN: usize = 5;
/// Bytes of text accepted before it is cut to [`CONTENT_CHARS_MAX`]: bounds the work of cutting.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a `context`, `metadata` or `context_filter`: parsed in every call, returned in responses.
pub const CONTEXT_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a perception's `data` JSON text: minutes of a sampled trajectory; longer recordings belong in a bag.
pub const DATA_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of the perceptions' data and metadata in one response: a larger message blocks the middleware
/// for seconds.
pub const ANSWER_DATA_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Numbers extracted from one message: a tactile skin has a thousand; images have their own types.
pub const MESSAGE_NUMBERS_MAX: usize = 4_096;
/// Components and lines of a log in one stream whose trouble lasts or is folded at a time: more is one trouble.
pub const REPORTS_OPEN_MAX: usize = 64;
/// Conditions of `where` in one stream: a record has no more fields that tell it apart.
pub const CONDITIONS_MAX: usize = 16;
/// Values in the JSON of one message; of longer arrays only the length is stored.
pub const MESSAGE_VALUES_MAX: usize = 4_096;
/// Bytes of a message type's definition with all nested types: the longest in ROS itself has 16 kB.
pub const DEFINITION_BYTES_MAX: usize = 1024 * 1024;
/// Nesting depth of message types: known ones are below ten.
pub const DEFINITION_DEPTH_MAX: usize = 32;
/// Bytes of a name (collection, agent, turn, key): it is an index key.
pub const NAME_BYTES_MAX: usize = 256;
/// Characters of a query: the embedding model reads no more than a few hundred tokens.
pub const QUERY_CHARS_MAX: usize = 2_000;
/// Characters of a text that is quoted in an error: enough to recognize it.
pub const QUOTED_CHARS_MAX: usize = 64;
/// Characters of an error: a few sentences; longer quotes of a parser are cut in responses and logs.
pub const ERROR_CHARS_MAX: usize = 2_000;
/// Characters of the reason in Forget: a sentence.
pub const REASON_CHARS_MAX: usize = 300;
/// Characters of the reason in RestoreMemory: it is part of a ledger entry.
pub const RESTORE_REASON_CHARS_MAX: usize = 200;
/// Entries of a memory's ledger; above it the oldest are removed, except the first. For frequent changes
/// the first and the last ones are sufficient.
pub const LEDGER_ENTRIES_MAX: u32 = 64;
/// Characters of the reason in Capture: it becomes part of a description.
pub const CAPTURE_REASON_CHARS_MAX: usize = 200;
/// Seconds before and after the call that Capture stores: the maximum length of the ring buffers.
pub const CAPTURE_SECS_MAX: u32 = 60;
/// Memories in one response of Recall: more is an export.
pub const RECALL_N_MAX: u32 = 100;
/// Entries in one response of Timeline: some hundred kilobytes, which a person or a planner still reads.
pub const TIMELINE_N_MAX: u32 = 1_000;
/// Bytes of a `cursor` of Timeline: the name of a session, a time and two words.
pub const TIMELINE_CURSOR_BYTES_MAX: usize = NAME_BYTES_MAX + 64;
/// Memories that one call of Unlearn forgets: all in one transaction, in which other writers wait for about a second.
pub const UNLEARN_ROOTS_MAX: usize = 10_000;
/// Ids in `memory_ids` of Unlearn: more are selected by where they come from.
pub const UNLEARN_IDS_MAX: usize = 1_000;
/// Memories listed in one response of Unlearn: some hundred kilobytes, which a person still reads.
pub const UNLEARN_LISTED_MAX: usize = 1_000;
/// Conditions in one `context_filter`: each may need a column in memory.
pub const FILTER_CONDITIONS_MAX: usize = 10;
/// Keys in one dotted path: deeper contexts are unusual.
pub const PATH_DEPTH_MAX: usize = 16;
/// Numbers in a spatial sort's target: the arms of a humanoid have sixteen joints.
pub const SPATIAL_DIMENSIONS_MAX: usize = 16;
/// Frames of rows that one spatial sort compares: each costs a search, and a robot has few fixed frames.
pub const FRAMES_COMPARED_MAX: usize = 64;
/// Seconds of an offset from UTC: no time zone has more than 14 hours.
pub const UTC_OFFSET_SECS_MAX: u32 = 14 * 3600;
/// Seconds before or after an anchor: three hundred years, more than a clock of nanoseconds spans.
pub const AROUND_SECS_MAX: f64 = 1e10;
/// The nth of something, and memories counted before or after an anchor: who wants more gives a time.
pub const NTH_MAX: u32 = 10_000;
/// Hours, days or sessions counted in one response: more is an export.
pub const COUNTS_MAX: usize = 10_000;
/// Collections or levels in one Recall: `*` means all collections.
pub const NAMES_PER_REQUEST_MAX: usize = 64;
/// Entries of `better_collections` in a response of Recall: a hint.
pub const BETTER_COLLECTIONS_MAX: usize = 5;
/// Scopes counted individually in a status, those with the most memories: each turn can have a scope, and
/// a status is read by people.
pub const STATUS_SCOPES_MAX: usize = 256;
/// Days that a report covers: a hundred years; older times come from a wrong clock.
pub const REPORT_DAYS_MAX: u32 = 36_525;
/// Collections in a report, those with the most memories: the size of a bar chart.
pub const REPORT_COLLECTIONS_MAX: usize = 12;
/// Tasks in a report, those with the most attempts: one page.
pub const REPORT_TASKS_MAX: usize = 24;
/// Tasks that are counted for a report: each takes memory during its creation.
pub const REPORT_TASKS_KNOWN_MAX: usize = 10_000;
/// Maps in a report, those with the most memories.
pub const REPORT_MAPS_MAX: usize = 4;
/// Memories with their own mark on a map of a report; more are drawn as cells, so that the page stays small.
pub const REPORT_MARKS_MAX: usize = 1_500;
/// Places that are collected for a report: each takes 24 bytes during its creation.
pub const REPORT_PLACES_MAX: usize = 2_000_000;
/// Contradictions and dead letters in a report: longer lists are not read.
pub const REPORT_LIST_MAX: u32 = 50;
/// Memories in the list of next archived ones in a report.
pub const REPORT_NEXT_MAX: usize = 12;
/// Rows in one page of a list (`limit`).
pub const PAGE_MAX: u32 = 100;
/// Perceptions stored in one transaction: limits the wait of other writers.
pub const BATCH_MAX: usize = 1_000;
/// Stored idempotency keys; the oldest are deleted first. Clients retry within minutes.
pub const IDEMPOTENCY_KEYS_MAX: usize = 100_000;
/// Rows of each candidate list that the default ranking uses, plus two for each requested hit: already with 20
/// the result hardly differs from ranking all rows.
pub const CONTENDERS_MIN: usize = 40;
/// Rows of each candidate list that plain rank fusion (`rrf`) uses. The weights of two rows differ by a factor of no more than
/// 1.5 / 0.8 = 1.875, so that by its place in one list alone a row beyond `1.875 (60 + n) - 60` cannot
/// overtake the n-th.
pub const LIST_MIN: usize = 64;
/// Greatest `n` of a request without a query whose memories count as used; longer lists are browsing.
pub const USED_AT_ONCE_MAX: usize = 20;
/// Rows of a session that are looked at before a row, and after it, for those beside it whose words count for it: a
/// session of 100 000 rows of which a search allows a few must not be read for each of them.
pub const BESIDE_LOOKED_AT_MAX: usize = 64;
/// Ids of used rows whose access counts are not yet written; above it they are dropped and counted.
pub const PENDING_ACCESSES_MAX: usize = 10_000;
/// Related memories in the response of EndSession: a hint.
pub const RELATED_MEMORIES_MAX: u32 = 5;
/// Distinct tokens of a query that are searched; of a longer query the rarest ones.
pub const QUERY_TOKENS_MAX: usize = 64;
/// Recorded changes during the build of an index; above it the build starts again. A change with
/// its vector takes about 3 kB.
pub const RECORDED_CHANGES_MAX: usize = 50_000;
/// Maximum rows of a store whose word index is built during opening: this takes a quarter of a
/// second. Larger ones are searched on disk until it is built in the background.
pub const WORDS_AT_OPEN_MAX: u64 = 20_000;
/// Context fields with a spatial index at the same time; the first built is removed first.
pub const SPATIAL_FIELDS_MAX: usize = 8;
/// Context paths with a column of typed values at the same time; the least recently used is removed first. Nine
/// bytes per row and column: at a million rows at most a third of a gigabyte.
pub const COLUMNS_MAX: usize = 32;
/// Bytes of one message in a bag: larger ones are skipped, since a message is loaded completely.
pub const BAG_MESSAGE_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Bytes of a bag's chunk after decompression: larger sizes in a damaged file are rejected.
pub const BAG_CHUNK_BYTES_MAX: usize = 512 * 1024 * 1024;
/// Bytes of buffered messages for sorting chunks that overlap in time.
pub const BAG_OPEN_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Maximum seconds that messages wait for older ones of another topic; and maximum difference between
/// a stamp and the time of receipt: beyond it the stamp is from another clock.
pub const REORDER_SECS_MAX: u32 = 10;
/// Subscribed topics: each has a ring buffer, an inbox and a diagnostic status.
pub const STREAMS_MAX: usize = 64;
/// Actions of other nodes whose goals become attempts: each has a subscription and a diagnostic status.
pub const ACTIONS_MAX: usize = 64;
/// Objects that are tracked, about 1 kB each: a building has some thousand; beyond it the one that was not seen
/// for longest is no longer tracked, and of as many that are stored it is deleted.
pub const OBJECTS_MAX: usize = 10_000;
/// Sightings that are not known to be an object yet: false detections of some seconds.
pub const TENTATIVE_OBJECTS_MAX: usize = 512;
/// How far from the sensor a detection may be, m: no camera tells places farther away, and each meter more is looked
/// through for what was missed.
pub const DETECTION_RANGE_M_MAX: f64 = 200.0;
/// Detections of one message that are looked at: detectors publish at most some hundred.
pub const DETECTIONS_MAX: usize = 256;
/// Frames and maps whose objects are tracked at a time: a robot has a map and its odometry, and a building some
/// floors; beyond it the one that was not looked at for longest is no longer tracked.
pub const OBJECT_FRAMES_MAX: usize = 32;
/// Labels of one object: what a detector mistakes it for; the rarest goes.
pub const OBJECT_LABELS_MAX: usize = 8;
/// Places in one response of Locate: more is an export.
pub const LOCATE_N_MAX: u32 = 100;
/// Bytes of the picture that is stored with an object: 320 pixels a side, and a thousand objects are some megabytes.
pub const OBJECT_THUMBNAIL_BYTES_MAX: usize = 8 * 1024;
/// Pictures of objects that wait while the store cannot be written: some megabytes; the oldest go.
pub const THUMBNAILS_WAITING_MAX: usize = 1_000;
/// Captions that wait to be read: they come with pictures, some a second, and are read once a second.
pub const CAPTIONS_MAX: usize = 64;
/// Characters of a label; longer ones are captions.
pub const LABEL_CHARS_MAX: usize = 64;
/// Begins and ends of goals that wait to be stored, about 100 bytes each; more stay with their action's status.
pub const GOAL_STEPS_MAX: usize = 4_096;
/// Goals under way at a time of which it is measured what they use: a robot drives and grips for few at once.
pub const GOALS_MEASURED_MAX: usize = 256;
/// Seconds since a goal was accepted that are believed of its server's clock: a week; beyond it, it is another
/// clock, as that of a simulation.
pub const GOAL_AGE_SECS_MAX: i64 = 7 * 24 * 3_600;
/// Bytes of the text that lists the topics: one kibibyte for each, and the same again for comments.
pub const STREAMS_BYTES_MAX: usize = 128 * 1024;
/// Bytes of the access policy file: it is written by people.
pub const ACCESS_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a text file that a parameter names; its contents have their own limits.
pub const SETTINGS_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Entries of agents in the access policy: each request searches them from the first.
pub const ACCESS_AGENTS_MAX: usize = 256;
/// Names, scopes or classes in one list of the access policy: each request checks them.
pub const ACCESS_GRANTS_MAX: usize = 64;
/// Additional patterns of secrets in the access policy.
pub const NEVER_STORE_MAX: usize = 256;
/// Bytes of one of these patterns: longer ones are not readable.
pub const NEVER_STORE_BYTES_MAX: usize = 1_024;
/// Bytes of the name of such a pattern: it is part of responses and counts.
pub const NEVER_STORE_NAME_BYTES_MAX: usize = 32;
/// Bounds of one constraint: a sentence sets at most two; split a table of bounds into several constraints.
pub const LIMITS_PER_MEMORY_MAX: usize = 32;
/// Parameters of a checked action: each is compared with each bound.
pub const ACTION_PARAMETERS_MAX: usize = 256;
/// Undecided constraints in one response of CheckAction; all are counted.
pub const UNDECIDED_MAX: usize = 100;
/// Bytes of a turn's text, and of its data: a skill's report, not its log.
pub const TURN_BYTES_MAX: usize = 64 * 1024;
/// Characters of a short summary: twelve of them are readable at a glance.
pub const MICRO_SUMMARY_CHARS_MAX: usize = 160;
/// Default of the maximum number of attempts of a job.
pub const JOB_ATTEMPTS_MAX: u32 = 5;
/// How often the node may end during the same step of a job before its status is `dead_letter`: more than a robot
/// is switched off during one step, and few enough that a job which crashes the node is not repeated forever.
pub const JOB_ENDS_MAX: u32 = 20;
/// Unfinished jobs; further ones are refused. At one turn every six seconds this is a week of turns.
pub const JOBS_UNFINISHED_MAX: usize = 100_000;
/// Stored finished jobs; the oldest are deleted first, failed ones last.
pub const JOBS_FINISHED_MAX: usize = 10_000;
/// Characters of a job's `last_error`: a readable line.
pub const JOB_ERROR_CHARS_MAX: usize = 500;
/// Facts extracted from one turn; of more the most informative are stored. A turn with more is a log.
pub const TURN_FACTS_MAX: usize = 32;
/// Bytes of a response of a chat endpoint: thirty facts take 10 kB.
pub const CHAT_ANSWER_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a turn's sentences, or of the statements to be summarized, in a request to a chat endpoint:
/// some 8000 tokens, the context of small local models. Longer ones are processed by the rules.
pub const CHAT_PROMPT_BYTES_MAX: usize = 32 * 1024;
/// Bytes of a turn's data in a request to a chat endpoint; longer data are omitted.
pub const CHAT_DATA_BYTES_MAX: usize = 8 * 1024;
/// Facts accepted from one response of a chat endpoint: the same number as from the rules.
pub const CHAT_FACTS_MAX: usize = 32;
/// Bytes of the chat endpoint's key: most servers refuse longer headers.
pub const CHAT_KEY_BYTES_MAX: usize = 4_096;
/// Scopes that the report of a maintenance run lists individually; others are part of the totals.
pub const MAINTENANCE_SCOPES_TOLD_MAX: u64 = 200;
/// Findings in the report of a maintenance run: some 100 kB, which fits into a message and a page of jobs.
pub const MAINTENANCE_FINDINGS_MAX: usize = 1_000;
/// Different notes of steps in the report of a maintenance run.
pub const MAINTENANCE_NOTES_MAX: usize = 50;
/// Days by which a clock may be ahead of the last stored time and still be accepted by a requested maintenance
/// run: ten years. No robot is off for longer; broken clocks show 2036, 2038 or 2106.
pub const CLOCK_AHEAD_DAYS_MAX: f64 = 3660.0;
/// Stored maintenance runs, and report files: daily ones of a quarter.
pub const MAINTENANCE_RUNS_MAX: usize = 100;
/// Numbers of one attempt at a task that are compared: a skill has some ten parameters.
pub const ATTEMPT_NUMBERS_MAX: usize = 64;
/// Texts and booleans of one attempt at a task that are compared.
pub const ATTEMPT_VALUES_MAX: usize = 64;
/// Bytes of a perception's data that are parsed for values of an attempt; longer data are series, not settings.
pub const ATTEMPT_DATA_BYTES_MAX: usize = 4 * 1024;
/// Characters of a task's or an object's name: two of them leave half of a summary for the figures.
pub const EXPERIENCE_NAME_CHARS_MAX: usize = 60;
/// Attempts with a known outcome from which on they are summarized: with fewer the interval is too wide.
pub const EXPERIENCE_ATTEMPTS_MIN: u64 = 5;
/// Source ids in a summary of attempts, the newest ones; their total is in the text.
pub const EXPERIENCE_SOURCES_MAX: usize = 1_000;
/// Memories that one attempt names as used: more than a briefing returns.
pub const USED_IDS_MAX: usize = 100;
/// Events of streams that are linked to one attempt: the first of them.
pub const ATTEMPT_EVENTS_MAX: u32 = 100;
/// Similar attempts in one answer of Brief.
pub const BRIEF_N_MAX: u32 = 100;
/// Ways in which attempts failed, in one answer of Brief: the most frequent.
pub const BRIEF_FAILURES_MAX: usize = 10;
/// Attempts that Compare reads, the newest ones: about a hundred megabytes.
pub const COMPARE_ATTEMPTS_MAX: usize = 100_000;
/// Contrasts in one response of Compare: the strongest.
pub const COMPARE_N_MAX: u32 = 100;
/// Ids of successes, and of failures, in a response of Compare: the newest.
pub const COMPARE_IDS_MAX: usize = 20;
/// Attempts that a lesson names of each outcome.
pub const LESSON_IDS_MAX: usize = 20;
/// Procedures that a briefing shows.
pub const BRIEF_PROCEDURES_MAX: usize = 3;
/// Contradictions that a briefing shows.
pub const BRIEF_CONTRADICTIONS_MAX: usize = 10;
/// Steps of an attempt: a longer procedure is several attempts.
pub const STEPS_MAX: usize = 64;
/// Different values at one path that are compared; with more, each attempt has its own value.
pub const COMPARE_VALUES_MAX: usize = 50;
/// Memories from which on a week is summarized: fewer need no summary.
pub const WEEK_MEMORIES_MIN: u64 = 3;
/// Missed weeks that are summarized later: a year and a few weeks.
pub const WEEKS_MAX: usize = 60;
/// Nearest memories that are judged with one: for a hundred nearly equal statements
/// the nearest are sufficient.
pub const JUDGED_PER_MEMORY_MAX: usize = 32;
/// Pairs of one scope that a chat endpoint judges in one run; the rules judge the rest. At one second each this
/// is a quarter of an hour.
pub const JUDGED_BY_CHAT_MAX: usize = 1_000;
/// Memories on one subject that are compared for contradictions, the newest ones: a larger number means
/// that the rules do not distinguish their words.
pub const CONTRADICTORY_PER_SUBJECT_MAX: usize = 256;
/// Contradictions of one scope that one run processes; further ones are counted and left to the next run.
pub const CONTRADICTIONS_MAX: usize = 10_000;
/// Bytes per step of the preallocation of the write queue: some tens of milliseconds on a slow flash card.
pub const WRITE_QUEUE_STEP_BYTES: u64 = 1 << 20;
/// Bytes that one call may append to the write queue: a perception with maximum data, all escaped, takes 2.5 MB.
pub const WRITE_QUEUE_APPEND_BYTES_MAX: usize = 4 << 20;
/// Bytes of stored rejected writes of the queue; further ones are only counted.
pub const WRITE_QUEUE_REJECTED_BYTES_MAX: usize = 1 << 20;
/// Backups that are kept regardless of their age: a clock jump must not delete all of them.
pub const BACKUPS_KEPT_MIN: usize = 7;
/// Bytes of one line of the input of `memory load`: data and metadata of a perception, escaped.
pub const LOADED_LINE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes of one value of another program's database that `memory load --from` reads: many times what a memory can have.
pub const FOREIGN_VALUE_BYTES_MAX: i32 = 64 << 20;
/// Bytes of a file of JSON that `memory load --from` reads, which is in memory as a whole.
pub const FOREIGN_FILE_BYTES_MAX: u64 = 256 << 20;
/// Memories deleted or changed since the oldest backup that are recorded next to the store for a repair:
/// a megabyte, which is written at most once per second.
pub const OUTDATED_NOTED_MAX: usize = 50_000;
/// Milliseconds of the daily check of rows against their hashes: a hundred thousand rows on
/// a small computer, continued from the end of the previous check.
pub const ROWS_CHECKED_MILLIS_MAX: u64 = 5_000;
/// Connections over HTTP at a time: some tens of callers with several each. One more waits until another one ends.
pub const HTTP_CONNECTIONS_MAX: usize = 256;
/// Headers of a request over HTTP.
pub const HTTP_HEADERS_MAX: usize = 64;
/// Bytes of the headers of a request over HTTP.
pub const HTTP_HEADER_BYTES_MAX: usize = 32 << 10;
/// Bytes of a request over HTTP: more than any of a service has.
pub const HTTP_BODY_BYTES_MAX: usize = 8 << 20;
/// Bytes of a file that are read at a time for an answer over HTTP: what each slow reader keeps in memory.
pub const HTTP_PIECE_BYTES: usize = 64 << 10;
/// Bytes of a cursor over HTTP: a time, a place and an id.
pub const HTTP_CURSOR_BYTES_MAX: usize = 2_048;
/// Pages that are read to find the place of a cursor again: some thousand rows came or went since.
pub const HTTP_CURSOR_PAGES_MAX: usize = 64;
/// Bytes that the lists and objects of a request over HTTP take in memory: a short text can be very many of them.
pub const HTTP_JSON_BYTES_MAX: usize = 32 << 20;
/// Bytes of the requests over HTTP that are there at a time, with what they take in memory.
pub const HTTP_BODIES_BYTES_MAX: usize = 48 << 20;
/// Bytes for which a request over HTTP has room before any of it has come: more than most have, so that those who
/// announce a large one and send nothing do not hold all the room.
pub const HTTP_BODY_BEGIN_BYTES: usize = 64 << 10;
/// Pictures that are decoded for answers over HTTP at a time: some MiB each, and the cores are for the calls.
pub const HTTP_PICTURES_MAX: usize = 2;
/// Bytes of the answers over HTTP that wait at a time for callers that read slowly: some of the largest.
pub const HTTP_ANSWERS_BYTES_MAX: usize = 64 << 20;
/// Bytes of an answer over HTTP that needs no room among them: every connection may have one.
pub const HTTP_SMALL_ANSWER_BYTES_MAX: usize = 64 << 10;
/// Captures over HTTP at a time: fewer than the node can do, so that some are left to callers over ROS.
pub const HTTP_CAPTURES_MAX: usize = 4;
/// Streams of events over HTTP at a time: each keeps a connection, of which most are left to calls.
pub const HTTP_EVENT_STREAMS_MAX: usize = 32;
/// Streams of events of one caller over HTTP: a few pages and scripts with one token.
pub const HTTP_EVENT_STREAMS_PER_CALLER_MAX: usize = 8;
/// Events that are read from the store at a time for who follows what is stored: tens of kilobytes as text.
pub const EVENTS_PAGE_MAX: usize = 64;
/// Rows that are looked at for them, of which most may be nothing for the caller: about a millisecond.
pub const EVENTS_SCANNED_MAX: u32 = 512;
/// Callers over HTTP of which it is counted how many requests they made.
pub const HTTP_COUNTED_MAX: usize = 10_000;
/// Logins of browsers at a time: more than people look after one robot; the oldest ends for one more.
pub const HTTP_LOGINS_MAX: usize = 256;
/// Logins of one token at a time: the browsers of one person; so many of one end nobody else's.
pub const HTTP_LOGINS_PER_PROOF_MAX: usize = 16;
/// Bytes of the address that is shown after a login: those of any view, and less than a request may have.
pub const PAGE_NEXT_BYTES_MAX: usize = 2_048;
/// Bytes of a form of the page: the longest statement in any script, many times.
pub const PAGE_FORM_BYTES_MAX: usize = 16 << 10;
/// Facts that the page of contradictions goes through, the newest of them.
pub const PAGE_FACTS_MAX: usize = 1_000;
/// Bytes of a message of MCP: the arguments of a tool.
pub const MCP_MESSAGE_BYTES_MAX: usize = 256 << 10;
/// Bytes of an answer that `memory mcp` takes from a node.
pub const MCP_ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Open attempts that a resource of MCP tells of: a robot does one thing at a time, or a few.
pub const MCP_OPEN_ATTEMPTS_MAX: usize = 5;
/// Recalls by which the limits of a resource of MCP are gathered, 100 facts each: some tenths of a second.
pub const MCP_LIMIT_RECALLS_MAX: usize = 20;
/// Memories that a statement is compared with in a prompt of MCP: those that may say it, or contradict it.
pub const MCP_RELATED_MAX: usize = 5;
/// Memories of a session, or that a prompt of MCP brings along: what is read in one go.
pub const MCP_TOLD_MEMORIES_MAX: usize = 50;
/// Bytes of an argument of a prompt of MCP: a long sentence, in any language.
pub const MCP_PROMPT_ARGUMENT_BYTES_MAX: usize = 2_000;
/// Bytes of a token file: some thousands of tokens.
pub const TOKEN_FILE_BYTES_MAX: u64 = 1 << 20;
/// Memories that wait to be told to the fleet: months of what a robot learns without a hub. Of more the least important
/// that nobody was told of are not told.
pub const FLEET_WAITING_MAX: u64 = 100_000;
/// Claims that are sent, or taken, in one transaction: one wait for the disk, and some hundred milliseconds.
pub const FLEET_BATCH_MAX: usize = 500;
/// Memories of one robot that are kept of what it tells: ten years of fifty claims a day.
pub const HEARSAY_PER_ROBOT_MAX: u64 = 200_000;
/// Lessons of other robots that are held against own attempts, each time an attempt ended; further ones are hearsay only.
pub const HEARD_LESSONS_MAX: u64 = 10_000;
/// Robots that are named with a memory that others told, and of those that bear it out or refute it.
pub const FLEET_TELLERS_SHOWN_MAX: usize = 16;
/// Rows of who told a memory that are read for them and for their number: a fleet, many times.
pub const FLEET_TELLERS_READ_MAX: usize = 10_000;
/// Claims of a file that are listed by their line when they are refused, or not adopted as asked for; more are a number.
pub const ADOPTION_SHOWN_MAX: usize = 20;
/// Revocations that are shown at a time, the newest: a person reads them.
pub const REVOCATIONS_SHOWN_MAX: usize = 1_000;
/// Receipts of a revocation that are shown, in order of the robots' names: more than a file of robots has.
pub const RECEIPTS_SHOWN_MAX: usize = 20_000;
/// Receipts that may be there when one comes of a revocation that is not known, which may still come.
pub const UNKNOWN_RECEIPTS_MAX: u64 = 100_000;
/// Bytes of the name of a robot: it is a token of a subject of NATS, and a part of the id of every message.
pub const ROBOT_NAME_BYTES_MAX: usize = 64;
/// Memories that a claim names as what it rests on.
pub const CLAIM_REFS_MAX: usize = 64;
/// Bytes of the name of a token, and of its agent.
pub const TOKEN_NAME_BYTES_MAX: usize = 128;
/// Bytes of a file that holds one token.
pub const TOKEN_BYTES_MAX: u64 = 4_096;
/// Bytes of a signed claim: the longest context, with all of it escaped, what it rests on, and a vector.
pub const CLAIM_BYTES_MAX: usize = 256 << 10;
/// Ids, revisions and counts in a claim: greater integers are not exact in a reader whose numbers are doubles.
pub const CLAIM_INTEGER_MAX: u64 = (1_u64 << 53) - 1;
/// Components of the vector of a claim: no sentence model has more.
pub const CLAIM_COMPONENTS_MAX: usize = 4_096;
/// Bytes of the picture of a claim: with the longest context the message is still one that readers take.
pub const CLAIM_PICTURE_BYTES_MAX: usize = 64 << 10;
/// Robots and authorities whose keys are known: each takes about 300 bytes in memory.
pub const KNOWN_ROBOTS_MAX: usize = 10_000;
/// Bytes of the file of their keys: about 130 for each, and comments.
pub const KNOWN_ROBOTS_BYTES_MAX: usize = 4 << 20;
/// Bytes of a key file: one line of base64.
pub const KEY_FILE_BYTES_MAX: u64 = 256;
/// Bytes of a message to the fleet: a claim with the longest context, escaped, its vector and its picture; servers of NATS
/// take twice that.
pub const FLEET_MESSAGE_BYTES_MAX: usize = 512 << 10;
/// Messages to the fleet that are sent before the first of them is acknowledged: what is sent twice after a kill.
pub const FLEET_IN_FLIGHT_MAX: usize = 256;
/// Bytes of these between a leaf and the hub: eight seconds at 1 Mbit/s, which questions to the site and what others
/// told have to wait for.
pub const FLEET_IN_FLIGHT_BYTES_MAX: u32 = 1 << 20;
/// Bytes of the messages of the fleet that are asked for at a time: all are in memory.
pub const FLEET_BATCH_BYTES_MAX: usize = 8 << 20;
/// Bytes that a robot's leaf keeps of what the robot said: some hundred thousand claims, weeks without a hub; with
/// pictures some ten thousand.
pub const FLEET_OUT_BYTES_MAX: u64 = 256 << 20;
/// Bytes that the hub keeps of what all robots said: some millions of claims, or 400 000 with pictures; a robot that was
/// away for longer than they reach back misses the oldest.
pub const FLEET_STREAM_BYTES_MAX: u64 = 8_u64 << 30;
/// Readers of what all robots said: one of each robot, and for a minute one more for each connection that it lost. A
/// server of NATS has 1 000 when nothing else is said.
pub const FLEET_READERS_MAX: i32 = 50_000;
/// Milliseconds that a recall waits for the memory of the site: longer than an answer takes over the network of a plant,
/// shorter than a planner notices.
pub const SITE_DEADLINE_MS: u64 = 200;
/// Bytes of a question to the site, and of an answer: less than a NATS server takes in one message.
pub const SITE_MESSAGE_BYTES_MAX: usize = 512 << 10;
/// Questions of a robot that wait for the site at the same time; more are answered by the robot alone.
pub const SITE_WAITING_MAX: usize = 64;
/// Questions that a site answers at the same time; the others wait.
pub const SITE_AT_ONCE_MAX: usize = 4;
/// Questions that a site takes at the same time; more get no answer, since whoever asked would not wait for it.
pub const SITE_TAKEN_MAX: usize = 64;
/// Robots that a site names with a memory: each is looked up by the robot that asked.
pub const SITE_TELLERS_MAX: usize = 32;
/// Claims that a site takes in one transaction: some seconds of work, and some megabytes in memory.
pub const SITE_BATCH_MAX: usize = 10_000;
/// Connections of a site's store that read: each is a process of the server.
pub const SITE_READERS_MAX: usize = 8;
/// Seconds that a recall of a site waits for a connection.
pub const SITE_WAIT_SECS: u64 = 10;
/// Seconds until a database that does not answer counts as not reached.
pub const SITE_CONNECT_SECS: u64 = 10;
/// Seconds of one statement of a recall of a site: a person waits for it.
pub const SITE_QUERY_SECS: u32 = 20;
/// Seconds of one statement that takes claims: the largest revocation.
pub const SITE_TAKE_SECS: u32 = 300;
/// Months of one site that have partitions of their own, the first of them January 2020: planning a query looks at each.
/// What is of other months is in one partition beside them.
pub const SITE_MONTHS_MAX: usize = 240;
/// Rows of each of the two lists of a recall of a site: more than are answered.
pub const SITE_LIST_ROWS: usize = 100;
/// Statements with words of the query that a site looks up at first: enough that the best are among them.
pub const SITE_WORD_ROWS: i32 = 2_000;
/// Statements with words of the query that a site scores at most at a time: reading them takes some tens of milliseconds.
pub const SITE_WORD_ROWS_MAX: i32 = 10_000;
/// How often a site looks up more or fewer of them, until the best are among them; it ends before, when that read twice as
/// many statements.
pub const SITE_WORD_LOOKUPS_MAX: usize = 16;
/// Statements that pass a filter up to which every vector is compared: some tens of milliseconds.
pub const SITE_EXACT_ROWS_MAX: i64 = 20_000;
/// Vectors that the index is asked for without a filter: of fewer it misses more of the nearest.
pub const SITE_NEAREST: i64 = 200;
/// Vectors that the index is asked for beside a filter: the most that pgvector gives.
pub const SITE_NEAREST_MAX: i64 = 1_000;
/// Components of a vector that pgvector indexes; those of longer ones are compared one by one.
pub const SITE_INDEXED_COMPONENTS_MAX: usize = 2_000;
/// Steps from a memory of a site that its provenance follows: chains of summaries are shorter.
pub const SITE_PROVENANCE_DEPTH_MAX: i32 = 16;
/// Memories that are told of each direction of it: a person reads them.
pub const SITE_PROVENANCE_ROWS_MAX: i64 = 1_000;
}
