//! What a detector can see, learned from what it saw.

use nalgebra::Vector3;

/// Directions along each edge of a face of the cube around the sensor.
const FACE: usize = 12;
const DIRECTIONS: usize = 6 * FACE * FACE;
/// Distances: each is farther by this factor.
const RANGE_FACTOR: f64 = 1.35;
const RANGE_MIN_M: f64 = 0.3;
const RANGES: usize = 18;
/// How far beside a place is still looked, in cells.
const BESIDE: f64 = 0.7;
/// Views that make a neighboring cell count.
const BESIDE_VIEWS: f32 = 10.0;
/// What is thought of a direction and distance before anything was seen there: that one view in four
/// shows a thing, as if four views had said so.
const PRIOR: (f32, f32) = (1.0, 4.0);
/// Views after which older ones count half.
const VIEWS_MAX: f32 = 2_000.0;

/// How often a thing that is there is seen, by where it is in the sensor's frame.
#[derive(Debug, Clone)]
pub(super) struct Sensor {
    /// Views that showed it, and all.
    views: Vec<(f32, f32)>,
    /// The farthest sighting, m.
    pub range_max_m: f64,
    /// When its last frame was, ns.
    pub last: i64,
}

impl Default for Sensor {
    fn default() -> Self {
        Self { views: vec![PRIOR; DIRECTIONS * RANGES], range_max_m: 0.0, last: i64::MIN }
    }
}

impl Sensor {
    /// The share of views that show a thing at this place in the sensor's frame.
    pub fn seen_share(&self, at: &Vector3<f64>) -> f64 {
        let (shown, all) = self.views.get(bin(at)).copied().unwrap_or(PRIOR);
        f64::from(shown / all)
    }

    /// The least of the shares there and just beside, nearer and farther: at the edge of the picture a cell is
    /// seen in part.
    pub fn seen_share_around(&self, at: &Vector3<f64>) -> f64 {
        let axis = at.iamax();
        let aside = BESIDE * at[axis].abs() * 2.0 / FACE as f64;
        let beside = [1, 2].into_iter().flat_map(|turn| {
            [-aside, aside].map(|by| {
                let mut beside = *at;
                beside[(axis + turn) % 3] += by;
                beside
            })
        });
        let along = [at / RANGE_FACTOR.sqrt(), at * RANGE_FACTOR.sqrt()];
        let known = beside.chain(along).filter_map(|beside| {
            let (shown, all) = self.views.get(bin(&beside)).copied()?;
            (all >= BESIDE_VIEWS).then_some(f64::from(shown / all))
        });
        known.fold(self.seen_share(at), f64::min)
    }

    /// Learns from a view of a thing that is there.
    pub fn learn(&mut self, at: &Vector3<f64>, is_shown: bool) {
        if let Some((shown, all)) = self.views.get_mut(bin(at)) {
            *shown += f32::from(u8::from(is_shown));
            *all += 1.0;
            if *all > VIEWS_MAX {
                *shown /= 2.0;
                *all /= 2.0;
            }
        }
    }
}

/// The cell of a place: the face of the cube that its direction meets, where on it, and how far it is.
fn bin(at: &Vector3<f64>) -> usize {
    let axis = at.iamax();
    let depth = at[axis];
    let face = 2 * axis + usize::from(depth < 0.0);
    let on_face = |of: f64| {
        let share = (of / depth.abs().max(1e-9) + 1.0) / 2.0;
        ((share * FACE as f64) as usize).min(FACE - 1)
    };
    let (across, up) = (on_face(at[(axis + 1) % 3]), on_face(at[(axis + 2) % 3]));
    let step = (at.norm().max(RANGE_MIN_M) / RANGE_MIN_M).ln() / RANGE_FACTOR.ln();
    let range = (step as usize).min(RANGES - 1);
    ((face * FACE + across) * FACE + up) * RANGES + range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_learned_where_it_is_seen() {
        let mut sensor = Sensor::default();
        let (ahead, behind) = (Vector3::new(0.1, 0.1, 2.0), Vector3::new(0.1, 0.1, -2.0));
        for index in 0..5_000 {
            sensor.learn(&ahead, index % 10 != 0);
            sensor.learn(&behind, false);
        }
        assert!((sensor.seen_share(&ahead) - 0.9).abs() < 0.02);
        assert!(sensor.seen_share(&behind) < 0.01);
        assert_eq!(sensor.seen_share(&Vector3::new(0.0, 3.0, 0.1)), 0.25);
        assert!(sensor.seen_share(&Vector3::zeros()).is_finite());
    }
}
