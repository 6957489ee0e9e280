use super::messages::{image_message, pose_message};
use super::*;
use crate::{LayoutKind, PoseSettings, TriggerSettings};
use robot_memory_core::signature;
use robot_memory_messages::testing::CdrWriter;

/// Six seconds still, a push of three seconds, still again; the arm moves over its beginning.
fn push() -> Vec<Received> {
    let force = |now: f64| {
        if (6.0..9.0).contains(&now) {
            15.0 + 8.0 * (-((now - 7.2) / 0.1).powi(2)).exp()
        } else {
            0.0
        }
    };
    let velocity = |now: f64| if (4.0..8.0).contains(&now) { 0.4 } else { 0.0 };
    together(vec![
        pressing(0, 14.0, 200.0, force),
        turning(1, 14.0, 100.0, velocity),
        saying(2, 14.0, 10.0, |now| (6.5..7.75).contains(&now)),
    ])
}

#[test]
fn a_push_is_told_with_what_went_on_beside_it() {
    let mut recorder = recorder(&[WRIST, ARM, STOP]);
    let all = events(&mut recorder, push());
    let contacts = of_kind(&all, TriggerKind::Contact);
    assert_eq!(contacts.len(), 1, "{:?}", all.iter().map(|e| &e.description).collect::<Vec<_>>());
    let contact = contacts[0];
    assert_eq!(
        contact.description,
        "contact on wrist force, peak 23 N at 1.2 s, released after 3 s; arm moving; then protective stop on"
    );
    assert!(secs_between(at(6.0), contact.stamp).abs() < 0.02, "{:?}", contact.stamp);
    assert!(secs_between(at(9.0), contact.end).abs() < 0.1, "{:?}", contact.end);
    let data = json(&contact.data);
    let own = &data["series"][0];
    assert_eq!(own["channels"][2], "force.z");
    assert_eq!(own["units"][2], "N");
    assert_eq!(own["t"][0], -2.0);
    let times = own["t"].as_array().unwrap();
    assert_eq!(times.len(), own["values"].as_array().unwrap().len());
    let peak = data["event"]["peak"]["value"].as_f64().unwrap();
    assert!((peak - 23.0).abs() < 0.5, "{peak}");
    assert_eq!(data["series"][1]["stream"], "joint_states");
    assert_eq!(data["series"][1]["channels"][1], "elbow_joint.position");
    assert_eq!(data["states"][0]["values"][1], serde_json::json!([0.5, true]));
    let metadata = json(&contact.metadata);
    assert_eq!(metadata["frame"], "tool0");
    assert_eq!(metadata["type"], WRIST.1);
    assert_eq!(metadata["sample_rate_hz"], 50.0);
    assert_eq!(metadata["rate_hz"], 200.0);
    let signature = contact.signature.as_ref().expect("it was felt");
    assert_eq!(signature.kind, LayoutKind::Wrench);
    assert_eq!(data["felt"], serde_json::json!([-0.1, 1.0]));
    let again = signature::of_data(contact.perception_type, &data).expect("it can be made again");
    let length: f32 = signature.values.iter().map(|value| value.abs()).sum();
    let distance = signature::distance(&signature.values, &again.values);
    assert!(distance < 0.02 * f64::from(length), "{distance} of {length}");
    let motions = of_kind(&all, TriggerKind::Motion);
    assert_eq!(motions.len(), 1);
    assert!(motions[0].description.starts_with("arm moved 4"), "{}", motions[0].description);
    assert!(motions[0].description.contains("mostly elbow_joint by 1.6 rad"));
    let stops = of_kind(&all, TriggerKind::Edge);
    assert_eq!(
        stops[0].description,
        "protective stop on, for 1.3 s, while the arm was moving and in contact on wrist force"
    );
    let ids: Vec<&str> = all.iter().map(|event| &event.event_id[..]).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && id.len() == 32), "{ids:?}");
}

#[test]
fn keys_do_not_depend_on_what_else_is_configured() {
    let keys = |events: Vec<Event>| -> Vec<String> {
        of_kind(&events, TriggerKind::Contact).iter().map(|event| event.key.clone()).collect()
    };
    let all = keys(events(&mut recorder(&[WRIST, ARM, STOP]), push()));
    let change = |settings: &mut StreamSettings| {
        settings.name = "hand".into();
        settings.before_secs = 0.5;
        settings.after_secs = 0.0;
    };
    let mut alone = recorder_with(&[WRIST], change, RecorderSettings::default());
    assert_eq!(keys(events(&mut alone, push())), all);
    assert_eq!(all.len(), 1);
}

