//! Backups and lines by the program `memory`.

use crate::cli::{program, run};
use crate::robot::{Robot, sql};
use tempfile::TempDir;

#[test]
fn a_copy_is_made_beside_an_engine_and_put_back_without_one() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    let store = robot.store_path();
    let memory = |arguments: &[&str]| run(program().arg("--store").arg(&store).args(arguments));
    let made = memory(&["backup", "--json"]).json();
    assert_eq!((&made["memory_count"], &made["is_verified"]), (&1.into(), &true.into()));
    let name = made["name"].as_str().expect("a name").to_owned();
    robot.learn("the bowl is in the sink");
    let listed = memory(&["backups", "--json"]).lines();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0], made);
    assert!(memory(&["backups"]).text().contains(&name));
    let refused = memory(&["restore", &name]);
    assert!(refused.refusal(1).contains("in use by another process"), "{}", refused.stderr);

    robot.engine.close().expect("it closes");
    drop(robot.engine);
    let restored = memory(&["restore", "latest", "--json"]).json();
    assert_eq!((&restored["name"], &restored["memory_count"]), (&name.as_str().into(), &1.into()));
    assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory"), 1);
    let kept = restored["kept_as"].as_str().expect("a name");
    let path = store.with_file_name("memory.db.backups").join(kept);
    let restored = memory(&["restore", path.to_str().expect("UTF-8"), "--json"]).json();
    assert_eq!(restored["memory_count"], 2);
    assert!(
        memory(&["restore", "robot_memory-2020-01-01T000000Z.db"]).refusal(1).contains("no backup")
    );
}

#[test]
fn all_of_a_store_goes_through_a_file() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    robot.perceive("saw the cup on the table", r#"{"at": [1.0, 2.0]}"#);
    let folder = TempDir::new().expect("a folder");
    let (lines, copy) = (folder.path().join("all.jsonl"), folder.path().join("copy.db"));
    let export = |store: &std::path::Path| {
        run(program().arg("--store").arg(store).args(["export", "--everything"]))
            .text()
            .split_once('\n')
            .map(|(_, rows)| rows.to_owned())
    };
    let rows = export(&robot.store_path());
    let mut command = program();
    command.arg("--store").arg(robot.store_path()).args(["export", "--everything", "-o"]);
    assert!(run(command.arg(&lines)).text().contains("rows in"));
    let load =
        |store: &std::path::Path| run(program().arg("--store").arg(store).arg("load").arg(&lines));
    assert!(load(&copy).text().contains("rows loaded"));
    // But for when the memories came to be known there.
    let known = |rows: Option<String>| -> Vec<serde_json::Value> {
        let rows = rows.expect("rows");
        let mut rows: Vec<serde_json::Value> =
            rows.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect();
        for row in rows.iter_mut().filter(|row| row["table"] == "memory") {
            row["row"]["known_at"] = serde_json::Value::Null;
        }
        rows
    };
    assert_eq!(known(export(&copy)), known(rows));
    assert!(load(&copy).refusal(1).contains("empty"));
}
