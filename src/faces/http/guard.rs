//! Who calls, and whether it may: the token, where the request comes from, and how many it has made.

use super::HttpSettings;
use super::logins::{Logins, Proof, cookie_name};
use super::problem::Problem;
use super::tokens::{Profile, TokenFile, hashed, new_secret};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use robot_memory_core::limits::HTTP_COUNTED_MAX;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Of the token; empty: nobody has proven who it is (`http_open`).
    pub name: String,
    /// For the access policy. `None`: whoever the request says, as over ROS.
    pub agent: Option<String>,
    pub profile: Profile,
}

/// What is asked of each request before it is read.
pub(super) struct Guard {
    tokens: TokenFile,
    /// Where the listener is.
    address: SocketAddr,
    /// Names that requests may be addressed to, beside that.
    hosts: Vec<String>,
    /// Whether callers on this computer need no token.
    is_open: bool,
    requests_per_second_max: f64,
    made: Mutex<HashMap<String, Bucket>>,
    logins: Logins,
    /// The one-time token of the start; `None`: there is none, or it was used.
    link: Mutex<Option<String>>,
}

/// From where a browser says that it asks.
const FETCH_SITE: &str = "sec-fetch-site";

/// What a caller is called who logged in with the one-time token.
const OF_LINK: &str = "login link";

/// Requests that a caller may still make.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Caller {
    /// Whoever has the store for itself.
    #[cfg(feature = "mcp")]
    pub fn operator(agent: Option<String>) -> Self {
        Self { name: String::new(), agent, profile: Profile::Operator }
    }
}

impl Guard {
    /// Of a listener at this address.
    pub fn new(settings: HttpSettings, address: SocketAddr) -> Self {
        let HttpSettings { address: given, hosts: named, is_open, tokens_path, .. } = settings;
        let requests_per_second_max = settings.requests_per_second_max;
        let mut hosts = named;
        // It may have been given by a name; an address is compared as such.
        if given.parse::<SocketAddr>().is_err() {
            hosts.push(given);
        }
        let tokens = TokenFile::new(tokens_path);
        let made_link = settings.login_link.then(new_secret).transpose();
        let link = made_link.unwrap_or_else(|error| {
            log::error!("there is no login link: {error}");
            None
        });
        Self {
            tokens,
            address,
            hosts,
            is_open,
            requests_per_second_max,
            made: Mutex::default(),
            logins: Logins::default(),
            link: Mutex::new(link),
        }
    }

    /// Who makes this request.
    ///
    /// # Errors
    /// When it is addressed to another host or comes from a page of another one, when nobody is known by its
    /// token or login, and when its caller has made too many.
    pub fn admit(
        &self,
        method: &Method,
        headers: &HeaderMap,
        uri: &Uri,
        peer: SocketAddr,
    ) -> Result<Caller, Problem> {
        check_given_once(headers)?;
        self.check_host(headers, uri)?;
        let caller = self.caller(method, headers, peer)?;
        self.count(&caller.name, Instant::now())?;
        Ok(caller)
    }

    /// Where the operator of the start logs in, once; `None`: there is none, or it was used.
    pub fn login_link(&self) -> Option<String> {
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        link.as_ref().map(|token| format!("http://{}/login?token={token}", self.address))
    }

    /// In which cookie a browser shows its login.
    pub fn cookie_name(&self) -> String {
        cookie_name(self.address.port())
    }

    /// Logs somebody in with a token of the file; answers what the cookie is to hold.
    ///
    /// # Errors
    /// As of [`admit`](Self::admit), and when nobody has this token.
    pub fn log_in(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
        peer: SocketAddr,
        token: &str,
    ) -> Result<String, Problem> {
        self.check_login(headers, uri, peer)?;
        let sha256 = hashed(token.trim());
        if self.tokens.find_hashed(&sha256).is_none() {
            return Err(Problem::unauthorized("token: nobody has this one"));
        }
        self.begin(Proof::Token(sha256))
    }

