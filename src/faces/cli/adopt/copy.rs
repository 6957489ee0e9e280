//! A private copy of a store, for a run that is to change nothing.

use crate::faces::cli::arguments::StoreArguments;
use crate::faces::cli::failure::Failure;
use crate::faces::cli::open::{open_engine, store_path};
use std::fs::DirBuilder;
use std::io::Write;
use std::ops::ControlFlow;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Behind the store's file: the folder of the copy, which the number of this process follows.
const SUFFIX: &str = ".adoption-";
/// The file of a store that does not exist yet.
const FILE: &str = "memory.db";

/// A copy. It goes when it is dropped.
pub struct StoreCopy {
    folder: PathBuf,
    /// The arguments that name it.
    pub store: StoreArguments,
}

impl StoreCopy {
    /// Copies a store, also one that a node has open; of one that does not exist the copy is empty.
    ///
    /// # Errors
    /// When it cannot be read, or the copy cannot be written.
    pub fn of(store: &StoreArguments) -> Result<Self, Failure> {
        let path = store_path(store)?;
        // The folder of a store that does not exist may not be there either, and is not to be made.
        let beside = path.ancestors().skip(1).find(|folder| folder.is_dir());
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!("{SUFFIX}{}", std::process::id()));
        let folder = beside.unwrap_or(Path::new(".")).join(name);
        let made = DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|source| Failure::File { path: folder.clone(), source })?;
        let mut copy = Self { store: store.clone(), folder };
        copy.store.store = Some(if path.exists() {
            let engine = open_engine(store)?;
            let made =
                engine.make_backup(Some(&copy.folder), &mut |_, _| ControlFlow::Continue(()))?;
            // Nobody stops it.
            copy.folder.join(made.ok_or(Failure::Closed)?.name)
        } else {
            copy.folder.join(FILE)
        });
        Ok(copy)
    }
}

impl Drop for StoreCopy {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            let folder = self.folder.display();
            // Without stderr there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "memory: {folder} was not removed: {error}");
        }
    }
}
