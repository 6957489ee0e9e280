//! What a hub and a leaf of a test are configured with.

use crate::server::free_port;
use std::path::{Path, PathBuf};

/// A hub below a folder.
pub struct HubConfig {
    pub port: u16,
    pub leaf_port: u16,
    pub store: PathBuf,
    pub text: String,
}

impl HubConfig {
    pub fn new(folder: &Path) -> Self {
        let (port, leaf_port) = (free_port(), free_port());
        let store = folder.join("hub");
        // Advertised, its address would lead a leaf around its network.
        let text = format!(
            "server_name: hub\nlisten: 127.0.0.1:{port}\n\
             jetstream {{ domain: hub, store_dir: {store:?}, max_file: 16G }}\n\
             leafnodes {{ listen: 127.0.0.1:{leaf_port}, no_advertise: true }}\n",
        );
        Self { port, leaf_port, store, text }
    }
}

/// A leaf of a robot, which listens at `port` and finds the hub at `hub_port`.
pub fn leaf(folder: &Path, name: &str, port: u16, hub_port: u16) -> String {
    format!(
        "server_name: {name}\nlisten: 127.0.0.1:{port}\n\
         jetstream {{ domain: {name}, store_dir: {:?}, max_file: 1G }}\n\
         leafnodes {{ reconnect: 1s, remotes: [ {{ url: \"nats-leaf://127.0.0.1:{hub_port}\" }} ] }}\n",
        folder.join(name),
    )
}
