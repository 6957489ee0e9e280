use super::string::cut;
use super::{Body, Fault};
use crate::{Report, ReportLevel, Selection, Value};
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::{CdrError, CdrReader};

/// What `where` can ask of a `diagnostic_msgs/DiagnosticStatus`.
const STATUS_FIELDS: [&str; 4] =
    ["status.name", "status.level", "status.message", "status.hardware_id"];
/// What `where` can ask of a `rcl_interfaces/Log`.
const LINE_FIELDS: [&str; 5] = ["name", "level", "msg", "file", "function"];
/// Says in a status, and in the module that logs a line, that a memory node published it: what a memory says
/// about itself is nothing to remember.
const PACKAGE: (&str, &str) = ("package", "robot_memory");

/// `diagnostic_msgs/DiagnosticArray`; its level is at least ERROR where `where` says nothing.
pub(super) fn diagnostics(selection: &Selection) -> Body {
    let selection = selection.clone().or_level(STATUS_FIELDS[1], ReportLevel::Error);
    Box::new(move |reader| {
        let mut reports = Vec::new();
        let mut read = || {
            let count = reader.count(20)?;
            for index in 0..count {
                let read = status(reader, &selection);
                reports.extend(read.map_err(|error| error.within(&format!("[{index}]")))?);
            }
            Ok::<_, CdrError>(count)
        };
        let count = read().map_err(|error| error.within("status"))?;
        if count > MESSAGE_NUMBERS_MAX {
            return Err(Fault::TooMany { what: "statuses", count });
        }
        Ok(Value::Reports(reports))
    })
}

/// `None`: it is not selected.
fn status(reader: &mut CdrReader<'_>, selection: &Selection) -> Result<Option<Report>, CdrError> {
    let level = match reader.u8().map_err(|error| error.within("level"))? {
        0 => ReportLevel::Ok,
        1 => ReportLevel::Warn,
        2 => ReportLevel::Error,
        _ => ReportLevel::Stale,
    };
    let mut text = |field: &'static str| {
        reader.text().map(|text| text.into_owned()).map_err(|error| error.within(field))
    };
    let (name, message, hardware) = (text("name")?, text("message")?, text("hardware_id")?);
    let mut is_own = false;
    let mut values = || {
        for _ in 0..reader.count(8)? {
            let pair = (reader.text_bytes()?, reader.text_bytes()?);
            is_own |= pair == (PACKAGE.0.as_bytes(), PACKAGE.1.as_bytes());
        }
        Ok::<_, CdrError>(())
    };
    values().map_err(|error| error.within("values"))?;
    let [of_name, of_level, of_message, of_hardware] = STATUS_FIELDS;
    let is_selected = !is_own
        && selection.takes_text(of_name, &name)
        && selection.takes_text(of_message, &message)
        && selection.takes_text(of_hardware, &hardware);
    let is_active = selection.takes_level(of_level, level);
    let report =
        || Report { name: cut(name), level, text: cut(message), is_line: false, is_active };
    Ok(is_selected.then(report))
}

/// `rcl_interfaces/Log`; its level is at least ERROR where `where` says nothing.
pub(super) fn line(selection: &Selection) -> Body {
    let selection = selection.clone().or_level(LINE_FIELDS[1], ReportLevel::Error);
    Box::new(move |reader| {
        let _stamp = reader.stamp()?;
        let level = match reader.u8().map_err(|error| error.within("level"))? {
            0..20 => ReportLevel::Debug,
            20..30 => ReportLevel::Info,
            30..40 => ReportLevel::Warn,
            40..50 => ReportLevel::Error,
            50.. => ReportLevel::Fatal,
        };
        let mut text = |field: &'static str| reader.text().map_err(|error| error.within(field));
        let [of_name, of_level, of_text, of_file, of_function] = LINE_FIELDS;
        let (name, text, file, function) =
            (text(of_name)?, text(of_text)?, text(of_file)?, text(of_function)?);
        let is_own = function.starts_with(PACKAGE.1) && function.contains("::");
        let is_active = !is_own
            && selection.takes_level(of_level, level)
            && selection.takes_text(of_name, &name)
            && selection.takes_text(of_text, &text)
            && selection.takes_text(of_file, &file)
            && selection.takes_text(of_function, &function);
        // Most lines are of no level that is asked for.
        let report = || Report {
            name: cut(name.into_owned()),
            level,
            text: cut(text.into_owned()),
            is_line: true,
            is_active,
        };
        Ok(Value::Reports(is_active.then(report).into_iter().collect()))
    })
}

/// What `where` can ask of the records of a type; `None` for a type that has none.
pub(super) fn fields_of(package: &str, name: &str) -> Option<&'static [&'static str]> {
    match (package, name) {
        ("diagnostic_msgs", "DiagnosticArray") => Some(&STATUS_FIELDS),
        ("rcl_interfaces", "Log") => Some(&LINE_FIELDS),
        _ => None,
    }
}
