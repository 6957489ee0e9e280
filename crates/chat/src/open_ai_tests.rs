use super::*;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, Once};
use std::thread;

const KEY: &str = "sk-very-secret-key";
const PROMPT: &str = "turn-text-that-is-private";
const ANSWER: &str = "answer-text-that-is-private";
const TIMEOUT: Duration = Duration::from_millis(400);
/// A call may take so much longer than its time-out on a busy machine.
const SLACK: Duration = Duration::from_secs(3);

type Requests = Arc<Mutex<Vec<String>>>;

/// A server on this machine that reads each request and answers as `answer` does, which is told how many
/// there were before.
fn server(answer: impl Fn(usize, &mut TcpStream) + Send + 'static) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("its address"));
    let requests = Requests::default();
    let seen = Arc::clone(&requests);
    thread::spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let request = read_request(&mut stream);
            seen.lock().expect("no panic").push(request);
            answer(count, &mut stream);
        }
    });
    (url, requests)
}

fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .filter_map(|line| {
                    line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
                })
                .next();
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut chunk) {
            Ok(len) if len > 0 => bytes.extend_from_slice(&chunk[..len]),
            _ => return text,
        }
    }
}

fn send(stream: &mut TcpStream, text: &str) {
    // Who asked may be gone.
    let _ = stream.write_all(text.as_bytes());
    let _ = stream.flush();
}

fn status(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let len = body.len();
    send(stream, &format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {len}\r\n\r\n{body}"));
}

fn answered(content: &str) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": content}}]}).to_string()
}

fn chat(url: &str) -> OpenAiChat {
    OpenAiChat::new(ChatEndpoint {
        completions_url: format!("{url}/chat/completions"),
        model: "small".to_owned(),
        key: Some(KEY.to_owned()),
        timeout: TIMEOUT,
        id: format!("small at {url}"),
    })
}

/// Keeps what all crates log, at any level.
struct Recorded;

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl log::Log for Recorded {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        LINES.lock().expect("no panic").push(format!("{} {}", record.target(), record.args()));
    }
    fn flush(&self) {}
}

/// Asks once. Nothing that it says or logs holds the key or what was sent.
fn ask(url: &str) -> Result<String, ChatError> {
    static LOGGING: Once = Once::new();
    LOGGING.call_once(|| {
        log::set_logger(&Recorded).expect("the only logger");
        log::set_max_level(log::LevelFilter::Trace);
    });
    let begin = Instant::now();
    let chat = chat(url);
    let result = chat.complete("the rules", PROMPT);
    assert!(begin.elapsed() < TIMEOUT + SLACK, "{:?}", begin.elapsed());
    let mut shown = LINES.lock().expect("no panic").join("\n");
    if let Err(error) = &result {
        shown.push_str(&format!("{error} {error:?}"));
    }
    shown.push_str(chat.id());
    for private in [KEY, PROMPT, ANSWER] {
        assert!(!shown.contains(private), "{private} is shown");
    }
    result
}

#[test]
fn a_question_is_put_as_the_protocol_says() {
    let (url, requests) = server(|_, stream| status(stream, "200 OK", "", &answered("{}")));
    assert_eq!(ask(&url), Ok("{}".to_owned()));
    let requests = requests.lock().expect("no panic");
    let (head, body) = requests[0].split_once("\r\n\r\n").expect("a head and a body");
    let head = head.to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(
        serde_json::from_str::<Value>(body).expect("JSON"),
        json!({
            "model": "small",
            "messages": [
                {"role": "system", "content": "the rules"},
                {"role": "user", "content": PROMPT},
            ],
            "temperature": 0.0,
            "stream": false,
            "response_format": {"type": "json_object"},
        })
    );
    assert!(LINES.lock().expect("no panic").iter().any(|line| line.contains("ureq")));
}

