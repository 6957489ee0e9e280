use super::*;

/// The rule that a text meets.
fn in_text<'n>(never: &'n NeverStore, text: &str) -> Option<&'n str> {
    never.find(text).map(|found| found.rule)
}

/// The rule that JSON meets.
fn in_json<'n>(never: &'n NeverStore, json: &str) -> Option<&'n str> {
    never.find_in_json(json).map(|found| found.rule)
}

/// A text of each of the first rules.
const SECRETS: [(&str, &str); 5] = [
    ("api_key", "sk-abcdefghij0123456789"),
    ("password", "password: hunter2"),
    ("token", "token=abc"),
    ("cookie", "cookie : sid=8a1057787"),
    ("private_key", "-----BEGIN RSA PRIVATE KEY-----"),
];

#[test]
fn each_rule_is_found_in_any_case_and_in_any_language() {
    let never = NeverStore::built_in();
    for (rule, secret) in SECRETS {
        for secret in [secret.to_owned(), secret.to_uppercase()] {
            for text in [
                secret.clone(),
                format!("remember that {secret} is it"),
                format!("请记住{secret}，谢谢"),
                format!("line\n\t{secret}\n"),
            ] {
                assert_eq!(in_text(&never, &text), Some(rule), "{text}");
                assert_eq!(
                    never.find_in_bytes(text.as_bytes()).map(|found| found.rule),
                    Some(rule),
                    "{text}"
                );
                let bytes = [&[0xff, 0, 0xc3][..], text.as_bytes(), &[0, 0x80]].concat();
                assert_eq!(
                    never.find_in_bytes(&bytes).map(|found| found.rule),
                    Some(rule),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn spaces_are_those_of_the_patterns() {
    let never = NeverStore::built_in();
    for text in [
        "password:x",
        "password = x",
        "password\n:\t x",
        "Password\u{3000}: x",
        "my_password=x",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "-----begin ec private key-----",
        "-----begin  rsa\nprivate key-----",
    ] {
        assert!(never.find(text).is_some(), "{text}");
    }
}

#[test]
fn quotes_wide_and_invisible_characters_hide_nothing() {
    let never = NeverStore::built_in();
    for text in [
        r#"the config is {"password": "x"}"#,
        "{'password': 'x'}",
        r#"{\"password\": \"x\"}"#,
        "密码 password：abc",
        "ｐａｓｓｗｏｒｄ：abc",
        "pass\u{200b}word: abc",
        "“password”：“abc”",
        r#"{"p\u0061ssword": "x"}"#,
    ] {
        assert_eq!(in_text(&never, text), Some("password"), "{text}");
    }
}

#[test]
fn json_is_read_whatever_it_is_written_with() {
    let never = NeverStore::built_in();
    for json in [
        r#"{"password": "x"}"#,
        r#"{"Password":"x"}"#,
        r#"{"p\u0061ssword": "x"}"#,
        r#"{"db_password": 12345}"#,
        r#"{"password": -1.5}"#,
        r#"{"password": ["x"]}"#,
        r#"{"password": [[null, ["x"]]]}"#,
        r#"{"password": {"value": "x"}}"#,
        r#"[{"a": [{"b": {"password": "x"}}]}]"#,
        r#"{"password": "x", "password": ""}"#,
        r#"{"note": "the password\u003a x"}"#,
        r#"{"password: x": 1}"#,
        r#"["password=x"]"#,
        r#""password=x""#,
        r#"{"values": "{\"p\\u0061ssword\": \"x\"}"}"#,
        r#"{"password": "x", "and then"#,
        r#"{"a": 1} {password: x}"#,
        "password: x, and no JSON at all",
    ] {
        assert_eq!(in_json(&never, json), Some("password"), "{json}");
    }
    assert_eq!(in_json(&never, r#"{"k": "SK-ABCDEFGHIJ0123456789"}"#), Some("api_key"));
}

#[test]
fn what_is_no_secret_may_be_said() {
    let never = NeverStore::built_in();
    for text in [
        "",
        "the token ring",
        "password manager was opened",
        "password:",
        "password =  ",
        "sk-short",
        "sk-abcdefghij-0123456789",
        "cookie jar on the shelf",
        "the user forgot the password; ask again",
        "tokens: 5",
        "-----BEGIN PUBLIC KEY-----",
        "拿起桌上的 cookie，放进盒子",
        "Cookie: place it on the left plate",
        "token: blue seen at B4",
        "turn_id=task-550e8400e29b41d4a716446655440000",
        "desk-0123456789abcdefghij0123",
    ] {
        assert_eq!(in_text(&never, text), None, "{text}");
    }
    for json in [
        "",
        "{}",
        r#"{"tokens": 5}"#,
        r#"{"token": 5}"#,
        r#"{"token": "red disc"}"#,
        r#"{"cookie": {"diameter": 5}}"#,
        r#"{"has_password": true}"#,
        r#"{"password": false}"#,
        r#"{"password": ""}"#,
        r#"{"password": null}"#,
        r#"{"password": []}"#,
        r#"{"password": {}}"#,
        r#"{"object": "cookie", "place": "shelf"}"#,
        r#"{"count": [1, 2, 3], "unit": "token"}"#,
        "not JSON",
    ] {
        assert_eq!(in_json(&never, json), None, "{json}");
    }
}

fn with(name: &str, pattern: &str) -> Result<NeverStore, RuleFault> {
    NeverStore::with(&[("badge".into(), r"badge\s*#?\d{6}".into()), (name.into(), pattern.into())])
}

#[test]
fn more_patterns_hold_beside_the_built_in_ones() {
    let never = with("ward", r"\bward\s*[:=]\s*[a-z]\d").unwrap();
    assert_eq!(in_text(&never, "BADGE #123456"), Some("badge"));
    assert_eq!(in_json(&never, r#"{"ward": "B7"}"#), Some("ward"));
    assert_eq!(in_json(&never, r#"{"ward": "77"}"#), None);
    assert_eq!(in_text(&never, "password=x"), Some("password"));
}

#[test]
fn a_pattern_that_cannot_be_is_named() {
    let long = "x".repeat(NEVER_STORE_BYTES_MAX + 1);
    let long_name = "n".repeat(NEVER_STORE_NAME_BYTES_MAX + 1);
    for (name, pattern, expected) in [
        ("x", "(", "never_store[1].pattern: error: unclosed group"),
        ("x", "", "never_store[1].pattern: must be 1 to 1024 bytes, got 0"),
        ("x", &long, "never_store[1].pattern: must be 1 to 1024 bytes, got 1025"),
        ("x", "a*", "matches the empty text, and so would refuse everything"),
        ("x", "(?:a{1000}){1000}", "never_store[1].pattern: "),
        ("", "x", r#"never_store[1].name: must be 1 to 32 of a-z, 0-9 and _, got """#),
        ("a secret", "x", "must be 1 to 32 of"),
        (&long_name, "x", "must be 1 to 32 of"),
        ("badge", "x", "never_store[1].name: badge is the name of another pattern"),
        ("password", "x", "never_store[1].name: password is the name of another pattern"),
    ] {
        let error = with(name, pattern).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Texts that nearly match, over and over.
const NEARLY: [&str; 14] = [
    "password",
    "aKey_",
    "password 密码 pin ",
    "ssh curl door opens with code ",
    "p a s s w o r ",
    "%41%&#65;<b>\u{200b}",
    "YWFhYWFhYWFhYWFhYWFh ",
    "sk-abcdefghij012345678 ",
    "sk-sk-sk-",
    "password \t\n ",
    "passwordpassword ; ",
    "token  cookie  ",
    "-----BEGIN RSA \t",
    "[\"password\",{\"jar\":null},",
];

/// Seconds that this thread has computed: on a busy computer the time of the clock says little.
fn cpu_secs() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The least time of some runs.
fn secs(run: impl Fn() -> bool) -> f64 {
    let runs = (0..5).map(|_| {
        let begin = cpu_secs();
        assert!(!run(), "it does not match");
        cpu_secs() - begin
    });
    runs.fold(f64::INFINITY, f64::min)
}

#[test]
fn twice_the_text_takes_about_twice_the_time() {
    let never = NeverStore::built_in();
    for nearly in NEARLY {
        let of = |bytes: usize| nearly.repeat(bytes / nearly.len());
        let (one, two) = (of(1 << 15), of(1 << 16));
        // What else runs takes its part of the caches: what counts is that it can be quick.
        let ratios = (0..5).map(|_| {
            let both = (secs(|| never.find(&one).is_some()), secs(|| never.find(&two).is_some()));
            let json = secs(|| never.find_in_json(&two).is_some());
            println!("{nearly:?}: {:.1} ms a MB, as JSON {:.1} ms", both.1 * 16e3, json * 16e3);
            both.1 / both.0
        });
        assert!(ratios.into_iter().any(|ratio| ratio < 3.0), "{nearly:?}");
    }
}

#[test]
fn a_long_key_of_many_values_takes_no_longer_than_other_json_does() {
    let never = NeverStore::built_in();
    let of =
        |bytes: usize| format!(r#"{{"{}": [{}0]}}"#, "k".repeat(bytes / 2), "0,".repeat(bytes / 4));
    let (one, two) = (of(1 << 17), of(1 << 18));
    let ratios = (0..5).map(|_| {
        let time = |json: &str| secs(|| never.find_in_json(json).is_some());
        time(&two) / time(&one)
    });
    assert!(ratios.into_iter().any(|ratio| ratio < 3.0));
    let long = format!(r#"{{"{}password": [0, "x"]}}"#, "k".repeat(100_000));
    assert_eq!(in_json(&never, &long), Some("password"));
}

#[test]
fn the_place_is_told_and_nothing_of_the_secret() {
    let never = NeverStore::built_in();
    for (text, place) in [
        ("password: hunter2", "at character 0"),
        ("门的密码是 1234", "at character 2"),
        ("the pass\u{200b}word is hunter2", "at character 4"),
        ("say **password**: hunter2", "at character 6"),
        ("https://robot.local/?user=op&password=hunter2", "at character 29"),
        (r#"{"a": {"password": "x"}}"#, "at /a/password"),
    ] {
        assert_eq!(never.find(text).unwrap().place.to_string(), place, "{text}");
    }
    for (json, place) in [
        (r#"{"env": [{}, {"DB_PASSWORD": "x"}]}"#, "at /env/1/DB_PASSWORD"),
        (r#"{"note": "the password is hunter2"}"#, "at /note, character 4"),
        (r#"{"a/b": {"name": "password", "value": "hunter2"}}"#, "at /a~1b/value"),
        (r#"{"x": {"password: hunter2": 1}}"#, "in a key of /x"),
        (r#"{"hunter2000": {"password": "x"}}"#, "at /…/password"),
        (r#""password: hunter2""#, "at character 0"),
        (r#"{"values": "{\"password\": \"x\"}"}"#, "at /values/password"),
    ] {
        assert_eq!(never.find_in_json(json).unwrap().place.to_string(), place, "{json}");
    }
    let place = never.find_in_bytes(b"\0\x01ok\0password: hunter2").unwrap().place;
    assert_eq!(place.to_string(), "at byte 5");
}

#[test]
fn what_one_field_names_and_another_holds_is_found() {
    let never = NeverStore::built_in();
    let across = |text: &str, json: &str| never.find_across(text, json).map(|found| found.rule);
    for (text, json) in [
        ("The WiFi password is", r#"{"note": "Blume564"}"#),
        ("password:", r#"{"value": "RWpXNLxN"}"#),
        ("wifi password", r#"{"task": {"value": "Blume564"}}"#),
        ("门禁密码是", r#"{"内容": "7719"}"#),
        ("Blume564", r#"{"kind": "wifi password"}"#),
    ] {
        assert!(across(text, json).is_some(), "{text} {json}");
    }
    for (text, json) in [
        (
            "ask Anna for the password",
            r#"{"task": {"id": "task-cj6i71x254s674ps"}, "robot": "arm7"}"#,
        ),
        (
            "The WiFi password is",
            r#"{"place": "B4", "spatial": {"x": 1.25}, "source": "log_2026.txt"}"#,
        ),
        ("The cup is red", r#"{"note": "Blume564"}"#),
        ("Blume564", r#"{"kind": "cup", "color": "red"}"#),
    ] {
        assert_eq!(across(text, json), None, "{text} {json}");
    }
}

#[test]
fn base64_is_read_when_it_is_a_text() {
    let never = NeverStore::built_in();
    // "password: hunter2", and the same within JSON.
    assert_eq!(in_json(&never, r#"{"data": "cGFzc3dvcmQ6IGh1bnRlcjI="}"#), Some("password"));
    assert_eq!(in_text(&never, "it says cGFzc3dvcmQ6IGh1bnRlcjI= there"), Some("password"));
    assert_eq!(in_json(&never, r#"{"data": "eyJwYXNzd29yZCI6ICJ4In0="}"#), Some("password"));
    // "the cup is on the shelf".
    assert_eq!(in_json(&never, r#"{"data": "dGhlIGN1cCBpcyBvbiB0aGUgc2hlbGY="}"#), None);
}
