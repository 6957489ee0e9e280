//! A network between a leaf and its hub that can be cut, slow, and tell things twice.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a proxy does to its connections.
#[derive(Default)]
struct Weather {
    is_cut: AtomicBool,
    delay_ms: AtomicU64,
    is_frozen: AtomicBool,
    is_doubled: AtomicBool,
    is_over: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Weather {
    fn close_all(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn keep(&self, stream: &TcpStream) {
        let mut open = self.open.lock().unwrap();
        open.push(stream.try_clone().unwrap());
        if self.is_cut.load(Ordering::SeqCst) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A listener that passes on to another.
pub struct Proxy {
    pub port: u16,
    weather: Arc<Weather>,
}

impl Proxy {
    pub fn to(upstream: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let weather = Arc::new(Weather::default());
        let shared = Arc::clone(&weather);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                if !shared.is_cut.load(Ordering::SeqCst) {
                    pass_on(stream, upstream, &shared);
                }
            }
        });
        Self { port, weather }
    }

    /// Nothing passes, and what is open is closed; or things pass again.
    pub fn cut(&self, is_cut: bool) {
        self.weather.is_cut.store(is_cut, Ordering::SeqCst);
        if is_cut {
            self.weather.close_all();
        }
    }

    /// Nothing passes, and nobody is told; what was sent passes later.
    pub fn freeze(&self, is_frozen: bool) {
        self.weather.is_frozen.store(is_frozen, Ordering::SeqCst);
    }

    /// Every piece waits for so long, in both directions.
    pub fn delay(&self, ms: u64) {
        self.weather.delay_ms.store(ms, Ordering::SeqCst);
    }

    /// What a new connection says goes also over a second one, whose answers nobody hears.
    pub fn double(&self, is_doubled: bool) {
        self.weather.is_doubled.store(is_doubled, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.weather.is_over.store(true, Ordering::SeqCst);
        self.freeze(false);
        self.cut(true);
        // Wakes the listener.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn pass_on(down: TcpStream, upstream: u16, weather: &Arc<Weather>) {
    let Ok(up) = TcpStream::connect(("127.0.0.1", upstream)) else { return };
    let mut targets = vec![up.try_clone().unwrap()];
    if weather.is_doubled.load(Ordering::SeqCst)
        && let Ok(second) = TcpStream::connect(("127.0.0.1", upstream))
    {
        weather.keep(&second);
        pump(second.try_clone().unwrap(), Vec::new(), weather);
        targets.push(second);
    }
    weather.keep(&down);
    weather.keep(&up);
    pump(down.try_clone().unwrap(), targets, weather);
    pump(up, vec![down], weather);
}

/// Passes what comes to all of `targets`; the first of them must take it.
fn pump(mut from: TcpStream, mut targets: Vec<TcpStream>, weather: &Arc<Weather>) {
    let weather = Arc::clone(weather);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count) = from.read(&mut buffer) {
            if count == 0 {
                break;
            }
            let delay = weather.delay_ms.load(Ordering::SeqCst);
            if delay > 0 {
                std::thread::sleep(Duration::from_millis(delay));
            }
            while weather.is_frozen.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let mut outcomes = targets.iter_mut().map(|to| to.write_all(&buffer[..count]));
            if outcomes.next().is_some_and(|first| first.is_err()) {
                break;
            }
            outcomes.for_each(drop);
        }
        let _ = from.shutdown(Shutdown::Both);
        for target in targets {
            let _ = target.shutdown(Shutdown::Both);
        }
    });
}
