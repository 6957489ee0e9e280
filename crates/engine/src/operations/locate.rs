//! Locate: where things of a name are.

use super::check::{self, invalid};
use super::objects::OBJECT_TYPE;
use crate::{Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    KeyCount, Locate, LocateRequest, LocateResponse, NameMatch, ObjectPlace,
};
use robot_memory_core::limits::{LOCATE_N_MAX, OBJECTS_MAX, QUERY_CHARS_MAX};
use robot_memory_core::model::{ObjectState, Stamp};
use robot_memory_core::object::{Labels, TrackedObject};
use robot_memory_db::StoredObject;
use robot_memory_text::inference::{Likeness, Thing, ThingKind};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Instant;

/// Things are elsewhere half of the times when they were last seen so long ago.
const HALF_LIFE_SECS: f64 = 3.0 * 24.0 * 3600.0;
/// At this distance a place counts half of one that is here, m.
const HALF_DISTANCE_M: f64 = 5.0;
/// A label that was given less often is no name of the thing.
const SELDOM_SHARE: f64 = 0.1;

/// A request that was checked.
struct CheckedLocate {
    what: String,
    thing: Thing,
    near_m: Option<[f64; 3]>,
    frame: String,
    distance_m_max: f64,
    since: Option<Stamp>,
    map_id: String,
    n: usize,
    visibility: Visibility,
}

impl Run<Locate> for Operations {
    fn run(&self, request: LocateRequest) -> Result<LocateResponse> {
        let began = Instant::now();
        let include_thumbnails = request.include_thumbnails;
        let asked = self.check_locate(request)?;
        let now = self.now()?;
        let (places, total) = self.store.read(|tx| {
            let stored = tx.objects(OBJECTS_MAX as u32)?;
            let mut places = asked.places(stored, now);
            let total = places.len() as u64;
            places.truncate(asked.n);
            for place in places.iter_mut().filter(|_| include_thumbnails) {
                place.thumbnail = tx.object_thumbnail(place.object_id)?;
            }
            Ok::<_, crate::Error>((places, total))
        })?;
        let is_map_known = !asked.map_id.is_empty();
        let (sentence_en, sentence_zh) = asked.sentences(&places, total);
        Ok(LocateResponse {
            is_known: total > 0,
            is_map_known,
            places,
            total,
            sentence_en,
            sentence_zh,
            query_ms: began.elapsed().as_secs_f64() * 1e3,
        })
    }
}

impl Operations {
    fn check_locate(&self, request: LocateRequest) -> Result<CheckedLocate> {
        let LocateRequest {
            what,
            position_m,
            frame,
            distance_m_max,
            since,
            map_id,
            n,
            include_thumbnails: _,
            scope,
            agent,
        } = request;
        self.check_agent(&agent)?;
        if n == 0 || n > LOCATE_N_MAX {
            return Err(invalid(format!("n: must be 1 to {LOCATE_N_MAX}, got {n}")));
        }
        let what = what.trim();
        let count = what.chars().count();
        if count > QUERY_CHARS_MAX {
            return Err(invalid(format!(
                "what: at most {QUERY_CHARS_MAX} characters, got {count}"
            )));
        }
        if !(distance_m_max.is_finite() && distance_m_max >= 0.0) {
            return Err(invalid(format!(
                "distance_m_max: must be 0 or more, got {distance_m_max}"
            )));
        }
        check::name("frame", &frame)?;
        check::name("map_id", &map_id)?;
        let near_m = near(&position_m)?;
        if distance_m_max > 0.0 && near_m.is_none() {
            return Err(invalid("distance_m_max: needs the position_m that it is from"));
        }
        let here = || self.map_id().unwrap_or_else(|| self.config.map_id.clone());
        let map_id = if map_id.is_empty() { here() } else { map_id };
        Ok(CheckedLocate {
            thing: Thing::parse(what, ThingKind::Object),
            what: what.to_owned(),
            near_m,
            frame: frame.trim_start_matches('/').to_owned(),
            distance_m_max,
            since,
            map_id,
            n: n as usize,
            visibility: self.visibility(&agent, &self.search_scope(&scope)?)?,
        })
    }
}

