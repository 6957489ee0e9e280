use super::*;
use proptest::prelude::*;

/// Half a minute of a wrist, an arm, a stop and a text.
fn half_a_minute() -> Vec<Received> {
    let force = |now: f64| if now.rem_euclid(7.0) > 5.5 { 12.0 + now } else { 0.0 };
    let velocity = |now: f64| if now.rem_euclid(9.0) > 5.0 { 0.6 } else { 0.0 };
    let texts = (0..15).map(|index| {
        let now = f64::from(index) * 2.0 + 0.0131;
        heard(3, now, string_message(&format!("part {}", index / 4)))
    });
    together(vec![
        pressing(0, 30.0, 100.0, force),
        turning(1, 30.0, 50.0, velocity),
        saying(2, 30.0, 10.0, |now| now.rem_euclid(11.0) > 9.5),
        texts.collect(),
    ])
}

const ALL: [(&str, &str); 4] = [WRIST, ARM, STOP, CYCLE];

fn events_of(messages: Vec<Received>) -> Vec<Event> {
    events(&mut recorder(&ALL), messages)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn arrival_does_not_count(seed in 0_u64..1 << 40) {
        let ordered = half_a_minute();
        let expected = events_of(ordered.clone());
        prop_assert!(expected.len() > 10, "{}", expected.len());
        // Those with a header come up to a quarter of a second late; each topic keeps its order.
        let mut shuffled: Vec<(Stamp, usize, Received)> = Vec::new();
        for (index, mut message) in ordered.into_iter().enumerate() {
            let stream = message.source.rank();
            if stream < 2 {
                let slice = message.received.0 / 100_000_000;
                let late = 0.12 + 0.12 * noise((slice as u64 ^ seed) as usize * 4 + stream);
                message.received = plus_secs(message.received, late);
            }
            shuffled.push((message.received, index, message));
        }
        shuffled.sort_by_key(|(received, index, _)| (*received, *index));
        let mut given = events_of(shuffled.into_iter().map(|(_, _, message)| message).collect());
        let mut expected = expected;
        given.sort_by(|a, b| a.key.cmp(&b.key));
        expected.sort_by(|a, b| a.key.cmp(&b.key));
        prop_assert_eq!(given, expected);
    }

    #[test]
    fn nothing_that_comes_breaks_it(
        messages in prop::collection::vec(
            (0_usize..6, any::<i64>(), prop::collection::vec(any::<u8>(), 0..80)), 0..200,
        ),
        times in prop::collection::vec(any::<i64>(), 0..20),
    ) {
        let mut recorder = recorder(&ALL);
        let mut out = Vec::new();
        for (index, (stream, received, mut message)) in messages.into_iter().enumerate() {
            if message.len() > 4 {
                message[..4].copy_from_slice(&[0, 1, 0, 0]);
            }
            let source = if stream == 5 { Source::Pose } else { Source::Stream(stream) };
            // Most are of one time, some of any.
            let received = if index % 5 == 0 { Stamp(received) } else { at(index as f64 * 0.1) };
            recorder.take(Received { source, received, message: message.into() });
            if let Some(now) = times.get(index) {
                recorder.advance(Stamp(*now), &mut out);
            }
        }
        recorder.finish(&mut out);
    }

    #[test]
    fn no_time_and_no_number_breaks_it(
        readings in prop::collection::vec(
            (0_usize..4, 0_usize..14, -3_i64..40, 0_usize..8, 0_usize..9), 1..150,
        ),
        is_in_order in any::<bool>(),
    ) {
        const TIMES: [i64; 14] = [
            i64::MIN, i64::MIN + 1, -9_000_000_000_000_000_000, -62_135_596_800_000_000, -1, 0, 1,
            1_700_000_000_000_000_000, 1_700_000_000_000_000_000, 1_700_000_030_000_000_000,
            1_700_003_600_000_000_000, 9_200_000_000_000_000_000, i64::MAX - 1, i64::MAX,
        ];
        const NUMBERS: [f64; 8] =
            [0.0, 1.0, 40.0, -1e6, f64::MAX, f64::NEG_INFINITY, f64::NAN, 5e-324];
        let mut readings = readings;
        if is_in_order {
            readings.sort_by_key(|reading| reading.1);
        }
        let mut recorder = recorder_with(&ALL, |stream| stream.clip = true, RecorderSettings::default());
        let mut out = Vec::new();
        for (index, (stream, time, tick, number, shape)) in readings.into_iter().enumerate() {
            let received = plus_secs(Stamp(TIMES[time]), (index as i64 + tick) as f64 * 0.05);
            // A stamp of zero: it holds when it came.
            let zero = Stamp(0);
            let value = NUMBERS[number];
            let message = match stream {
                0 => wrench_message(zero, "tool0", [value, 0.0, NUMBERS[shape % 8], 0.0, value, 0.0]),
                1 => {
                    let names = ["a", "b", "c", "a", "", "d", "e", "f"];
                    let values = vec![value; shape];
                    joints_message(zero, &names[..shape.min(8)], &values, &values, &values[..shape / 2])
                }
                2 => bool_message(tick % 2 == 0),
                _ => string_message(&format!("{number}")),
            };
            recorder.take(Received { source: Source::Stream(stream), received, message: message.into() });
            if tick % 3 == 0 {
                recorder.advance(received, &mut out);
            }
            if tick == 7 {
                let capture = Capture {
                    reason: "it is asked for".into(),
                    streams: Vec::new(),
                    before_secs: value,
                    after_secs: NUMBERS[shape % 8],
                };
                recorder.capture(received, capture);
            }
        }
        recorder.finish(&mut out);
        for event in out {
            prop_assert!(event.end >= event.stamp, "{:?}", event);
            let is_json = [&event.data, &event.metadata, &event.context].map(|text| {
                serde_json::from_str::<serde_json::Value>(text).is_ok()
            });
            prop_assert_eq!(is_json, [true; 3]);
        }
    }
}

