//! The file `metadata.yaml` of a bag, of all versions of the format.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What a bag says of itself. Every field may be absent: earlier versions have fewer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Metadata {
    relative_file_paths: Vec<String>,
    /// Messages in all files.
    pub message_count: Option<u64>,
}

#[derive(Deserialize)]
struct Document {
    rosbag2_bagfile_information: Metadata,
}

impl Metadata {
    /// The name of the file.
    pub const FILE: &str = "metadata.yaml";

    /// Reads it; the error is a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        match serde_saphyr::from_str::<Document>(text) {
            Ok(document) => Ok(document.rosbag2_bagfile_information),
            Err(error) => Err(first_line(&error.to_string())),
        }
    }

    /// Its files, in their order. The first versions wrote paths from outside of the folder.
    pub fn files(&self, folder: &Path) -> Vec<PathBuf> {
        self.relative_file_paths
            .iter()
            .map(|given| {
                let path = folder.join(given);
                match Path::new(given).file_name() {
                    Some(name) if !path.exists() => folder.join(name),
                    _ => path,
                }
            })
            .collect()
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_read() {
        let cases = [
            (
                "rosbag2_bagfile_information:\n  version: 1\n  storage_identifier: sqlite3\n  \
                 relative_file_paths:\n    - old/old_0.db3\n  message_count: 7\n",
                vec!["old_0.db3"],
                Some(7),
            ),
            (
                "rosbag2_bagfile_information:\n  version: 9\n  storage_identifier: mcap\n  \
                 relative_file_paths: [a_0.mcap, a_1.mcap]\n  custom_data: ~\n  \
                 topics_with_message_count:\n    - topic_metadata:\n        name: /x\n        \
                 offered_qos_profiles:\n          - depth: 1\n      message_count: 2\n",
                vec!["a_0.mcap", "a_1.mcap"],
                None,
            ),
        ];
        for (text, files, count) in cases {
            let metadata = Metadata::parse(text).expect("it is well formed");
            let folder = Path::new("/nowhere");
            let expected: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
            assert_eq!(metadata.files(folder), expected);
            assert_eq!(metadata.message_count, count);
        }
    }

    #[test]
    fn what_is_no_metadata_is_said_in_one_line() {
        for text in ["", "a: [", "- 1", "rosbag2_bagfile_information: 7", "\0\u{1}"] {
            let reason = Metadata::parse(text).expect_err(text);
            assert!(!reason.contains('\n') && !reason.is_empty(), "{reason:?}");
        }
    }
}
