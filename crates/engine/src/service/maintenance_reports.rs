//! Where reports of maintenance go: into files beside the store, and to whoever listens.
//!
//! That a report is still to be told is kept in the store, from the commit that ends the run until its
//! files are written: a crash in between loses none.

use super::jobs::{Report, report_markdown};
use crate::db::{ListenerSet, Outcome, Subscription};
use crate::{Engine, OnTopic, Result};
use robot_memory_core::api::MaintenanceMode;
use robot_memory_core::limits::MAINTENANCE_RUNS_MAX;
use robot_memory_core::model::{JobScope, Scope, Stamp};
use robot_memory_db::{self as store, Locked};
use std::collections::BTreeSet;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a run of maintenance did, or would do.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// When it is told.
    pub stamp: Stamp,
    pub job_id: i64,
    /// How much was done.
    pub mode: MaintenanceMode,
    /// Whether it was done on a copy that was thrown away.
    pub dry_run: bool,
    /// Of which scope, or all.
    pub scope: JobScope,
    /// Whether no step was given up.
    pub success: bool,
    /// The report, which names memories by id and holds none of their text.
    pub json: String,
    /// The same for a person to read.
    pub markdown: String,
    /// Where both are kept; `None` when they could not be written.
    pub folder: Option<PathBuf>,
}

/// The reports of runs that end. The file of one that is left out is there all the same.
pub type MaintenanceReports = Subscription<MaintenanceReport>;

/// Who listens, and what was told.
#[derive(Debug)]
pub(super) struct ReportListeners {
    listeners: ListenerSet<MaintenanceReport>,
    /// Jobs whose report was told and could not be written.
    published: Mutex<BTreeSet<i64>>,
    /// Whether an earlier run of the store may have left some untold.
    is_left: AtomicBool,
    /// Why a webhook did not take the last report.
    webhook_fault: Mutex<Option<String>>,
}

impl Default for ReportListeners {
    fn default() -> Self {
        Self {
            listeners: ListenerSet::default(),
            published: Mutex::default(),
            is_left: AtomicBool::new(true),
            webhook_fault: Mutex::default(),
        }
    }
}

impl Engine {
    /// Listens to reports of maintenance from now on; `waiting_max` may wait to be taken.
    pub fn maintenance_reports(&self, waiting_max: usize) -> MaintenanceReports {
        self.reports.listeners.add(waiting_max)
    }

    /// The folder of reports: the store's file with `.maintenance` behind.
    pub fn maintenance_folder(&self) -> PathBuf {
        store::with_suffix(&self.config.store_path, ".maintenance")
    }

    /// A report as topics show it: what was done only when the policy lets topics read something of its
    /// scope, or everything when it is of every scope.
    pub fn report_on_topics(&self, mut report: MaintenanceReport) -> OnTopic<MaintenanceReport> {
        let names_scope = self.shows_on_topics(&report.scope);
        if !names_scope {
            report.json.clear();
            report.markdown.clear();
        }
        OnTopic { content: report, names_scope }
    }

    /// Notes why a webhook did not take the last report, or that it did.
    pub fn note_webhook(&self, fault: Option<String>) {
        *self.reports.webhook_fault.locked() = fault;
    }

    /// Why a webhook did not take the last report; `None` when it did, or when there is none.
    pub fn webhook_fault(&self) -> Option<String> {
        self.reports.webhook_fault.locked().clone()
    }

    /// Tells reports that an earlier run of the store left, once after the start.
    pub(super) fn tell_reports_left(&self) -> Result<()> {
        if self.reports.is_left.swap(false, Ordering::Relaxed) {
            self.tell_reports()
        } else {
            Ok(())
        }
    }

