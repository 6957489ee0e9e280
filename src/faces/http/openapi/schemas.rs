//! The schemas of requests and answers: what their types say (utoipa), and for requests what users are told.

use super::interfaces::{self, Interface};
use crate::faces::http::operations::{Endpoint, endpoints};
use crate::faces::http::rest::{NEXT_CURSOR, READ_PATHS};
use robot_memory_core::api::{self, ErrorKind, Operation};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Schemas by their names.
pub(super) type Schemas = BTreeMap<String, Value>;

/// Where a reference points to.
pub(super) const SCHEMAS: &str = "#/components/schemas/";

/// Codes of this face alone, beside those of [`ErrorKind`].
const UNAUTHORIZED: &str = "unauthorized";

/// An operation, as it is described.
pub(super) struct Described {
    pub endpoint: Endpoint,
    pub interface: Interface<'static>,
    /// Names of schemas.
    pub request: String,
    pub response: String,
}

/// What an operation declares.
struct Declared {
    name: &'static str,
    srv: &'static str,
    request: Types,
    response: Types,
}

/// A type and all that it is made of.
struct Types {
    name: String,
    schemas: Vec<(String, RefOr<Schema>)>,
}

fn types<T: ToSchema + PartialSchema>() -> Types {
    let name = T::name().into_owned();
    let mut schemas = vec![(name.clone(), T::schema())];
    T::schemas(&mut schemas);
    Types { name, schemas }
}

macro_rules! declared {
    ($($queue:ident $op:ident ($request:ident) -> $response:ident $(in $field:ident)?;)+) => {
        [$(Declared {
            name: api::$op::NAME,
            srv: srv!($op),
            request: types::<api::$request>(),
            response: types::<api::$response>(),
        }),+]
    };
}

macro_rules! srv {
    // In Rust the status of a memory has the shorter name.
    (GetStatus) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/srv/Status.srv"))
    };
    ($op:ident) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/srv/", stringify!($op), ".srv"))
    };
}

/// All schemas, and the operations in the order of their names.
pub(super) fn all() -> (Schemas, Vec<Described>) {
    let mut endpoints: BTreeMap<&str, Endpoint> =
        endpoints().map(|endpoint| (endpoint.name, endpoint)).collect();
    let mut schemas = Schemas::new();
    let mut operations = Vec::new();
    for declared in robot_memory_core::operations!(declared) {
        let Declared { name, srv, request, response } = declared;
        let Some(endpoint) = endpoints.remove(name) else { continue };
        for (name, schema) in request.schemas.into_iter().chain(response.schemas) {
            schemas.entry(name).or_insert_with(|| serde_json::to_value(schema).unwrap_or_default());
        }
        let interface = interfaces::parse(srv);
        if let Some(schema) = schemas.get_mut(&request.name) {
            describe_request(schema, &endpoint, &interface);
        }
        let (request, response) = (request.name, response.name);
        operations.push(Described { endpoint, interface, request, response });
    }
    let parts = schemas.clone();
    for schema in schemas.values_mut() {
        *schema = one_object(std::mem::take(schema), &parts);
        plain(schema);
    }
    operations.sort_by_key(|described| described.endpoint.name);
    add_pages(&mut schemas, &operations);
    schemas.insert("Problem".to_owned(), problem());
    (schemas, operations)
}

/// Adds to a request what its file says, and how HTTP takes it.
fn describe_request(schema: &mut Value, endpoint: &Endpoint, interface: &Interface<'_>) {
    schema["additionalProperties"] = false.into();
    let Some(properties) = schema["properties"].as_object_mut() else { return };
    for (name, property) in properties {
        let told = interface.fields.get(name.as_str());
        let description = told.map(|field| field.description.as_str()).unwrap_or_default();
        if endpoint.is_json_text(name, &json!({})) {
            let mut forms = vec![json!({ "type": "object", "additionalProperties": true })];
            if endpoint.is_json_text(name, &json!([])) {
                forms.push(json!({ "type": "array", "items": {} }));
            }
            forms.push(json!({ "type": "string" }));
            *property = json!({ "anyOf": forms, "description": property["description"] });
        }
        let Some(property) = property.as_object_mut() else { continue };
        if !description.is_empty() {
            property.insert("description".to_owned(), description.into());
        }
        if let Some(spellings) = told.map(|field| &field.spellings).filter(|all| !all.is_empty()) {
            match property.get_mut("items").and_then(Value::as_object_mut) {
                Some(items) => items.insert("enum".to_owned(), json!(spellings)),
                None => property.insert("enum".to_owned(), json!(spellings)),
            };
        }
        let is_number = ["integer", "number"].iter().any(|kind| has_type(property, kind));
        if let Some([least, greatest]) = interfaces::bounds(description).filter(|_| is_number) {
            property.insert("minimum".to_owned(), least.into());
            property.insert("maximum".to_owned(), greatest.into());
        }
        // "Not given" is spelled by leaving it out.
        let is_nothing =
            |default: &Value| default.is_null() || *default == json!("") || *default == json!([]);
        if property.get("default").is_some_and(is_nothing) {
            property.remove("default");
        }
    }
}

