//! The two streams, which are made where they are missing.

use crate::settings::Settings;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, Info, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{Context, ErrorCode};
use robot_memory_core::limits::FLEET_READERS_MAX;
use std::time::Duration;

/// What this robot says, on its leaf.
pub(crate) const OUT: &str = "CLAIMS_OUT";
/// What all say, on the hub.
pub(crate) const FLEET: &str = "FLEET";
/// How long a stream knows the ids of its messages: longer than a transport takes to start again.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(3600);

/// The subject of what this robot says, on its leaf.
pub(crate) fn out_subject(robot: &str) -> String {
    format!("fleet.claims.{robot}")
}

/// The subject of what this robot says, on the hub. It is another one than on the leaf, since a hub hears what is
/// published on its leaves.
pub(crate) fn fleet_subject(robot: &str) -> String {
    format!("fleet.log.{robot}")
}

fn config(name: &str, subject: String, bytes_max: u64, discard: DiscardPolicy) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subject],
        max_bytes: i64::try_from(bytes_max).unwrap_or(i64::MAX),
        retention: RetentionPolicy::Limits,
        storage: StorageType::File,
        discard,
        duplicate_window: DUPLICATE_WINDOW,
        num_replicas: 1,
        ..Config::default()
    }
}

/// `CLAIMS_OUT`. When it is full it takes nothing: what was acknowledged stays until the hub has it.
pub(crate) async fn out(leaf: &Context, settings: &Settings) -> Result<Stream, String> {
    let subject = out_subject(&settings.robot);
    let config = config(OUT, subject.clone(), settings.out_bytes_max, DiscardPolicy::New);
    let stream = made(leaf, config).await?;
    let subjects = &stream.cached_info().config.subjects;
    if *subjects != [subject] {
        return Err(format!(
            "the stream {OUT} of this server is that of another robot: it takes {}; each robot has its own leaf",
            subjects.join(", ")
        ));
    }
    Ok(stream)
}

/// `FLEET`. When it is full the oldest go: a robot that was away for longer than it reaches back misses them.
pub(crate) async fn fleet(hub: &Context, settings: &Settings) -> Result<Stream, String> {
    let wanted = fleet_subject("*");
    let config = config(FLEET, wanted.clone(), settings.fleet_bytes_max, DiscardPolicy::Old);
    let stream = made(hub, Config { max_consumers: FLEET_READERS_MAX, ..config }).await?;
    let subjects = &stream.cached_info().config.subjects;
    if !subjects.iter().any(|subject| *subject == wanted || *subject == "fleet.log.>") {
        return Err(format!(
            "the stream {FLEET} of the hub does not take {wanted}: it takes {}",
            subjects.join(", ")
        ));
    }
    Ok(stream)
}

/// The stream of that name as it is, or made. Of several robots that make it at once each gets the same one.
async fn made(context: &Context, config: Config) -> Result<Stream, String> {
    let name = config.name.clone();
    let missing = match context.get_stream(&name).await {
        Ok(stream) => return Ok(stream),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(cause)
                if cause.error_code() == ErrorCode::STREAM_NOT_FOUND =>
            {
                config
            }
            _ => return Err(format!("the stream {name} cannot be looked up: {error}")),
        },
    };
    match context.create_stream(missing).await {
        Ok(stream) => {
            log::info!("fleet: the stream {name} is made");
            Ok(stream)
        }
        // Another robot with other bounds was quicker.
        Err(error) => context
            .get_stream(&name)
            .await
            .map_err(|_| format!("the stream {name} cannot be made: {error}")),
    }
}

/// When a stream was made, in nanoseconds: what tells it from one of the same name.
pub(crate) fn created(info: &Info) -> i128 {
    info.created.unix_timestamp_nanos()
}
