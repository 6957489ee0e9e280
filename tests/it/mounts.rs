//! File systems that are small, full or read-only: mounted where that is allowed.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A file system that goes with this value.
pub struct Mount {
    folder: TempDir,
    path: PathBuf,
}

impl Mount {
    /// One of so many bytes, in memory; `None`, and a line in the test's output, where mounting is not
    /// allowed.
    pub fn tmpfs(bytes: u64) -> Option<Self> {
        Self::new(|path| {
            let size = format!("size={bytes},mode=700");
            run("mount", &["-t", "tmpfs", "-o", &size, "none", path])
        })
    }

    /// One that turns read-only when it fails, in a file.
    pub fn failing(bytes: u64) -> Option<Self> {
        Self::new(|path| {
            let image = format!("{path}.image");
            File::create(&image).and_then(|file| file.set_len(bytes)).expect("an image");
            run("mkfs.ext4", &["-q", &image]) && run("mount", &["-o", "loop", &image, path])
        })
    }

    fn new(mount: impl FnOnce(&str) -> bool) -> Option<Self> {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("mounted");
        std::fs::create_dir(&path).expect("a folder");
        if !mount(path.to_str().expect("UTF-8")) {
            println!("mounting is not allowed here: this way of the fault is not tested");
            return None;
        }
        Some(Self { folder, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder beside it, on another file system.
    pub fn beside(&self) -> &Path {
        self.folder.path()
    }

    /// Mounts it anew with these options; answers whether that was possible.
    pub fn remount(&self, options: &str) -> bool {
        let options = format!("remount,{options}");
        run("mount", &["-o", &options, self.path.to_str().expect("UTF-8")])
    }

    /// Takes it away and mounts its image again, repaired.
    pub fn repair(&self) {
        let path = self.path.to_str().expect("UTF-8");
        let image = format!("{path}.image");
        assert!(run("umount", &[path]), "somebody has a file open");
        run("fsck.ext4", &["-p", &image]);
        assert!(run("mount", &["-o", "loop", &image, path]));
    }

    /// Takes all the room that is left.
    pub fn fill(&self) {
        let options = &mut OpenOptions::new();
        let file = options.create(true).append(true).open(self.path.join("filler"));
        let mut file = file.expect("a file");
        while file.write_all(&[1; 512]).is_ok() {}
    }

    /// Gives it back.
    pub fn empty(&self) {
        std::fs::remove_file(self.path.join("filler")).expect("it was full");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run("umount", &["-l", self.path.to_str().expect("UTF-8")]);
    }
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
