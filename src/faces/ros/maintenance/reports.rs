//! `~/maintenance`: what each run did, or would do.

use crate::faces::ros::stop::Stop;
use crate::faces::ros::wire::maintenance_report;
use crate::webhook::Webhook;
use r2r::robot_memory::msg::MaintenanceReport;
use r2r::{Publisher, QosProfile};
use robot_memory_engine::{Engine, MaintenanceReports};
use std::sync::Arc;
use std::time::Duration;

/// Reports that the middleware keeps for who comes later: those of the last days.
const DEPTH: usize = 10;
/// Reports that may wait for being told; a run takes seconds.
const WAITING_MAX: usize = 100;
/// How late the stop may be seen.
const WAIT: Duration = Duration::from_millis(200);

/// Publishes the reports of maintenance.
pub(in crate::faces::ros) struct Reports {
    engine: Arc<Engine>,
    reports: MaintenanceReports,
    publisher: Publisher<MaintenanceReport>,
}

impl Reports {
    /// Listens from now on.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(node: &mut r2r::Node, engine: &Arc<Engine>) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().transient_local().keep_last(DEPTH);
        Ok(Self {
            engine: Arc::clone(engine),
            reports: engine.maintenance_reports(WAITING_MAX),
            publisher: node.create_publisher("~/maintenance", qos)?,
        })
    }

    /// Publishes until it is time to stop.
    pub fn run(self, stop: &Stop) {
        while !stop.wait(Duration::ZERO) {
            for report in self.reports.next(WAIT) {
                let report = self.engine.report_on_topics(report);
                if let Err(error) = self.publisher.publish(&maintenance_report(report)) {
                    log::debug!("~/maintenance: {error}");
                }
            }
        }
    }
}

/// Posts the reports of maintenance.
pub(in crate::faces::ros) struct Posts {
    webhook: Webhook,
    engine: Arc<Engine>,
    reports: MaintenanceReports,
}

impl Posts {
    /// Listens from now on.
    pub fn to(webhook: Webhook, engine: &Arc<Engine>) -> Self {
        let reports = engine.maintenance_reports(WAITING_MAX);
        Self { webhook, engine: Arc::clone(engine), reports }
    }

    /// Posts until it is time to stop.
    pub fn run(self, stop: &Stop) {
        self.webhook.deliver(&self.engine, &self.reports, || stop.wait(Duration::ZERO));
    }
}
