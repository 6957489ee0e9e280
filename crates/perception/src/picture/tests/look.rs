use super::scene::{Chance, Shot, Wall, gray};
use crate::picture::Appearance;

fn hashes_apart(a: &Appearance, b: &Appearance) -> u32 {
    (a.hash ^ b.hash).count_ones()
}

#[test]
fn a_view_stays_itself_in_noise_and_other_light() {
    let wall = Wall::of(1);
    let chance = &mut Chance::of(7);
    let first = Shot::at(100, 100).look(&wall, chance);
    let cases = [
        ("again", Shot::at(100, 100)),
        ("noise", Shot { noise: 12.0, ..Shot::at(100, 100) }),
        ("darker", Shot { gain: 0.5, ..Shot::at(100, 100) }),
        ("brighter", Shot { gain: 1.3, ..Shot::at(100, 100) }),
        ("a pixel aside", Shot::at(101, 100)),
    ];
    for (name, shot) in cases {
        let look = shot.look(&wall, chance);
        let difference = look.difference(&first);
        assert!(difference < 0.05, "{name}: {difference}");
        assert!(hashes_apart(&look, &first) <= 8, "{name}: {}", hashes_apart(&look, &first));
    }
}

#[test]
fn other_views_differ() {
    let chance = &mut Chance::of(7);
    let appearances: Vec<Appearance> =
        (1..9).map(|seed| Shot::at(0, 0).look(&Wall::of(seed), chance)).collect();
    for (i, a) in appearances.iter().enumerate() {
        for b in &appearances[..i] {
            assert!(a.difference(b) > 0.4, "{}", a.difference(b));
            assert_eq!(a.difference(b), b.difference(a));
            assert!(hashes_apart(a, b) >= 16, "{}", hashes_apart(a, b));
        }
    }
}

#[test]
fn a_view_differs_more_the_farther_the_camera_turned() {
    let wall = Wall::of(3);
    let chance = &mut Chance::of(7);
    let first = Shot::at(0, 0).look(&wall, chance);
    let differences: Vec<f64> = [4, 16, 32, 64]
        .iter()
        .map(|x| Shot::at(*x, 0).look(&wall, chance).difference(&first))
        .collect();
    assert!(differences.is_sorted(), "{differences:?}");
    assert!(differences[0] < 0.15 && differences[3] > 0.4, "{differences:?}");
}

#[test]
fn what_moved_is_less_sharp_in_any_light() {
    let wall = Wall::of(2);
    let chance = &mut Chance::of(7);
    let still = Shot::at(50, 50).look(&wall, chance).sharpness;
    let dark = Shot { gain: 0.6, noise: 1.0, ..Shot::at(50, 50) }.look(&wall, chance).sharpness;
    let moved = Shot { moved: 12, ..Shot::at(50, 50) }.look(&wall, chance).sharpness;
    assert!((dark / still - 1.0).abs() < 0.2, "{dark} {still}");
    assert!(moved < 0.5 * still, "{moved} {still}");
}

#[test]
fn a_wall_without_things_is_not_new_by_its_noise() {
    let chance = &mut Chance::of(7);
    let shot = Shot { noise: 12.0, ..Shot::at(0, 0) };
    let (a, b) = (shot.look(&Wall::bare(), chance), shot.look(&Wall::bare(), chance));
    assert!(a.difference(&b) < 0.1, "{}", a.difference(&b));
}

#[test]
fn black_is_black() {
    let look = |level: u8| Appearance::of(&gray(64, 48), &[level; 64 * 48]).expect("a picture");
    assert!(look(0).is_black() && look(8).is_black());
    assert!(!look(30).is_black() && !look(255).is_black());
    assert_eq!((look(0).brightness, look(255).brightness), (0.0, 1.0));
    assert_eq!(look(30).contrast, 0.0);
}

#[test]
fn the_hash_of_nothing_is_nothing() {
    for level in 0..=255 {
        let appearance = Appearance::of(&gray(64, 48), &[level; 64 * 48]).expect("a picture");
        assert_eq!(appearance.hash, 0, "{level}");
    }
}

#[test]
fn one_pixel_is_a_picture() {
    let appearance = Appearance::of(&gray(1, 1), &[128]).expect("a picture");
    assert_eq!((appearance.width, appearance.height, appearance.sharpness), (1, 1, 0.0));
}
