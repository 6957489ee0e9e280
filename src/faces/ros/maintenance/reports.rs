//! `~/maintenance`: what each run did, or would do.

use crate::faces::ros::publish::publish;
use crate::faces::ros::stop::Task;
use crate::faces::ros::wire::maintenance_report;
use crate::webhook::Webhook;
use r2r::QosProfile;
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::time::Duration;

/// Reports that the middleware keeps for who comes later: those of the last days.
const DEPTH: usize = 10;
/// Reports that may wait for being told; a run takes seconds.
const WAITING_MAX: usize = 100;
/// How late the stop may be seen.
const WAIT: Duration = Duration::from_millis(200);

/// Publishes the reports of maintenance, from now on.
///
/// # Errors
/// When there can be no such publisher.
pub(in crate::faces::ros) fn reports(
    node: &mut r2r::Node,
    engine: &Arc<Engine>,
) -> r2r::Result<Task> {
    let qos = QosProfile::default().reliable().transient_local().keep_last(DEPTH);
    let publisher = node.create_publisher("~/maintenance", qos)?;
    let engine = Arc::clone(engine);
    let reports = engine.maintenance_reports(WAITING_MAX);
    Ok(Box::new(move |stop| {
        while !stop.wait(Duration::ZERO) {
            for report in reports.next(WAIT) {
                let report = engine.report_on_topics(report);
                publish(&publisher, "~/maintenance", &maintenance_report(report));
            }
        }
    }))
}

/// Posts the reports of maintenance, from now on.
pub(in crate::faces::ros) fn posts(webhook: Webhook, engine: &Arc<Engine>) -> Task {
    let engine = Arc::clone(engine);
    let reports = engine.maintenance_reports(WAITING_MAX);
    Box::new(move |stop| webhook.deliver(&engine, &reports, || stop.wait(Duration::ZERO)))
}
