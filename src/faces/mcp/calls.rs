//! Calls of operations, for the tools.

use super::remote::RemoteNode;
use crate::faces::http::{App, Caller};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The fields of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// And this one.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// And this one, if it is given.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// Who calls, and whom.
#[derive(Clone)]
pub(super) enum Calls {
    /// The engine of this process.
    Here { app: Arc<App>, caller: Caller },
    /// A node, over HTTP.
    There(Arc<RemoteNode>),
}

impl Calls {
    /// Calls an operation; its answer is an object.
    ///
    /// # Errors
    /// In words for a model: the kind of the error, and what to change.
    pub async fn call(&self, operation: &'static str, fields: Fields) -> Result<Value, String> {
        let answer: Map<String, Value> = match self {
            Self::Here { app, caller } => {
                let answer = app.ask(caller, operation, fields.0).await;
                answer.map_err(|problem| problem.to_string())?
            }
            Self::There(node) => {
                let node = Arc::clone(node);
                let called = tokio::task::spawn_blocking(move || node.call(operation, &fields.0));
                let answer = called.await.map_err(|error| format!("internal: {error}"))??;
                serde_json::from_slice(&answer).map_err(|error| format!("internal: {error}"))?
            }
        };
        Ok(Value::Object(answer))
    }
}
