use super::kernels::{BitQuery, PLANES, Planes, Sums};

/// A query of unit length, prepared for all that it is compared with.
pub(super) struct Query {
    /// Rotated as the rows are.
    pub(super) vector: Vec<f32>,
    /// The components as whole numbers.
    pub(super) codes: Vec<i16>,
    /// What a code is worth.
    pub(super) unit: f32,
    planes: Vec<Planes>,
    sums: Vec<Sums>,
    /// Sum of the components below zero in units of `plane_unit`.
    negative_sum: i32,
    /// Sum of the components in units of `plane_unit`.
    plane_sum: i32,
    pub(super) plane_unit: f32,
    pub(super) norm: f32,
    /// How far an estimate may be off even from a row that its codes hold exactly.
    rounding: f32,
}

impl Query {
    pub(super) fn new(vector: Vec<f32>) -> Self {
        let most = vector.iter().fold(0.0_f32, |most, component| most.max(component.abs()));
        let norm = norm(&vector);
        // The dot product with codes of at most 127 must fit 32 bits.
        let code_max = (i32::MAX / (127 * vector.len() as i32)).min(i32::from(i16::MAX)) as f32;
        let unit = if most > 0.0 { most / code_max } else { 1.0 };
        let codes: Vec<i16> =
            vector.iter().map(|component| (component / unit).round() as i16).collect();
        let left: Vec<f32> =
            vector.iter().zip(&codes).map(|(v, &code)| v - f32::from(code) * unit).collect();
        let plane_max = ((1 << (PLANES - 1)) - 1) as f32;
        let plane_unit = if most > 0.0 { most / plane_max } else { 1.0 };
        let levels: Vec<i32> =
            vector.iter().map(|component| (component / plane_unit).round() as i32).collect();
        let negative = |levels: &[i32]| levels.iter().filter(|&&level| level < 0).sum::<i32>();
        let sum_of_set = |levels: &[i32], set: usize| {
            let set = levels.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
            (set.map(|(_, level)| level).sum::<i32>() - negative(levels)) as u8
        };
        let sums =
            levels.chunks(4).map(|levels| std::array::from_fn(|set| sum_of_set(levels, set)));
        let plane = |levels: &[i32], plane: usize| {
            let bits = levels.iter().enumerate();
            bits.fold(0, |mask, (bit, level)| mask | ((level >> plane & 1) as u8) << bit)
        };
        let planes = levels.chunks(8).map(|levels| std::array::from_fn(|bit| plane(levels, bit)));
        // Adding up `n` products in 16 lanes is off by at most (n / 16 + 16) * EPSILON / 2 of the
        // product of the norms; twice that, and some for the rotations, covers the answered cosine
        // and the estimate.
        let rounding_steps = vector.len() as f32 / 16.0 + 64.0;
        let rounding = 1.1 * self::norm(&left) + rounding_steps * f32::EPSILON * (1.0 + norm);
        Self {
            codes,
            unit,
            planes: planes.collect(),
            sums: sums.collect(),
            negative_sum: negative(&levels),
            plane_sum: levels.iter().sum(),
            plane_unit,
            norm,
            rounding,
            vector,
        }
    }

    /// The query beside bits around a center that it is as similar to as `base` says.
    pub(super) fn beside_bits(&self, base: f32) -> BitQuery<'_> {
        BitQuery {
            planes: &self.planes,
            sums: &self.sums,
            negative_sum: self.negative_sum,
            sum: self.plane_sum,
            unit: self.plane_unit,
            base,
        }
    }

    /// How far the estimate of a row may be off whose codes leave out a vector of this norm:
    /// |<v, q> - <c, d>| = |<v - c, q> + <c, q - d>| <= |v - c| |q| + |c| |q - d| (Cauchy-Schwarz).
    pub(super) fn error(&self, residual: f32) -> f32 {
        1.0001 * residual * self.norm + self.rounding
    }
}

fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt() as f32
}
