//! A part of a simulated building: the tracker's objects are the things in it. The whole, on other seeds, is a
//! measurement (docs/measurements.md).

#[path = "../../benches/memory/building/mod.rs"]
mod building;

use building::{Figures, Plan, live};

#[test]
fn objects_are_the_things_of_a_building_and_the_same_again() {
    let plan = Plan { seed: 1, things: 400, tours: 2 };
    let figures = live(plan);
    let Figures { identity_precision, identity_recall, object_precision, object_recall, .. } =
        figures;
    assert!(identity_precision > 0.98 && identity_recall > 0.98, "{figures:?}");
    assert!(object_precision > 0.98 && object_recall > 0.97, "{figures:?}");
    assert!(figures.gone_precision >= 0.9 && figures.gone_recall >= 0.6, "{figures:?}");
    assert!(figures.moved_precision >= 0.5 && figures.moved_recall >= 0.3, "{figures:?}");
    let again = live(plan);
    assert_eq!(Figures { cpu_share: 0.0, ..figures }, Figures { cpu_share: 0.0, ..again });
}
