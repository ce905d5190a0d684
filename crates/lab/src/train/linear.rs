//! Logistic regression over standardised features, by Newton's method. One thread computes all sums in a fixed order,
//! so the result is always the same.

use goldminer_core::classifier::training::{Linear, UNIT, WIDTH, logistic};

/// The number of steps of Newton's method. More steps do not change the weights as stored.
const STEPS: usize = 8;
/// The penalty on squared weights (L2 regularisation).
const PENALTY: f64 = 10.0;
/// The number of rows (about) from which the curvature is computed. An estimate is enough, because the curvature only
/// determines the direction and length of a step.
const CURVATURE_ROWS: usize = 64_000;

#[derive(Debug)]
pub(crate) struct TrainingRows<'d> {
    /// The features of each row.
    pub rows: Vec<&'d [i16]>,
    /// The label of each row.
    pub is_text: &'d [bool],
    /// The weight of each row, in 256ths.
    pub weights: &'d [u32],
}

pub(crate) fn regress(data: &TrainingRows<'_>) -> Linear {
    let scales = Scales::of(data);
    // The last weight is the bias.
    let mut weights = vec![0.0; WIDTH + 1];
    for _ in 0..STEPS {
        let (mut gradient, mut curvature) = derivatives(data, &scales, &weights);
        for at in 0..WIDTH {
            gradient[at] += PENALTY * weights[at];
            curvature[at][at] += PENALTY;
        }
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= step);
    }
    let kept = |at: usize| weights[at] / scales.deviations[at];
    let bias = weights[WIDTH] - (0..WIDTH).map(|at| kept(at) * scales.means[at]).sum::<f64>();
    let weights: Vec<i32> = (0..WIDTH).map(|at| Linear::weight(kept(at))).collect();
    let usual = scales.means.iter().map(|mean| mean.round() as i16).collect();
    Linear::new((bias * f64::from(UNIT)).round() as i32, &weights, usual)
}

struct Scales {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Scales {
    fn of(data: &TrainingRows<'_>) -> Self {
        let (mut sums, mut squares) = (vec![0_i64; WIDTH], vec![0_i64; WIDTH]);
        for row in &data.rows {
            for (at, value) in row.iter().enumerate() {
                let value = i64::from(*value);
                sums[at] += value;
                squares[at] += value * value;
            }
        }
        let rows = data.rows.len().max(1) as f64;
        let means: Vec<f64> = sums.iter().map(|sum| *sum as f64 / rows).collect();
        let variances = squares.iter().zip(&means).map(|(squares, mean)| *squares as f64 / rows - mean * mean);
        // With a huge deviation, a feature that does not vary gets no weight.
        let deviations = variances.map(|variance| if variance > 1e-6 { variance.sqrt() } else { 1e9 }).collect();
        Self { means, deviations }
    }

    fn standardise(&self, row: &[i16], out: &mut [f64]) {
        for (at, value) in row.iter().enumerate() {
            out[at] = (f64::from(*value) - self.means[at]) / self.deviations[at];
        }
        out[WIDTH] = 1.0;
    }
}

fn derivatives(data: &TrainingRows<'_>, scales: &Scales, weights: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut gradient = vec![0.0; WIDTH + 1];
    let mut curvature: Vec<Vec<f64>> = (0..=WIDTH).map(|at| vec![0.0; at + 1]).collect();
    let mut row = vec![0.0; WIDTH + 1];
    let every = data.rows.len().div_ceil(CURVATURE_ROWS);
    for (at, values) in data.rows.iter().enumerate() {
        scales.standardise(values, &mut row);
        let odds: f64 = row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        let p = logistic(odds);
        let weight = f64::from(data.weights[at]) / 256.0;
        let error = (p - f64::from(u8::from(data.is_text[at]))) * weight;
        gradient.iter_mut().zip(&row).for_each(|(sum, value)| *sum += error * value);
        if at % every == 0 {
            let bend = p * (1.0 - p) * weight * every as f64;
            for (sums, value) in curvature.iter_mut().zip(&row) {
                let bent = bend * value;
                sums.iter_mut().zip(&row).for_each(|(sum, value)| *sum += bent * value);
            }
        }
    }
    (gradient, curvature)
}

/// Solves a system of linear equations by Cholesky decomposition. `matrix` is the lower half of a symmetric positive
/// definite matrix.
pub(super) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for i in 0..size {
        for j in 0..=i {
            let (before, row) = matrix.split_at_mut(i);
            let row = &mut row[0];
            let other: &[f64] = if i == j { &row[..j] } else { &before[j][..j] };
            let sum = row[j] - row[..j].iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            row[j] = if i == j { sum.max(1e-9).sqrt() } else { sum / before[j][j] };
        }
    }
    for i in 0..size {
        let sum: f64 = (0..i).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    for i in (0..size).rev() {
        let sum: f64 = (i + 1..size).map(|j| matrix[j][i] * right[j]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::boost::Random;

    #[test]
    fn a_system_is_solved() {
        let matrix = vec![vec![4.0], vec![2.0, 5.0], vec![0.0, 1.0, 3.0]];
        let solved = solve(matrix, vec![8.0, 15.0, 11.0]);
        assert!(solved.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{solved:?}");
    }

    #[test]
    fn the_weights_of_a_known_rule_are_found() {
        let mut random = Random::new(3);
        let rows: Vec<Vec<i16>> = (0..600).map(|_| (0..WIDTH).map(|_| random.below(8) as i16).collect()).collect();
        let is_text: Vec<bool> = rows.iter().map(|row| 2 * row[0] - row[1] > random.below(8) as i16).collect();
        let linear = regress(&TrainingRows {
            rows: rows.iter().map(Vec::as_slice).collect(),
            is_text: &is_text,
            weights: &vec![256; rows.len()],
        });
        let weights: Vec<i32> = linear.weights().collect();
        assert_eq!((0..WIDTH).max_by_key(|at| weights[*at].abs()), Some(0));
        assert!(weights[1] < 0 && weights[1].abs() > weights[2].abs() * 3);
        let right = rows.iter().zip(&is_text).filter(|(row, is_text)| (linear.odds(row) > 0) == **is_text).count();
        assert!(right > 500, "{right}");
    }
}
