//! What a listener answers: every byte of it must be HTTP.

use crate::hostile_parts::{Aim, Hostile, Then};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Ends a test that would hang.
pub const ENDS: Duration = Duration::from_secs(60);

/// An answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Sends a request; answers what came back, or how it was no HTTP.
pub fn ask(aim: &Aim, request: &Hostile) -> Result<Vec<Answer>, String> {
    let mut stream =
        TcpStream::connect(&aim.host).map_err(|error| format!("no connection: {error}"))?;
    stream.set_read_timeout(Some(ENDS)).map_err(|error| error.to_string())?;
    stream.set_write_timeout(Some(ENDS)).map_err(|error| error.to_string())?;
    // It may be answered, and cut, before all of it was read.
    let _ = stream.write_all(&request.bytes);
    match request.then {
        Then::Leave => return Ok(Vec::new()),
        Then::SayEnd => drop(stream.shutdown(Shutdown::Write)),
        Then::ReadAll | Then::ReadSome => {}
    }
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    let was_cut = loop {
        match stream.read(&mut buffer) {
            Ok(0) => break false,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if request.then == Then::ReadSome && !bytes.is_empty() {
                    break true;
                }
                return Err("neither an answer nor an end".to_owned());
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_reset) => break true,
        }
        if request.then == Then::ReadSome && !bytes.is_empty() {
            // A stream may say no more for long.
            let soon = stream.set_read_timeout(Some(Duration::from_millis(100)));
            soon.map_err(|error| error.to_string())?;
        }
    };
    let is_head = request.bytes.starts_with(b"HEAD");
    answers(&bytes, was_cut, is_head)
}

/// The answers that bytes are: all of them must be HTTP.
fn answers(mut bytes: &[u8], was_cut: bool, is_head: bool) -> Result<Vec<Answer>, String> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return if was_cut { Ok(all) } else { Err(format!("no head: {}", shown(bytes))) };
        };
        let head =
            std::str::from_utf8(&bytes[..end]).map_err(|_| format!("no text: {}", shown(bytes)))?;
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let version = first.strip_prefix("HTTP/1.1 ").or(first.strip_prefix("HTTP/1.0 "));
        let status = version.and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
        let status = status.ok_or_else(|| format!("no status: {first}"))?;
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) =
                line.split_once(':').ok_or_else(|| format!("no header: {line:?}"))?;
            if line.chars().any(|c| c.is_control() && c != '\t') || name.contains(' ') {
                return Err(format!("no header: {line:?}"));
            }
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        bytes = &bytes[end + 4..];
        let value = |name: &str| {
            headers.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
        };
        let length = value("content-length").and_then(|length| length.parse::<usize>().ok());
        let has_none = is_head || status < 200 || status == 204 || status == 304;
        let body = match length {
            _ if has_none => &bytes[..0],
            Some(length) if length <= bytes.len() => &bytes[..length],
            Some(length) if !was_cut => return Err(format!("{} of {length} bytes", bytes.len())),
            // To its end: chunks, or what was cut.
            _ => bytes,
        };
        bytes = &bytes[body.len()..];
        all.push(Answer { status, head: head.to_owned(), body: body.to_vec() });
    }
    Ok(all)
}

/// The beginning of bytes, for people.
pub fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned()
}
