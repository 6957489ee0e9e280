//! What the tests of the page look at it with: a browser that keeps its cookie, and Chromium for pictures.

use crate::http::Served;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
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

/// A picture of a view: as high as it is, or to where one of its entries ends.
pub struct Picture {
    pub of: &'static str,
    name: &'static str,
    width: u32,
    height: u32,
    is_dark: bool,
}

const fn wide(of: &'static str, height: u32) -> Picture {
    Picture { of, name: of, width: 1000, height, is_dark: false }
}

/// Those of docs/page.md.
pub const PICTURES: [Picture; 15] = [
    wide("search", 762),
    Picture { name: "search-narrow", width: 390, height: 858, ..wide("search", 0) },
    wide("timeline", 1068),
    Picture { name: "timeline-dark", is_dark: true, ..wide("timeline", 1068) },
    wide("map", 915),
    wide("limits", 470),
    wide("tasks", 350),
    wide("task", 1235),
    wide("memory", 1205),
    wide("keyframe", 1095),
    wide("corrected", 915),
    wide("contradictions", 365),
    wide("jobs", 470),
    wide("health", 1305),
    wide("backups", 350),
];

/// Bytes of a picture.
const PICTURE_BYTES_MAX: usize = 120_000;

/// What Chromium shows of a view, which needs no login here.
pub fn take_picture(served: &Served, path: &str, picture: &Picture, folder: &Path) {
    let profile = TempDir::new().expect("a folder");
    let file = folder.join(format!("page-{}.png", picture.name));
    let taken = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--hide-scrollbars", "--virtual-time-budget=4000"])
        .args(picture.is_dark.then_some("--force-dark-mode"))
        .arg(format!("--window-size={},{}", picture.width, picture.height))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--screenshot={}", file.display()))
        .arg(format!("http://{}{path}", served.address))
        .output()
        .expect("chromium is installed");
    assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));
    let small = deflated(&std::fs::read(&file).expect("a picture"));
    assert!(small.len() <= PICTURE_BYTES_MAX, "{}: {} bytes", picture.name, small.len());
    std::fs::write(&file, small).expect("it is written");
}

/// A PNG of 8-bit colors without the filters of its lines: of texts on even grounds it is a quarter smaller.
fn deflated(png: &[u8]) -> Vec<u8> {
    let number =
        |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("4 bytes")) as usize;
    let (mut at, mut packed) = (8, Vec::new());
    while at < png.len() {
        let end = at + 8 + number(at);
        if &png[at + 4..at + 8] == b"IDAT" {
            packed.extend(&png[at + 8..end]);
        }
        at = end + 4;
    }
    let depth = if png[25] == 6 { 4 } else { 3 };
    let mut lines = Vec::new();
    ZlibDecoder::new(&packed[..]).read_to_end(&mut lines).expect("it unpacks");
    let wide = number(16) * depth;
    let mut above = vec![0; wide];
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    for line in lines.chunks_exact_mut(wide + 1) {
        let (filter, line) = line.split_first_mut().expect("a filter");
        for x in 0..wide {
            let left = if x < depth { [0, 0] } else { [line[x - depth], above[x - depth]] };
            line[x] = line[x].wrapping_add(predicted(*filter, left[0], above[x], left[1]));
        }
        above.copy_from_slice(line);
        packer.write_all(&[0]).and_then(|()| packer.write_all(line)).expect("it packs");
    }
    let mut small = png[..33].to_vec();
    for (name, data) in [(b"IDAT", packer.finish().expect("it packs")), (b"IEND", Vec::new())] {
        let mut crc = Crc::new();
        crc.update(name);
        crc.update(&data);
        small.extend((data.len() as u32).to_be_bytes());
        small.extend([&name[..], &data, &crc.sum().to_be_bytes()].concat());
    }
    small
}

/// What a filter of PNG expects, from what is left of a byte, above it, and left above.
fn predicted(filter: u8, left: u8, up: u8, corner: u8) -> u8 {
    match filter {
        1 => left,
        2 => up,
        3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
        4 => {
            let guess = i16::from(left) + i16::from(up) - i16::from(corner);
            // The first of them when several are as near.
            [left, up, corner]
                .into_iter()
                .min_by_key(|one| (guess - i16::from(*one)).abs())
                .unwrap_or(left)
        }
        _ => 0,
    }
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
