//! Things that detectors saw, as they are stored.

use crate::db::Outcome;
use crate::{Operations, Result};
use robot_memory_core::api::{ApiError, FieldText};
use robot_memory_core::limits::{LABEL_CHARS_MAX, OBJECTS_MAX};
use robot_memory_core::model::{MemType, ObjectState};
use robot_memory_core::object::{Caption, Labels, SeenObjects, TrackedObject};
use robot_memory_text::inference::things_in;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// The class of what is seen, as of visual perceptions.
pub(super) const OBJECT_TYPE: MemType = MemType::TaskLog;
/// How sure a caption is of what it names.
const CAPTION_SCORE: f64 = 0.5;
/// What captions name from places so near is one thing, m.
const CAPTION_CELL_M: f64 = 3.0;

impl Operations {
    /// Stores what became known of objects, with one wait for the disk; answers how many were refused
    /// because of their labels or topic, which are never stored. Of an object with other labels only those are
    /// left out. What is of an older generation than the stored objects is not stored.
    pub fn record_objects(&self, mut seen: SeenObjects) -> Result<u64, ApiError> {
        let mut named: Vec<TrackedObject> = seen.captions.iter().flat_map(named_in).collect();
        let mut checked = BTreeMap::new();
        let mut is_allowed = |text: &str| {
            *checked.entry(text.to_owned()).or_insert_with(|| {
                self.secrets().check_given("label", FieldText::Text(text)).is_ok()
            })
        };
        let mut refused = 0;
        let mut keep_allowed = |object: &mut TrackedObject| {
            let had_labels = !object.labels.weights().is_empty();
            object.labels.retain(&mut is_allowed);
            let is_kept = (!had_labels || !object.labels.weights().is_empty())
                && [&object.topic, &object.frame, &object.map_id]
                    .into_iter()
                    .all(|it| is_allowed(it));
            refused += u64::from(!is_kept);
            is_kept
        };
        seen.objects.retain_mut(&mut keep_allowed);
        named.retain_mut(&mut keep_allowed);
        if seen.objects.is_empty() && named.is_empty() && seen.merged.is_empty() {
            return Ok(refused);
        }
        let scope = self.own_scope();
        let trimmed_count = self.write(|tx| {
            if seen.generation.is_some_and(|generation| generation != self.objects_generation()) {
                return Ok(Outcome::Unchanged(0));
            }
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
            Ok(Outcome::Changed(tx.trim_objects(OBJECTS_MAX as u32)?))
        })?;
        if trimmed_count > 0 {
            log::info!(
                "{trimmed_count} objects that were not seen for longest are deleted: too many"
            );
        }
        Ok(refused)
    }

    /// Which objects are stored, as a number: after others were stored, or some deleted, than whoever tracks them
    /// knows, it is another one, and the tracking begins again from [`Self::known_objects`].
    pub fn objects_generation(&self) -> u64 {
        self.objects_generation.load(Ordering::SeqCst)
    }

    /// Says that whoever tracks the stored objects does not know them as they are.
    pub fn note_objects_changed(&self) {
        self.objects_generation.fetch_add(1, Ordering::SeqCst);
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