fn near(position_m: &[f64]) -> Result<Option<[f64; 3]>> {
    let near_m = match *position_m {
        [] => return Ok(None),
        [x, y] => [x, y, f64::NAN],
        [x, y, z] => [x, y, z],
        _ => {
            let count = position_m.len();
            return Err(invalid(format!("position_m: must have 2 or 3 numbers, got {count}")));
        }
    };
    if let Some(odd) = position_m.iter().find(|it| !it.is_finite()) {
        return Err(invalid(format!("position_m: must be finite numbers, got {odd}")));
    }
    Ok(Some(near_m))
}

impl CheckedLocate {
    /// All places of such things, the best first.
    fn places(&self, stored: Vec<StoredObject>, now: Stamp) -> Vec<ObjectPlace> {
        let mut things: BTreeMap<String, Option<NameMatch>> = BTreeMap::new();
        let mut places = Vec::new();
        for StoredObject { id, scope, told } in stored {
            let is_asked = self.since.is_none_or(|since| told.last_seen >= since)
                && self.visibility.sees(&scope, OBJECT_TYPE);
            let found = if is_asked { self.name_match(&told.labels, &mut things) } else { None };
            let Some(name_match) = found else { continue };
            let place = self.place(id, told, name_match, now);
            let is_near = match place.distance_m {
                Some(far_m) => self.distance_m_max == 0.0 || far_m <= self.distance_m_max,
                // How far what is elsewhere is nobody knows.
                None => self.distance_m_max == 0.0,
            };
            if is_near {
                places.push(place);
            }
        }
        places.sort_by(|a, b| {
            let order =
                |it: &ObjectPlace| (it.is_elsewhere, it.name_match, it.state, it.is_seen_from);
            order(a).cmp(&order(b)).then_with(|| worth(b).total_cmp(&worth(a))).then_with(|| {
                (Reverse(a.last_seen), a.object_id).cmp(&(Reverse(b.last_seen), b.object_id))
            })
        });
        places
    }

    /// How far a thing with these labels is what is looked for; `None`: it is not.
    fn name_match(
        &self,
        labels: &Labels,
        known: &mut BTreeMap<String, Option<NameMatch>>,
    ) -> Option<NameMatch> {
        if self.what.is_empty() {
            return Some(NameMatch::Same);
        }
        let mut best = None;
        for (place, (label, _)) in labels.weights().iter().enumerate() {
            let found = *known.entry(label.clone()).or_insert_with(|| self.compare(label));
            let found = match found {
                Some(_) if place > 0 && labels.share(label) < SELDOM_SHARE => None,
                Some(NameMatch::Same | NameMatch::Kind) if place > 0 => Some(NameMatch::Seldom),
                Some(_) if place > 0 => None,
                found => found,
            };
            best = match (best, found) {
                (Some(best), Some(found)) => Some(std::cmp::min::<NameMatch>(best, found)),
                (best, found) => best.or(found),
            };
        }
        best
    }

    fn compare(&self, label: &str) -> Option<NameMatch> {
        if label.to_lowercase() == self.what.to_lowercase() {
            return Some(NameMatch::Same);
        }
        let thing = Thing::parse(label, ThingKind::Object);
        match self.thing.compare(&thing).0 {
            Likeness::Same => Some(NameMatch::Same),
            Likeness::Broader => Some(NameMatch::Kind),
            Likeness::Narrower => Some(NameMatch::Broader),
            Likeness::Different | Likeness::Unknown => {
                self.thing.is_alike(&thing).then_some(NameMatch::Alike)
            }
        }
    }

    fn place(
        &self,
        object_id: i64,
        told: TrackedObject,
        name_match: NameMatch,
        now: Stamp,
    ) -> ObjectPlace {
        let is_other_frame = !self.frame.is_empty() && told.frame != self.frame;
        let is_elsewhere = self.is_other_map(&told.map_id) || is_other_frame;
        let age_secs = now.0.saturating_sub(told.last_seen.0).max(0) as f64 * 1e-9;
        let far_m = |near_m: [f64; 3]| {
            // Of two numbers the height is any.
            let apart = near_m.iter().zip(told.position_m).map(|(a, b)| a - b);
            apart.filter(|it| !it.is_nan()).map(|it| it * it).sum::<f64>().sqrt()
        };
        let labels = told.labels.weights().iter();
        ObjectPlace {
            object_id,
            label: told.labels.top().to_owned(),
            labels: labels
                .map(|(key, weight)| KeyCount { key: key.clone(), count: weight.round() as u64 })
                .collect(),
            name_match,
            state: told.state,
            position_m: told.position_m.to_vec(),
            orientation: told.orientation.map_or_else(Vec::new, |it| it.to_vec()),
            frame: told.frame,
            map_id: told.map_id,
            sigma_m: told.sigma_m,
            is_seen_from: told.is_seen_from,
            is_elsewhere,
            robot_position_m: told.robot_m.to_vec(),
            first_seen: told.first_seen,
            last_seen: told.last_seen,
            age_secs,
            looked_at: told.looked_at,
            count: told.count,
            confidence: told.confidence * 0.5_f64.powf(age_secs / HALF_LIFE_SECS),
            distance_m: self.near_m.filter(|_| !is_elsewhere).map(far_m),
            moved_at: told.moved.map(|moved| moved.at),
            moved_from_m: told.moved.map_or_else(Vec::new, |moved| moved.from_m.to_vec()),
            topic: told.topic,
            thumbnail: Vec::new(),
        }
    }
}

