//! The clip of a memory: a file, read and sent in pieces.

use super::pictures::private;
use super::{memory_of, no_file, shown};
use crate::faces::http::guard::Caller;
use crate::faces::http::operations::CLIP_FILE;
use crate::faces::http::problem::Problem;
use crate::faces::http::routes::App;
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use robot_memory_core::limits::HTTP_PIECE_BYTES;
use robot_memory_core::regular_file;
use serde_json::Map;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::task::{JoinHandle, spawn_blocking};

/// `GET /api/v1/clips/{memory_id}.mcap`
pub(super) async fn clip(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = memory_of(path, ".mcap")?;
    // Whoever may not read the memory does not learn whether it has a clip.
    shown(&app, &caller, &uri, id, false).await?;
    let fields = Map::from_iter([("memory_id".to_owned(), id.into())]);
    let file = app.call(CLIP_FILE, fields).await?;
    if file.is_empty() {
        return Err(no_file(id, "clip"));
    }
    let opened = spawn_blocking(move || {
        let file = regular_file::open(Path::new(&OsString::from_vec(file)))?;
        let bytes = file.metadata()?.len();
        Ok::<_, io::Error>((file, bytes))
    });
    // It may be deleted by now.
    let Ok(Ok((file, bytes))) = opened.await else { return Err(no_file(id, "clip")) };
    let body = Body::new(FileBody { left: bytes, at: At::Rest(file) });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    private(headers);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, bytes.into());
    if let Ok(name) = format!("attachment; filename=\"{id}.mcap\"").parse() {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// A file as the body of an answer. A piece is read when the one before has gone out, so that a slow reader keeps
/// one piece in memory and no thread.
struct FileBody {
    left: u64,
    at: At,
}

enum At {
    Rest(File),
    Reading(JoinHandle<io::Result<(File, Vec<u8>)>>),
    End,
}

impl hyper::body::Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        loop {
            match std::mem::replace(&mut self.at, At::End) {
                At::End => return Poll::Ready(None),
                At::Rest(_) if self.left == 0 => return Poll::Ready(None),
                At::Rest(file) => {
                    let bytes = usize::try_from(self.left).unwrap_or(usize::MAX);
                    let bytes = bytes.min(HTTP_PIECE_BYTES);
                    self.at = At::Reading(spawn_blocking(move || piece(file, bytes)));
                }
                At::Reading(mut task) => {
                    let Poll::Ready(read) = Pin::new(&mut task).poll(context) else {
                        self.at = At::Reading(task);
                        return Poll::Pending;
                    };
                    let (file, piece) = match read.map_err(io::Error::other).flatten() {
                        Ok(read) => read,
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    };
                    self.left = self.left.saturating_sub(piece.len() as u64);
                    self.at = At::Rest(file);
                    return Poll::Ready(Some(Ok(Frame::data(piece.into()))));
                }
            }
        }
    }

    // No size: it needs no room among the answers that are there whole.
    fn is_end_stream(&self) -> bool {
        self.left == 0
    }
}

/// The next bytes of a file, so many at most; never none.
fn piece(mut file: File, bytes: usize) -> io::Result<(File, Vec<u8>)> {
    let mut piece = vec![0; bytes];
    let read = file.read(&mut piece)?;
    if read == 0 {
        // Its length was promised: the connection is cut, so that nobody takes a part for the whole.
        return Err(ErrorKind::UnexpectedEof.into());
    }
    piece.truncate(read);
    Ok((file, piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::Body as _;
    use std::future::poll_fn;

    /// The pieces of a file, and how it ended.
    fn pieces(bytes: &[u8], promised: u64) -> (Vec<Bytes>, io::Result<()>) {
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), bytes).unwrap();
        let mut body = FileBody { left: promised, at: At::Rest(File::open(path.path()).unwrap()) };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut pieces = Vec::new();
            while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
            {
                match frame {
                    Ok(frame) => pieces.push(frame.into_data().unwrap()),
                    Err(error) => return (pieces, Err(error)),
                }
            }
            (pieces, Ok(()))
        })
    }

    #[test]
    fn a_file_comes_whole_and_in_pieces() {
        let bytes: Vec<u8> = (0..50_000_u32).flat_map(u32::to_le_bytes).collect();
        let (pieces, end) = pieces(&bytes, bytes.len() as u64);
        assert!(end.is_ok());
        assert!(pieces.len() > 3 && pieces.iter().all(|piece| piece.len() <= HTTP_PIECE_BYTES));
        assert_eq!(pieces.concat(), bytes);
    }

    #[test]
    fn a_file_that_is_shorter_than_was_promised_is_no_whole_one() {
        let (pieces, end) = pieces(b"abc", 4);
        assert_eq!(
            (pieces.concat(), end.unwrap_err().kind()),
            (b"abc".to_vec(), ErrorKind::UnexpectedEof)
        );
        assert_eq!(super::tests::pieces(b"abcd", 3).0.concat(), b"abc");
    }
}
