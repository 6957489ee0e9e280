use crate::claims::{at, says, vector, with};
use crate::server::Server;
use robot_memory_core::api::RecallRequest;
use robot_memory_site::{Error, Scopes, SiteStore};

#[test]
fn a_store_is_made_opened_again_and_refused_when_it_is_newer() {
    let server = Server::start();
    drop(server.store());
    let store = server.store();
    assert_eq!(store.position(), Ok(None));
    let mut admin = server.admin("site");
    admin.batch_execute("UPDATE robot_memory.schema_version SET version = 99").unwrap();
    let error = SiteStore::open(&server.url(), "plant").err();
    assert_eq!(
        error,
        Some(Error::NewerSchema { found: 99, known: robot_memory_site::SCHEMA_VERSION })
    );
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let server = Server::start();
    let refusal = |url: &str| SiteStore::open(url, "plant").err().expect("an error").to_string();
    server.admin("postgres").batch_execute("CREATE DATABASE bare OWNER site").unwrap();
    let message = refusal(&server.url_as("site", "bare"));
    assert!(message.contains("CREATE EXTENSION vector"), "{message}");
    server
        .admin("postgres")
        .batch_execute("CREATE ROLE plain LOGIN; GRANT ALL ON DATABASE site TO plain")
        .unwrap();
    let message = refusal(&server.url_as("plain", "site"));
    assert!(message.contains("CREATE ROLE robot_memory_reader"), "{message}");
    server.make_database("apart");
    server
        .admin("apart")
        .batch_execute("CREATE SCHEMA of_vectors; ALTER EXTENSION vector SET SCHEMA of_vectors")
        .unwrap();
    let apart = server.url_as("site", "apart");
    let message = refusal(&apart);
    assert!(message.contains("ALTER ROLE site SET search_path"), "{message}");
    let paths = "GRANT USAGE ON SCHEMA of_vectors TO site, robot_memory_reader; \
                 ALTER ROLE site IN DATABASE apart SET search_path = \"$user\", public, of_vectors";
    server.admin("postgres").batch_execute("CREATE ROLE robot_memory_reader").unwrap();
    server.admin("apart").batch_execute(paths).unwrap();
    server.admin("postgres").batch_execute("GRANT robot_memory_reader TO site").unwrap();
    is_of_use(&SiteStore::open(&apart, "plant").unwrap());
    let latin = "CREATE DATABASE latin OWNER site ENCODING 'LATIN1' TEMPLATE template0";
    server.admin("postgres").batch_execute(latin).unwrap();
    let message = refusal(&server.url_as("site", "latin"));
    assert!(message.contains("must be UTF8"), "{message}");
    let message = refusal(&server.url_as("site:sesame", "nowhere"));
    assert!(message.contains("nowhere") && !message.contains("sesame"), "{message}");
    let many = "ALTER ROLE robot_memory_reader BYPASSRLS";
    server.admin("postgres").batch_execute(many).unwrap();
    let message = refusal(&server.url());
    assert!(message.contains("row level security"), "{message}");
    for site in ["", "a b", "x'; DROP TABLE y", &"n".repeat(65)] {
        assert!(matches!(SiteStore::open(&server.url(), site), Err(Error::Invalid(_))), "{site}");
    }
}

fn is_of_use(store: &SiteStore) {
    let claim = with(says("arm-1", 1, 1, "Red"), |it| it.vector = vector(&[1.0, 0.0]));
    store.take(&[claim], &at(1)).unwrap();
    let query: Option<(&str, &[f32])> = Some(("test-model", &[1.0, 0.0]));
    assert_eq!(store.recall(&RecallRequest::default(), query, &Scopes::All).unwrap().total, 1);
}

#[test]
fn sites_of_one_database_know_nothing_of_each_other() {
    let server = Server::start();
    let (one, other) = (server.store(), SiteStore::open(&server.url(), "quarry").unwrap());
    one.take(&[says("arm-1", 1, 1, "The red cup breaks above 13 N")], &at(1)).unwrap();
    let request = RecallRequest { query: "red cup".into(), ..Default::default() };
    assert_eq!(one.recall(&request, None, &Scopes::All).unwrap().total, 1);
    assert_eq!(other.recall(&request, None, &Scopes::All).unwrap().total, 0);
    assert_eq!(other.position(), Ok(None));
    assert_eq!(other.totals(), Ok(Vec::new()));
}
