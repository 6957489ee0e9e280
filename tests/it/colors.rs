//! Pictures of one color, and a model of pictures that knows colors: it sees real JPEG files.

use crate::robot::Robot;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robot_memory_core::api::{SavePerception, SavePerceptionRequest};
use robot_memory_embedding::{EmbedError, MatchRange, PictureEmbedder};
use robot_memory_perception::{Image, ImageFormat, picture};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const RED: [u8; 3] = [250, 10, 10];
pub const GREEN: [u8; 3] = [10, 250, 10];
pub const BLUE: [u8; 3] = [10, 10, 250];
/// As much red as blue.
pub const PURPLE: [u8; 3] = [180, 10, 180];

/// What the vector of a picture is its mean color by; a text names colors.
pub struct Colors {
    id: String,
    /// Pictures that it was given.
    pub seen: AtomicUsize,
}

impl Colors {
    pub fn new(id: &str) -> Arc<Self> {
        Arc::new(Self { id: id.to_owned(), seen: AtomicUsize::new(0) })
    }

    pub fn plug_in(self: &Arc<Self>, robot: &Robot) {
        let embedder = Arc::clone(self) as Arc<dyn PictureEmbedder>;
        robot.engine.set_picture_embedder(Ok(Some(embedder))).expect("it is taken");
    }
}

fn unit(sums: [f64; 3]) -> Result<Vec<f32>, EmbedError> {
    let length = sums.iter().map(|it| it * it).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(EmbedError("it has no color".into()));
    }
    Ok(sums.iter().map(|it| (it / length) as f32).collect())
}

impl PictureEmbedder for Colors {
    fn model_id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        3
    }

    fn match_range(&self) -> MatchRange {
        MatchRange { from: 0.5, sure: 0.9 }
    }

    fn embed_picture(&self, jpeg: &[u8]) -> Result<Vec<f32>, EmbedError> {
        self.seen.fetch_add(1, Ordering::SeqCst);
        assert!(jpeg.len() > 1, "a decoder that panics");
        let rgb = picture::square(jpeg, 32, true).map_err(|error| EmbedError(error.to_string()))?;
        let mut sums = [0.0; 3];
        for pixel in rgb.chunks_exact(3) {
            for (sum, level) in sums.iter_mut().zip(pixel) {
                *sum += f64::from(*level);
            }
        }
        unit(sums)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let count = |color: &str| query.split(' ').filter(|word| *word == color).count() as f64;
        unit([count("red"), count("green"), count("blue")])
    }
}

/// What a keyframe's data are, of a camera that sees one color.
pub fn data(color: [u8; 3]) -> Value {
    let bytes = color.repeat(64 * 48);
    let format = ImageFormat::Raw {
        encoding: "rgb8".into(),
        width: 64,
        height: 48,
        step: 3 * 64,
        is_bigendian: false,
    };
    let image = Image { format, bytes: 0..bytes.len() };
    let jpeg = picture::thumbnail(&image, &bytes, 16_384).expect("it fits");
    json!({"image": {"width": 64, "height": 48, "thumbnail_jpeg": BASE64_STANDARD.encode(jpeg)}})
}

/// Stores what a camera saw, told of in words that say nothing of it.
pub fn see(robot: &Robot, color: [u8; 3]) -> i64 {
    see_as(robot, SavePerceptionRequest { data: data(color).to_string(), ..Default::default() })
}

pub fn see_as(robot: &Robot, request: SavePerceptionRequest) -> i64 {
    let description = "The camera showed a new view".to_owned();
    robot.call::<SavePerception>(SavePerceptionRequest { description, ..request }).memory_id
}

/// Does upkeep until nothing is left to be done at once.
pub fn make_vectors(robot: &Robot) {
    for _ in 0..100 {
        if !robot.engine.upkeep().expect("upkeep") {
            return;
        }
    }
    panic!("there is always more to do");
}