impl CheckedLocate {
    /// Whether something is in another map than the robot, as far as both are known.
    fn is_other_map(&self, map_id: &str) -> bool {
        !map_id.is_empty() && !self.map_id.is_empty() && map_id != self.map_id
    }

    /// The answer in a sentence, English and Chinese. It says nothing that the places do not.
    fn sentences(&self, places: &[ObjectPlace], total: u64) -> (String, String) {
        let what = self.what.as_str();
        let (en_name, zh_name) =
            if what.is_empty() { ("anything", "物体") } else { (what, what) };
        let Some(best) = places.first() else {
            return (format!("{en_name}: not known"), format!("{zh_name}：不知道在哪里"));
        };
        let [x, y, z] = [0, 1, 2].map(|axis| best.position_m.get(axis).copied().unwrap_or(0.0));
        let (ago_en, ago_zh) = ago(best.age_secs);
        let (seen_en, seen_zh) = match (best.state, best.is_seen_from) {
            (ObjectState::Gone, _) => ("is gone; it was last seen at", "已不在原处；最后出现在"),
            (ObjectState::Present, true) => ("was seen from", "曾从此处看到："),
            (ObjectState::Present, false) => ("was seen at", "位于"),
        };
        let place = format!("({x:.2}, {y:.2}, {z:.2})");
        let frame = if best.frame.is_empty() { String::new() } else { format!(" {}", best.frame) };
        let mut en = format!("{en_name}: {} {seen_en} {place}{frame} {ago_en} ago", best.label);
        let mut zh = format!("{zh_name}：{}{seen_zh}{place}{frame}，{ago_zh}前", best.label);
        if best.is_elsewhere {
            let (other_en, other_zh) = if self.is_other_map(&best.map_id) {
                let map_id = &best.map_id;
                (format!("another map ({map_id})"), format!("另一张地图（{map_id}）"))
            } else {
                let frame = &best.frame;
                (format!("another frame ({frame})"), format!("另一个坐标系（{frame}）"))
            };
            en.push_str(&format!(", in {other_en}: the place cannot be used here"));
            zh.push_str(&format!("，在{other_zh}中，此处无法使用"));
        } else if self.map_id.is_empty() {
            en.push_str("; in which map the robot is is not known");
            zh.push_str("；机器人所在的地图未知");
        } else if best.map_id.is_empty() {
            en.push_str("; in which map this is is not known");
            zh.push_str("；该位置所属的地图未知");
        }
        if total > 1 {
            en.push_str(&format!("; {} more places", total - 1));
            zh.push_str(&format!("；另有 {} 处", total - 1));
        }
        (en, zh)
    }
}

/// What places of one rank are ordered by: how sure, how recent and how near they are.
fn worth(place: &ObjectPlace) -> f64 {
    let near = place.distance_m.map_or(1.0, |far_m| HALF_DISTANCE_M / (HALF_DISTANCE_M + far_m));
    place.confidence * near
}

/// A span in the largest unit of which there is one.
fn ago(secs: f64) -> (String, String) {
    let units = [(86_400.0, "days", "天"), (3_600.0, "hours", "小时"), (60.0, "minutes", "分钟")];
    let unit = units.into_iter().find(|(each, ..)| secs >= *each);
    let (each, en, zh) = unit.unwrap_or((1.0, "seconds", "秒"));
    let count = (secs / each).floor();
    (format!("{count} {en}"), format!("{count} {zh}"))
}
