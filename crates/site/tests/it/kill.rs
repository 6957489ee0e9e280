use crate::claims::{Chances, at, says, vector, with};
use crate::server::Server;
use robot_memory_core::api::RecallRequest;
use robot_memory_core::model::Stamp;
use robot_memory_site::Scopes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Postgres is killed in the midst of takes: what was acknowledged is there, all of a batch or nothing, and the position is
/// that of what is there.
#[test]
fn nothing_acknowledged_is_lost_when_postgres_is_killed() {
    const BATCH: u64 = 20;
    let mut server = Server::start();
    let mut chances = Chances::new();
    let store = server.store();
    let acknowledged = AtomicU64::new(0);
    let batch = |number: u64| {
        let claim = |at: u64| {
            let id = (number * BATCH + at) as i64 + 1;
            with(says("arm-1", id, 1, &format!("Number {id}")), |it| {
                it.vector = vector(&[1.0, at as f32])
            })
        };
        (0..BATCH).map(claim).collect::<Vec<_>>()
    };
    for round in 0..6 {
        let goal = acknowledged.load(Ordering::SeqCst) + 3 + chances.below(15) as u64;
        let late = Duration::from_micros(chances.below(20_000) as u64);
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| {
                // Until it is killed.
                loop {
                    let number = acknowledged.load(Ordering::SeqCst);
                    match store.take(&batch(number), &at(number + 1)) {
                        Ok(_) => acknowledged.store(number + 1, Ordering::SeqCst),
                        Err(_) => break,
                    }
                }
            });
            let begun = Instant::now();
            while acknowledged.load(Ordering::SeqCst) < goal {
                assert!(begun.elapsed() < Duration::from_secs(60), "nothing is taken");
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(late);
            server.kill();
            taker.join().unwrap();
        });
        server.restart();
        let position = store.position().unwrap().unwrap().sequence;
        let done = acknowledged.load(Ordering::SeqCst);
        // The commit whose answer was lost may be there.
        assert!(position == done || position == done + 1, "round {round}: {position} and {done}");
        let request = RecallRequest { since: Some(Stamp(0)), n: 1, ..Default::default() };
        let total = store.recall(&request, None, &Scopes::All).unwrap().total;
        assert_eq!(total, position * BATCH, "round {round}");
        assert_eq!(store.totals().unwrap()[0].memory_count, total);
        acknowledged.store(position, Ordering::SeqCst);
    }
}
