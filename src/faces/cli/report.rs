//! `memory report`: one page about a store that a browser shows, without a network.

mod page;
mod places;
mod ranked;
mod sections;
mod style;

use super::arguments::{ReportArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::open_engine;
use super::output::Output;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use robot_memory_core::api::{Report, ReportRequest};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes the page to a file, which is private to this user as the store is.
#[expect(clippy::disallowed_methods, reason = "the report is in the local time of now")]
pub fn run(arguments: ReportArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let ReportArguments { output: path, days } = arguments;
    let engine = open_engine(store)?;
    let utc_offset_secs = TimeZone::system().to_offset(Timestamp::now()).seconds();
    let request = ReportRequest { days, utc_offset_secs };
    let response = engine.call::<Report>(request)?;
    let page = page::page(&response, &engine.store_path().display().to_string(), utc_offset_secs);
    write(&path, &page)?;
    output.text(&format!("{}\n", path.display()))
}

/// Beside the file first, so that who looks at the last report never sees half of the next.
fn write(path: &Path, page: &str) -> Result<(), Failure> {
    let of_file = |source| Failure::File { path: path.to_owned(), source };
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&name)
        .and_then(|mut file| file.write_all(page.as_bytes()))
        .and_then(|()| std::fs::rename(&name, path));
    if written.is_err() {
        // What failed is said; a part of a page that stays is no more than a nuisance.
        let _ = std::fs::remove_file(&name);
    }
    written.map_err(of_file)
}