    /// The same with the one-time token of the start, which is used up by it.
    ///
    /// # Errors
    /// As of [`log_in`](Self::log_in).
    pub fn log_in_once(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
        peer: SocketAddr,
        token: &str,
    ) -> Result<String, Problem> {
        self.check_login(headers, uri, peer)?;
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        // Hashes are compared, so that the time it takes says nothing of the token.
        if link.as_ref().is_none_or(|link| hashed(link) != hashed(token)) {
            return Err(Problem::unauthorized(
                "token: this link was used already, or is of an earlier start of the node",
            ));
        }
        *link = None;
        drop(link);
        self.begin(Proof::Link)
    }

    /// Ends the login of this request.
    ///
    /// # Errors
    /// When it comes from elsewhere.
    pub fn log_out(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
        self.check_host(headers, uri)?;
        check_origin_given(headers)?;
        if let Some(secret) = cookie(headers, &self.cookie_name()) {
            self.logins.end(secret);
        }
        Ok(())
    }

    /// Whoever logs in has no name yet: attempts are counted by where they come from.
    fn check_login(&self, headers: &HeaderMap, uri: &Uri, peer: SocketAddr) -> Result<(), Problem> {
        check_given_once(headers)?;
        self.check_host(headers, uri)?;
        self.count(&format!("\0{}", peer.ip()), Instant::now())
    }

    fn begin(&self, proof: Proof) -> Result<String, Problem> {
        self.logins.begin(proof, Instant::now()).map_err(|error| {
            let detail = format!("the random number generator: {error}");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
        })
    }

