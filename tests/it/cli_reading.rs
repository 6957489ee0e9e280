//! The program `memory` only reads: what becomes of the store, its folder and its node.

use crate::cli::{Example, ids, memory, program, run, sorted};
use crate::colors::{self, Colors};
use crate::robot::Robot;
use robot_memory_core::api::{Update, UpdateRequest};
use robot_memory_embedding::{OnnxOptions, OnnxPictureModel, locate};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// All files of a folder, with their bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.clone(), std::fs::read(&path).expect("bytes"))).collect()
}

/// Every command, on a store with memories.
fn everything(store: &Path) {
    for command in [
        vec!["recall", "cup"],
        vec!["recall", "--context-filter", r#"{"params.force_n": 2.5}"#],
        vec!["recall", "--near", "spatial.p=1,2,3"],
        vec!["recall", "cup", "--exact"],
        vec!["get", "1"],
        vec!["brief", "pick", "cup", "--params", r#"{"force_n": 2.5}"#],
        vec!["locate", "cup", "--near", "1,2"],
        vec!["timeline", "--newest", "--kinds", "memory,attempt", "-n", "3"],
        vec!["stats"],
        vec!["jobs"],
        vec!["scopes"],
        vec!["bench", "--rounds", "1"],
        vec!["export", "--vectors"],
    ] {
        memory(store, &command).text();
    }
}

#[test]
fn a_closed_store_is_left_as_it_was() {
    let example = Example::new();
    example.robot.engine.close().expect("it closes");
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    std::fs::copy(example.robot.store_path(), &store).expect("a copy");
    let before = files(folder.path());
    let changed_at =
        || std::fs::metadata(&store).and_then(|found| found.modified()).expect("a time");
    let time_before = changed_at();
    everything(&store);
    assert!(files(folder.path()) == before, "the folder was changed");
    assert_eq!(changed_at(), time_before);

    // Neither may it be possible: on a medium that cannot be written to.
    let allow = |mode| std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(mode));
    std::fs::set_permissions(&store, PermissionsExt::from_mode(0o400)).expect("it is set");
    allow(0o500).expect("it is set");
    everything(&store);
    allow(0o700).expect("it is set");
    assert!(files(folder.path()) == before, "the folder was changed");
}

#[test]
fn a_store_in_use_is_read_beside_its_writer() {
    let example = Example::new();
    let store = example.robot.store_path();
    everything(&store);
    example.robot.call::<Update>(UpdateRequest {
        memory_id: example.door,
        new_content: "The door of the pantry opens to the right".into(),
        ..Default::default()
    });
    assert_eq!(example.recalled(&["pantry"]), [example.door]);
    let accesses = |id| example.memory(&["get", id, "--json"]).json()["access_count"].clone();
    assert_eq!(accesses(&example.cup.to_string()), 0, "recall from outside counted");

    // Also while rows come in all the time, and all of an answer is of one state.
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) && number < 20_000 {
                example.robot.perceive(&format!("cup number {number} was seen"), "");
                number += 1;
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            number
        });
        for _ in 0..5 {
            everything(&store);
            let lines = example.memory(&["export"]).lines();
            let found = ids(&lines);
            assert_eq!(sorted(found.clone()), found);
            let answer = example.memory(&["recall", "cup", "--json", "-n", "100"]).json();
            let memories = answer["memories"].as_array().expect("a list");
            let total = answer["total"].as_u64().expect("a number");
            assert_eq!(memories.len() as u64, total.min(100));
        }
        stop.store(true, Ordering::Relaxed);
        let written = writing.join().expect("the writer lives");
        assert!(written > 10, "{written}");
        let count = example.memory(&["stats", "--json"]).json()["memory_count"].clone();
        assert_eq!(count, 5 + written);
    });
    // The node goes on as if nobody had read.
    assert_eq!(example.robot.recall("pantry").memories[0].memory.id, example.door);
    example.robot.engine.close().expect("it closes");
    assert_eq!(example.memory(&["get", "1", "--json"]).json()["id"], example.cup);
}

