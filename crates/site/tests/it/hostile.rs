use crate::claims::{at, bare, of, revokes, says, with};
use crate::server::Server;
use robot_memory_core::api::{ErrorKind, RecallRequest, SpatialSort};
use robot_memory_core::claim::{Claim, ClaimOp, Selector};
use robot_memory_core::model::Stamp;
use robot_memory_site::Scopes;

const ATTEMPTS: [&str; 9] = [
    "'; DROP TABLE robot_memory.statement; --",
    "\"); DELETE FROM robot_memory.head; --",
    "$1 $2 $$ $tag$ {} {{}} %s %I \\",
    "' OR '1'='1",
    "robot_memory.reads_all",
    "{\"global\",\"group:a\"}",
    "'a' & !'b' | <-> :*",
    "\u{1f916}\u{202e}\\u0000\u{fffd}",
    "\\'; SET ROLE postgres; --",
];

/// How many rows each table has.
fn rows(server: &Server) -> Vec<i64> {
    let mut admin = server.admin("site");
    ["statement", "head", "edge", "words", "revocation", "receipt", "judgment", "term"]
        .map(|table| {
            admin
                .query_one(&format!("SELECT count(*) FROM robot_memory.{table}"), &[])
                .unwrap()
                .get(0)
        })
        .to_vec()
}

#[test]
fn no_text_of_a_claim_or_a_request_becomes_sql() {
    let server = Server::start();
    let store = server.store();
    for (at_number, text) in ATTEMPTS.iter().enumerate() {
        let id = at_number as i64 + 1;
        let claim = with(says(text, id, 1, &format!("cup {text}")), |it| {
            it.scope = format!("group:{}", text.replace('*', ""));
            it.collection = (*text).to_owned();
            it.session_id = (*text).to_owned();
            it.stream = (*text).to_owned();
            it.map_id = (*text).to_owned();
            it.frame = (*text).to_owned();
            it.context = serde_json::json!({ *text: { "at": text } }).to_string();
            it.roots = vec![of(text, id), of(text, 99)];
            it.derived_from = vec![of(text, 7)];
        });
        let mut claim = claim;
        claim.body.robot_type = (*text).to_owned();
        claim.body.gripper = (*text).to_owned();
        let judged = Claim { target: Some(of(text, id)), ..bare("arm-1", id, 1, ClaimOp::Confirm) };
        let taken = store.take(&[claim, judged], &at(1)).unwrap();
        assert_eq!(
            (taken.asserted_count, taken.judged_count, taken.refused.len()),
            (1, 1, 0),
            "{text}"
        );
    }
    let before = rows(&server);
    for text in ATTEMPTS {
        let all = RecallRequest { n: 100, ..Default::default() };
        let by_collection =
            RecallRequest { query: "cup".into(), collection: text.into(), ..all.clone() };
        let found = store.recall(&by_collection, None, &Scopes::All).unwrap();
        assert_eq!(found.memories.len(), 1, "{text}");
        assert_eq!(found.memories[0].memory.content, format!("cup {text}"));
        assert_eq!(found.memories[0].why.told_by, [text]);
        let by_query = RecallRequest { query: text.into(), ..all.clone() };
        store.recall(&by_query, Some((text, &[1.0])), &Scopes::All).unwrap();
        let filter = serde_json::json!({ "none": text }).to_string();
        let by_filter = RecallRequest { context_filter: filter, ..all.clone() };
        assert_eq!(store.recall(&by_filter, None, &Scopes::All).unwrap().total, 0, "{text}");
        if !text.contains('.') {
            let filter = serde_json::json!({ format!("{text}.at"): text }).to_string();
            let by_path = RecallRequest { context_filter: filter, ..all.clone() };
            assert_eq!(store.recall(&by_path, None, &Scopes::All).unwrap().total, 1, "{text}");
        }
        let by_map = RecallRequest { map_id: text.into(), frame: text.into(), ..all.clone() };
        assert_eq!(store.recall(&by_map, None, &Scopes::All).unwrap().total, 0, "{text}");
        let readable = Scopes::Only(vec![format!("group:{}", text.replace('*', "").trim())]);
        let known = store.recall(&by_collection, None, &readable).unwrap();
        assert_eq!(known.total, 1, "{text}");
        assert_eq!(store.provenance(text, 999, &Scopes::All).ok(), None);
        let revoked = Selector {
            origin: "nobody".into(),
            session_id: text.into(),
            stream: text.into(),
            reason: text.into(),
            ..Default::default()
        };
        store.take(&[Claim { origin: text.into(), ..revokes(1, revoked) }], &at(2)).unwrap();
    }
    let after = rows(&server);
    assert_eq!(before[..4], after[..4]);
    assert_eq!(after[4], ATTEMPTS.len() as i64);
}

