use super::points_from;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that are kept: beyond twice as many the oldest half is looked up again when it is asked for.
pub const PLACED_MAX: usize = 10_000;

/// Where the next one begins to count.
static COUNTS: AtomicU64 = AtomicU64::new(0);
/// Far more than are ever counted.
const COUNTS_APART: u64 = 1 << 40;

/// The active rows that say where they are in one map, as far back as somebody asked for them.
///
/// Nothing until the first time: then the rows are looked at from the newest backward, a piece at a
/// time, and what comes later is followed. So a row is read once, however often one asks.
#[derive(Debug)]
pub struct PlacedRows {
    /// The map; empty: any.
    map_id: String,
    ids: BTreeSet<i64>,
    /// All rows with this id or a greater one are known.
    from: i64,
    /// Whether there are rows before that.
    has_more: bool,
    /// Changes of rows before that, which were not followed.
    missed_count: u64,
}

impl Default for PlacedRows {
    fn default() -> Self {
        // So that a count tells which rows it is of, too.
        let missed_count = COUNTS.fetch_add(COUNTS_APART, Ordering::Relaxed);
        Self {
            map_id: String::new(),
            ids: BTreeSet::new(),
            from: i64::MAX,
            has_more: true,
            missed_count,
        }
    }
}

/// Where something is, in the frame of its context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// x, y, z in metres; z is 0 when only x and y are told.
    pub xyz_m: [f64; 3],
    /// Whether it is the thing's own place; else the robot was there.
    pub is_object: bool,
}

impl Position {
    /// `spatial.object_position` of a context, else `spatial.robot_position`: an array of x, y and
    /// perhaps z.
    pub fn of(context: &Value) -> Option<Self> {
        let spatial = context.get("spatial")?;
        let at = |field| match spatial.get(field).and_then(points_from)?.as_slice() {
            [x, y] => Some([*x, *y, 0.0]),
            [x, y, z] => Some([*x, *y, *z]),
            _ => None,
        };
        let object = at("object_position").map(|xyz_m| Self { xyz_m, is_object: true });
        object.or_else(|| at("robot_position").map(|xyz_m| Self { xyz_m, is_object: false }))
    }

    /// Whether the text of a context says where it is, and not that this is in another map than the given
    /// one, as far as both are known.
    pub fn is_in(context: &str, map_id: &str) -> bool {
        // Most contexts say nothing of it, and need not be parsed.
        context.contains("_position")
            && serde_json::from_str(context).is_ok_and(|context: Value| {
                let own = context.pointer("/spatial/map_id").and_then(Value::as_str);
                let own = own.filter(|own| !own.is_empty() && !map_id.is_empty());
                own.is_none_or(|own| own == map_id) && Self::of(&context).is_some()
            })
    }
}

impl PlacedRows {
    /// Begins anew with the rows of another map. So places of other maps take no room from those of this one.
    pub fn choose_map(&mut self, map_id: &str) {
        if self.map_id != map_id {
            *self = Self { map_id: map_id.to_owned(), ..Self::default() };
        }
    }

    /// The newest of them that are wanted, as many as are asked for or there are; `None` when rows
    /// before [`from`](Self::from) have to be looked at first.
    pub fn newest(&self, count: usize, is_wanted: impl Fn(i64) -> bool) -> Option<Vec<i64>> {
        let wanted = self.ids.iter().rev().copied().filter(|id| is_wanted(*id));
        let newest: Vec<i64> = wanted.take(count).collect();
        (newest.len() == count || !self.has_more).then_some(newest)
    }

    /// The rows that were looked at begin here.
    pub fn from(&self) -> i64 {
        self.from
    }

    /// Rises when a row changes that was not looked at yet. Who looks at such rows in a snapshot that
    /// was begun when this was the same knows them as they are.
    pub fn missed_count(&self) -> u64 {
        self.missed_count
    }

    /// Takes the placed rows that were found between `from` and where they began so far; `None` for
    /// all that there are.
    pub fn extend(&mut self, placed: impl IntoIterator<Item = i64>, from: Option<i64>) {
        self.ids.extend(placed);
        self.from = from.unwrap_or(0);
        self.has_more = from.is_some();
    }

    /// Follows a change of a row that has this context now; `None`: it is no longer active.
    pub(super) fn put(&mut self, id: i64, context: Option<&str>) {
        if id < self.from {
            // A row that was not looked at yet.
            self.missed_count += 1;
            return;
        }
        if !context.is_some_and(|context| Position::is_in(context, &self.map_id)) {
            self.ids.remove(&id);
            return;
        }
        self.ids.insert(id);
        if self.ids.len() > 2 * PLACED_MAX {
            let first_kept = self.ids.iter().rev().nth(PLACED_MAX - 1).copied();
            if let Some(first_kept) = first_kept {
                self.ids = self.ids.split_off(&first_kept);
                self.from = first_kept;
                self.has_more = true;
            }
        }
    }
}