#[test]
fn what_is_no_store_is_refused_and_nothing_is_made() {
    let folder = TempDir::new().expect("a folder");
    let missing = folder.path().join("deep/missing.db");
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "buy screws").expect("it is written");
    for path in [missing.as_path(), notes.as_path(), folder.path()] {
        for command in [vec!["stats"], vec!["recall", "cup"], vec!["get", "1"], vec!["export"]] {
            let outcome = memory(path, &command);
            assert!(outcome.refusal(1).contains("the store did not open"), "{}", outcome.stderr);
        }
    }
    assert_eq!(files(folder.path()).len(), 1);
    // Where the node's store is cannot be said without a home.
    assert!(run(program().arg("stats")).refusal(1).contains("HOME"));
}

#[test]
fn without_a_store_named_it_is_the_nodes() {
    let example = Example::new();
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join(".ros/robot_memory");
    std::fs::create_dir_all(&folder).expect("it is made");
    example.robot.engine.close().expect("it closes");
    std::fs::copy(example.robot.store_path(), folder.join("robot_memory.db")).expect("a copy");
    let found = run(program().arg("stats").arg("--json").env("HOME", home.path())).json();
    assert_eq!(found["memory_count"], 5);
    let ros = run(program().arg("stats").arg("--json").env("ROS_HOME", home.path().join(".ros")));
    assert_eq!(ros.json()["memory_count"], 5);
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let robot = Robot::words_only();
    for number in 0..400 {
        robot.perceive(&format!("{number} {}", "something was seen ".repeat(14)), "");
    }
    for command in [["export", "--all"], ["recall", "--types=perception"]] {
        let mut child = program()
            .args(command)
            .args(["--no-model", "-n100"].iter().take(if command[0] == "recall" { 2 } else { 1 }))
            .arg("--store")
            .arg(robot.store_path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::with_capacity(64, stdout).read_line(&mut line).expect("a line");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
    }
}

#[test]
fn pictures_are_found_by_a_model_that_is_named() {
    let cache = locate::cache_dir(|name| std::env::var_os(name));
    let given = std::env::var_os("ORT_DYLIB_PATH");
    let found = locate::onnxruntime_library("", given.as_deref(), None, cache.as_deref());
    let Some(onnxruntime) = found.filter(|path| path.is_file()) else { return };
    let robot = Robot::new();
    let seen = [colors::RED, colors::GREEN].map(|color| colors::see(&robot, color));
    let model = TempDir::new().expect("a folder");
    robot_memory_embedding::testing::write_color_model(model.path()).expect("it is written");
    let recall = |arguments: &[&str]| {
        let mut command = program();
        command.args(["recall", "something red", "--no-model"]).args(arguments);
        command.arg("--store").arg(robot.store_path()).arg("--image-model-dir").arg(model.path());
        run(command.env("ORT_DYLIB_PATH", &onnxruntime))
    };
    // The node makes the vectors.
    assert!(recall(&[]).text().starts_with("0 of 0 memories"));
    let options = OnnxOptions {
        model_dir: model.path().into(),
        onnxruntime: onnxruntime.clone(),
        threads: 1,
        parallel: 1,
    };
    // It sees the same as the tests' own.
    let onnx = OnnxPictureModel::load(&options).expect("it loads");
    Colors::new(onnx.model_id()).plug_in(&robot);
    colors::make_vectors(&robot);
    let answer = recall(&["--json"]).json();
    assert_eq!(ids(answer["memories"].as_array().expect("a list")), [seen[0]]);
    assert_eq!(answer["memories"][0]["why"]["picture_rank"], 1);
    let shown = recall(&[]);
    assert!(shown.text().contains("picture_rank 1, picture_similarity 0.9"), "{}", shown.stdout);
    std::fs::remove_file(model.path().join("text.onnx")).expect("it is there");
    let without = recall(&[]);
    assert_eq!(without.code, 0);
    assert!(without.stderr.contains("no picture is found: the image model folder has no file"));
}
