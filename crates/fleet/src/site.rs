//! Questions of robots to the memory of the site: a request over the hub, and a reply.

use crate::link::Link;
use crate::settings::Settings;
use async_nats::Client;
use async_nats::client::RequestErrorKind;
use futures_util::StreamExt;
use robot_memory_core::limits::{SITE_AT_ONCE_MAX, SITE_DEADLINE_MS, SITE_TAKEN_MAX};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

/// Before the name of the robot that asks.
const SUBJECT: &str = "fleet.site";
/// Of several memories of the site one answers.
const QUEUE: &str = "site";
/// How the subjects of replies begin.
const INBOX: &str = "_INBOX.";
/// Until questions are heard again, when the server took them no longer.
const AGAIN: Duration = Duration::from_secs(1);

/// The memory of a site.
pub trait Site: Send + Sync + 'static {
    /// The answer to a question of a robot. It may block.
    fn answer(&self, question: &[u8]) -> Vec<u8>;
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// There was none in time.
    Late,
    /// Nobody can answer: why.
    Unreachable(String),
}

/// Takes the answer, once.
pub type TakeAnswer = Box<dyn FnOnce(Result<Vec<u8>, Unanswered>) + Send>;

/// A question that waits to be sent.
pub(crate) struct Question {
    pub(crate) text: Vec<u8>,
    pub(crate) deadline: Instant,
    pub(crate) take: TakeAnswer,
}

/// Asks what waits to be asked, for as long as the connection lasts.
pub(crate) async fn ask(
    link: &Link,
    settings: &Settings,
    questions: &Mutex<Receiver<Question>>,
) -> Infallible {
    let mut questions = questions.lock().await;
    loop {
        let Some(question) = questions.recv().await else { return std::future::pending().await };
        let (client, subject) = (link.client(), format!("{SUBJECT}.{}", settings.robot));
        tokio::spawn(async move {
            let Question { text, deadline, take } = question;
            let asked = client.request(subject, text.into());
            take(match tokio::time::timeout_at(deadline, asked).await {
                Ok(Ok(message)) => Ok(message.payload.into()),
                Ok(Err(error)) => Err(match error.kind() {
                    RequestErrorKind::TimedOut => Unanswered::Late,
                    RequestErrorKind::NoResponders => {
                        let text = "no memory of the site is connected to the hub";
                        Unanswered::Unreachable(text.to_owned())
                    }
                    _ => Unanswered::Unreachable(error.to_string()),
                }),
                Err(_) => Err(Unanswered::Late),
            });
        });
    }
}

/// Answers what robots ask, for as long as the connection lasts.
pub(crate) async fn answer(link: &Link, site: &Arc<dyn Site>) -> Infallible {
    let at_once = Arc::new(Semaphore::new(SITE_AT_ONCE_MAX));
    let taken = Arc::new(Semaphore::new(SITE_TAKEN_MAX));
    loop {
        let client = link.client();
        match client.queue_subscribe(format!("{SUBJECT}.*"), QUEUE.to_owned()).await {
            Ok(mut questions) => {
                while let Some(message) = questions.next().await {
                    // A robot hears its answer there, and nobody has it published elsewhere.
                    let Some(reply) = message.reply.filter(|it| it.starts_with(INBOX)) else {
                        continue;
                    };
                    let Ok(place) = Arc::clone(&taken).try_acquire_owned() else {
                        log::debug!("fleet: a question is not answered: {SITE_TAKEN_MAX} are");
                        continue;
                    };
                    let (site, client) = (Arc::clone(site), client.clone());
                    let turn = Arc::clone(&at_once).acquire_owned();
                    let turn = tokio::time::timeout(Duration::from_millis(SITE_DEADLINE_MS), turn);
                    tokio::spawn(async move {
                        // Who asked does not wait longer.
                        if let Ok(Ok(_turn)) = turn.await {
                            reply_to(&client, reply, message.payload.into(), site).await;
                        }
                        drop(place);
                    });
                }
                log::warn!("fleet: the server took the subscription of the site's questions back");
            }
            Err(error) => log::warn!("fleet: questions to the site are not heard: {error}"),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn reply_to(
    client: &Client,
    reply: async_nats::Subject,
    question: Vec<u8>,
    site: Arc<dyn Site>,
) {
    let answered = tokio::task::spawn_blocking(move || site.answer(&question)).await;
    let sent = match answered {
        Ok(answer) => client.publish(reply, answer.into()).await.map_err(|it| it.to_string()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = sent {
        log::warn!("fleet: a question to the site is not answered: {error}");
    }
}