#[test]
fn what_touches_again_at_once_is_one_event_and_each_edge_its_own() {
    let tap = |now: f64| [6.0, 6.8, 7.6].iter().any(|tap| (0.0..0.3).contains(&(now - tap)));
    let messages = together(vec![
        pressing(0, 12.0, 200.0, |now| if tap(now) { 10.0 } else { 0.0 }),
        saying(1, 12.0, 10.0, |now| tap(now + 1e-6)),
    ]);
    let mut recorder = recorder(&[WRIST, STOP]);
    let all = events(&mut recorder, messages);
    let contacts = of_kind(&all, TriggerKind::Contact);
    assert_eq!(contacts.len(), 1);
    assert!(contacts[0].description.contains(", 3 times"), "{}", contacts[0].description);
    assert_eq!(json(&contacts[0].metadata)["count"], 3);
    assert_eq!(of_kind(&all, TriggerKind::Edge).len(), 3);
    assert_eq!(
        recorder.counts()[0].merged,
        2 + of_kind(&all, TriggerKind::Impact).len() as u64 * 2
    );
    assert_eq!(recorder.counts()[1].events[&TriggerKind::Edge], 3);
}

#[test]
fn an_edge_of_one_reading_is_an_event() {
    let mut recorder = recorder(&[STOP]);
    let all = events(&mut recorder, saying(0, 10.0, 1.0, |now| (4.0..5.0).contains(&now)));
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].stamp, all[0].end), (at(4.0), at(5.0)));
    assert_eq!(all[0].description, "protective stop on, for 1 s");
    assert_eq!(json(&all[0].data)["values"][0], serde_json::json!([-2.0, false]));
}

#[test]
fn what_does_not_end_is_closed_and_still_known() {
    let pushes = |now: f64| if (5.0..30.0).contains(&now) { 20.0 } else { 0.0 };
    let change = |settings: &mut StreamSettings| settings.event_secs_max = 20.0;
    let mut recorder = recorder_with(&[WRIST, STOP], change, RecorderSettings::default());
    let all = events(
        &mut recorder,
        together(vec![
            pressing(0, 40.0, 50.0, pushes),
            saying(1, 40.0, 10.0, |now| (28.0..29.0).contains(&now)),
        ]),
    );
    let contacts = of_kind(&all, TriggerKind::Contact);
    let descriptions: Vec<&str> = all.iter().map(|event| &event.description[..]).collect();
    assert_eq!(contacts.len(), 1, "{descriptions:?}");
    assert!(contacts[0].description.contains("still on after 20 s"), "{}", contacts[0].description);
    assert_eq!(json(&contacts[0].metadata)["goes_on"], true);
    assert_eq!(json(&contacts[0].data)["event"]["end"], serde_json::Value::Null);
    let stop = of_kind(&all, TriggerKind::Edge)[0];
    assert!(stop.description.contains("while in contact on wrist force"), "{}", stop.description);
    assert_ne!(stop.event_id, contacts[0].event_id);
}

#[test]
fn what_is_open_is_finished_when_the_node_stops() {
    let mut recorder = recorder(&[STOP]);
    let all = events(&mut recorder, saying(0, 10.0, 10.0, |now| now >= 8.95));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].stamp, at(9.0));
    assert_eq!(all[0].end, at(9.9));
    // Nobody saw it go off.
    assert_eq!(all[0].description, "protective stop on, still so after 0.9 s");
    assert_eq!(json(&all[0].metadata)["goes_on"], true);
    assert!(json(&all[0].data)["event"]["end"].is_null());
    let mut out = Vec::new();
    recorder.finish(&mut out);
    assert!(out.is_empty());
}

#[test]
fn events_end_when_time_passes_without_messages() {
    let mut recorder = recorder(&[STOP]);
    let mut out = Vec::new();
    for message in saying(0, 4.0, 10.0, |now| (3.0..3.5).contains(&now)) {
        recorder.take(message);
    }
    recorder.advance(at(4.0), &mut out);
    assert!(out.is_empty());
    recorder.advance(at(5.5), &mut out);
    assert_eq!(out.len(), 1);
}

