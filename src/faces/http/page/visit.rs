//! A visit: who looks at what, and what is asked for it.

use super::layout::{Sheet, page, trouble};
use super::reply::{for_main, html, see_other, takes_gzip};
use crate::faces::http::guard::Caller;
use crate::faces::http::problem::Problem;
use crate::faces::http::routes::{App, INCLUDE_DATA};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::Response;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::PAGE_FORM_BYTES_MAX;
use robot_memory_engine::Engine;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

/// Fields of a query or a form.
pub type Fields = BTreeMap<String, String>;

/// Who looks, and what the URL says.
pub struct Visit {
    app: Arc<App>,
    pub caller: Caller,
    pub path: String,
    /// The number in the path; 0: there is none.
    pub id: i64,
    pub query: Fields,
    takes_gzip: bool,
}

impl Visit {
    /// Calls an operation for whoever looks. An answer that would take too much memory as values is an error; of one
    /// with data [`is_too_much_data`] says so.
    pub async fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        operation: &str,
        fields: Value,
    ) -> Result<T, Problem> {
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        self.app.ask(&self.caller, operation, fields).await
    }

    /// Reads what no operation answers. It asks for no right: whoever shows it has asked an operation for it before.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Engine) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, Problem> {
        Ok(self.app.read(read).await?)
    }

    /// Whether there is a fleet to show.
    pub fn knows_fleet(&self) -> bool {
        self.app.knows_fleet()
    }

    /// Whether whoever looks may call an operation at all.
    pub fn may(&self, operation: &str) -> bool {
        self.app.may(&self.caller, operation)
    }

    /// A part of the query; empty when it is not given.
    pub fn given(&self, name: &str) -> &str {
        self.query.get(name).map_or("", |value| value.trim())
    }

    /// Sends the page, or says why there is none.
    pub fn answer(&self, outcome: Result<Sheet, Problem>) -> Response {
        match outcome {
            Ok(sheet) => html(StatusCode::OK, page(self, &sheet), self.takes_gzip),
            Err(problem) => {
                let sheet = trouble(&problem);
                for_main(html(problem.status(), page(self, &sheet), self.takes_gzip))
            }
        }
    }

    /// Shows what was done, or says why it was not.
    pub fn go(&self, outcome: Result<String, Problem>) -> Response {
        match outcome {
            Ok(path) => see_other(&path),
            Err(problem) => self.answer(Err(problem)),
        }
    }
}

impl FromRequestParts<Arc<App>> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let Some(caller) = parts.extensions.get::<Caller>().cloned() else {
            return Err(Problem::unauthorized("nobody has logged in"));
        };
        let Ok(Query(query)) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri) else {
            return Err(ApiError::invalid_argument("the query is not well formed").into());
        };
        // A number that is none names nothing, as 0 does.
        let id = Path::<i64>::from_request_parts(parts, app).await.map_or(0, |Path(id)| id);
        Ok(Self {
            app: Arc::clone(app),
            caller,
            path: parts.uri.path().to_owned(),
            id,
            query: query.into_iter().collect(),
            takes_gzip: takes_gzip(&parts.headers),
        })
    }
}

/// What a form holds.
pub struct Form(Result<Fields, Problem>);

impl Form {
    /// Its fields.
    pub fn fields(self) -> Result<Fields, Problem> {
        self.0
    }
}

impl FromRequest<Arc<App>> for Form {
    type Rejection = Infallible;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Infallible> {
        // Whatever let its caller in: what changes something comes from a page of this node.
        if !request.headers().contains_key(header::ORIGIN) {
            let detail = "Origin: a form must say from which page it comes";
            return Ok(Self(Err(Problem::forbidden(detail))));
        }
        let read = app.body(request, PAGE_FORM_BYTES_MAX).await;
        Ok(Self(read.map(|(body, _room)| {
            // Browsers send each end of a line as two characters, whatever it was.
            form_urlencoded::parse(&body)
                .map(|(name, value)| (name.into_owned(), value.replace("\r\n", "\n")))
                .collect::<Fields>()
        })))
    }
}

/// Whether an answer is missing only because it was asked for with data.
pub fn is_too_much_data(problem: &Problem) -> bool {
    problem.detail().starts_with(INCLUDE_DATA)
}

/// A field of a form; empty when it is not there.
pub fn field<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).map_or("", |value| value.trim())
}
