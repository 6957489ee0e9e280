use super::facts::ActiveFacts;
use super::*;
use proptest::prelude::*;
use robot_memory_core::model::{
    Belief, Category, Kind, Level, MemType, PerceptionType, Scope, Source, Stamp, Trust,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use tempfile::TempDir;

mod aside;

/// A store in a folder that goes with it.
pub(super) fn store() -> (TempDir, Store) {
    let folder = TempDir::new().expect("a folder");
    let (store, _) = Store::open(&folder.path().join("memory.db"), 0).expect("it opens");
    (folder, store)
}

pub(super) fn draft(content: &str) -> MemoryDraft {
    MemoryDraft {
        collection: "kitchen".into(),
        level: Level::Knowledge,
        scope: Scope::Global,
        kind: Kind::Fact,
        category: Some(Category::Gotcha),
        mem_type: MemType::Lesson,
        content: content.into(),
        content_hash: Sha256::digest(content).into(),
        word_count: 3,
        is_real: true,
        quantity_key: -42,
        context: String::new(),
        perception: None,
        session_id: String::new(),
        turn_id: String::new(),
        agent: String::new(),
        source: Source::Sensor,
        trust: Trust::High,
        confidence: 0.8,
        decay_rate: 0.01,
        importance: 0.5,
        parent_id: None,
        tags: Vec::new(),
        scope_files: vec!["a.yaml".into()],
        scope_entities: Vec::new(),
        created_at: Stamp(5),
    }
}

/// Writes in one transaction.
pub(super) fn write<T>(store: &Store, f: impl FnOnce(&WriteTx<'_>) -> Result<T>) -> T {
    let mut writer = store.writer();
    let tx = writer.begin().expect("it begins");
    let value = f(&tx).expect("it writes");
    tx.commit().expect("it commits");
    value
}

pub(super) fn read<T>(store: &Store, f: impl FnOnce(&ReadTx<'_>) -> Result<T>) -> T {
    store.read(f).expect("it reads")
}

/// How many memories there are, of any status.
pub(super) fn count(store: &Store) -> u64 {
    read(store, |tx| {
        let active = active_ids(tx)?.len() as u64;
        Ok(active + tx.inactive_count()?)
    })
}

/// The active memories.
fn active_ids(tx: &ReadTx<'_>) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    let flow: ControlFlow<()> = tx.each_active_facts(|facts| {
        ids.push(facts.id);
        ControlFlow::Continue(())
    })?;
    assert!(flow.is_continue());
    Ok(ids)
}

fn tokens(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// All that `each` calls its callback with.
fn all<T>(each: impl FnOnce(&mut Vec<T>) -> Result<ControlFlow<Infallible>>) -> Vec<T> {
    let mut found = Vec::new();
    each(&mut found).expect("it reads").continue_value().expect("nothing broke it");
    found
}

fn postings(tx: &ReadTx<'_>) -> Vec<(String, i64, u32)> {
    all(|found| {
        tx.each_posting(|token, id, frequency| {
            found.push((token.to_owned(), id, frequency));
            ControlFlow::Continue(())
        })
    })
}

#[test]
fn a_row_comes_back_as_it_was_written() {
    let (_folder, store) = store();
    let long = "杯".repeat(250);
    let fact = write(&store, |tx| tx.insert_memory(&draft(&long)));
    let perception = write(&store, |tx| {
        tx.insert_memory(&MemoryDraft {
            kind: Kind::Perception,
            category: None,
            mem_type: MemType::TaskLog,
            perception: Some((PerceptionType::Tactile, "[1]".into(), "{}".into())),
            tags: tokens(&["tactile"]),
            scope_files: Vec::new(),
            is_real: false,
            ..draft("contact")
        })
    });
    read(&store, |tx| {
        let memory = tx.memory(fact, true)?.expect("it is there");
        assert_eq!(memory.content, long);
        assert_eq!(memory.human_summary, "杯".repeat(200));
        assert_eq!(memory.scope_files, ["a.yaml"]);
        assert!(memory.tags.is_empty() && memory.perception_type.is_none());
        let memory = tx.memory(perception, true)?.expect("it is there");
        assert_eq!((memory.data.as_str(), memory.metadata.as_str()), ("[1]", "{}"));
        assert_eq!(memory.perception_type, Some(PerceptionType::Tactile));
        assert_eq!(memory.tags, ["tactile"]);
        let memory = tx.memory(perception, false)?.expect("it is there");
        assert_eq!((memory.data.as_str(), memory.perception_type.is_some()), ("", true));
        assert!(tx.memory(99, true)?.is_none());

        let mut count = 0;
        let flow = tx.each_active_facts::<Infallible>(|facts| {
            count += 1;
            let is_fact = facts.id == fact;
            let expected = ActiveFacts {
                id: if is_fact { fact } else { perception },
                collection: "kitchen",
                scope: "global",
                session_id: "",
                level: Level::Knowledge,
                kind: if is_fact { Kind::Fact } else { Kind::Perception },
                mem_type: if is_fact { MemType::Lesson } else { MemType::TaskLog },
                category: is_fact.then_some(Category::Gotcha),
                trust: Trust::High,
                is_real: is_fact,
                belief: Belief::new(0.8, 0.01, Stamp(5)),
                created_at: Stamp(5),
                word_count: 3,
                quantity_key: -42,
            };
            assert_eq!(*facts, expected);
            ControlFlow::Continue(())
        })?;
        assert!(flow.is_continue());
        assert_eq!(count, 2);
        Ok(())
    });
}

#[test]
fn rows_that_are_not_active_are_not_loaded_and_a_break_ends_loading() {
    let (_folder, store) = store();
    write(&store, |tx| {
        for number in 1..=4_i64 {
            let id = tx.insert_memory(&draft("x"))?;
            tx.insert_words(id, &tokens(&["x"]))?;
            tx.put_vector(id, "m", &[number as f32, 0.0])?;
        }
        tx.invalidate(2, "moved", Stamp(9))
    });
    read(&store, |tx| {
        let ids = all(|found| {
            tx.each_active_facts(|facts| {
                found.push(facts.id);
                ControlFlow::Continue(())
            })
        });
        assert_eq!(ids, [1, 3, 4]);
        let third = |id| if id == 3 { ControlFlow::Break(id) } else { ControlFlow::Continue(()) };
        assert_eq!(tx.each_active_facts(|facts| third(facts.id))?, ControlFlow::Break(3));
        assert_eq!(tx.each_vector("m", |id, _| third(id))?, ControlFlow::Break(3));
        assert_eq!(tx.each_posting(|_, id, _| third(id))?, ControlFlow::Break(3));
        let query = [1.0, 0.0];
        assert_eq!(tx.each_similarity("m", &query, |id, _| third(id))?, ControlFlow::Break(3));
        Ok(())
    });
}

#[test]
fn vectors_of_two_models_are_told_apart() {
    let (_folder, store) = store();
    write(&store, |tx| {
        for _ in 0..3 {
            tx.insert_memory(&draft("x"))?;
        }
        tx.put_vector(1, "first", &[1.0, 0.0])?;
        tx.put_vector(2, "second", &[0.0, 1.0])?;
        tx.put_vector(3, "first", &[0.5, 0.5])?;
        tx.put_vector(3, "second", &[3.0, 4.0])
    });
    read(&store, |tx| {
        let of = |model: &str| {
            all(|found| {
                tx.each_vector(model, |id, bytes| {
                    found.push((id, bytes.to_vec()));
                    ControlFlow::Continue(())
                })
            })
        };
        let bytes = |vector: [f32; 2]| vector.map(f32::to_le_bytes).concat();
        assert_eq!(of("first"), [(1, bytes([1.0, 0.0]))]);
        assert_eq!(of("second"), [(2, bytes([0.0, 1.0])), (3, bytes([3.0, 4.0]))]);
        assert_eq!(of("third"), []);
        assert_eq!(tx.vector(3, <[u8]>::to_vec)?, Some(bytes([3.0, 4.0])));
        assert_eq!(tx.vector(9, <[u8]>::len)?, None);
        let similarities = all(|found| {
            tx.each_similarity("second", &[0.0, 2.0], |id, cosine| {
                found.push((id, (cosine * 10.0).round()));
                ControlFlow::Continue(())
            })
        });
        assert_eq!(similarities, [(2, 10.0), (3, 8.0)]);
        let missing = |model| Ok::<_, Error>(tx.missing_vectors(model, 0, 9)?.len());
        assert_eq!((missing("first")?, missing("second")?, missing("third")?), (2, 1, 3));
        Ok(())
    });
}

#[test]
fn an_exact_duplicate_is_found_among_others_whose_hash_begins_alike() {
    let (_folder, store) = store();
    let hash = |last: u8| {
        let mut hash = [7; 32];
        hash[31] = last;
        hash
    };
    write(&store, |tx| {
        for last in [1, 2, 2] {
            tx.insert_memory(&MemoryDraft { content_hash: hash(last), ..draft("x") })?;
        }
        let log = MemoryDraft { mem_type: MemType::TaskLog, content_hash: hash(3), ..draft("x") };
        tx.insert_memory(&log)
    });
    read(&store, |tx| {
        let found = |last, except| {
            let among = DuplicateCandidates {
                collection: "kitchen",
                scope: &Scope::Global,
                mem_types: MemType::ALL,
                level: Level::Knowledge,
                session_id: "",
                trust_min: Trust::Low,
            };
            tx.exact_duplicates(&hash(last), &among, except).expect("it reads")
        };
        assert_eq!(
            [found(2, 0), found(2, 2), found(3, 0), found(4, 0)],
            [vec![2, 3], vec![3], vec![], vec![]]
        );
        let plan: String = tx.connection.query_row(
            "EXPLAIN QUERY PLAN SELECT id FROM memory WHERE \
             substr(content_hash, 1, 8) = substr(?1, 1, 8) AND content_hash = ?1 \
             AND status = 'active' AND type = 'fact' AND mem_type <> 'task_log'",
            [[0_u8; 32]],
            |row| row.get(3),
        )?;
        assert!(plan.contains("memory_by_hash"), "{plan}");
        Ok(())
    });
}

#[test]
fn a_part_that_fails_leaves_no_trace_and_the_others_stay() {
    let (_folder, store) = store();
    write(&store, |tx| {
        for number in 0..6 {
            let part: Result<()> = tx.savepoint(|tx| {
                let id = tx.insert_memory(&draft(&format!("row {number}")))?;
                tx.insert_words(id, &tokens(&["row"]))?;
                // One inside another.
                let inner: Result<()> = tx.savepoint(|tx| {
                    tx.put_vector(id, "m", &[1.0])?;
                    if number == 4 { Err(Error::Closed) } else { Ok(()) }
                });
                assert_eq!(inner.is_err(), number == 4);
                if number % 3 == 0 { Err(Error::Closed) } else { Ok(()) }
            });
            assert_eq!(part.is_err(), number % 3 == 0);
        }
        Ok(())
    });
    read(&store, |tx| {
        let ids: Vec<i64> = tx.postings("row")?.into_iter().map(|(id, _)| id).collect();
        let mut contents = Vec::new();
        for id in active_ids(tx)? {
            assert!(ids.contains(&id));
            let content = tx.content(id)?.expect("it is there");
            contents.push((content, tx.vector(id, |_| ())?.is_some()));
        }
        let expected = [("row 1", true), ("row 2", true), ("row 4", false), ("row 5", true)];
        assert_eq!(contents, expected.map(|(content, has)| (content.to_owned(), has)));
        Ok(())
    });
}

#[test]
fn a_transaction_that_was_rolled_back_takes_no_more_parts_and_no_commit() {
    let (_folder, store) = store();
    let mut writer = store.writer();
    let tx = writer.begin().expect("it begins");
    tx.insert_memory(&draft("before")).expect("it writes");
    // As SQLite does it by itself when the disk is full.
    tx.connection.execute_batch("ROLLBACK").expect("rolled back");
    let part = tx.savepoint(|tx| tx.insert_memory(&draft("after")));
    assert!(matches!(part, Err(Error::RolledBack)));
    assert!(matches!(tx.commit(), Err(Error::RolledBack)));
    drop(writer);
    assert_eq!(count(&store), 0);
}

#[test]
fn words_that_another_tokenizer_made_are_made_anew_also_after_a_kill() {
    let (folder, store) = store();
    write(&store, |tx| {
        for _ in 0..5 {
            let id = tx.insert_memory(&draft("red cup"))?;
            tx.insert_words(id, &tokens(&["former"]))?;
        }
        tx.invalidate(4, "moved", Stamp(9))?;
        tx.finish_words(1)
    });
    assert_eq!(read(&store, |tx| tx.tokens_version()), 1);
    write(&store, |tx| tx.clear_words(2));
    let give_words = |store: &Store, after: i64, limit: u32| {
        write(store, |tx| {
            let rows = tx.missing_words(after, limit)?;
            for row in &rows {
                let words: Vec<String> = row.content.split(' ').map(str::to_owned).collect();
                tx.insert_missing_words(row.id, &words, words.len() as u32)?;
            }
            Ok(rows.into_iter().map(|row| row.id).collect::<Vec<_>>())
        })
    };
    assert_eq!(give_words(&store, 0, 2), [1, 2]);
    // A row that comes meanwhile has its words already.
    write(&store, |tx| {
        let id = tx.insert_memory(&draft("blue bowl"))?;
        tx.insert_words(id, &tokens(&["blue", "bowl"]))
    });
    drop(store);
    let (store, _) = Store::open(&folder.path().join("memory.db"), 0).expect("it opens");
    assert_eq!(read(&store, |tx| tx.tokens_version()), -2);
    assert_eq!(give_words(&store, 0, 9), [3, 5]);
    assert!(give_words(&store, 0, 9).is_empty());
    write(&store, |tx| tx.finish_words(2));
    read(&store, |tx| {
        assert_eq!(tx.tokens_version()?, 2);
        assert_eq!(tx.postings("former")?, []);
        assert_eq!(tx.postings("cup")?, [(1, 1), (2, 1), (3, 1), (5, 1)]);
        let flow: ControlFlow<()> = tx.each_active_facts(|facts| {
            assert_eq!(facts.word_count, if facts.id == 6 { 3 } else { 2 }, "{}", facts.id);
            ControlFlow::Continue(())
        })?;
        assert!(flow.is_continue());
        Ok(())
    });
}

#[test]
fn a_checkpoint_moves_the_log_beside_an_open_transaction() {
    let (_folder, store) = store();
    let quiet = store.checkpoint_passive().expect("it looks");
    assert!(quiet.moved_pages < quiet.log_pages, "too little to be worth it: {quiet:?}");
    let data = "0".repeat(1 << 20);
    for _ in 0..8 {
        write(&store, |tx| {
            tx.insert_memory(&MemoryDraft {
                kind: Kind::Perception,
                perception: Some((PerceptionType::Visual, data.clone(), String::new())),
                ..draft("x")
            })
        });
    }
    let mut writer = store.writer();
    let tx = writer.begin().expect("it begins");
    tx.insert_memory(&draft("x")).expect("it writes");
    let done = store.checkpoint_passive().expect("it moves");
    assert!(done.log_pages > 1_000 && done.moved_pages == done.log_pages, "{done:?}");
    tx.commit().expect("it commits");
    assert_eq!(count(&store), 9);
}

#[test]
fn damage_that_a_late_check_finds_is_put_aside_at_the_next_start() {
    let (folder, store) = store();
    let path = folder.path().join("memory.db");
    write(&store, |tx| (0..500).try_for_each(|_| tx.insert_memory(&draft("x")).map(drop)));
    let root: u64 = read(&store, |tx| {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'memory_by_hash'";
        Ok(tx.connection.query_row(sql, [], |row| row.get::<_, i64>(0))?.unsigned_abs())
    });
    store.check_when_due().expect("nothing is due");
    store.close().expect("it closes");
    drop(store);

    // As for a file that is too large to be checked first: a small one is checked whenever it is opened.
    let (store, opened) = Store::open(&path, 0).expect("it opens");
    assert!(opened.damaged_aside.is_none());
    store.erase_log().expect("the log is empty");
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("it opens");
    file.write_all_at(&[0xa5; 8192], (root - 1) * 8192).expect("written");
    store.check_due.store(true, Ordering::Relaxed);
    let revision = || store.read(|tx| tx.revision()).expect("it is read");
    let before = revision();
    assert!(matches!(store.check_when_due(), Err(Error::Corrupt(_))));
    assert_eq!(revision(), before, "the indexes would be behind");
    store.check_when_due().expect("once is enough");
    drop(store);
    let connection = Connection::open(&path).expect("it opens");
    let sql = "SELECT damaged FROM store_state";
    assert!(connection.query_row(sql, [], |row| row.get::<_, bool>(0)).expect("a row"));
    drop(connection);
    let (_, opened) = Store::open(&path, 0).expect("a new store is begun");
    assert!(opened.damaged_aside.is_some());
}

#[test]
fn a_check_that_was_not_done_is_left_to_the_next_start() {
    let (folder, store) = store();
    store.check_due.store(true, Ordering::Relaxed);
    store.close().expect("it closes");
    drop(store);
    let path = folder.path().join("memory.db");
    let (store, opened) = Store::open(&path, 0).expect("it opens");
    assert!(opened.unclean && opened.damaged_aside.is_none());
    store.close().expect("it closes");
    drop(store);
    assert!(!Store::open(&path, 0).expect("it opens").1.unclean);
}

/// A store as version 1 made it, with statements run in it.
fn version_1(path: &Path, statements: &str) {
    let connection = Connection::open(path).expect("it opens");
    connection.execute_batch(include_str!("schema/0001_memory.sql")).expect("the schema");
    connection.pragma_update(None, "user_version", 1).expect("set");
    connection.pragma_update(None, "application_id", schema::APPLICATION_ID).expect("set");
    connection.execute_batch(statements).expect("the rows");
}

#[test]
fn version_1_migrates_with_all_that_belongs_to_a_row() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    let row = |id: i64, context: &str| {
        format!(
            "INSERT INTO memory VALUES ({id}, 'kitchen', 'core', 'global', 'fact', 'gotcha', \
             'lesson', 'the cup', 'the cup', x'91b3fd8dab4a6c77812ce63bea7446a4d59d585acc7d6ca46ef652f923e65fd3', 2, '{context}', 's', 't', 'a', \
             'sensor', 'high', 0.9, 0.02, 0.7, '[\"gotcha\"]', '[]', '[\"cup-1\"]', 'active', \
             NULL, NULL, NULL, 3, 11, 12, 13, 14, 1);"
        )
    };
    let contexts = [
        (r#"{"env": {"sim_or_real": "real"}}"#, true),
        (r#"{"env": {"sim_or_real": "sim"}}"#, false),
        (r#"{"env": {"sim_or_real": ["real"]}}"#, false),
        (r#"{"env.sim_or_real": "real"}"#, false),
        (r#"{"env": "real"}"#, false),
        ("", false),
    ];
    let mut statements = String::from(
        "INSERT INTO session VALUES ('s', 'kitchen', 'ended', '', '', NULL, 1, 1, 2);",
    );
    for (id, (context, _)) in (1..).zip(contexts) {
        statements += &row(id, context);
        statements += &format!(
            "INSERT INTO memory_vector VALUES ({id}, 'model {}', x'0000803f');\
             INSERT INTO memory_words (rowid, tokens) VALUES ({id}, 'former');\
             INSERT INTO memory_audit (memory_id, operation, agent, content, context, \
             changed_at) VALUES ({id}, 'update', '', 'x', '', 1);\
             INSERT INTO perception VALUES ({id}, 'visual', '[]', '{{}}');",
            id % 2
        );
    }
    statements += &row(20, "");
    statements += "DELETE FROM memory WHERE id = 20;";
    version_1(&path, &statements);

    let (store, opened) = Store::open(&path, 0).expect("it migrates");
    assert!(opened.damaged_aside.is_none());
    read(&store, |tx| {
        let real = all(|found| {
            tx.each_active_facts(|facts| {
                found.push(facts.is_real);
                ControlFlow::Continue(())
            })
        });
        assert_eq!(real, contexts.map(|(_, is_real)| is_real));
        let memory = tx.memory(1, false)?.expect("it is there");
        assert_eq!((memory.tags, memory.scope_files.len()), (tokens(&["gotcha"]), 0));
        assert_eq!((memory.importance, memory.access_count), (0.7, 3));
        assert_eq!(memory.decayed_until, Some(Stamp(14)));
        let odd = all(|found| {
            tx.each_vector("model 1", |id, bytes| {
                found.push((id, bytes.to_vec()));
                ControlFlow::Continue(())
            })
        });
        assert_eq!(odd, [1, 3, 5].map(|id| (id, 1.0_f32.to_le_bytes().to_vec())));
        assert_eq!(tx.tokens_version()?, 0);
        assert_eq!(tx.missing_words(0, 99)?.len(), contexts.len());
        for table in ["memory_audit", "perception"] {
            let count: u32 =
                tx.connection
                    .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
            assert_eq!(count as usize, contexts.len(), "{table}");
        }
        let pages: i64 = tx.connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        assert_eq!(pages, 8192, "the file was written anew");
        Ok(())
    });
    let next = write(&store, |tx| tx.insert_memory(&draft("x")));
    assert_eq!(next, 21, "an id that was used is not used again");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever was written and taken out, the postings are those of the rows that are left.
    #[test]
    fn postings_are_those_of_the_rows(
        rows in prop::collection::vec(
            (prop::collection::vec("[ab力]{1,2}|a-1|x/y", 0..6), any::<bool>()), 0..30,
        ),
        after in -1_i64..30,
    ) {
        let (_folder, store) = store();
        let mut expected: BTreeMap<(String, i64), u32> = BTreeMap::new();
        let mut without = Vec::new();
        write(&store, |tx| {
            for (words, stays) in &rows {
                let id = tx.insert_memory(&draft("x"))?;
                tx.insert_words(id, words)?;
                if *stays {
                    for word in words {
                        *expected.entry((word.clone(), id)).or_default() += 1;
                    }
                } else {
                    tx.delete_words(id)?;
                    if id > after {
                        without.push(id);
                    }
                }
            }
            Ok(())
        });
        read(&store, |tx| {
            let flat: Vec<_> =
                expected.iter().map(|((word, id), count)| (word.clone(), *id, *count)).collect();
            assert_eq!(postings(tx), flat);
            for (word, _) in expected.keys() {
                let of_word: Vec<_> = expected
                    .iter()
                    .filter(|((other, _), _)| other == word)
                    .map(|((_, id), count)| (*id, *count))
                    .collect();
                assert_eq!(tx.postings(word)?, of_word);
            }
            let missing: Vec<i64> =
                tx.missing_words(after, 99)?.into_iter().map(|row| row.id).collect();
            assert_eq!(missing, without);
            Ok(())
        });
    }
}
