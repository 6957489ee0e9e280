use super::{is_point, points_from};
use robot_memory_core::model::Path;
use serde_json::Value;

/// Where the point of a row is in its context, which a spatial index is of.
///
/// With a standard deviation s of each of the n coordinates, the root mean square distance of the position
/// X from a target t is E|X - t|² = |μ - t|² + tr Σ = d² + n s². That is a Euclidean distance in one more
/// dimension, of (μ, s √n) from (t, 0), so that the same index answers it exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpatialField {
    /// An array of numbers.
    pub position: Path,
    /// A number; a row where it is missing, negative or no number has 0. `None`: it is not counted.
    pub std_dev: Option<Path>,
}

impl SpatialField {
    /// The point that a row with this context has.
    pub fn point(&self, context: &Value) -> Option<Vec<f64>> {
        let std_dev = self.std_dev.as_ref().and_then(|path| path.resolve(context));
        self.point_of(self.position.resolve(context)?, std_dev)
    }

    /// The same of a context's text.
    pub fn point_in_text(&self, context: &str) -> Option<Vec<f64>> {
        let position = self.position.resolve_text(context)?;
        let std_dev = self.std_dev.as_ref().and_then(|path| path.resolve_text(context));
        self.point_of(&position, std_dev.as_ref())
    }

    fn point_of(&self, position: &Value, std_dev: Option<&Value>) -> Option<Vec<f64>> {
        let mut point = points_from(position)?;
        if self.std_dev.is_some() {
            let std_dev = std_dev.and_then(Value::as_f64).filter(|number| *number >= 0.0);
            point.push(std_dev.unwrap_or(0.0) * (point.len() as f64).sqrt());
        }
        is_point(&point).then_some(point)
    }

    /// The point from which the distances of a position are measured.
    pub fn target(&self, position: &[f64]) -> Vec<f64> {
        let mut target = position.to_vec();
        target.extend(self.std_dev.as_ref().map(|_| 0.0));
        target
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_core::limits::SPATIAL_DIMENSIONS_MAX;
    use serde_json::json;

    fn field(std_dev: Option<&str>) -> SpatialField {
        let path = |text| Path::parse(text).unwrap();
        SpatialField { position: path("at"), std_dev: std_dev.map(path) }
    }

    #[test]
    fn a_standard_deviation_is_one_coordinate_more() {
        let cases = [
            (json!({"at": [1, 2, 3, 4], "s": 0.5}), Some(vec![1.0, 2.0, 3.0, 4.0, 1.0])),
            (json!({"at": [1], "s": 2}), Some(vec![1.0, 2.0])),
            (json!({"at": [1]}), Some(vec![1.0, 0.0])),
            (json!({"at": [1], "s": -2}), Some(vec![1.0, 0.0])),
            (json!({"at": [1], "s": "2"}), Some(vec![1.0, 0.0])),
            (json!({"at": [1], "s": [2]}), Some(vec![1.0, 0.0])),
            (json!({"at": [1], "s": null}), Some(vec![1.0, 0.0])),
            (json!({"at": [1], "s": 1e200}), None),
            (json!({"at": vec![0.0; SPATIAL_DIMENSIONS_MAX], "s": 1}), None),
            (json!({"at": "here", "s": 1}), None),
            (json!({"s": 1}), None),
        ];
        for (context, point) in cases {
            assert_eq!(field(Some("s")).point(&context), point, "{context}");
            assert_eq!(field(Some("s")).point_in_text(&context.to_string()), point, "{context}");
        }
        let context = json!({"at": [1, 2], "s": 0.5});
        assert_eq!(field(None).point(&context), Some(vec![1.0, 2.0]));
        assert_eq!(field(None).target(&[1.0]), [1.0]);
        assert_eq!(field(Some("s")).target(&[1.0]), [1.0, 0.0]);
    }
}