    /// A page of another site, or one whose name was made to resolve to this computer (DNS rebinding), must not
    /// call with what the browser has.
    fn check_host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
        let given = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = given.or(uri.authority().map(|authority| authority.as_str()));
        // A target that names a host is for that one, whatever the header says.
        let other = uri.authority().map(|target| target.as_str()).filter(|one| !self.is_ours(one));
        let Some(host) = host.filter(|host| self.is_ours(host) && other.is_none()) else {
            let host = other.or(host).unwrap_or("none");
            return Err(Problem::new(
                StatusCode::MISDIRECTED_REQUEST,
                "forbidden",
                format!("Host: {host:?} is none of this node's names; name it in http_hosts"),
            ));
        };
        let Some(origin) = headers.get(header::ORIGIN) else { return check_site(headers) };
        let of_page = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        match of_page {
            Some((scheme, page)) if same_host(scheme, page, host) => Ok(()),
            // A proxy may have changed the host.
            Some((scheme, page)) if self.hosts.iter().any(|one| same_host(scheme, page, one)) => {
                Ok(())
            }
            _ => Err(Problem::forbidden(format!(
                "Origin: {origin:?} is not the host of this request"
            ))),
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = split_port(host);
        if self.is_named(host) {
            return true;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let is_address = match bare.parse::<IpAddr>() {
            // No name that somebody else gives resolves to what is an address already.
            Ok(ip) => {
                ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified()
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        is_address && port.is_none_or(|port| port == self.address.port())
    }

    /// Whether it is one of the names of `http_hosts`, with its port or without one.
    fn is_named(&self, host: &str) -> bool {
        let (name, _) = split_port(host);
        self.hosts
            .iter()
            .any(|one| one.eq_ignore_ascii_case(host) || one.eq_ignore_ascii_case(name))
    }

    /// Who proves itself so; also asked again of a stream, since a token may be taken back.
    pub fn caller(
        &self,
        method: &Method,
        headers: &HeaderMap,
        peer: SocketAddr,
    ) -> Result<Caller, Problem> {
        let Some(given) = headers.get(header::AUTHORIZATION) else {
            return self.without_token(method, headers, peer);
        };
        let secret = given.to_str().ok().and_then(|given| {
            let (scheme, secret) = given.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
        });
        let token = secret.and_then(|secret| self.tokens.find(secret));
        let token =
            token.ok_or_else(|| Problem::unauthorized("Authorization: nobody has this token"))?;
        Ok(Caller { name: token.name, agent: Some(token.agent), profile: token.profile })
    }

    /// Who calls by a login, or because this computer may.
    fn without_token(
        &self,
        method: &Method,
        headers: &HeaderMap,
        peer: SocketAddr,
    ) -> Result<Caller, Problem> {
        if let Some(caller) =
            cookie(headers, &self.cookie_name()).and_then(|secret| self.logged_in(secret))
        {
            // A browser sends the cookie whatever page asks it to; only its own may change something.
            if !method.is_safe() {
                check_origin_given(headers)?;
            }
            return Ok(caller);
        }
        if self.is_open && peer.ip().is_loopback() && self.address.ip().is_loopback() {
            return Ok(Caller { name: String::new(), agent: None, profile: Profile::Operator });
        }
        Err(Problem::unauthorized(
            "Authorization: Bearer <token> is missing; memory token add makes one",
        ))
    }

    /// Whose login this is: what the file says of its token now.
    fn logged_in(&self, secret: &str) -> Option<Caller> {
        match self.logins.proof(secret, Instant::now())? {
            Proof::Token(sha256) => {
                let token = self.tokens.find_hashed(&sha256)?;
                Some(Caller { name: token.name, agent: Some(token.agent), profile: token.profile })
            }
            Proof::Link => Some(Caller {
                name: OF_LINK.to_owned(),
                agent: Some(String::new()),
                profile: Profile::Operator,
            }),
        }
    }

    /// Lets through as many a second as a caller may make; as many as of one second at once.
    fn count(&self, name: &str, now: Instant) -> Result<(), Problem> {
        let per_second = self.requests_per_second_max;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= HTTP_COUNTED_MAX && !made.contains_key(name) {
            made.clear();
        }
        let full = Bucket { left: per_second.max(1.0), at: now };
        let bucket = made.entry(name.to_owned()).or_insert(full);
        let gained = now.saturating_duration_since(bucket.at).as_secs_f64() * per_second;
        *bucket = Bucket { left: (bucket.left + gained).min(full.left), at: now };
        if bucket.left < 1.0 {
            return Err(Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "unavailable",
                format!(
                    "a caller may make {per_second} requests a second (http_requests_per_second); try again"
                ),
            ));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

/// A proxy before this node may have read the other one of two.
fn check_given_once(headers: &HeaderMap) -> Result<(), Problem> {
    let names = [header::HOST, header::ORIGIN, header::AUTHORIZATION, header::COOKIE];
    match names.into_iter().find(|name| headers.get_all(name).iter().nth(1).is_some()) {
        None => Ok(()),
        Some(name) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "invalid_argument",
            format!("{name}: is given more than once"),
        )),
    }
}

/// What a page of another site shows as a picture, a script or a frame is asked for without an origin; browsers say
/// so. What a person opens by a link there is a page.
fn check_site(headers: &HeaderMap) -> Result<(), Problem> {
    let given = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let is_from_elsewhere =
        given(FETCH_SITE).is_some_and(|site| site == b"cross-site" || site == b"same-site");
    let is_opened = given("sec-fetch-mode").is_some_and(|mode| mode == b"navigate")
        && given("sec-fetch-dest").is_some_and(|dest| dest == b"document");
    if is_from_elsewhere && !is_opened {
        return Err(Problem::forbidden(
            "Sec-Fetch-Site: a page of another site may link to this node, and show nothing of it",
        ));
    }
    Ok(())
}

/// The login that a request shows.
fn cookie<'a>(headers: &'a HeaderMap, cookie: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|one| {
        let (name, value) = one.trim().split_once('=')?;
        (name == cookie).then_some(value)
    })
}

/// Whether it says from which page it comes; that it is one of this node was checked.
fn check_origin_given(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    Err(Problem::forbidden(
        "Origin: a request with a login that is to change something must say from which page it comes",
    ))
}

/// Whether a page of this scheme and host is of the host that it calls; the scheme's own port may be left out.
fn same_host(scheme: &str, page: &str, host: &str) -> bool {
    let port = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
    let [(page, page_port), (host, host_port)] = [split_port(page), split_port(host)];
    page.eq_ignore_ascii_case(host) && page_port.unwrap_or(port) == host_port.unwrap_or(port)
}

/// A host and its port; brackets stay with an IPv6 address.
fn split_port(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (host, None),
        },
        _ => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn guard(address: &str, hosts: &[&str], is_open: bool) -> Guard {
        let settings = HttpSettings {
            address: address.to_owned(),
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            is_open,
            tokens_path: "/nonexistent".into(),
            requests_per_second_max: 2.0,
            login_link: false,
        };
        Guard::new(settings, address.parse().unwrap())
    }

