use super::*;
use std::time::Instant;

/// An hour of slower streams goes through in far less than a second a minute, so that a bag is
/// imported many times faster than it was recorded. The bound is for a build without optimizations.
#[test]
fn a_minute_of_joints_and_forces_takes_no_minute() {
    let names: Vec<String> = (0..14).map(|index| format!("joint_{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let secs = 10.0;
    let joints = (0..(secs * 1000.0) as usize).map(|index| {
        let now = index as f64 / 1000.0;
        let velocity = if now.rem_euclid(5.0) > 3.0 { 0.5 } else { 0.0 };
        let values: Vec<f64> =
            (0..14).map(|joint| velocity + 1e-4 * noise(index + joint)).collect();
        heard(1, now, joints_message(at(now), &names, &values, &values, &values))
    });
    let force = |now: f64| if now.rem_euclid(4.0) > 3.0 { 20.0 } else { 0.0 };
    let messages = together(vec![pressing(0, secs, 500.0, force), joints.collect()]);
    let count = messages.len();
    let begin = Instant::now();
    let mut decoders = [
        crate::decode::Decoder::new(WRIST.1, None, None).unwrap(),
        crate::decode::Decoder::new(ARM.1, None, None).unwrap(),
    ];
    for message in &messages {
        decoders[message.source.rank()].decode(&message.message).unwrap();
    }
    let decoded = begin.elapsed();
    let begin = Instant::now();
    let all = events(&mut recorder(&[WRIST, ARM]), messages);
    let recorded = begin.elapsed();
    eprintln!(
        "{count} messages, {} events: {recorded:?}, of a core {:.2} %, {:.1} times the decoding",
        all.len(),
        100.0 * recorded.as_secs_f64() / secs,
        recorded.as_secs_f64() / decoded.as_secs_f64(),
    );
    assert!(!all.is_empty());
    assert!(recorded.as_secs_f64() < secs, "{recorded:?}");
}
