//! Logistic regression by Newton's method.

use robot_memory_index::ranking::Weights;

/// How many weights there are.
const COUNT: usize = 4;
/// Keeps weights small that little speaks for.
const RIDGE: f64 = 1e-3;
const STEPS_MAX: usize = 50;

/// What was seen once.
pub struct Sample {
    pub values: Weights,
    pub is_answer: bool,
    pub weight: f64,
}

/// The weights under which what was seen is likeliest.
pub fn fit(samples: &[Sample]) -> Weights {
    let mut weights: Weights = [0.0; COUNT];
    for _ in 0..STEPS_MAX {
        let mut gradient = weights.map(|weight| RIDGE * weight);
        let mut hessian = [[0.0; COUNT]; COUNT];
        for (index, row) in hessian.iter_mut().enumerate() {
            row[index] = RIDGE;
        }
        for Sample { values, is_answer, weight } in samples {
            let sum: f64 = values.iter().zip(&weights).map(|(value, by)| value * by).sum();
            let said = 1.0 / (1.0 + (-sum).exp());
            let miss = weight * (said - f64::from(u8::from(*is_answer)));
            let slope = weight * said * (1.0 - said);
            for (row, value) in values.iter().enumerate() {
                gradient[row] += miss * value;
                for (column, other) in values.iter().enumerate() {
                    hessian[row][column] += slope * value * other;
                }
            }
        }
        let step = solved(hessian, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= step;
        }
        if step.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    weights
}

/// Solves a system of linear equations by elimination.
fn solved(mut matrix: [[f64; COUNT]; COUNT], mut right: Weights) -> Weights {
    for pivot in 0..COUNT {
        let best = (pivot..COUNT)
            .max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()))
            .unwrap_or(pivot);
        matrix.swap(pivot, best);
        right.swap(pivot, best);
        let own = matrix[pivot];
        for row in (0..COUNT).filter(|row| *row != pivot) {
            let factor = matrix[row][pivot] / own[pivot];
            for (cell, own) in matrix[row].iter_mut().zip(own) {
                *cell -= factor * own;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut solution = right;
    for (index, value) in solution.iter_mut().enumerate() {
        *value /= matrix[index][index];
    }
    solution
}

#[test]
fn weights_are_found_again() {
    let truth: Weights = [-1.0, 2.0, -3.0, 0.5];
    let mut samples = Vec::new();
    for number in 0..125_u32 {
        let digit = |by: u32| f64::from(number / by % 5) / 4.0;
        let values = [1.0, digit(1), digit(5), digit(25)];
        let sum: f64 = values.iter().zip(&truth).map(|(value, by)| value * by).sum();
        let chance = 1.0 / (1.0 + (-sum).exp());
        for (is_answer, weight) in [(true, chance), (false, 1.0 - chance)] {
            samples.push(Sample { values, is_answer, weight });
        }
    }
    for (found, truth) in fit(&samples).into_iter().zip(truth) {
        assert!((found - truth).abs() < 0.02, "{found} is not {truth}");
    }
}