    fn headers(given: &[(header::HeaderName, &str)]) -> HeaderMap {
        given.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_requests_to_this_node_from_its_own_pages_are_taken() {
        let uri = Uri::from_static("/");
        let guard = guard("127.0.0.1:8080", &["robot.lab", "other.lab:444"], true);
        let ours = [
            "127.0.0.1:8080",
            "localhost:8080",
            "LOCALHOST:8080",
            "[::1]:8080",
            "127.0.0.1",
            "robot.lab",
            "Robot.Lab:8080",
            "other.lab:444",
        ];
        for host in ours {
            let given = headers(&[(header::HOST, host)]);
            assert!(guard.check_host(&given, &uri).is_ok(), "{host}");
            let origin = format!("http://{host}");
            let own = headers(&[(header::HOST, host), (header::ORIGIN, &origin)]);
            assert!(guard.check_host(&own, &uri).is_ok(), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "localhost:8081",
            "localhost.evil.example:8080",
            "10.0.0.1:8080",
            "robot.lab.evil.example",
            "other.lab",
            "",
            "127.0.0.1:8080:1",
        ] {
            let given = headers(&[(header::HOST, host)]);
            assert!(guard.check_host(&given, &uri).is_err(), "{host}");
        }
        assert!(guard.check_host(&HeaderMap::new(), &uri).is_err());
        for (host, origin) in [
            ("127.0.0.1:8080", "https://robot.lab"),
            ("robot.lab:443", "https://robot.lab"),
            ("127.0.0.1:8080", "http://other.lab:444"),
        ] {
            let given = headers(&[(header::HOST, host), (header::ORIGIN, origin)]);
            assert!(guard.check_host(&given, &uri).is_ok(), "{origin}");
        }
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost:8081",
            "http://127.0.0.1:8080",
            "http://robot.lab:8080",
            "http://other.lab",
        ] {
            let given = headers(&[(header::HOST, "localhost:8080"), (header::ORIGIN, origin)]);
            assert!(guard.check_host(&given, &uri).is_err(), "{origin}");
        }
    }

    #[test]
    fn a_page_of_another_site_links_here_and_shows_nothing() {
        let guard = guard("127.0.0.1:8080", &[], true);
        for (site, mode, dest, is_taken) in [
            ("none", "navigate", "document", true),
            ("same-origin", "no-cors", "image", true),
            ("cross-site", "navigate", "document", true),
            ("cross-site", "no-cors", "image", false),
            ("same-site", "no-cors", "script", false),
            ("cross-site", "navigate", "iframe", false),
            ("cross-site", "", "", false),
            ("", "", "", true),
        ] {
            let mut given = headers(&[(header::HOST, "localhost:8080")]);
            let told = [(FETCH_SITE, site), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)];
            for (name, value) in told.into_iter().filter(|(_, value)| !value.is_empty()) {
                given.insert(name, value.parse().unwrap());
            }
            let checked = guard.check_host(&given, &Uri::from_static("/"));
            assert_eq!(checked.is_ok(), is_taken, "{site} {mode} {dest}");
        }
    }

