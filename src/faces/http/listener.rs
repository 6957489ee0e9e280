//! The listener: connections, how many there are, and how long each may take.

use super::guard::Guard;
use super::routes::{App, Closing, Peer, routes};
use super::stall::Stalling;
use super::{HttpSettings, HttpTarget};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use robot_memory_core::limits::{HTTP_CONNECTIONS_MAX, HTTP_HEADER_BYTES_MAX, HTTP_HEADERS_MAX};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

/// The headers of a request must come within so long, and the next request of a connection.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(10);
/// The same while more than half of all connections are used.
const HEADERS_TIMEOUT_BUSY: Duration = Duration::from_secs(2);
/// A connection takes no further request after so long.
const CONNECTION_AGE_MAX: Duration = Duration::from_secs(240);
/// It may take so long in all: who reads its answer slowly ends.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(330);
/// Who reads nothing of its answer for so long ends.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Requests that are there when the listener stops have so long.
const STOP_GRACE: Duration = Duration::from_millis(200);
/// After a failure of the operating system, as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The running face. Dropped, it ends.
pub struct HttpServer {
    address: SocketAddr,
    guard: Arc<Guard>,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl HttpServer {
    /// Listens and answers from now on.
    ///
    /// # Errors
    /// When it cannot listen there.
    pub fn start(settings: HttpSettings, target: HttpTarget) -> io::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let listener = runtime.block_on(TcpListener::bind(&settings.address)).map_err(advised)?;
        let address = listener.local_addr()?;
        let app = Arc::new(App::new(target));
        let connections = Arc::clone(&app.traffic.connections);
        let guard = Arc::new(Guard::new(settings, address));
        let app = routes(app, Arc::clone(&guard));
        let (stop, stopped) = watch::channel(false);
        let thread = std::thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || runtime.block_on(accept(listener, app, connections, stopped)))?;
        Ok(Self { address, guard, stop, thread })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a person logs in as the operator, once; `None`: it is not wanted, or was used.
    pub fn login_link(&self) -> Option<String> {
        self.guard.login_link()
    }

    /// Takes no more connections, and ends those that are there when they have been answered, or soon. Answers
    /// whether it has ended at the deadline.
    pub fn stop(self, deadline: Instant) -> bool {
        let _ = self.stop.send(true);
        while !self.thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.thread.is_finished()
    }
}

/// Why it cannot listen, with what helps.
fn advised(error: io::Error) -> io::Error {
    let advice = match error.kind() {
        ErrorKind::AddrInUse => {
            "another program listens there, or another memory node; give it another port, or 0 for any that is free"
        }
        ErrorKind::AddrNotAvailable => "it is no address of this computer",
        ErrorKind::PermissionDenied => "ports below 1024 are for root; give it one above",
        _ => return error,
    };
    io::Error::new(error.kind(), format!("{error}: {advice}"))
}

async fn accept(
    listener: TcpListener,
    app: Router,
    connections: Arc<Semaphore>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut open = tokio::task::JoinSet::new();
    loop {
        while open.try_join_next().is_some() {}
        let permit = tokio::select! {
            permit = Arc::clone(&connections).acquire_owned() => permit,
            _ = stopped.changed() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.changed() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (app, stopped) = (app.clone(), stopped.clone());
                let is_busy = connections.available_permits() < HTTP_CONNECTIONS_MAX / 2;
                open.spawn(async move {
                    serve(stream, peer, app, stopped, is_busy).await;
                    drop(permit);
                });
            }
            Err(error) => {
                log::warn!("HTTP: a connection was not accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let ended = async { while open.join_next().await.is_some() {} };
    if tokio::time::timeout(STOP_GRACE, ended).await.is_err() {
        log::debug!("HTTP: connections that did not end were cut");
    }
}

/// Answers the requests of a connection.
async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    app: Router,
    mut stopped: watch::Receiver<bool>,
    is_busy: bool,
) {
    let _ = stream.set_nodelay(true);
    let (close, closing) = watch::channel(false);
    let service = app.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        request.extensions_mut().insert(Closing(closing.clone()));
        request.map(axum::body::Body::new)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(if is_busy { HEADERS_TIMEOUT_BUSY } else { HEADERS_TIMEOUT })
        .max_headers(HTTP_HEADERS_MAX)
        .max_buf_size(HTTP_HEADER_BYTES_MAX)
        .serve_connection(
            TokioIo::new(Stalling::new(stream, STALL_TIMEOUT)),
            TowerToHyperService::new(service),
        );
    tokio::pin!(connection);
    let ended = tokio::time::timeout(CONNECTION_TIMEOUT, async {
        tokio::select! {
            ended = &mut connection => return ended,
            _ = stopped.changed() => {}
            () = tokio::time::sleep(CONNECTION_AGE_MAX) => {}
        }
        close.send_replace(true);
        connection.as_mut().graceful_shutdown();
        connection.await
    });
    match ended.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => log::debug!("HTTP: {peer}: {error}"),
        Err(_elapsed) => log::debug!("HTTP: {peer}: it took longer than {CONNECTION_TIMEOUT:?}"),
    }
}
