//! How far objects are things, and what tracking them costs.

#[path = "building/mod.rs"]
mod building;

use crate::Result;
use building::{Figures, Plan, live};

/// Lives through buildings of the seeds from the first to the last one, and prints what came out of each.
pub fn measure(things: usize, tours: usize, first_seed: u64, last_seed: u64) -> Result<()> {
    println!(
        "| seed | detections | objects | identities: precision | recall | objects: precision | recall | \
         moved: precision | recall | gone: precision | recall | of one core |"
    );
    println!("|{}", "---|".repeat(12));
    for seed in first_seed..=last_seed {
        let it: Figures = live(Plan { seed, things, tours });
        println!(
            "| {seed} | {} | {} | {:.4} | {:.4} | {:.4} | {:.4} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} % |",
            it.detections,
            it.objects,
            it.identity_precision,
            it.identity_recall,
            it.object_precision,
            it.object_recall,
            it.moved_precision,
            it.moved_recall,
            it.gone_precision,
            it.gone_recall,
            100.0 * it.cpu_share,
        );
    }
    Ok(())
}