#[test]
fn an_answer_may_end_in_any_way_that_http_has() {
    let (url, _) = server(|count, stream| {
        let body = answered(ANSWER);
        match count {
            0 => status(stream, "200 OK", "", &body),
            1 => send(stream, &format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}")),
            2 => send(stream, &format!("HTTP/1.0 200 OK\r\n\r\n{body}")),
            _ => {
                send(stream, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                for part in body.as_bytes().chunks(7) {
                    let part = String::from_utf8_lossy(part);
                    send(stream, &format!("{:x}\r\n{part}\r\n", part.len()));
                }
                send(stream, "0\r\n\r\n");
            }
        }
    });
    for _ in 0..4 {
        assert_eq!(ask(&url), Ok(ANSWER.to_owned()));
    }
}

#[test]
fn a_server_that_knows_no_response_format_is_asked_without_it() {
    let (url, requests) = server(|count, stream| match count {
        0 => status(stream, "400 Bad Request", "", ANSWER),
        1 => status(stream, "200 OK", "", &answered("{}")),
        _ => status(stream, "400 Bad Request", "", ANSWER),
    });
    assert_eq!(ask(&url), Ok("{}".to_owned()));
    let formats: Vec<bool> = requests
        .lock()
        .expect("no panic")
        .iter()
        .map(|request| request.contains("response_format"))
        .collect();
    assert_eq!(formats, [true, false]);
    assert_eq!(ask(&url), Err(ChatError::Status(400)));
    assert_eq!(requests.lock().expect("no panic").len(), 4);
}

#[test]
fn a_status_is_told_and_nothing_is_repeated() {
    for code in [401, 403, 404, 429, 500, 503] {
        let (url, requests) =
            server(move |_, stream| status(stream, &format!("{code} No"), "", ANSWER));
        assert_eq!(ask(&url), Err(ChatError::Status(code)));
        assert_eq!(requests.lock().expect("no panic").len(), 1, "{code}");
    }
}

#[test]
fn no_redirect_is_followed() {
    for code in [301, 302, 303, 307, 308] {
        let (elsewhere, elsewhere_requests) =
            server(|_, stream| status(stream, "200 OK", "", &answered(ANSWER)));
        let (url, _) = server(move |_, stream| {
            status(stream, &format!("{code} Moved"), &format!("Location: {elsewhere}\r\n"), "");
        });
        assert_eq!(ask(&url), Err(ChatError::Status(code)));
        assert!(elsewhere_requests.lock().expect("no panic").is_empty(), "{code}");
    }
}

#[test]
fn the_whole_call_has_one_time_out() {
    let slow: [fn(usize, &mut TcpStream); 4] = [
        // Says nothing.
        |_, _| thread::sleep(Duration::from_secs(5)),
        // A byte of the head now and then.
        |_, stream| {
            for byte in "HTTP/1.1 200 OK\r\n".chars().cycle().take(100) {
                send(stream, &byte.to_string());
                thread::sleep(Duration::from_millis(50));
            }
        },
        // A byte of the body now and then.
        |_, stream| {
            send(stream, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
            for _ in 0..100 {
                send(stream, " ");
                thread::sleep(Duration::from_millis(50));
            }
        },
        // The repeat without a response format has what is left.
        |count, stream| {
            if count == 0 {
                thread::sleep(Duration::from_millis(300));
                status(stream, "400 Bad Request", "", "");
            } else {
                thread::sleep(Duration::from_secs(5));
            }
        },
    ];
    for answer in slow {
        let (url, _) = server(answer);
        assert_eq!(ask(&url), Err(ChatError::Timeout));
    }
}

#[test]
fn a_broken_connection_is_told() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("its address").port()
    };
    let broken: [fn(usize, &mut TcpStream); 4] = [
        |_, _| {},
        |_, stream| send(stream, "no HTTP at all\r\n\r\n"),
        |_, stream| send(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\": ["),
        |_, stream| {
            send(stream, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"choices\"");
        },
    ];
    let urls = broken.into_iter().map(|answer| server(answer).0);
    for url in std::iter::once(format!("http://127.0.0.1:{port}/v1")).chain(urls) {
        let error = ask(&url).expect_err("there is no answer");
        assert!(matches!(error, ChatError::Unreachable(_)), "{error:?}");
    }
}

#[test]
fn an_answer_is_bounded() {
    let long: [fn(usize, &mut TcpStream); 2] = [
        // Without an end.
        |_, stream| {
            send(stream, "HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[b' '; 4096]).is_ok() {}
        },
        |_, stream| status(stream, "200 OK", "", &answered(&ANSWER.repeat(40_000))),
    ];
    for answer in long {
        let (url, _) = server(answer);
        assert_eq!(ask(&url), Err(ChatError::TooLong));
    }
    let (url, _) = server(|_, stream| {
        send(stream, "HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-More: 0123456789\r\n").is_ok() {}
    });
    let error = ask(&url).expect_err("a head without an end");
    assert!(matches!(error, ChatError::Unreachable(_)), "{error:?}");
}

#[test]
fn another_form_of_answer_is_told_without_its_text() {
    let cases = [
        (ANSWER.to_owned(), "is no JSON: it is not written as JSON"),
        (format!("[\"{ANSWER}\"]"), "is no JSON: a value is of another type"),
        ("{}".to_owned(), "has no usable field choices[0].message.content"),
        ("{\"choices\": []}".to_owned(), "has no usable field choices[0].message.content"),
        (
            "{\"choices\": [{\"message\": {\"content\": null}}]}".to_owned(),
            "has no usable field choices[0].message.content",
        ),
        (
            format!("{{\"choices\": [{{\"message\": {{\"content\": [\"{ANSWER}\"]}}}}]}}"),
            "is no JSON: a value is of another type",
        ),
        ("{\"choices\": [".to_owned(), "is no JSON: it ends early"),
    ];
    for (body, expected) in cases {
        let (url, _) = server(move |_, stream| status(stream, "200 OK", "", &body));
        let error = ask(&url).expect_err("it is of another form").to_string();
        assert!(error.contains(expected), "{error}");
    }
}
