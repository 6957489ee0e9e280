//! Reports of maintenance that are posted.

use crate::maintenance_run::run;
use crate::robot::Robot;
use crate::scope_work::{do_jobs, with_workers};
use robot_memory::webhook::Webhook;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The next connection, which comes soon or never.
fn accepted(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).expect("it can be asked");
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).expect("it can be read");
            return stream;
        }
        assert!(Instant::now() < end, "nobody asks");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Answers so many requests with these statuses, and what was asked.
fn serve(listener: &TcpListener, statuses: &[u16]) -> Vec<String> {
    let mut asked = Vec::new();
    for status in statuses {
        let mut stream = accepted(listener);
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        // Each request ends with the brace of its JSON.
        while !text.ends_with(b"}") {
            let count = stream.read(&mut buffer).expect("it can be read");
            text.extend_from_slice(&buffer[..count]);
        }
        let answer =
            format!("HTTP/1.1 {status} It\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        stream.write_all(answer.as_bytes()).expect("it is answered");
        asked.push(String::from_utf8(text).expect("UTF-8"));
    }
    asked
}

/// What the status says of it, in a word.
fn maintenance(robot: &Robot) -> String {
    let parts = robot.engine.components();
    parts.into_iter().find(|part| part.name == "maintenance").expect("a part").state
}

#[test]
fn a_report_is_posted_and_tried_again_and_its_failure_is_shown_until_it_is_over() {
    let robot = Robot::with(with_workers);
    robot.learn("The lamp is red");
    let reports = robot.engine.maintenance_reports(8);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let wait = Duration::from_millis(1);
    let webhook = Webhook::read(&url).expect("valid").expect("on").waiting([wait, wait]);
    let is_over = AtomicBool::new(false);
    let end = Instant::now() + Duration::from_secs(60);
    std::thread::scope(|threads| {
        let (webhook, engine, is_over) = (&webhook, &robot.engine, &is_over);
        threads.spawn(move || {
            webhook.deliver(engine, &reports, || {
                is_over.load(Ordering::Relaxed) || Instant::now() > end
            });
        });
        let until = |is_so: &dyn Fn() -> bool| {
            let end = Instant::now() + Duration::from_secs(30);
            while !is_so() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(is_so());
        };
        run(&robot, "daily", false);
        let (job, result) = do_jobs(&robot).remove(0);
        let asked = serve(&listener, &[503, 500, 500]);
        until(&|| robot.engine.webhook_fault().is_some());
        let fault = robot.engine.webhook_fault().expect("a fault");
        assert_eq!(fault, "the webhook answered with status 500");
        assert_eq!(maintenance(&robot), "not_posted");
        assert!(asked.iter().all(|request| request == &asked[0]));
        let (head, body) = asked[0].split_once("\r\n\r\n").expect("head and body");
        assert!(head.starts_with("POST /hook "), "{head}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).expect("JSON"), result);
        assert_eq!(job.last_error, "");
        run(&robot, "daily", true);
        do_jobs(&robot);
        serve(&listener, &[500, 204]);
        until(&|| robot.engine.webhook_fault().is_none());
        assert_eq!(maintenance(&robot), "off");
        is_over.store(true, Ordering::Relaxed);
    });
}
