//! `GET /api/v1/events`: what is stored, as server-sent events, from where the caller was before.
//!
//! The ids of memories are the order: they rise with every commit and are never given again. A stream keeps only how far it has
//! come, and reads what comes next from the store when its caller has taken what it was sent. So no writer knows of it, whoever
//! reads slowly misses nothing, and nothing happens while nobody follows.

use super::guard::{Caller, Guard};
use super::problem::Problem;
use super::routes::{App, Closing, Peer};
use super::traffic::{Place, Places};
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use hyper::body::Frame;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::{Category, Kind, Memory, PerceptionType, Scope, Source, Stamp};
use robot_memory_engine::{NewMemory, StoredAfter};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How late an event may be: the time between two looks whether there is one.
const LOOK_PERIOD: Duration = Duration::from_millis(100);
/// Between two reads of who has much to catch up with: thousands of events a second, and other callers' turns in between.
const CATCH_UP_PAUSE: Duration = Duration::from_millis(10);
/// After a read for which there was no room.
const REST_AFTER_FAULT: Duration = Duration::from_secs(1);
/// Without an event so long, a comment tells proxies and callers that the stream goes on.
const KEEP_ALIVE_PERIOD: Duration = Duration::from_secs(15);
/// A caller that takes nothing for so long has its stream ended; it may come again with its last id.
const TAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// After how many milliseconds a caller is to come again when its stream has ended.
const RETRY_MILLIS: u32 = 1_000;
/// Characters of a store's id in the id of an event.
const STORE_CHARS: usize = 8;

/// What a stream needs of the listener.
struct Events {
    app: Arc<App>,
    guard: Arc<Guard>,
    places: Arc<Places>,
}

/// What may be asked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// For whom, when that is not proven by a token.
    agent: Option<String>,
    /// As the header, for a page that cannot set one.
    last_event_id: Option<String>,
}

/// The streams.
pub(super) fn routes(app: Arc<App>, guard: Arc<Guard>) -> Router {
    let places = Arc::clone(&app.traffic.streams);
    let events = Arc::new(Events { app, guard, places });
    Router::new().route("/api/v1/events", get(follow)).with_state(events)
}

