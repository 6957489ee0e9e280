//! `~/maintenance`: what each run did, or would do.

use crate::faces::ros::publish::{PublisherQos, publish};
use crate::faces::ros::stop::Task;
use crate::faces::ros::wire::maintenance_report;
use crate::webhook::Webhook;
use r2r::robot_memory::msg::MaintenanceReport;
use r2r::{Publisher, QosProfile};
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::time::Duration;

/// Reports that the middleware keeps for who comes later: those of the last days.
const DEPTH: usize = 10;
/// Reports that may wait for being told; a run takes seconds.
const WAITING_MAX: usize = 100;
/// How late the stop may be seen.
const WAIT: Duration = Duration::from_millis(200);

/// The topic.
pub(in crate::faces::ros) struct Reports(Publisher<MaintenanceReport>);

impl Reports {
    /// Offers it.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(node: &mut r2r::Node, overrides: &PublisherQos) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().transient_local().keep_last(DEPTH);
        overrides.create_publisher("~/maintenance", node, qos).map(Self)
    }

    /// Publishes the reports of maintenance, from now on.
    pub fn task(&self, engine: &Arc<Engine>) -> Task {
        let (publisher, engine) = (self.0.clone(), Arc::clone(engine));
        let reports = engine.maintenance_reports(WAITING_MAX);
        Box::new(move |stop| {
            loop {
                // What is there when it is time to stop is still published.
                let is_over = stop.wait(Duration::ZERO);
                let waiting = reports.next(if is_over { Duration::ZERO } else { WAIT });
                if is_over && waiting.is_empty() {
                    return;
                }
                for report in waiting {
                    let report = engine.report_on_topics(report);
                    publish(&publisher, "~/maintenance", &maintenance_report(report));
                }
            }
        })
    }
}

/// Posts the reports of maintenance, from now on.
pub(in crate::faces::ros) fn posts(webhook: Webhook, engine: &Arc<Engine>) -> Task {
    let engine = Arc::clone(engine);
    let reports = engine.maintenance_reports(WAITING_MAX);
    Box::new(move |stop| webhook.deliver(&engine, &reports, || stop.wait(Duration::ZERO)))
}
