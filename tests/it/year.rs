//! A hundredth of a simulated year: what holds is found, what no longer holds is not, nothing is lost, and
//! the store keeps within its bounds. The whole year is a measurement (docs/measurements.md).

#[path = "../../benches/memory/year/mod.rs"]
mod simulation;

use simulation::{Month, Scale, answers, broken, costs, live, slowdown};
use std::path::Path;
use tempfile::TempDir;

/// Memory that looks like a disk: a year is thousands of commits, and nothing here depends on how long
/// those take.
const QUICK_FOLDER: &str = "/dev/shm";

/// Of the year that is lived once more.
const DAYS_AGAIN: usize = 90;

fn a_year(days: usize) -> Vec<Month> {
    let folder = match Path::new(QUICK_FOLDER).is_dir() {
        true => TempDir::new_in(QUICK_FOLDER),
        false => TempDir::new(),
    };
    let folder = folder.expect("a folder");
    let scale = Scale { is_timed: false, days, ..Scale::share(0.01) };
    live(folder.path(), scale, |_| {}).expect("it lives through the year")
}

#[test]
fn a_year_leaves_what_holds_and_the_same_year_leaves_the_same() {
    let (months, again) = std::thread::scope(|scope| {
        let again = scope.spawn(|| a_year(DAYS_AGAIN));
        (a_year(365), again.join().expect("the other year"))
    });
    eprintln!("{}\n{}", answers(&months), costs(&months));
    assert_eq!(broken(&months), Vec::<String>::new());
    assert!(!again.is_empty());
    assert_eq!(answers(&months[..again.len()]), answers(&again));
    assert_eq!(slowdown(&months), None, "a hundredth is not large");
}