#[test]
fn all_at_once_or_one_by_one_is_the_same() {
    let expected = events_of(half_a_minute());
    let mut recorder = recorder(&ALL);
    let mut out = Vec::new();
    for message in half_a_minute() {
        recorder.take(message);
    }
    recorder.advance(at(40.0), &mut out);
    recorder.finish(&mut out);
    assert_eq!(out, expected);
}

#[test]
fn a_stall_is_no_new_beginning() {
    let expected = events_of(half_a_minute());
    let mut recorder = recorder(&ALL);
    let mut out = Vec::new();
    // After each three seconds all that waits is taken, one source after another.
    let mut batches = half_a_minute();
    let batch_of = |message: &Received| message.received.0 / 3_000_000_000;
    batches.sort_by_key(|message| (batch_of(message), message.source.rank()));
    for batch in batches.chunk_by(|one, other| batch_of(one) == batch_of(other)) {
        for message in batch {
            recorder.take(message.clone());
        }
        let now = batch.iter().map(|message| message.received).max().expect("a message");
        recorder.advance(now, &mut out);
    }
    recorder.finish(&mut out);
    assert_eq!(out, expected);
}

#[test]
fn a_stream_whose_type_changes_is_heard_as_the_other_type() {
    let mut recorder = recorder(&[STOP]);
    let mut out = Vec::new();
    for message in saying(0, 4.0, 10.0, |now| now > 2.0) {
        let now = message.received;
        recorder.take(message);
        recorder.advance(now, &mut out);
    }
    assert!(out.is_empty(), "what is on goes on");
    recorder.set_type(0, STOP.1, None).expect("the same type");
    assert!(out.is_empty());
    recorder.set_type(0, CYCLE.1, None).expect("a known type");
    for (secs, text) in [(4.0, "idle"), (6.0, "idle"), (8.0, "picking"), (12.0, "picking")] {
        recorder.take(heard(0, secs, string_message(text)));
        recorder.advance(at(secs), &mut out);
    }
    recorder.finish(&mut out);
    let kinds: Vec<_> = out.iter().map(|event| event.trigger).collect();
    assert_eq!(kinds, [TriggerKind::Edge, TriggerKind::Change]);
    assert_eq!(recorder.counts()[0].undecodable, 0);
}

#[test]
fn a_message_from_before_begins_anew() {
    let mut recorder = recorder(&[STOP, CYCLE]);
    let mut out = Vec::new();
    for message in saying(0, 10.0, 10.0, |now| now > 8.0) {
        recorder.take(message);
    }
    recorder.take(heard(1, 8.5, string_message("of another source")));
    recorder.advance(at(9.9), &mut out);
    assert!(out.is_empty());
    recorder.take(heard(0, 8.5, bool_message(true)));
    recorder.advance(at(8.5), &mut out);
    assert_eq!(out.len(), 1);
    assert_eq!(recorder.counts()[0].late, 0);
}

