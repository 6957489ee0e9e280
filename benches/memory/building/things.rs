//! The things, and what becomes of them.

use super::random::SplitMix64;

/// Rooms of the building, across and down, and the length of a wall.
const ROOMS: (usize, usize) = (10, 5);
pub const ROOM_M: f64 = 6.0;
/// Between two things at least.
const APART_M: f64 = 0.3;
/// What there are.
pub const KINDS: usize = 40;
/// Between two tours: so many are carried elsewhere, most within the room; taken away; put in; and exchanged
/// for something else in the same place. For each thousand.
const MOVED: usize = 12;
const STAYS_IN_ROOM: usize = 9;
const TAKEN: usize = 8;
const ADDED: usize = 8;
const EXCHANGED: usize = 4;

/// One thing.
#[derive(Debug, Clone)]
pub struct Thing {
    pub kind: usize,
    pub room: usize,
    pub at: [f64; 3],
    /// The share of views that show it.
    pub shown: f64,
    pub is_there: bool,
    /// How often it was carried elsewhere.
    pub moves: usize,
}

#[derive(Debug, Default)]
pub struct Building {
    pub things: Vec<Thing>,
    pub per_room: Vec<Vec<usize>>,
    /// What was taken away or exchanged.
    pub taken: Vec<usize>,
}

impl Building {
    pub fn new(count: usize, random: &mut SplitMix64) -> Self {
        let mut building =
            Self { per_room: vec![Vec::new(); ROOMS.0 * ROOMS.1], ..Self::default() };
        for index in 0..count {
            building.add(index % (ROOMS.0 * ROOMS.1), random);
        }
        building
    }

    pub fn room_count(&self) -> usize {
        self.per_room.len()
    }

    fn add(&mut self, room: usize, random: &mut SplitMix64) {
        let at = self.free_place(room, random);
        self.put(at, room, random);
    }

    fn put(&mut self, at: [f64; 3], room: usize, random: &mut SplitMix64) {
        let kind = random.below(KINDS);
        let shown = random.between(0.82, 0.98, 6);
        let thing = Thing { kind, room, at, shown, is_there: true, moves: 0 };
        self.per_room[room].push(self.things.len());
        self.things.push(thing);
    }

    /// A place that is not next to another thing.
    fn free_place(&self, room: usize, random: &mut SplitMix64) -> [f64; 3] {
        let origin = origin(room);
        let mut at = [0.0; 3];
        for _ in 0..200 {
            at = [
                origin[0] + random.between(0.2, ROOM_M - 0.2, 6),
                origin[1] + random.between(0.2, ROOM_M - 0.2, 6),
                random.between(0.1, 1.8, 6),
            ];
            let others = self.per_room[room].iter().map(|id| &self.things[*id]);
            if others.filter(|it| it.is_there).all(|it| distance(it.at, at) >= APART_M) {
                break;
            }
        }
        at
    }

    /// What becomes of things while nobody looks.
    pub fn change(&mut self, random: &mut SplitMix64) {
        let count = |per_thousand: usize| (per_thousand * self.things.len()).div_ceil(1000);
        let (moved, taken, added, exchanged) =
            (count(MOVED), count(TAKEN), count(ADDED), count(EXCHANGED));
        let stays = count(STAYS_IN_ROOM);
        for index in 0..moved {
            let id = self.one(random);
            let from = self.things[id].room;
            let room = if index < stays { from } else { next_room(from) };
            self.per_room[from].retain(|it| *it != id);
            let at = self.free_place(room, random);
            let thing = &mut self.things[id];
            (thing.at, thing.room) = (at, room);
            thing.moves += 1;
            self.per_room[room].push(id);
        }
        for index in 0..taken + exchanged {
            let id = self.one(random);
            let Thing { room, at, kind, .. } = self.things[id];
            self.things[id].is_there = false;
            self.taken.push(id);
            if index >= taken {
                self.put(at, room, random);
                if let Some(new) = self.things.last_mut() {
                    new.kind = (kind + 1 + new.kind % (KINDS - 1)) % KINDS;
                }
            }
        }
        for _ in 0..added {
            let room = random.below(self.room_count());
            self.add(room, random);
        }
    }

    /// One that is there and was never touched.
    fn one(&self, random: &mut SplitMix64) -> usize {
        let mut id = 0;
        for _ in 0..10_000 {
            id = random.below(self.things.len());
            let thing = &self.things[id];
            if thing.is_there && thing.moves == 0 {
                break;
            }
        }
        id
    }
}

/// Where a room begins.
pub fn origin(room: usize) -> [f64; 2] {
    [(room % ROOMS.0) as f64 * ROOM_M, (room / ROOMS.0) as f64 * ROOM_M]
}

fn next_room(room: usize) -> usize {
    if room % ROOMS.0 + 1 < ROOMS.0 { room + 1 } else { room - 1 }
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
