use crate::claims::{at, of, says, vector, with};
use crate::server::Server;
use robot_memory_core::api::RecallRequest;
use robot_memory_site::{Error, Scopes};

fn only(scopes: &[&str]) -> Scopes {
    Scopes::Only(scopes.iter().map(|it| (*it).to_owned()).collect())
}

#[test]
fn nothing_of_a_scope_is_seen_by_who_may_not_read_it() {
    let server = Server::start();
    let store = server.store();
    let secret = with(says("spy", 1, 1, "The vault opens with zanzibar"), |it| {
        it.scope = "group:secret".into();
        it.context = r#"{"kind": "vault"}"#.into();
        it.vector = vector(&[1.0, 0.0]);
    });
    // The same words, told to all as well.
    let shared = says("arm-1", 1, 1, "The cup is red");
    let shared_secretly =
        with(says("spy", 2, 1, "The cup is red"), |it| it.scope = "group:secret".into());
    let derived = with(says("arm-1", 2, 1, "The vault is made of steel"), |it| {
        it.derived_from = vec![of("spy", 1)]
    });
    store.take(&[secret, shared, shared_secretly, derived], &at(4)).unwrap();
    let asks = |query: &str| RecallRequest { query: query.into(), ..Default::default() };
    let public = only(&["global"]);
    let requests = [
        asks("zanzibar"),
        RecallRequest { scope: "group:secret".into(), ..asks("zanzibar") },
        RecallRequest { context_filter: r#"{"kind": "vault"}"#.into(), ..Default::default() },
        RecallRequest {
            types: vec!["fact".into()],
            scope: "group:secret".into(),
            ..Default::default()
        },
    ];
    for request in &requests {
        for readable in [&public, &only(&[]), &only(&["group:secre"]), &only(&["group:a\",\"b"])] {
            let vector: Option<(&str, &[f32])> = Some(("test-model", &[1.0, 0.0]));
            let vector = vector.filter(|_| request.scope.is_empty() && !request.query.is_empty());
            let found = store.recall(request, vector, readable).unwrap();
            let is_seen = found.memories.iter().any(|hit| hit.memory.content.contains("opens"));
            assert!(!is_seen, "{request:?} {readable:?}");
            assert!(found.total <= u64::from(vector.is_some()), "{request:?} {readable:?}");
        }
        assert!(
            store.recall(request, None, &only(&["group:secret"])).unwrap().total > 0,
            "{request:?}"
        );
    }
    let hit = |readable: &Scopes| {
        store.recall(&asks("red cup"), None, readable).unwrap().memories.remove(0)
    };
    assert_eq!(hit(&public).why.told_by, ["arm-1"]);
    assert_eq!(hit(&Scopes::All).why.told_by, ["arm-1", "spy"]);
    // How rare a word is, is that of what may be read.
    let score = |readable: &Scopes| hit(readable).why.word_score;
    assert_ne!(score(&public), score(&Scopes::All));
    assert!(matches!(store.provenance("spy", 1, &public), Err(Error::NotFound(_))));
    let of_derived = store.provenance("arm-1", 2, &public).unwrap();
    assert_eq!(of_derived.derived_from[0].content, None);
    let of_derived = store.provenance("arm-1", 2, &Scopes::All).unwrap();
    assert_eq!(
        of_derived.derived_from[0].content.as_deref(),
        Some("The vault opens with zanzibar")
    );
    for scope in ["dm", "agent:x", "all", "group:", "fleet", "group:a\0"] {
        assert!(
            matches!(store.provenance("spy", 1, &only(&[scope])), Err(Error::Invalid(_))),
            "{scope:?}"
        );
    }
}

/// The policy, not the query, keeps rows from who may not read them: SQL by hand as the role of recall.
#[test]
fn the_role_of_recall_sees_no_row_without_its_setting() {
    let server = Server::start();
    let store = server.store();
    let group = with(says("spy", 1, 1, "The vault opens"), |it| {
        it.scope = "group:secret".into();
        it.context = r#"{"kind": "vault"}"#.into();
        it.vector = vector(&[1.0, 0.0]);
        it.roots = vec![of("other", 1), of("spy", 1)];
    });
    store
        .take(
            &[group, with(says("arm-1", 1, 1, "Red"), |it| it.vector = vector(&[1.0, 0.0]))],
            &at(2),
        )
        .unwrap();
    // As the owner of the tables, who is no superuser, and as a superuser who takes the role.
    for user in ["site", "postgres"] {
        let mut client =
            postgres::Client::connect(&server.url_as(user, "site"), postgres::NoTls).unwrap();
        let mut tx = client.transaction().unwrap();
        tx.batch_execute("SET LOCAL ROLE robot_memory_reader").unwrap();
        let count = |tx: &mut postgres::Transaction<'_>, table: &str| -> i64 {
            tx.query_one(&format!("SELECT count(*) FROM robot_memory.{table}"), &[]).unwrap().get(0)
        };
        let tables = ["head", "edge", "statement", "words", "vector", "term", "corpus"];
        let functions = [
            "with_words('{vault}', '{9}', 9, 0, 9e18::bigint, 9, false)",
            "with_context('{}', 0, 9e18::bigint, 9)",
        ];
        for table in tables.iter().chain(&functions) {
            assert_eq!(count(&mut tx, table), 0, "{table}");
        }
        tx.batch_execute(
            "SET LOCAL robot_memory.site_no = '1'; SET LOCAL robot_memory.scopes = '{global}'",
        )
        .unwrap();
        assert_eq!(
            (count(&mut tx, "statement"), count(&mut tx, "head"), count(&mut tx, "edge")),
            (1, 1, 0)
        );
        for function in functions {
            assert_eq!(count(&mut tx, function), 0, "{function}");
        }
        tx.batch_execute("SET LOCAL robot_memory.scopes = '{group:secret}'").unwrap();
        assert_eq!(
            (count(&mut tx, "statement"), count(&mut tx, functions[0]), count(&mut tx, "edge")),
            (1, 1, 2)
        );
        tx.batch_execute("SET LOCAL robot_memory.site_no = '2'").unwrap();
        assert_eq!(count(&mut tx, "statement"), 0);
        tx.rollback().unwrap();
        for sql in [
            "SELECT * FROM robot_memory.statement_s1_202603",
            "SELECT * FROM robot_memory.origin",
            "SELECT * FROM robot_memory.revocation",
            "SELECT * FROM robot_memory.site",
            "INSERT INTO robot_memory.corpus VALUES (1, 'global', 1, 1)",
            "UPDATE robot_memory.statement SET scope = 'global'",
            "DELETE FROM robot_memory.head",
        ] {
            let mut tx = client.transaction().unwrap();
            tx.batch_execute("SET LOCAL ROLE robot_memory_reader").unwrap();
            let error = tx.batch_execute(sql).unwrap_err();
            assert_eq!(
                error.code(),
                Some(&postgres::error::SqlState::INSUFFICIENT_PRIVILEGE),
                "{sql}"
            );
        }
    }
    let forced: bool = server
        .admin("site")
        .query_one(
            "SELECT bool_and(relforcerowsecurity) FROM pg_class WHERE relnamespace = 'robot_memory'::regnamespace \
             AND relname IN ('head', 'edge', 'statement', 'words', 'vector', 'term', 'corpus', 'judgment')",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(forced);
}

#[test]
fn a_reader_sees_one_snapshot_and_does_not_wait_for_the_writer() {
    let server = Server::start();
    let store = server.store();
    store.take(&[says("arm-1", 1, 1, "Red")], &at(1)).unwrap();
    // Who takes claims holds these locks.
    let mut admin = server.admin("site");
    let mut tx = admin.transaction().unwrap();
    tx.batch_execute(
        "SELECT * FROM robot_memory.site FOR UPDATE; UPDATE robot_memory.statement SET content = 'Blue'; \
         DELETE FROM robot_memory.head",
    )
    .unwrap();
    let request = RecallRequest { query: "red".into(), ..Default::default() };
    let found = store.recall(&request, None, &Scopes::All).unwrap();
    assert_eq!(found.memories[0].why.told_by, ["arm-1"]);
    assert_eq!(store.position().unwrap(), Some(at(1)));
}