#[test]
fn what_is_late_is_dropped_and_counted() {
    let mut recorder = recorder(&[WRIST]);
    let mut out = Vec::new();
    let message = |stamp: f64, received: f64| Received {
        source: Source::Stream(0),
        received: at(received),
        message: wrench_message(at(stamp), "", [0.0; 6]).into(),
    };
    recorder.take(message(1.0, 1.0));
    recorder.advance(at(1.5), &mut out);
    recorder.take(message(0.9, 1.5));
    recorder.take(message(1.0, 1.5));
    recorder.take(message(1.1, 1.5));
    // Farther than ten seconds from when it came.
    recorder.take(message(1000.0, 1.6));
    recorder.finish(&mut out);
    let counts = &recorder.counts()[0];
    assert_eq!((counts.messages, counts.late, counts.stamped_on_receipt), (5, 1, 1));
}

#[test]
fn a_bag_that_loops_gives_the_same_events_again() {
    let mut recorder = recorder(&ALL);
    let mut out = Vec::new();
    let mut rounds = Vec::new();
    for _ in 0..2 {
        for message in half_a_minute() {
            let now = message.received;
            recorder.take(message);
            recorder.advance(now, &mut out);
        }
        // The first time of the next round ends this one.
        recorder.advance(at(0.0), &mut out);
        rounds.push(std::mem::take(&mut out));
    }
    assert!(rounds[0].len() > 10);
    assert_eq!(rounds[0], rounds[1]);
}

#[test]
fn a_full_buffer_is_worked_on_early() {
    let settings = RecorderSettings { reorder_bytes_max: 4000, ..RecorderSettings::default() };
    let mut recorder = recorder_with(&ALL, |_| {}, settings);
    for message in half_a_minute() {
        recorder.take(message);
        assert!(recorder.reorder.bytes() <= 4000);
    }
    let mut out = Vec::new();
    recorder.finish(&mut out);
    assert_eq!(out, events_of(half_a_minute()));
}

#[test]
fn a_gap_of_hours_is_no_event() {
    let mut messages = half_a_minute();
    let later = half_a_minute().into_iter().map(|mut message| {
        message.received = plus_secs(message.received, 20_000.0);
        if message.source.rank() < 2 {
            let stamp = plus_secs(stream::header_stamp(&message.message).unwrap(), 20_000.0);
            let (sec, nanosec) = stamp.to_parts();
            let mut bytes = message.message.to_vec();
            bytes[4..8].copy_from_slice(&sec.to_le_bytes());
            bytes[8..12].copy_from_slice(&nanosec.to_le_bytes());
            message.message = bytes.into();
        }
        message
    });
    messages.extend(later);
    let all = events_of(messages);
    assert!(all.iter().all(|event| secs_between(event.stamp, event.end) < 31.0));
    let once = events_of(half_a_minute()).len();
    assert!((2 * once - 2..=2 * once + 2).contains(&all.len()), "{} {once}", all.len());
}

#[test]
fn a_time_before_has_budgets_of_its_own() {
    let stops = |first_secs: f64| -> Vec<Received> {
        let mut all = saying(0, 100.0, 10.0, |now| now.rem_euclid(20.0) > 19.0);
        for message in &mut all {
            message.received = plus_secs(message.received, first_secs);
        }
        all
    };
    let mut recorder = recorder_with(
        &[STOP],
        |stream| stream.events_per_minute_max = Some(3),
        RecorderSettings::default(),
    );
    let expected = events(&mut recorder, stops(0.0));
    assert_eq!(expected.len(), 5);
    // An older bag, then one of years before.
    for first_secs in [-7200.0, -86_400.0 * 400.0] {
        assert_eq!(events(&mut recorder, stops(first_secs)).len(), 5, "{first_secs}");
    }
    assert_eq!(recorder.counts()[0].over_minute, 0);
}

