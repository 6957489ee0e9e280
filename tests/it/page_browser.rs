//! What the tests of the page look at it with: a browser that keeps its cookie, and Chromium for pictures.

use crate::http::Served;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A browser that has logged in, or not yet.
pub struct Browser<'a> {
    pub served: &'a Served,
    pub cookie: String,
}

/// What it got.
pub struct Got {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Got {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn header(&self, name: &str) -> String {
        let lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|line| line.0.eq_ignore_ascii_case(name)).map(|line| line.1);
        values.next().unwrap_or_default().to_owned()
    }
}

impl<'a> Browser<'a> {
    pub fn new(served: &'a Served) -> Self {
        Self { served, cookie: String::new() }
    }

    /// Logs in with a token.
    pub fn with_token(served: &'a Served, token: &str) -> Self {
        let mut browser = Self::new(served);
        let got = browser.submit("/login", &format!("token={token}"));
        assert_eq!((got.status, got.header("location").as_str()), (303, "/"), "{}", got.text());
        browser.keep(&got);
        browser
    }

    /// Keeps the cookie of an answer.
    pub fn keep(&mut self, got: &Got) {
        self.cookie = got.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    }

    pub fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> Got {
        let mut stream = TcpStream::connect(self.served.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
        let cookie = match self.cookie.as_str() {
            "" => String::new(),
            cookie => format!("Cookie: a=b; {cookie}\r\n"),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAccept: text/html,*/*\r\n{cookie}{more}\
             Content-Length: {}\r\n\r\n{body}",
            self.served.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        let end = bytes.windows(4).position(|it| it == b"\r\n\r\n").expect("headers end");
        let headers = String::from_utf8(bytes[..end].to_vec()).expect("ASCII");
        let status = headers.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        Got { status, headers, body: bytes[end + 4..].to_vec() }
    }

    pub fn get(&self, path: &str) -> Got {
        self.ask("GET", path, "", "")
    }

    /// A page that is there.
    pub fn page(&self, path: &str) -> String {
        let got = self.get(path);
        assert_eq!(got.status, 200, "{path}: {}", got.text());
        got.text()
    }

    /// Submits a form of this node's own pages.
    pub fn submit(&self, path: &str, body: &str) -> Got {
        let origin = format!("Origin: http://{}\r\n", self.served.address);
        self.ask("POST", path, &origin, body)
    }

    /// Submits a form, and goes where it leads.
    pub fn done(&self, path: &str, body: &str) -> String {
        let got = self.submit(path, body);
        assert_eq!(got.status, 303, "{path}: {}", got.text());
        self.page(&got.header("location"))
    }
}

/// All values of an attribute.
pub fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let begin = format!(" {name}=\"");
    page.match_indices(&begin)
        .map(|(at, _)| page[at + begin.len()..].split('"').next().unwrap_or_default())
        .collect()
}

/// What Chromium shows of a view, which needs no login here.
pub fn take_picture(served: &Served, path: &str, file: &Path) {
    let profile = TempDir::new().expect("a folder");
    let taken = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--window-size=1000,780", "--virtual-time-budget=4000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--screenshot={}", file.display()))
        .arg(format!("http://{}{path}", served.address))
        .output()
        .expect("chromium is installed");
    assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));
}

/// Milliseconds until the first byte of a view, the middle of several times.
pub fn first_byte_ms(served: &Served, path: &str) -> f64 {
    const TIMES: usize = 21;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", served.address);
    let mut taken: Vec<f64> = (0..TIMES)
        .map(|_| {
            let began = Instant::now();
            let mut stream = TcpStream::connect(served.address).expect("it listens");
            stream.write_all(request.as_bytes()).expect("it reads");
            stream.read_exact(&mut [0]).expect("it answers");
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    taken[TIMES / 2]
}