#[test]
fn what_the_database_cannot_hold_is_refused_by_its_field() {
    let server = Server::start();
    let store = server.store();
    let nul = "a\0b";
    let claims = [
        says(nul, 1, 1, "x"),
        says("arm-1", 1, 1, nul),
        with(says("arm-1", 2, 1, "x"), |it| it.context = r#"{"a": "\u0000"}"#.into()),
        with(says("arm-1", 3, 1, "x"), |it| it.context = r#"{"\u0000": 1}"#.into()),
        with(says("arm-1", 4, 1, "x"), |it| it.context = "[1]".into()),
        with(says("arm-1", 5, 1, "x"), |it| it.context = r#"{"a": 1e999}"#.into()),
        with(says("arm-1", 6, 1, "x"), |it| it.roots = vec![of(nul, 1)]),
        with(says("arm-1", 7, 1, "x"), |it| it.collection = nul.into()),
        Claim { target: Some(of(nul, 1)), ..bare("arm-1", 8, 1, ClaimOp::Confirm) },
        revokes(1, Selector { origin: nul.into(), ..Default::default() }),
        says("arm-1", 9, 1, "Good"),
    ];
    let taken = store.take(&claims, &at(1)).unwrap();
    assert_eq!((taken.asserted_count, taken.refused.len()), (1, 10), "{taken:?}");
    // What was said before of the same memory no longer holds.
    store.take(&[says("arm-1", 9, 2, nul)], &at(2)).unwrap();
    let all = RecallRequest { since: Some(Stamp(0)), ..Default::default() };
    assert_eq!(store.recall(&all, None, &Scopes::All).unwrap().total, 0);
}

#[test]
fn fields_that_are_not_answered_are_refused_by_name() {
    let server = Server::start();
    let store = server.store();
    let base = || RecallRequest { query: "cup".into(), ..Default::default() };
    let without = || RecallRequest { since: Some(Stamp(0)), ..Default::default() };
    let text = || "x".to_owned();
    let requests: Vec<(&str, RecallRequest)> = vec![
        ("session_id", RecallRequest { session_id: text(), ..base() }),
        ("spatial_sort", RecallRequest { spatial_sort: Some(SpatialSort::default()), ..base() }),
        ("levels", RecallRequest { levels: vec!["core".into()], ..base() }),
        ("min_similarity", RecallRequest { min_similarity: 0.1, ..base() }),
        ("min_relevance", RecallRequest { min_relevance: 0.1, ..base() }),
        ("around_memory_id", RecallRequest { around_memory_id: 1, ..base() }),
        ("anchor_filter", RecallRequest { anchor_filter: text(), ..base() }),
        ("anchor_nth", RecallRequest { anchor_nth: 2, ..base() }),
        ("before_count", RecallRequest { before_count: 1, ..base() }),
        ("after_count", RecallRequest { after_count: 1, ..base() }),
        ("before_secs", RecallRequest { before_secs: 1.0, ..base() }),
        ("after_secs", RecallRequest { after_secs: 1.0, ..base() }),
        ("group_by", RecallRequest { group_by: "day".into(), ..base() }),
        ("nth", RecallRequest { nth: 1, ..base() }),
        ("like_memory_id", RecallRequest { like_memory_id: 1, ..base() }),
        ("window_name", RecallRequest { window_name: text(), ..base() }),
        ("window", RecallRequest { window: vec![1.0], ..base() }),
        ("window_channels", RecallRequest { window_channels: 1, ..base() }),
        ("window_rate_hz", RecallRequest { window_rate_hz: 1.0, ..base() }),
        ("include_data", RecallRequest { include_data: true, ..base() }),
        ("order", RecallRequest { order: "newest".into(), ..base() }),
        ("count_by", RecallRequest { count_by: "day".into(), ..base() }),
        ("count_by", RecallRequest { count_by: "session".into(), ..without() }),
        ("count_by", RecallRequest { count_by: "topic".into(), ..without() }),
        ("order", RecallRequest { order: "sideways".into(), ..without() }),
        ("types", RecallRequest { types: vec!["rumor".into()], ..without() }),
        ("ranking", RecallRequest { ranking: "worst".into(), ..base() }),
        ("scope", RecallRequest { scope: "dm".into(), ..base() }),
        ("scope", RecallRequest { scope: "cross:a".into(), ..base() }),
        ("n", RecallRequest { n: 0, ..base() }),
        ("n", RecallRequest { n: 101, ..base() }),
        ("min_confidence", RecallRequest { min_confidence: f64::NAN, ..base() }),
        ("since", RecallRequest { since: Some(Stamp(2)), until: Some(Stamp(2)), ..base() }),
        ("utc_offset_secs", RecallRequest { utc_offset_secs: 50_401, ..base() }),
        ("context_filter", RecallRequest { context_filter: "{\"a\": }".into(), ..base() }),
        (
            "context_filter",
            RecallRequest { context_filter: "{\"a\": \"\\u0000\"}".into(), ..base() },
        ),
        ("collections", RecallRequest { collection: text(), collections: vec![text()], ..base() }),
        ("collections", RecallRequest { collections: vec![text(), "*".into()], ..base() }),
        ("collection", RecallRequest { collection: "\0".into(), ..base() }),
        ("query", RecallRequest { query: "\0".into(), ..base() }),
        ("query", RecallRequest { query: "x".repeat(2_001), ..base() }),
        ("query", RecallRequest::default()),
    ];
    for (field, request) in requests {
        let error = store.recall(&request, None, &Scopes::All).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "{field}: {error}");
        assert!(error.message.starts_with(&format!("{field}:")), "{field}: {error}");
    }
    for components in [vec![], vec![0.0], vec![f32::NAN], vec![1.0; 4_097]] {
        let error = store.recall(&base(), Some(("m", &components)), &Scopes::All).unwrap_err();
        assert!(error.message.starts_with("vector:"), "{error}");
    }
}