fn has_type(property: &Map<String, Value>, kind: &str) -> bool {
    match property.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        one => one.is_some_and(|one| one == kind),
    }
}

/// A struct that others are flattened into, as one object.
fn one_object(schema: Value, all: &Schemas) -> Value {
    let Some(parts) = schema["allOf"].as_array() else { return schema };
    let mut whole = json!({ "type": "object", "properties": {}, "required": [] });
    if let Some(description) = schema.get("description") {
        whole["description"] = description.clone();
    }
    for part in parts {
        let name = part["$ref"].as_str().and_then(|to| to.strip_prefix(SCHEMAS));
        let part = name.and_then(|name| all.get(name)).unwrap_or(part);
        let part = one_object(part.clone(), all);
        if let (Some(to), Some(from)) =
            (whole["properties"].as_object_mut(), part["properties"].as_object())
        {
            to.extend(from.clone());
        }
        if let (Some(to), Some(from)) =
            (whole["required"].as_array_mut(), part["required"].as_array())
        {
            to.extend(from.iter().cloned());
        }
    }
    whole
}

/// Makes descriptions of types those of their JSON: without links of rustdoc, and stored texts of JSON are JSON.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.len() == 1
                && let Some(Value::String(text)) = members.get_mut("description")
            {
                *text = text.replace(" as text", "").replace("empty", "null");
            }
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" => *text = without_links(text),
                    member => plain(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("[`") {
        let Some((name, after)) = behind.split_once("`]") else { break };
        plain.push_str(before);
        plain.push_str(&format!("`{}`", name.rsplit("::").next().unwrap_or(name)));
        rest = match after.strip_prefix('(').and_then(|after| after.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    (plain + rest).replace("`None`", "null")
}

/// The answers of lists that GET pages through.
fn add_pages(schemas: &mut Schemas, operations: &[Described]) {
    for read in READ_PATHS.iter().filter(|read| read.pages.is_some()) {
        let described = operations.iter().find(|one| one.endpoint.name == read.operation);
        let Some(response) = described.map(|one| &one.response) else { continue };
        let Some(mut page) = schemas.get(response).cloned() else { continue };
        page["properties"][NEXT_CURSOR] = json!({
            "type": ["string", "null"],
            "description": "The query parameter `cursor` of the next page; null after the last one",
        });
        if let Some(required) = page["required"].as_array_mut() {
            required.push(NEXT_CURSOR.into());
        }
        schemas.insert(page_name(response), page);
    }
}

/// What the page of a list is called, by its answer.
pub(super) fn page_name(response: &str) -> String {
    response.replace("Response", "Page")
}

fn problem() -> Value {
    let kinds = ErrorKind::ALL.iter().map(|kind| kind.as_str()).chain([UNAUTHORIZED]);
    let advice = ErrorKind::ALL.iter().map(|kind| format!("- `{kind}`: {}", kind.advice()));
    let advice: Vec<String> = advice.collect();
    json!({
        "type": "object",
        "description": "RFC 9457",
        "required": ["type", "title", "status", "error_code", "detail"],
        "properties": {
            "type": { "type": "string", "description": "`about:blank`" },
            "title": { "type": "string", "description": "Of the status" },
            "status": { "type": "integer", "format": "int32", "description": "Of HTTP" },
            "error_code": {
                "type": "string",
                "enum": kinds.collect::<Vec<_>>(),
                "description": format!("What the caller can do:\n{}", advice.join("\n")),
            },
            "detail": {
                "type": "string",
                "description": "For a person to read: names the field, the bound and what was given",
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_what_they_name() {
        for (text, expected) in [
            ("Spelling of an [`Order`].", "Spelling of an `Order`."),
            ("[`Level`](crate::model::Level)s; [`a::B`]", "`Level`s; `B`"),
            ("x [`y", "x [`y"),
            ("[1, 2]; `None`: never", "[1, 2]; null: never"),
        ] {
            assert_eq!(without_links(text), expected);
        }
    }
}
