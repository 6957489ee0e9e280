//! What the engine is told by the parameters, the same in the node and for a bag.

use crate::config::Settings;
use robot_memory_core::model::Scope;
use robot_memory_engine::Config;
use std::path::PathBuf;

/// Without what stands in files, and without what is done in the background.
pub(super) fn engine_config(settings: &Settings, store_path: PathBuf) -> Config {
    let bytes_max = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
    Config {
        default_collection: settings.default_collection.clone(),
        default_scope: Scope::parse(&settings.default_scope).ok(),
        map_id: settings.map_id.clone(),
        sim_or_real: settings.sim_or_real.clone(),
        store_bytes_max: bytes_max(settings.store_bytes_max),
        index_bytes_max: bytes_max(settings.index_bytes_max),
        events_bytes_max: bytes_max(settings.events_bytes_max),
        clips_bytes_max: bytes_max(settings.clips_bytes_max),
        ..Config::at(store_path)
    }
}