#[test]
fn budgets_keep_the_first_and_sum_up_the_others() {
    let taps = |now: f64| now.rem_euclid(2.0) >= 1.0;
    let change = |settings: &mut StreamSettings| {
        settings.events_per_minute_max = Some(3);
        settings.events_per_day_max = 100;
    };
    let mut recorder = recorder_with(&[STOP], change, RecorderSettings::default());
    let mut all = events(&mut recorder, saying(0, 300.0, 10.0, taps));
    // Three of each of five minutes, which begin anywhere, and what was left out.
    let summed_up = all.pop().expect("an event");
    let kept = all.len();
    assert!((15..=18).contains(&kept), "{kept}");
    assert!(all.iter().all(|event| event.description.contains("stop on")));
    let left_out = 150 - kept;
    let summary = format!(": {left_out} more events between ");
    assert!(summed_up.description.contains(&summary), "{}", summed_up.description);
    assert!(summed_up.description.ends_with(&format!("not kept one by one ({left_out} edge)")));
    assert_eq!(json(&summed_up.context)["event"]["left_out"], left_out);
    let counts = &recorder.counts()[0];
    assert_eq!(counts.events[&TriggerKind::Edge], kept as u64 + 1);
    assert_eq!(counts.over_minute + counts.over_day, left_out as u64);
}

#[test]
fn where_the_robot_was_is_said_or_why_not() {
    let pose = PoseSettings {
        pose_frame: "map".into(),
        base_frame: "base_link".into(),
        map_id: "hall".into(),
        age_secs_max: 0.5,
        std_dev_m_max: 0.5,
        settle_secs: 0.0,
        is_auto: false,
    };
    let settings = RecorderSettings { pose: Some(pose), ..RecorderSettings::default() };
    let mut recorder = recorder_with(&[STOP], |_| {}, settings);
    recorder.set_pose_type(Source::Pose, "geometry_msgs/PoseStamped", None).unwrap();
    let walk = (0..60).map(|index| {
        let now = f64::from(index) / 10.0;
        let message = pose_message(at(now), "map", [now, 2.0, 0.0]).into();
        Received { source: Source::Pose, received: at(now), message }
    });
    let stops = |now: f64| (4.05..4.5).contains(&now) || (12.0..13.0).contains(&now);
    let all = events(&mut recorder, together(vec![walk.collect(), saying(0, 20.0, 20.0, stops)]));
    assert_eq!(all.len(), 2);
    let spatial = &json(&all[0].context)["spatial"];
    assert_eq!(spatial["robot_position"], serde_json::json!([4.05, 2.0, 0.0]));
    assert_eq!((&spatial["frame"], &spatial["map_id"]), (&"map".into(), &"hall".into()));
    assert_eq!(json(&all[1].context)["spatial"], serde_json::Value::Null);
    let reason = json(&all[1].metadata)["pose"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("left out: ") && reason.contains("6.1 s"), "{reason}");
}

#[test]
fn a_capture_keeps_each_stream_that_hears_something() {
    let mut recorder = recorder(&[WRIST, STOP, CYCLE]);
    let messages =
        together(vec![pressing(0, 9.0, 100.0, |_| 0.0), saying(1, 9.0, 10.0, |now| now > 50.0)]);
    let mut out = Vec::new();
    let mut id = None;
    for message in messages {
        let now = message.received;
        recorder.take(message);
        recorder.advance(now, &mut out);
        if now >= at(6.0) && id.is_none() {
            let capture = Capture {
                reason: "the lid rattles".into(),
                streams: Vec::new(),
                before_secs: 3.0,
                after_secs: 1.0,
            };
            id = Some(recorder.capture(now, capture));
        }
        if let Some(id) = &id {
            assert_eq!(recorder.is_capturing(id), out.is_empty());
        }
    }
    assert_eq!(out.len(), 2);
    assert!(out.iter().all(|event| Some(&event.event_id) == id.as_ref()));
    assert_ne!(out[0].key, out[1].key);
    assert_eq!(out[0].description, "captured: the lid rattles; wrist force");
    let times = json(&out[0].data)["series"][0]["t"].as_array().unwrap().clone();
    assert_eq!((times[0].as_f64(), times[times.len() - 1].as_f64()), (Some(-3.0), Some(1.0)));
}

