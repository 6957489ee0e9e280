use super::*;
use crate::Bitset;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Rows = BTreeMap<Slot, Vec<String>>;

fn tokens(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn listed(index: &impl Postings, token: &str) -> Vec<(Slot, u32)> {
    let postings = index.postings(token).to_vec();
    postings.into_iter().map(|posting| (posting.slot(), posting.frequency())).collect()
}

fn expected(rows: &Rows, token: &str) -> Vec<(Slot, u32)> {
    let frequency = |row: &Vec<String>| row.iter().filter(|other| *other == token).count() as u32;
    rows.iter()
        .map(|(slot, row)| (*slot, frequency(row).min(FREQUENCY_MAX)))
        .filter(|(_, frequency)| *frequency > 0)
        .collect()
}

#[test]
fn a_posting_takes_four_bytes() {
    assert_eq!(size_of::<Posting>(), 4);
}

#[test]
fn a_row_is_found_by_its_tokens_until_it_goes() {
    let mut index = WordIndex::default();
    index.put(3, &tokens("red cup red")).unwrap();
    index.put(9, &tokens("cup")).unwrap();
    index.put(1, &tokens("cup cup")).unwrap();
    assert_eq!(listed(&index, "cup"), [(1, 2), (3, 1), (9, 1)]);
    assert_eq!(listed(&index, "red"), [(3, 2)]);
    assert_eq!((index.df("cup"), index.df("mug"), index.term_count()), (3, 0, 2));
    index.remove(3, &tokens("red cup red"));
    index.remove(3, &tokens("red cup red"));
    assert_eq!(listed(&index, "cup"), [(1, 2), (9, 1)]);
    assert_eq!((index.df("red"), index.term_count()), (0, 1));
    index.put(2, &tokens("red")).unwrap();
    assert_eq!(index.term_count(), 2);
    assert_eq!(index.put(Slot::MAX, &tokens("red")), Err(WordIndexFull));
    assert_eq!(listed(&index, "red"), [(2, 1)]);
}

#[test]
fn more_occurrences_than_there_is_room_for_count_as_the_most() {
    let mut index = WordIndex::default();
    index.put(Posting::SLOT_MAX, &vec!["the".to_owned(); 40]).unwrap();
    assert_eq!(listed(&index, "the"), [(Posting::SLOT_MAX, FREQUENCY_MAX)]);
}

#[test]
fn tokens_that_nobody_has_are_forgotten() {
    let mut index = WordIndex::default();
    for slot in 0..50_000 {
        index.put(slot, &[format!("part-{slot}"), "part".to_owned()]).unwrap();
        if slot >= 10 {
            index.remove(slot - 10, &[format!("part-{}", slot - 10), "part".to_owned()]);
        }
    }
    assert_eq!(index.term_count(), 11);
    assert!(index.bytes() < 2_000_000, "{}", index.bytes());
    for slot in 49_990..50_000 {
        assert_eq!(listed(&index, &format!("part-{slot}")), [(slot, 1)]);
    }
    assert_eq!(index.df("part"), 10);
}

/// Every list in each of its forms: `every` says how many slots lie between two of its rows.
fn many(every: usize, count: usize) -> Rows {
    (0..count)
        .map(|row| {
            let text = ["a", "a a a", "a", "a a", "a"][row % 5];
            ((row * every) as Slot, tokens(text))
        })
        .collect()
}

#[test]
fn lists_change_their_form_but_not_what_is_in_them() {
    for every in [1, 3, 31, 33, 100] {
        let mut rows = many(every, 3_000);
        let mut index = WordIndex::default();
        for (slot, row) in &rows {
            index.put(*slot, row).unwrap();
        }
        assert_eq!(listed(&index, "a"), expected(&rows, "a"), "every {every}");
        let gone: Vec<Slot> = rows.keys().copied().filter(|slot| slot % 37 != 0).collect();
        for slot in gone {
            let row = rows.remove(&slot).unwrap();
            index.remove(slot, &row);
        }
        assert_eq!(listed(&index, "a"), expected(&rows, "a"), "thinned out, every {every}");
        assert_eq!(index.df("a"), rows.len() as u64);
    }
}

#[test]
fn a_cursor_reads_what_the_list_holds() {
    for every in [1, 5, 40, 700] {
        let rows = many(every, 6_000);
        let mut builder = WordIndexBuilder::new(0);
        for (slot, frequency) in expected(&rows, "a") {
            builder.push("a", slot, frequency).unwrap();
        }
        let index = builder.finish();
        let mut cursor = Cursor::new(index.postings("a"));
        let mut window = 0;
        let mut read = Vec::new();
        let mut occurrences = Occurrences::default();
        while let Some(next) = cursor.next_window(window) {
            cursor.read(next, &mut occurrences);
            for offset in 0..WINDOW_SLOTS {
                let is_in = |window: &Window| window[offset / 64] >> (offset % 64) & 1 == 1;
                if is_in(&occurrences.present) {
                    let slot = (next * WINDOW_SLOTS + offset) as Slot;
                    let frequency = cursor.frequency(slot);
                    assert_eq!(frequency, index.postings("a").frequency(slot));
                    assert_eq!(is_in(&occurrences.twice), frequency > 1);
                    assert_eq!(is_in(&occurrences.thrice), frequency > 2);
                    read.push((slot, frequency));
                }
            }
            window = next + 1;
        }
        assert_eq!(read, expected(&rows, "a"), "every {every}");
    }
}

/// Lists of every form against sets that are longer and shorter than they are.
#[test]
fn rows_with_a_token_are_found_within_a_set() {
    for every in [1, 5, 40, 700] {
        let rows = many(every, 6_000);
        let mut index = WordIndex::default();
        for (slot, row) in &rows {
            index.put(*slot, row).unwrap();
        }
        let slot_count = (6_000 * every) as Slot;
        for step in [1, 7, 900, slot_count - 1] {
            let among: Bitset = (0..slot_count + 200).step_by(step as usize).collect();
            let mut found = Bitset::default();
            index.postings("a").insert_within(&among, &mut found);
            let wanted = rows.keys().copied().filter(|slot| among.contains(*slot));
            assert!(found.iter().eq(wanted), "every {every}, step {step}");
        }
    }
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "arm-01", "字"]);
    prop::collection::vec(word.prop_map(str::to_owned), 0..6)
}

