//! A fleet whose robots and leaves have credentials that an operator signed (JWT), in files.

use crate::configs;
use crate::deployed::{memory_with, wait_for};
use crate::journal::Journal;
use crate::server::{Server, free_port, wait_until};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use robot_memory_fleet::{Settings, State, Way};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const BY_LEAF: &str = "$JS.hub.API";
const DIRECT: &str = "$JS.API";
const ENDED: i64 = 1_600_000_000;

/// Who may say who a user is: an operator, and the account of the fleet.
struct Authority {
    operator: KeyPair,
    account: KeyPair,
    system: KeyPair,
}

/// A token that `by` signs.
fn signed(by: &KeyPair, subject: &str, nats: Value, ends_at: Option<i64>) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = json!({"typ": "JWT", "alg": "ed25519-nkey"});
    let mut claims = json!({
        "jti": subject, "iat": ENDED - 60, "iss": by.public_key(), "name": subject, "sub": subject, "nats": nats,
    });
    if let Some(ends_at) = ends_at {
        claims["exp"] = ends_at.into();
    }
    let said = format!("{}.{}", part(&head), part(&claims));
    let signature = by.sign(said.as_bytes()).unwrap();
    format!("{said}.{}", URL_SAFE_NO_PAD.encode(signature))
}

impl Authority {
    fn new() -> Self {
        Self {
            operator: KeyPair::new_operator(),
            account: KeyPair::new_account(),
            system: KeyPair::new_account(),
        }
    }

    fn account_token(&self, account: &KeyPair, has_storage: bool) -> String {
        let storage = if has_storage { -1 } else { 0 };
        let limits = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
            "mem_storage": storage, "disk_storage": storage, "streams": -1, "consumer": -1,
        });
        let nats = json!({"type": "account", "version": 2, "limits": limits});
        signed(&self.operator, &account.public_key(), nats, None)
    }

    /// What the file of the hub has of it.
    fn config(&self) -> String {
        let system = self.system.public_key();
        let nats = json!({"type": "operator", "version": 2, "system_account": system});
        format!(
            "operator: {}\nsystem_account: {system}\nresolver: MEMORY\n\
             resolver_preload {{\n  {}: {}\n  {system}: {}\n}}\n",
            signed(&self.operator, &self.operator.public_key(), nats, None),
            self.account.public_key(),
            self.account_token(&self.account, true),
            self.account_token(&self.system, false),
        )
    }

    /// A hub that knows it, and the port for leaves.
    fn hub(&self, folder: &Path) -> (Server, u16) {
        let hub = configs::HubConfig::new(folder);
        let text = hub.text + &self.config();
        (Server::start(folder, "hub", hub.port, &text), hub.leaf_port)
    }

    /// The file of credentials of a robot, with the permissions that deploy/fleet gives to one.
    /// `api`: where it asks JetStream.
    fn credentials(&self, folder: &Path, robot: &str, api: &str, ends_at: Option<i64>) -> PathBuf {
        let key = KeyPair::new_user();
        let allowed = |verb: &str| {
            let subjects = allowed(verb, robot).into_iter();
            subjects.map(|it| it.replace(BY_LEAF, api)).collect::<Vec<_>>()
        };
        let nats = json!({
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
            "pub": {"allow": allowed("publish")}, "sub": {"allow": allowed("subscribe")},
        });
        let token = signed(&self.account, &key.public_key(), nats, ends_at);
        let path = folder.join(format!("{robot}.creds"));
        let (seed, line) = (key.seed().unwrap(), "------");
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n{line}END NATS USER JWT{line}\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n{line}END USER NKEY SEED{line}\n"
        );
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// The subjects of the entry of a robot in the file of the hub.
fn allowed(verb: &str, robot: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/fleet/hub.conf");
    let text = std::fs::read_to_string(path).unwrap();
    let begin = text.find(&format!("{verb}: [")).unwrap();
    let list = &text[begin..begin + text[begin..].find(']').unwrap()];
    let subjects = list.split('"').skip(1).step_by(2);
    subjects.map(|it| it.replace("ROBOT", robot)).collect()
}

fn fault_of(state: &State, way: Way) -> Option<&str> {
    state.faults.iter().find(|fault| fault.way == way).map(|fault| fault.text.as_str())
}

#[test]
fn credentials_of_an_operator_let_robots_in() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new();
    let (hub, leaf_port) = authority.hub(folder);

    // By a leaf, which has them.
    let port = free_port();
    let credentials = authority.credentials(folder, "arm", BY_LEAF, None);
    let config = configs::leaf(folder, "arm", port, leaf_port);
    let config = config.replace("{ url:", &format!("{{ credentials: {credentials:?}, url:"));
    let leaf = Server::start(folder, "arm", port, &config);
    let (arm, arm_transport) = memory_with(folder, Settings::new(&leaf.url(), "arm"));

    // Without one.
    let mut settings = Settings::new(&hub.url(), "cart");
    settings.credentials_path = Some(authority.credentials(folder, "cart", DIRECT, None));
    let (cart, cart_transport) = memory_with(folder, settings);
    arm.say(1, 1, 100);
    cart.say(1, 1, 100);
    arm_transport.wake();
    cart_transport.wake();
    wait_for(&cart, &cart_transport, ("arm", 1, 1));
    wait_for(&arm, &arm_transport, ("cart", 1, 1));

    // Those of another robot do not let it say what its own name says.
    let mut settings = Settings::new(&hub.url(), "thief");
    settings.credentials_path = Some(authority.credentials(folder, "nobody", DIRECT, None));
    let (thief, thief_transport) = memory_with(folder, settings);
    thief.say(1, 1, 100);
    wait_for(&thief, &thief_transport, ("arm", 1, 1));
    let is_said = || {
        let state = thief_transport.state();
        fault_of(&state, Way::Outbox).is_some_and(|text| text.contains("\"fleet.log.thief\""))
    };
    wait_until(is_said, || format!("{:?}", thief_transport.state()));
    let has_thief = |it: &Journal| it.taken().keys().any(|key| key.0 == "thief");
    assert!(!has_thief(&arm) && !has_thief(&cart));
    assert_eq!(thief.waiting(), 1);
}

#[test]
fn new_credentials_are_read_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new();
    let (hub, _) = authority.hub(folder);
    let mut settings = Settings::new(&hub.url(), "arm");
    settings.credentials_path = Some(authority.credentials(folder, "arm", DIRECT, Some(ENDED)));
    let (arm, transport) = memory_with(folder, settings);
    arm.say(1, 1, 100);
    let is_refused = || {
        let state = transport.state();
        fault_of(&state, Way::Server).is_some_and(|text| text.contains("authorization"))
    };
    wait_until(is_refused, || format!("{:?}", transport.state()));

    std::fs::write(folder.join("arm.creds"), "nothing\n").unwrap();
    let is_named = || {
        let state = transport.state();
        fault_of(&state, Way::Server)
            .is_some_and(|text| text.contains("arm.creds has no credentials"))
    };
    wait_until(is_named, || format!("{:?}", transport.state()));

    authority.credentials(folder, "arm", DIRECT, None);
    wait_for(&arm, &transport, ("arm", 1, 1));
}