/// Begins a stream.
async fn follow(
    State(events): State<Arc<Events>>,
    Extension(caller): Extension<Caller>,
    Extension(Peer(peer)): Extension<Peer>,
    Extension(Closing(mut closing)): Extension<Closing>,
    asked: Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Query(asked) =
        asked.map_err(|error| ApiError::invalid_argument(format!("the query: {error}")))?;
    let agent = agent_of(&caller, asked.agent)?;
    // One that no event can have had is told as a gap, and not taken for none.
    let last = headers.get("last-event-id");
    let last = last.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
    let last = last.or(asked.last_event_id).filter(|id| !id.is_empty());
    let place = Places::take(&events.places, &caller.name)?;
    let start = part(&events.app, &agent, None).await?;
    let (sender, taken) = mpsc::channel(1);
    let mut stream = Stream {
        proof: Proof { caller, headers: proof_of(&headers), peer },
        events,
        agent,
        store: tag(&start.store_id),
        after: start.newest_id,
        sender,
        _place: place,
    };
    let begin = stream.begin(last.as_deref(), start.newest_id);
    tokio::spawn(async move {
        let gone = stream.sender.clone();
        tokio::select! {
            () = stream.run(begin) => {}
            () = gone.closed() => {}
            _ = closing.wait_for(|is_closing| *is_closing) => {}
        }
    });
    let mut response = Body::new(Sent(taken)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A proxy is to send on what it gets, and not to collect it.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// For whom the memories are: whom the token proves; whoever is the operator may ask for anybody.
fn agent_of(caller: &Caller, asked: Option<String>) -> Result<String, Problem> {
    match (&caller.agent, asked) {
        (None, asked) => Ok(asked.unwrap_or_default()),
        (Some(agent), None) => Ok(agent.clone()),
        (Some(agent), Some(asked)) if agent.is_empty() || *agent == asked => Ok(asked),
        (Some(agent), Some(asked)) => Err(Problem::forbidden(format!(
            "agent: {asked:?} is not whose token this is, {agent:?}"
        ))),
    }
}

/// The next part of what was stored, read where the calls of everybody are.
async fn part(app: &App, agent: &str, after: Option<i64>) -> Result<StoredAfter, ApiError> {
    let agent = agent.to_owned();
    app.read(move |engine| engine.stored_after(&agent, after)).await
}

/// What proves who a stream is for, to be looked at again: a token may be taken back.
struct Proof {
    caller: Caller,
    headers: HeaderMap,
    peer: SocketAddr,
}

fn proof_of(headers: &HeaderMap) -> HeaderMap {
    let of = [header::AUTHORIZATION, header::COOKIE].into_iter().flat_map(|name| {
        headers.get_all(&name).iter().map(move |value| (name.clone(), value.clone()))
    });
    of.collect()
}

/// One caller's stream.
struct Stream {
    proof: Proof,
    events: Arc<Events>,
    agent: String,
    /// Of the ids of its events.
    store: String,
    /// Up to this id the caller was told all that it may read.
    after: i64,
    sender: mpsc::Sender<Bytes>,
    _place: Place,
}

impl Stream {
    /// What a caller is told first, which was told everything up to this event; `None`: everything up to now.
    fn begin(&mut self, last: Option<&str>, newest_id: i64) -> String {
        let mut text = format!("retry: {RETRY_MILLIS}\n");
        let id = match last.map(|last| position(last, &self.store, newest_id)) {
            // So that it loses nothing if it goes before the first event.
            None => newest_id,
            Some(Ok(id)) => id,
            Some(Err(gap)) => {
                text.push('\n');
                self.gap(&mut text, gap);
                newest_id
            }
        };
        self.after = id;
        let _ = write!(text, "id: {}-{id}\n\n", self.store);
        text
    }

    /// Tells what is stored, until the caller is gone, may no longer be told, or takes nothing.
    async fn run(&mut self, begin: String) {
        if !self.send(begin).await {
            return;
        }
        let mut sent = Instant::now();
        loop {
            let Some(newest_id) = self.events.app.newest_memory_id() else { return };
            let mut pause = LOOK_PERIOD;
            if newest_id > self.after {
                match part(&self.events.app, &self.agent, Some(self.after)).await {
                    Ok(part) => {
                        if part.until < part.newest_id {
                            pause = CATCH_UP_PAUSE;
                        }
                        let text = self.told(part);
                        if !text.is_empty() {
                            if !self.send(text).await {
                                return;
                            }
                            sent = Instant::now();
                        }
                    }
                    // Nothing is lost: it is in the store.
                    Err(error) if error.kind == ErrorKind::Unavailable => pause = REST_AFTER_FAULT,
                    Err(error) => return log::warn!("a stream of events ends: {error}"),
                }
            }
            if sent.elapsed() >= KEEP_ALIVE_PERIOD {
                if !self.send(": keep-alive\n\n".to_owned()).await {
                    return;
                }
                sent = Instant::now();
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// A part as events. It is told by then.
    fn told(&mut self, part: StoredAfter) -> String {
        let mut text = String::new();
        let store = tag(&part.store_id);
        if store != self.store {
            self.store = store;
            self.after = part.newest_id;
            let gap = Gap { from: 1, to: part.newest_id, reason: Reason::AnotherStore };
            self.gap(&mut text, gap);
            return text;
        }
        for memory in part.memories {
            match memory {
                Ok(memory) => self.event(&mut text, memory),
                Err(id) => {
                    self.gap(&mut text, Gap { from: id, to: id, reason: Reason::Unreadable });
                }
            }
        }
        self.after = part.until;
        text
    }

    fn event(&self, text: &mut String, memory: NewMemory) {
        let event = MemoryEvent::from(memory);
        let kind = event.kind;
        self.put(text, kind.as_str(), event.memory_id, &event);
        self.events.app.traffic.count_event(kind);
    }

    fn gap(&self, text: &mut String, gap: Gap) {
        self.put(text, "gap", gap.to, &gap);
        self.events.app.traffic.count_gap();
    }

    fn put(&self, text: &mut String, event: &str, id: i64, data: &impl Serialize) {
        // In JSON there is no line end.
        let data = serde_json::to_string(data).unwrap_or_default();
        let _ = write!(text, "event: {event}\nid: {}-{id}\ndata: {data}\n\n", self.store);
    }

    /// Sends this; answers whether the caller is still there and may still be told.
    async fn send(&self, text: String) -> bool {
        let Proof { caller, headers, peer } = &self.proof;
        if !self.events.guard.caller(&Method::GET, headers, *peer).is_ok_and(|now| now == *caller) {
            return false;
        }
        matches!(
            tokio::time::timeout(TAKE_TIMEOUT, self.sender.send(text.into())).await,
            Ok(Ok(()))
        )
    }
}

/// The begin of a store's id, which stands in the ids of its events.
fn tag(store_id: &str) -> String {
    let tag: String =
        store_id.chars().filter(char::is_ascii_alphanumeric).take(STORE_CHARS).collect();
    if tag.is_empty() { "0".to_owned() } else { tag }
}

/// The memory up to which a caller was told everything, by the id of its last event: `<store>-<memory>`, or the memory's id alone.
fn position(last: &str, store: &str, newest_id: i64) -> Result<i64, Gap> {
    let (of, number) = last.rsplit_once('-').unwrap_or((store, last));
    let gap = |from, reason| Gap { from, to: newest_id, reason };
    match number.parse::<i64>() {
        Ok(id) if of != store && id >= 0 => Err(gap(1, Reason::AnotherStore)),
        Ok(id) if (0..=newest_id).contains(&id) => Ok(id),
        _ => Err(gap(1, Reason::UnknownId)),
    }
}

/// What a caller is not told, and may ask for otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Gap {
    /// Memories from this id.
    from: i64,
    /// To this one.
    to: i64,
    reason: Reason,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Reason {
    /// The last event was of another store: its ids say nothing here.
    AnotherStore,
    /// No event of this store has the last id.
    UnknownId,
    /// The row is damaged.
    Unreadable,
}

/// An event: the fields of `MemoryEvent.msg`.
#[derive(Debug, Serialize)]
struct MemoryEvent {
    stamp: Stamp,
    memory_id: i64,
    #[serde(rename = "type")]
    kind: Kind,
    perception_type: Option<PerceptionType>,
    category: Option<Category>,
    content: String,
    collection: String,
    session_id: String,
    scope: Scope,
    source: Source,
    stream: String,
    trigger: String,
    event_id: String,
}

impl From<NewMemory> for MemoryEvent {
    fn from(NewMemory { memory, origin }: NewMemory) -> Self {
        let origin = origin.map(|origin| (origin.stream, origin.trigger, origin.event_id));
        let (stream, trigger, event_id) = origin.unwrap_or_default();
        let Memory {
            id,
            kind,
            perception_type,
            category,
            content,
            collection,
            session_id,
            scope,
            source,
            created_at,
            // Who wants to know more asks for it by the id.
            ..
        } = memory;
        Self {
            stamp: created_at,
            memory_id: id,
            kind,
            perception_type,
            category,
            content,
            collection,
            session_id,
            scope,
            source,
            stream,
            trigger,
            event_id,
        }
    }
}

/// What a stream sends, as the body of an answer.
struct Sent(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HttpSettings, HttpTarget};
    use super::*;
    use crate::faces::wall_clock::WallClock;
    use robot_memory_core::api::{Learn, LearnRequest};
    use robot_memory_core::limits::EVENTS_PAGE_MAX;
    use robot_memory_engine::{Config, Engine};

    #[test]
    fn who_takes_nothing_for_a_while_gets_it_all_later() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::at(folder.path().join("memory.db"));
        let (engine, _) = Engine::open(config, Arc::new(WallClock)).unwrap();
        let engine = Arc::new(engine);
        let app = Arc::new(App::new(HttpTarget::alone(Arc::clone(&engine), 2).unwrap()));
        let settings = HttpSettings {
            address: "127.0.0.1:1".to_owned(),
            hosts: Vec::new(),
            is_open: true,
            tokens_path: folder.path().join("tokens.json"),
            requests_per_second_max: 1.0,
            login_link: false,
        };
        let peer: SocketAddr = "127.0.0.1:2".parse().unwrap();
        let guard = Arc::new(Guard::new(settings, "127.0.0.1:1".parse().unwrap()));
        let caller = guard.caller(&Method::GET, &HeaderMap::new(), peer).unwrap();
        let places = Arc::clone(&app.traffic.streams);
        let place = Places::take(&places, &caller.name).unwrap();
        // One that is full at once, as a connection is whose other side does not read.
        let (sender, mut taken) = mpsc::channel(1);
        let mut stream = Stream {
            proof: Proof { caller, headers: HeaderMap::new(), peer },
            events: Arc::new(Events { app, guard, places }),
            agent: String::new(),
            store: "0".to_owned(),
            after: 0,
            sender,
            _place: place,
        };
        stream.store = tag(&engine.stored_after("", None).unwrap().store_id);
        let count = 3 * EVENTS_PAGE_MAX + 1;
        for number in 0..count {
            let insight = format!("part {number} of the shelf is at {number} mm");
            engine.call::<Learn>(LearnRequest { insight, ..Default::default() }).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let text = runtime.block_on(async {
            tokio::spawn(async move { stream.run("begin\n".to_owned()).await });
            // Long enough for all of it, if nothing held it back.
            tokio::time::sleep(20 * LOOK_PERIOD).await;
            let all = async {
                let mut text = String::new();
                while text.matches("\nid: ").count() < count {
                    let part = taken.recv().await.expect("it has not ended");
                    text.push_str(std::str::from_utf8(&part).unwrap());
                }
                text
            };
            tokio::time::timeout(TAKE_TIMEOUT, all).await.expect("all of it comes")
        });
        let ids = text.lines().filter_map(|line| line.strip_prefix("id: "));
        let ids = ids.map(|id| id.rsplit_once('-').unwrap().1.parse::<usize>().unwrap());
        assert_eq!(ids.collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>());
        assert!(!text.contains("event: gap"), "{text}");
    }

    #[test]
    fn a_position_is_of_this_store_or_a_gap() {
        let gap = |reason| Err(Gap { from: 1, to: 9, reason });
        for (last, expected) in [
            ("ab12-7", Ok(7)),
            ("ab12-0", Ok(0)),
            ("ab12-9", Ok(9)),
            ("7", Ok(7)),
            ("cd34-7", gap(Reason::AnotherStore)),
            ("-7", gap(Reason::AnotherStore)),
            ("ab12-10", gap(Reason::UnknownId)),
            ("ab12-", gap(Reason::UnknownId)),
            ("ab12-99999999999999999999", gap(Reason::UnknownId)),
            ("latest", gap(Reason::UnknownId)),
            ("\u{fffd}", gap(Reason::UnknownId)),
        ] {
            assert_eq!(position(last, "ab12", 9), expected, "{last}");
        }
    }
}
