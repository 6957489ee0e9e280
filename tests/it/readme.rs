//! The README's tables say what the program does.

use robot_memory::config::{Bounds, DECLARATIONS, Declaration, Value};
use robot_memory_core::limits;
use std::collections::BTreeMap;
use std::path::Path;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The cells of the first table below a heading of README.md, without the table's head.
fn table(heading: &str) -> Vec<Vec<String>> {
    let readme = text("README.md");
    let section = readme.lines().skip_while(|line| *line != heading).skip(1);
    let rows = section.skip_while(|line| !line.starts_with('|')).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// What the README says of a parameter, but for its purpose.
fn row(declaration: &Declaration) -> Vec<String> {
    let kind = match declaration.default {
        Value::Bool(_) => "bool",
        Value::Integer(_) => "integer",
        Value::Double(_) => "double",
        Value::Text(_) => "string",
        Value::Texts(_) => "string array",
        Value::Bytes(_) | Value::Bools(_) | Value::Integers(_) | Value::Doubles(_) => {
            panic!("no parameter is of this type")
        }
    };
    let values = match declaration.bounds {
        Bounds::Any => "any".to_owned(),
        Bounds::Integers(min, i64::MAX) => format!("{min} or more"),
        Bounds::Integers(min, max) => format!("{min} to {max}"),
        Bounds::Doubles(min, max) => format!("{min} to {max}"),
        Bounds::OneOf(all) => {
            all.iter().map(|text| format!("`\"{text}\"`")).collect::<Vec<_>>().join(", ")
        }
        Bounds::Bytes(min, max) => format!("{min} to {max} bytes"),
        Bounds::Scope => "a scope, or empty".to_owned(),
        Bounds::Daily => "a time of day, or empty".to_owned(),
        Bounds::Weekly => "a day and a time, or empty".to_owned(),
    };
    let read = if declaration.read_only { "start" } else { "any time" };
    let name = format!("`{}`", declaration.name);
    let default = format!("`{}`", declaration.default);
    vec![name, kind.to_owned(), default, values, read.to_owned()]
}

#[test]
fn the_table_of_parameters_is_that_of_the_program() {
    let shown: Vec<Vec<String>> =
        table("## Parameters").into_iter().map(|cells| cells[..5].to_vec()).collect();
    let declared: Vec<Vec<String>> = DECLARATIONS.iter().map(row).collect();
    assert_eq!(shown, declared);
}

#[test]
fn the_table_of_limits_is_that_of_the_program() {
    macro_rules! values {
        ($($name:ident)+) => {
            BTreeMap::from([$((stringify!($name), limits::$name as u64)),+])
        };
    }
    let values = values! {
        CONTENT_CHARS_MAX SUMMARY_CHARS_MAX DESCRIPTION_CHARS_MIN TEXT_BYTES_MAX CONTEXT_BYTES_MAX
        DATA_BYTES_MAX ANSWER_DATA_BYTES_MAX MESSAGE_NUMBERS_MAX MESSAGE_VALUES_MAX
        DEFINITION_BYTES_MAX DEFINITION_DEPTH_MAX NAME_BYTES_MAX QUERY_CHARS_MAX QUOTED_CHARS_MAX
        ERROR_CHARS_MAX REASON_CHARS_MAX
        CAPTURE_REASON_CHARS_MAX CAPTURE_SECS_MAX RECALL_N_MAX
        FILTER_CONDITIONS_MAX PATH_DEPTH_MAX SPATIAL_DIMENSIONS_MAX UTC_OFFSET_SECS_MAX COUNTS_MAX
        NAMES_PER_REQUEST_MAX BETTER_COLLECTIONS_MAX PAGE_MAX BATCH_MAX IDEMPOTENCY_KEYS_MAX CONTENDERS_MIN LIST_MIN
        USED_AT_ONCE_MAX PENDING_ACCESSES_MAX RELATED_MEMORIES_MAX
        QUERY_TOKENS_MAX RECORDED_CHANGES_MAX WORDS_AT_OPEN_MAX SPATIAL_FIELDS_MAX COLUMNS_MAX
        BAG_MESSAGE_BYTES_MAX BAG_CHUNK_BYTES_MAX BAG_OPEN_BYTES_MAX STREAMS_MAX STREAMS_BYTES_MAX
        ACCESS_BYTES_MAX ACCESS_AGENTS_MAX ACCESS_GRANTS_MAX NEVER_STORE_MAX NEVER_STORE_BYTES_MAX
        NEVER_STORE_NAME_BYTES_MAX LIMITS_PER_MEMORY_MAX ACTION_PARAMETERS_MAX UNDECIDED_MAX
        TURN_BYTES_MAX MICRO_SUMMARY_CHARS_MAX JOB_ATTEMPTS_MAX JOBS_UNFINISHED_MAX
        JOBS_FINISHED_MAX JOB_ERROR_CHARS_MAX TURN_FACTS_MAX CHAT_ANSWER_BYTES_MAX
        CHAT_PROMPT_BYTES_MAX CHAT_DATA_BYTES_MAX CHAT_FACTS_MAX CHAT_KEY_BYTES_MAX
        RESTORE_REASON_CHARS_MAX LEDGER_ENTRIES_MAX STATUS_SCOPES_MAX
        REPORT_DAYS_MAX REPORT_COLLECTIONS_MAX REPORT_TASKS_MAX
        REPORT_TASKS_KNOWN_MAX REPORT_MAPS_MAX REPORT_MARKS_MAX
        REPORT_PLACES_MAX REPORT_LIST_MAX REPORT_NEXT_MAX
        MAINTENANCE_SCOPES_TOLD_MAX MAINTENANCE_FINDINGS_MAX MAINTENANCE_NOTES_MAX
        CLOCK_AHEAD_DAYS_MAX MAINTENANCE_RUNS_MAX ATTEMPT_NUMBERS_MAX ATTEMPT_VALUES_MAX
        ATTEMPT_DATA_BYTES_MAX EXPERIENCE_NAME_CHARS_MAX EXPERIENCE_ATTEMPTS_MIN
        EXPERIENCE_SOURCES_MAX COMPARE_ATTEMPTS_MAX COMPARE_N_MAX
        COMPARE_IDS_MAX COMPARE_VALUES_MAX WEEK_MEMORIES_MIN
        WEEKS_MAX JUDGED_PER_MEMORY_MAX JUDGED_BY_CHAT_MAX
        CONTRADICTORY_PER_SUBJECT_MAX CONTRADICTIONS_MAX WRITE_QUEUE_STEP_BYTES
        WRITE_QUEUE_APPEND_BYTES_MAX WRITE_QUEUE_REJECTED_BYTES_MAX BACKUPS_KEPT_MIN
        REORDER_SECS_MAX LOADED_LINE_BYTES_MAX JOB_ENDS_MAX SETTINGS_FILE_BYTES_MAX
        OUTDATED_NOTED_MAX ROWS_CHECKED_MILLIS_MAX
    };
    let source = text("crates/core/src/limits.rs");
    let declared: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub const ")?.split(':').next())
        .collect();
    let shown: Vec<(String, String)> = table("## Limits")
        .into_iter()
        .map(|cells| (cells[3].trim_matches('`').to_owned(), cells[1].replace(' ', "")))
        .collect();
    let expected: Vec<(String, String)> = declared
        .iter()
        .map(|name| {
            let value = values.get(name).unwrap_or_else(|| panic!("{name} is not compared"));
            ((*name).to_owned(), value.to_string())
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn every_error_code_is_explained() {
    use robot_memory_core::api::ErrorKind;
    let codes: Vec<String> =
        table("## Errors").into_iter().skip(1).map(|cells| cells[0].clone()).collect();
    let expected: Vec<String> = ErrorKind::ALL.iter().map(|kind| format!("`{kind}`")).collect();
    assert_eq!(codes, expected);
}