proptest! {
    #[test]
    fn any_changes_leave_what_a_new_index_holds(
        changes in prop::collection::vec((0_u32..40, prop::option::of(texts())), 0..80),
    ) {
        let mut index = WordIndex::default();
        let mut rows = Rows::new();
        for (slot, text) in changes {
            if let Some(before) = rows.remove(&slot) {
                index.remove(slot, &before);
            }
            if let Some(text) = text {
                index.put(slot, &text).unwrap();
                rows.insert(slot, text);
            }
        }
        let mut builder = WordIndexBuilder::new(40);
        for token in ["a", "arm-01", "b", "c", "d", "字"] {
            for (slot, frequency) in expected(&rows, token) {
                // As often as it stands there, one by one.
                for _ in 0..frequency {
                    builder.push(token, slot, 1).unwrap();
                }
            }
        }
        let rebuilt = builder.finish();
        prop_assert_eq!(index.term_count(), rebuilt.term_count());
        for token in ["a", "arm-01", "b", "c", "d", "字", "e"] {
            prop_assert_eq!(listed(&index, token), expected(&rows, token));
            prop_assert_eq!(listed(&rebuilt, token), expected(&rows, token));
            for slot in 0..41 {
                let frequency = rows.get(&slot).map_or(0, |row| {
                    row.iter().filter(|other| *other == token).count() as u32
                });
                prop_assert_eq!(index.postings(token).frequency(slot), frequency);
            }
        }
    }
}
