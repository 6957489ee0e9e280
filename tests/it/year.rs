//! A hundredth of a simulated year: what holds is recalled, what no longer holds is not, and the store
//! keeps within its bounds.

#[path = "../../benches/memory/year/mod.rs"]
mod simulation;

use simulation::{Scale, answers, live, markdown};
use tempfile::TempDir;

#[test]
fn a_year_goes_by() {
    let folder = TempDir::new().expect("a folder");
    let scale = Scale { dimension: 64, is_timed: false, ..Scale::share(0.01) };
    let months = live(folder.path(), scale, |_| {}).expect("it lives through the year");
    eprintln!("{}", markdown(&months));
    assert!(!answers(&months).is_empty());
}