#[test]
fn streams_that_are_added_count_as_those_that_were_given() {
    let mut added = Recorder::new(RecorderSettings::default(), Vec::new());
    // The time that was told before stays told.
    added.advance(at(0.0), &mut Vec::new());
    for (index, (topic, type_name)) in ALL.iter().enumerate() {
        assert_eq!(added.add(StreamSettings::new(topic)), index);
        added.set_type(index, type_name, None).expect("a known type");
    }
    let messages = half_a_minute();
    let source = Source::Stream(ALL.len());
    added.take(Received { source, received: Stamp(i64::MAX), ..messages[0].clone() });
    assert_eq!(events(&mut added, messages.clone()), events_of(messages));
    assert_eq!(added.counts().len(), ALL.len());
}

/// The same messages, of which those of one stream come so many seconds after their stamps.
fn delayed(stream: usize, secs: f64) -> Vec<Received> {
    let mut messages = half_a_minute();
    for message in messages.iter_mut().filter(|message| message.source == Source::Stream(stream)) {
        message.received = plus_secs(message.received, secs);
    }
    messages.sort_by_key(|message| message.received);
    messages
}

fn keys_of(events: &[Event], topic: &str) -> Vec<String> {
    let of = events.iter().filter(|event| event.topic == topic);
    let mut keys: Vec<String> = of.map(|event| event.key.clone()).collect();
    keys.sort();
    keys
}

#[test]
fn stamps_of_any_age_are_heard() {
    let expected = events_of(half_a_minute());
    for stream in [0, 1] {
        for secs in [0.35, 0.6, 2.0, 9.9] {
            let mut recorder = recorder(&ALL);
            let given = events(&mut recorder, delayed(stream, secs));
            for (topic, counts) in ALL.iter().zip(recorder.counts()) {
                assert_eq!((counts.late, counts.repeated), (0, 0), "{topic:?} {secs}");
                assert_eq!(keys_of(&given, topic.0), keys_of(&expected, topic.0), "{secs}");
            }
        }
    }
}

#[test]
fn two_that_publish_on_one_topic_may_come_at_different_delays() {
    let moves = |from: f64, now: f64| if (from..from + 2.0).contains(&now) { 0.5 } else { 0.0 };
    let arm = turning(0, 20.0, 50.0, |now| moves(6.0, now));
    let mut hand = turning(0, 20.0, 50.0, |now| moves(12.0, now));
    for (index, message) in hand.iter_mut().enumerate() {
        let now = index as f64 / 50.0;
        let velocity = moves(12.0, now);
        let turned = 0.5 * (now - 12.0).clamp(0.0, 2.0);
        let bytes = joints_message(at(now), &["finger_joint"], &[turned], &[velocity], &[]);
        message.message = bytes.into();
        message.received = plus_secs(message.received, 0.8);
    }
    let mut recorder = recorder(&[ARM]);
    let all = events(&mut recorder, together(vec![arm, hand]));
    assert_eq!(of_kind(&all, TriggerKind::Motion).len(), 2);
    assert_eq!(recorder.counts()[0].late, 0);
}

#[test]
fn a_pause_loses_nothing_and_makes_nothing_up() {
    let mut expected: Vec<String> =
        events_of(half_a_minute()).into_iter().map(|it| it.key).collect();
    expected.sort();
    for pauses in [vec![9.7], vec![3.0, 6.0, 20.3], vec![5.6, 14.2, 28.0]] {
        let mut recorder = recorder(&ALL);
        let mut out = Vec::new();
        let mut pauses = pauses.into_iter().peekable();
        for message in half_a_minute() {
            if pauses.next_if(|pause| message.received >= at(*pause)).is_some() {
                recorder.pause(&mut out);
            }
            let now = message.received;
            recorder.take(message);
            recorder.advance(now, &mut out);
        }
        recorder.finish(&mut out);
        let mut given: Vec<String> = out.into_iter().map(|event| event.key).collect();
        given.sort();
        // What went on in a pause is told twice, and stored once.
        given.dedup();
        assert_eq!(given, expected);
    }
}

#[test]
fn stamps_that_repeat_are_counted() {
    let mut recorder = recorder(&[STOP]);
    let messages = saying(0, 10.0, 10.0, |_| false).into_iter().map(|mut message| {
        message.received = Stamp(message.received.0 / 1_000_000_000 * 1_000_000_000);
        message
    });
    events(&mut recorder, messages.collect());
    assert_eq!((recorder.counts()[0].messages, recorder.counts()[0].repeated), (100, 90));
}
