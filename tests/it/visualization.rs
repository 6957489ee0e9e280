//! The files for RViz and Foxglove are well formed, and show what the node publishes.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The panels of a layout, by the leaves of its tree.
fn panels(tree: &Value, found: &mut BTreeSet<String>) {
    match tree {
        Value::String(panel) => assert!(found.insert(panel.clone()), "{panel} is there twice"),
        _ => {
            assert!(["row", "column"].contains(&tree["direction"].as_str().expect("a direction")));
            let percentage = tree["splitPercentage"].as_f64().expect("a percentage");
            assert!((1.0..=99.0).contains(&percentage));
            panels(&tree["first"], found);
            panels(&tree["second"], found);
        }
    }
}

/// Whether the node has a topic or a service of this name, by its declarations.
fn published(name: &str) -> bool {
    let name = name.replace("/robot_memory/", "~/");
    let service = name.trim_start_matches("~/");
    text("docs/reference/topics.md").contains(&format!("| `{name}` |"))
        || text("docs/reference/services.md").contains(&format!("| [`{service}`]"))
}

#[test]
fn the_foxglove_layout_has_a_panel_for_each_leaf_and_shows_what_is_published() {
    let layout: Value =
        serde_json::from_str(&text("config/foxglove_layout.json")).expect("it is JSON");
    let mut leaves = BTreeSet::new();
    panels(&layout["layout"], &mut leaves);
    let configured: BTreeSet<String> =
        layout["configById"].as_object().expect("panels").keys().cloned().collect();
    assert_eq!(leaves, configured);
    let kinds: BTreeSet<&str> = leaves.iter().filter_map(|leaf| leaf.split('!').next()).collect();
    for kind in ["3D", "RawMessages", "DiagnosticSummary", "DiagnosticStatusPanel", "Plot"] {
        assert!(kinds.contains(kind), "no panel {kind}");
    }
    let config = &layout["configById"];
    let topics = config["3D!memories"]["topics"].as_object().expect("topics").keys();
    for topic in topics {
        assert!(published(topic), "{topic}");
    }
    assert!(published(config["RawMessages!events"]["topicPath"].as_str().expect("a topic")));
    assert!(published(config["DiagnosticSummary!all"]["topicToRender"].as_str().expect("a topic")));
    let capture = &config["CallService!capture"];
    assert!(published(capture["serviceName"].as_str().expect("a service")));
    let payload = capture["requestPayload"].as_str().expect("a request");
    let _: robot_memory_core::api::CaptureRequest =
        serde_json::from_str(payload).expect("a request");
}

#[test]
fn the_rviz_file_shows_grid_frames_and_memories() {
    let config: Value = serde_saphyr::from_str(&text("config/robot_memory.rviz")).expect("YAML");
    let manager = &config["Visualization Manager"];
    assert_eq!(manager["Global Options"]["Fixed Frame"], "map");
    let displays = manager["Displays"].as_array().expect("displays");
    let display = |class: &str| {
        displays
            .iter()
            .find(|display| display["Class"] == format!("rviz_default_plugins/{class}"))
            .unwrap_or_else(|| panic!("no {class}"))
    };
    for class in ["Grid", "TF", "MarkerArray"] {
        assert_eq!(display(class)["Enabled"], true);
    }
    let topic = &display("MarkerArray")["Topic"];
    assert!(published(topic["Value"].as_str().expect("a topic")));
    assert_eq!(topic["Durability Policy"], "Transient Local");
    assert_eq!(topic["Reliability Policy"], "Reliable");
}
