use super::kernels::{MASKED, PLANES, Planes};

/// A query of unit length, prepared for all that it is compared with.
pub(super) struct Query {
    /// Rotated as the rows are.
    pub(super) vector: Vec<f32>,
    /// The components as whole numbers.
    pub(super) codes: Vec<i16>,
    /// What a code is worth.
    pub(super) unit: f32,
    pub(super) planes: Vec<Planes>,
    /// Sum of the components in units of `plane_unit`.
    pub(super) plane_sum: i32,
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
        let mut planes = vec![[0; PLANES]; vector.len() / MASKED];
        let mut plane_sum = 0;
        for (index, component) in vector.iter().enumerate() {
            let level = (component / plane_unit).round() as i32;
            plane_sum += level;
            for (bit, plane) in planes[index / MASKED].iter_mut().enumerate() {
                *plane |= ((level >> bit & 1) as u64) << (index % MASKED);
            }
        }
        // Adding up `n` products in 16 lanes is off by at most (n / 16 + 16) * EPSILON / 2 of the
        // product of the norms; twice that, and some for the rotations, covers the answered cosine
        // and the estimate.
        let rounding_steps = vector.len() as f32 / 16.0 + 64.0;
        let rounding = 1.1 * self::norm(&left) + rounding_steps * f32::EPSILON * (1.0 + norm);
        Self { vector, codes, unit, planes, plane_sum, plane_unit, norm, rounding }
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