#[test]
fn a_new_view_keeps_its_thumbnail() {
    let scene = |phase: f64| -> Vec<u8> {
        (0..240 * 320)
            .map(|pixel| {
                let (x, y) = (f64::from(pixel % 320), f64::from(pixel / 320));
                (128.0 + 60.0 * (x / 17.0 + phase).sin() + 50.0 * (y / (9.0 + phase)).cos()) as u8
            })
            .collect()
    };
    let views = [scene(0.0), scene(5.0)];
    let messages = (0..200).map(|index| {
        let now = f64::from(index) / 10.0;
        let view = &views[usize::from(now >= 10.0)];
        heard(0, now, image_message(at(now), 320, view))
    });
    let mut recorder = recorder(&[("/front/image_raw", "sensor_msgs/msg/Image")]);
    let all = events(&mut recorder, messages.collect());
    assert_eq!(
        all.len(),
        2,
        "{:?}",
        all.iter().map(|event| &event.description).collect::<Vec<_>>()
    );
    assert!(all[1].description.starts_with("front camera: new view"), "{}", all[1].description);
    let image = &json(&all[1].data)["image"];
    assert_eq!((image["width"].as_u64(), image["height"].as_u64()), (Some(320), Some(240)));
    assert_eq!(image["hash"].as_str().map(str::len), Some(16));
    // Without the feature none is made.
    let thumbnail = image["thumbnail_jpeg"].as_str().unwrap_or_default();
    assert_eq!(thumbnail.starts_with("/9j/"), cfg!(feature = "images"));
    assert!((95..=100).contains(&recorder.counts()[0].over_rate));
}

#[test]
fn a_clip_holds_the_raw_messages_of_the_window() {
    let mut recorder =
        recorder_with(&[WRIST, STOP], |settings| settings.clip = true, RecorderSettings::default());
    let messages = together(vec![
        pressing(0, 10.0, 100.0, |_| 0.0),
        saying(1, 10.0, 10.0, |now| (5.0..6.0).contains(&now)),
    ]);
    let all = events(&mut recorder, messages);
    let clip = &of_kind(&all, TriggerKind::Edge)[0].clip;
    assert_eq!(clip.len(), 401 + 41);
    assert!(clip.is_sorted_by_key(|message| message.stamp));
    assert_eq!(clip[0].topic, WRIST.0);
    assert_eq!(&*clip[0].type_name, WRIST.1);
}

#[test]
fn two_robots_on_one_topic_keep_apart() {
    let moves = |from: f64, now: f64| if (from..from + 2.0).contains(&now) { 0.5 } else { 0.0 };
    let arm = turning(0, 20.0, 50.0, |now| moves(5.0, now));
    let hand = (0..1000).map(|index| {
        let now = f64::from(index) / 50.0;
        let velocity = moves(12.0, now);
        let turned = 0.5 * (now - 12.0).clamp(0.0, 2.0);
        heard(0, now, joints_message(at(now), &["finger_joint"], &[turned], &[velocity], &[]))
    });
    let mut recorder = recorder(&[ARM]);
    let all = events(&mut recorder, together(vec![arm, hand.collect()]));
    let descriptions: Vec<&str> = all.iter().map(|event| &event.description[..]).collect();
    assert_eq!(all.len(), 2, "{descriptions:?}");
    assert!(
        descriptions[0].contains("elbow_joint") && descriptions[1].contains("finger_joint"),
        "{descriptions:?}"
    );
    assert_eq!(json(&all[1].data)["series"][0]["channels"][0], "finger_joint.position");
    assert_eq!(json(&all[1].data)["series"][1]["channels"][1], "elbow_joint.position");
}

#[test]
fn letting_go_is_no_impact() {
    let force = |now: f64| match now {
        _ if (5.0..8.0).contains(&now) => 20.0,
        _ if (20.0..20.03).contains(&now) => 150.0,
        // Pressed slowly, hit while it is held, and let go.
        _ if (30.0..40.0).contains(&now) => 12.0 * (now - 30.0).min(1.0),
        _ => 0.0,
    };
    let hit = |now: f64| if (35.0..35.03).contains(&now) { 60.0 } else { 0.0 };
    let all =
        events(&mut recorder(&[WRIST]), pressing(0, 45.0, 200.0, |now| force(now) + hit(now)));
    let impacts: Vec<i64> = of_kind(&all, TriggerKind::Impact)
        .iter()
        .map(|event| (event.stamp.0 - at(0.0).0) / 1_000_000_000)
        .collect();
    assert_eq!(impacts, [5, 20, 35]);
}