    #[test]
    fn a_request_names_one_host_and_one_caller() {
        let guard = guard("127.0.0.1:8080", &[], true);
        let here = "127.0.0.1:5".parse().unwrap();
        let admit = |uri: &'static str, given: &[(header::HeaderName, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.append(name.clone(), value.parse().unwrap());
            }
            guard
                .admit(&Method::POST, &headers, &Uri::from_static(uri), here)
                .map_err(|problem| problem.to_string())
        };
        let host = (header::HOST, "localhost:8080");
        assert!(admit("/", std::slice::from_ref(&host)).is_ok());
        assert!(admit("http://127.0.0.1:8080/", std::slice::from_ref(&host)).is_ok());
        for (uri, second) in [
            ("http://evil.example/", None),
            ("/", Some((header::HOST, "evil.example"))),
            ("/", Some(host.clone())),
        ] {
            let given: Vec<_> = [host.clone()].into_iter().chain(second).collect();
            assert!(admit(uri, &given).is_err(), "{uri} {given:?}");
        }
        let tokens = ["Bearer a", "Bearer b"].map(|token| (header::AUTHORIZATION, token));
        let why = admit("/", &[host, tokens[0].clone(), tokens[1].clone()]).unwrap_err();
        assert!(why.contains("authorization: is given more than once"), "{why}");
    }

    #[test]
    fn the_name_that_it_listens_at_is_its_own() {
        let settings = HttpSettings {
            address: "arm.lab:8080".to_owned(),
            hosts: Vec::new(),
            is_open: false,
            tokens_path: "/nonexistent".into(),
            requests_per_second_max: 2.0,
            login_link: false,
        };
        let guard = Guard::new(settings, "10.0.0.5:8080".parse().unwrap());
        let uri = Uri::from_static("/");
        for (host, is_ours) in
            [("arm.lab:8080", true), ("10.0.0.5:8080", true), ("arm.lab:1", false)]
        {
            let given = headers(&[(header::HOST, host)]);
            assert_eq!(guard.check_host(&given, &uri).is_ok(), is_ours, "{host}");
        }
    }

    #[test]
    fn without_a_token_only_this_computer_calls_and_only_when_that_is_allowed() {
        let (here, there) = ("127.0.0.1:5".parse().unwrap(), "10.0.0.1:5".parse().unwrap());
        let none = HeaderMap::new();
        assert_eq!(
            guard("127.0.0.1:1", &[], true).caller(&Method::POST, &none, here).unwrap().agent,
            None
        );
        assert!(guard("127.0.0.1:1", &[], false).caller(&Method::POST, &none, here).is_err());
        assert!(guard("127.0.0.1:1", &[], true).caller(&Method::POST, &none, there).is_err());
        // A proxy on this computer calls for somebody else.
        assert!(guard("0.0.0.0:1", &[], true).caller(&Method::POST, &none, here).is_err());
        for given in ["Bearer rmt_00", "Basic eDp5", "Bearer", ""] {
            let given = headers(&[(header::AUTHORIZATION, given)]);
            assert!(guard("127.0.0.1:1", &[], true).caller(&Method::POST, &given, here).is_err());
        }
    }

    #[test]
    fn a_caller_makes_so_many_requests_a_second() {
        let guard = guard("127.0.0.1:1", &[], true);
        let now = Instant::now();
        let made =
            |name: &str, secs: f64| guard.count(name, now + Duration::from_secs_f64(secs)).is_ok();
        assert_eq!(
            [made("a", 0.0), made("a", 0.0), made("a", 0.1), made("b", 0.1)],
            [true, true, false, true]
        );
        assert_eq!(
            [made("a", 0.6), made("a", 0.7), made("a", 99.0), made("a", 99.0)],
            [true, false, true, true]
        );
        assert!(!made("a", 99.0));
    }
}
