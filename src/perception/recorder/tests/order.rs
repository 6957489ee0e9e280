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
fn streams_that_are_added_count_as_those_that_were_given() {
    let mut added = Recorder::new(RecorderSettings::default(), Vec::new());
    // The time that was told before stays told.
    added.advance(at(0.0), &mut Vec::new());
    for (index, (topic, type_name)) in ALL.iter().enumerate() {
        assert_eq!(added.add(StreamSettings::new(topic)), index);
        added.set_type(index, type_name, None).expect("a known type");
    }
    let messages = half_a_minute();
    assert_eq!(events(&mut added, messages.clone()), events_of(messages));
    assert_eq!(added.counts().len(), ALL.len());
}