#[test]
fn another_frame_is_no_touch() {
    let mut messages = pressing(0, 40.0, 100.0, |now| f64::from(now % 10.0 > 8.0) * 15.0);
    for message in messages.iter_mut().filter(|message| message.received >= at(20.0)) {
        let stamp = message.received;
        let now = secs_between(at(0.0), stamp);
        // Gravity is along another axis, and a touch, too.
        let force = 9.0 + f64::from(now % 10.0 > 8.0) * 15.0;
        let wobble = 0.05 * noise((now * 100.0) as usize);
        let values = [force + wobble, wobble, -wobble, 0.0, 0.0, 0.0];
        message.message = wrench_message(stamp, "base_link", values).into();
    }
    let all = events(&mut recorder(&[WRIST]), messages);
    let mut begins: Vec<i64> = of_kind(&all, TriggerKind::Contact)
        .iter()
        .map(|event| (event.stamp.0 - at(0.0).0 + 50_000_000) / 1_000_000_000)
        .collect();
    begins.sort_unstable();
    assert_eq!(begins, [8, 18, 28, 38]);
    let is_at_change = |event: &&Event| secs_between(at(20.0), event.stamp).abs() < 1.0;
    assert_eq!(all.iter().filter(is_at_change).count(), 0);
}

#[test]
fn joints_in_two_orders_are_one_robot() {
    let mut index = 0;
    let mut messages = turning(0, 20.0, 50.0, |now| f64::from((5.0..8.0).contains(&now)) * 0.5);
    for message in messages.iter_mut() {
        index += 1;
        if index % 2 == 0 {
            let now = secs_between(at(0.0), message.received);
            let turned = 0.3 + 0.5 * (now - 5.0).clamp(0.0, 3.0);
            let velocity = f64::from((5.0..8.0).contains(&now)) * 0.5;
            let names = ["elbow_joint", "shoulder_pan_joint"];
            let bytes =
                joints_message(message.received, &names, &[turned, 1.0], &[velocity, 0.0], &[]);
            message.message = bytes.into();
        }
    }
    let all = events(&mut recorder(&[ARM]), messages);
    let descriptions: Vec<&str> = all.iter().map(|event| &event.description[..]).collect();
    assert_eq!(descriptions.len(), 1, "{descriptions:?}");
    assert!(descriptions[0].contains("mostly elbow_joint by 1.5 rad"), "{descriptions:?}");
}

#[test]
fn what_becomes_worse_after_its_event_was_closed_is_an_event() {
    // Of a component that is in ERROR, and in another level from the 41st second on.
    let told = |then: u8| {
        let mut recorder = recorder(&[("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")]);
        let messages = (0..60).map(|second| {
            let secs = f64::from(second);
            let (sec, nanosec) = at(secs).to_parts();
            let mut writer = CdrWriter::new(false);
            writer.header(sec, nanosec, "").u32(1);
            writer.number([if second < 40 { 2 } else { then }]);
            writer.text("motor").text("hot").text("").u32(0);
            heard(0, secs, writer.bytes)
        });
        let told = events(&mut recorder, messages.collect()).into_iter();
        told.map(|event| (event.stamp, event.description)).collect::<Vec<_>>()
    };
    for (then, expected) in [
        (3, "motor: STALE \"hot\""),
        (1, "motor: now WARN, after 40 s of ERROR \"hot\""),
        (0, "motor: OK again, after 40 s of ERROR \"hot\""),
    ] {
        let told = told(then);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!((told[0].0, told[1].0), (at(0.0), at(40.0)));
        assert!(told[1].1.contains(expected), "{told:?}");
    }
}

#[test]
fn what_comes_again_while_it_is_folded_is_the_same_event() {
    let told = |fold_secs: f64| {
        let level = TriggerSettings {
            kind: TriggerKind::Level,
            parameters: [("fold_secs".to_owned(), fold_secs)].into(),
        };
        let mut recorder = recorder_with(
            &[("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")],
            |settings| settings.triggers = Some(vec![level.clone()]),
            RecorderSettings::default(),
        );
        let messages = (0..60).map(|second| {
            let (sec, nanosec) = at(f64::from(second)).to_parts();
            let mut writer = CdrWriter::new(false);
            writer.header(sec, nanosec, "").u32(1);
            writer.number([if matches!(second, 0..2 | 17..20) { 2 } else { 0 }]);
            writer.text("motor").text("hot").text("").u32(0);
            heard(0, f64::from(second), writer.bytes)
        });
        let told = events(&mut recorder, messages.collect()).into_iter();
        told.map(|event| event.description).collect::<Vec<_>>()
    };
    let folded = told(20.0);
    assert_eq!(folded.len(), 1, "{folded:?}");
    assert!(folded[0].contains("2 times in 20 s"), "{folded:?}");
    assert_eq!(told(10.0).len(), 2);
}
