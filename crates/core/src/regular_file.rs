//! Files that somebody names, and that are read: only regular ones. A FIFO would be waited for without
//! end, a device may do anything when it is opened.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file, or a link to one, to be read.
///
/// # Errors
/// Also when it is anything else: `InvalidInput`, "not a regular file".
pub fn open(path: &Path) -> io::Result<File> {
    // Before it is opened, and again, as it may be another by then.
    check(&std::fs::metadata(path)?)?;
    let options = &mut OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// The text of a regular file of so many bytes at most.
///
/// # Errors
/// Also when it is longer, or no UTF-8.
pub fn read_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(bytes_max.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > bytes_max {
        let message = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    Ok(text)
}

/// Fails with `InvalidInput` unless it is a regular file.
pub fn check(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        Ok(())
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::{open, read_text};
    use std::io::ErrorKind;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use tempfile::TempDir;

    #[test]
    fn nothing_but_a_regular_file_is_opened() {
        let folder = TempDir::new().expect("a folder");
        let [file, link, fifo] = ["file", "link", "fifo"].map(|name| folder.path().join(name));
        std::fs::write(&file, "twelve bytes").expect("written");
        symlink(&file, &link).expect("a link");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0)
            .expect("a FIFO");
        for path in [file.as_path(), &link] {
            assert_eq!(read_text(path, 12).expect("it is read"), "twelve bytes");
            assert_eq!(read_text(path, 11).expect_err("too long").kind(), ErrorKind::InvalidInput);
        }
        for path in [fifo.as_path(), folder.path(), Path::new("/dev/zero"), Path::new("/dev/tty")] {
            let error = open(path).expect_err("it is refused");
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{}: {error}", path.display());
        }
        let gone = open(&folder.path().join("gone")).expect_err("it is not there");
        assert_eq!(gone.kind(), ErrorKind::NotFound);
    }
}
