use super::{text, time};
use r2r::robot_memory::msg;
use robot_memory_engine::{MaintenanceReport, OnTopic};

/// MaintenanceReport.msg
pub(in crate::faces::ros) fn maintenance_report(
    report: OnTopic<MaintenanceReport>,
) -> msg::MaintenanceReport {
    let OnTopic { told: report, names_scope } = report;
    let MaintenanceReport { stamp, job_id, mode, dry_run, scope, success, json, markdown, folder } =
        report;
    msg::MaintenanceReport {
        stamp: time(Some(stamp)),
        job_id,
        mode: text(mode.as_str()),
        dry_run,
        scope: text(scope.kind()),
        scope_id: if names_scope { text(scope.id()) } else { String::new() },
        success,
        json: text(json),
        markdown: text(markdown),
        folder: text(folder.map(|folder| folder.display().to_string()).unwrap_or_default()),
    }
}
