//! Things that detectors saw, as they are stored.

use crate::db::Outcome;
use crate::{Operations, Result};
use robot_memory_core::api::{ApiError, FieldText};
use robot_memory_core::limits::{LABEL_CHARS_MAX, OBJECTS_MAX};
use robot_memory_core::model::{MemType, ObjectState};
use robot_memory_core::object::{Caption, Labels, SeenObjects, TrackedObject};
use robot_memory_text::inference::things_in;
use std::collections::BTreeMap;

/// The class of what is seen, as of visual perceptions.
pub(super) const OBJECT_TYPE: MemType = MemType::TaskLog;
/// How sure a caption is of what it names.
const CAPTION_SCORE: f64 = 0.5;
/// What captions name from places so near is one thing, m.
const CAPTION_CELL_M: f64 = 3.0;

impl Operations {
    /// Stores what became known of objects, with one wait for the disk; answers how many were refused
    /// because of a label or topic that is never stored.
    pub fn record_objects(&self, mut seen: SeenObjects) -> Result<u64, ApiError> {
        let named: Vec<TrackedObject> = seen.captions.iter().flat_map(named_in).collect();
        let mut checked = BTreeMap::new();
        let mut refused = 0;
        let mut is_allowed = |object: &TrackedObject| {
            let labels = object.labels.weights().iter().map(|(label, _)| label);
            let mut texts = labels.chain([&object.topic, &object.frame, &object.map_id]);
            let is_allowed = texts.all(|text| {
                *checked.entry(text.clone()).or_insert_with(|| {
                    self.secrets().check_given("label", FieldText::Text(text)).is_ok()
                })
            });
            refused += u64::from(!is_allowed);
            is_allowed
        };
        seen.objects.retain(&mut is_allowed);
        let named: Vec<TrackedObject> = named.into_iter().filter(&mut is_allowed).collect();
        if seen.objects.is_empty() && named.is_empty() && seen.merged.is_empty() {
            return Ok(refused);
        }
        let scope = self.own_scope();
        self.write(|tx| {
            for key in &seen.merged {
                tx.delete_object(key)?;
            }
            for object in &seen.objects {
                tx.put_object(&scope, object)?;
            }
            for object in &named {
                let known = tx.object_of_key(&object.key)?;
                let object = known.map_or_else(|| object.clone(), |it| again(it.told, object));
                tx.put_object(&scope, &object)?;
            }
            for (key, jpeg) in &seen.thumbnails {
                tx.put_object_thumbnail(key, jpeg)?;
            }
            tx.trim_objects(OBJECTS_MAX as u32)?;
            Ok(Outcome::Changed(()))
        })?;
        Ok(refused)
    }

    /// The objects that are stored, for whoever sees them again.
    pub fn known_objects(&self) -> Result<Vec<TrackedObject>, ApiError> {
        let stored = self.store.read(|tx| tx.objects(OBJECTS_MAX as u32));
        let stored = stored.map_err(crate::Error::from)?;
        Ok(stored.into_iter().map(|it| it.told).collect())
    }
}

/// What a caption names, seen from where the robot was.
fn named_in(caption: &Caption) -> Vec<TrackedObject> {
    let Caption { at, topic, text, frame, map_id, robot_m } = caption;
    let cell = [robot_m[0], robot_m[1]].map(|it| (it / CAPTION_CELL_M).floor() as i64);
    let short = |label: &String| label.chars().count() <= LABEL_CHARS_MAX;
    let things = things_in(text).into_iter().filter(short).map(|label| TrackedObject {
        key: format!("{label}\n{frame}\n{map_id}\n{}\n{}", cell[0], cell[1]),
        labels: Labels::new(vec![(label, CAPTION_SCORE)]),
        frame: frame.clone(),
        map_id: map_id.clone(),
        position_m: *robot_m,
        orientation: None,
        sigma_m: CAPTION_CELL_M,
        is_seen_from: true,
        size_m: None,
        first_seen: *at,
        last_seen: *at,
        robot_m: *robot_m,
        count: 1,
        confidence: CAPTION_SCORE,
        state: ObjectState::Present,
        looked_at: *at,
        moved: None,
        topic: topic.clone(),
        seen_ranges_m: Vec::new(),
    });
    things.collect()
}

/// What is known of a thing that is named again.
fn again(known: TrackedObject, named: &TrackedObject) -> TrackedObject {
    if named.last_seen <= known.last_seen {
        return known;
    }
    let (first_seen, count) = (known.first_seen, known.count + 1);
    TrackedObject { first_seen, count, ..named.clone() }
}