    /// Writes the reports that are still to be told into their files, and tells those who listen. What
    /// cannot be written is tried again after the next run, and at the next start.
    pub(super) fn tell_reports(&self) -> Result<()> {
        // One at a time, so that each is told once.
        let mut published = self.reports.published.locked();
        let unpublished = self.store.read(|tx| tx.unpublished_reports(MAINTENANCE_RUNS_MAX))?;
        let folder = self.maintenance_folder();
        for (job_id, json) in unpublished {
            let written = match serde_json::from_str::<Report>(&json) {
                Ok(report) => {
                    let markdown = report_markdown(&report, job_id);
                    let stem = stem(&report, job_id);
                    let written = write_report(&folder, &stem, &pretty(&json), &markdown);
                    if let Err(error) = &written {
                        log::warn!("the report of job {job_id} cannot be written: {error}");
                    }
                    if published.insert(job_id) {
                        let folder = written.is_ok().then(|| folder.clone());
                        self.tell_report(&report, job_id, json, markdown, folder);
                    }
                    written.is_ok()
                }
                Err(_) => {
                    log::warn!("the report of job {job_id} is gone, or of another version");
                    true
                }
            };
            if written {
                self.write(|tx| {
                    tx.forget_unpublished(job_id)?;
                    Ok(Outcome::Changed(()))
                })?;
                published.remove(&job_id);
            }
        }
        Ok(())
    }

    fn tell_report(
        &self,
        report: &Report,
        job_id: i64,
        json: String,
        markdown: String,
        folder: Option<PathBuf>,
    ) {
        let scope = match report.scope.as_str() {
            JobScope::ALL => JobScope::All,
            scope => JobScope::Of(Scope::parse(scope).unwrap_or(Scope::Unscoped)),
        };
        let message = MaintenanceReport {
            stamp: self.clock.now().unwrap_or_default(),
            job_id,
            mode: report.mode,
            dry_run: report.dry_run,
            scope,
            success: report.is_success(),
            json,
            markdown,
            folder,
        };
        self.reports.listeners.publish([message]);
    }
}

/// The name of a report's files, without their ending: `2026-11-22T030000Z-daily-job12`.
fn stem(report: &Report, job_id: i64) -> String {
    let second = report.began_at.split(['.', 'Z']).next().unwrap_or_default().replace(':', "");
    let dry = if report.dry_run { "-dry" } else { "" };
    format!("{second}Z-{}{dry}-job{job_id}", report.mode)
}

fn pretty(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    format!("{value:#}\n")
}

/// Writes both files, whole or not at all, and removes those of older reports beyond so many as are kept.
fn write_report(folder: &Path, stem: &str, json: &str, markdown: &str) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    for (ending, text) in [("md", markdown), ("json", json)] {
        let path = folder.join(format!("{stem}.{ending}"));
        let partial = folder.join(format!("{stem}.{ending}.tmp"));
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(&partial)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&partial, &path)?;
    }
    remove_old(folder)
}

/// Job ids only grow, whatever the clock says.
fn remove_old(folder: &Path) -> std::io::Result<()> {
    let mut reports: Vec<(i64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((_, rest)) = name.rsplit_once("-job") else { continue };
        let Some((number, ending)) = rest.split_once('.') else { continue };
        if let Ok(job_id) = number.parse()
            && ["json", "md", "json.tmp", "md.tmp"].contains(&ending)
        {
            reports.push((job_id, path));
        }
    }
    let mut jobs: Vec<i64> = reports.iter().map(|(job_id, _)| *job_id).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let kept_from = jobs.len().saturating_sub(MAINTENANCE_RUNS_MAX);
    let Some(first_kept) = jobs.get(kept_from) else { return Ok(()) };
    for (_, path) in reports.iter().filter(|(job_id, _)| job_id < first_kept) {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_reports_are_kept_and_nothing_else_is_touched() {
        let folder = tempfile::TempDir::new().expect("a folder");
        std::fs::write(folder.path().join("notes-job1.txt"), "mine").expect("it is written");
        for job_id in 1..=MAINTENANCE_RUNS_MAX + 3 {
            // A clock that went back.
            let stem = format!("{:04}-01-01T000000Z-daily-job{job_id}", 3000 - job_id);
            write_report(folder.path(), &stem, "{}", "# It").expect("it is written");
        }
        let names: Vec<String> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names.len(), 2 * MAINTENANCE_RUNS_MAX + 1);
        assert!(names.iter().all(|name| !name.contains("job3.json")), "{names:?}");
        assert!(names.contains(&"2996-01-01T000000Z-daily-job4.md".to_owned()));
        assert!(names.contains(&"notes-job1.txt".to_owned()));
    }
}
