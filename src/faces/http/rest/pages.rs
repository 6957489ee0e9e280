//! Lists in pages. A page ends at a row, and the next one begins behind it, wherever it stands by then.
//!
//! The engine answers by offset. Rows that came or went since the last page shift those behind them, so the place
//! is looked for again, by what the list is sorted by: from the offset at which it was, and on or back from there.

use super::cursor::{Cursor, Key, digest};
use super::{NEXT_CURSOR, Problem};
use crate::faces::http::guard::Caller;
use crate::faces::http::routes::App;
use axum::http::StatusCode;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::HTTP_CURSOR_PAGES_MAX;
use robot_memory_core::model::Stamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Rows that the engine answers at most.
const ROWS_MAX: u32 = 100;
/// Rows that it answers when nothing is said.
const ROWS_DEFAULT: u32 = 50;

/// How the pages of a list follow each other.
#[derive(Clone, Copy)]
pub struct Pages {
    operation: &'static str,
    /// The field of the answer that has the rows.
    rows: &'static str,
    order: fn(&Map<String, Value>) -> RowOrder,
}

/// How rows are sorted: by a time, and equals by their id.
struct RowOrder {
    time_field: String,
    id_field: &'static str,
    is_newest_first: bool,
    is_greatest_id_first: bool,
}

/// Newest first; a session's place never changes.
pub(super) const SESSIONS: Pages = Pages {
    operation: "list_sessions",
    rows: "sessions",
    order: |_| RowOrder {
        time_field: "started_at".to_owned(),
        id_field: "session_id",
        is_newest_first: true,
        is_greatest_id_first: false,
    },
};

/// As asked for. A job's place by `updated_at` and `available_at` may change.
pub(super) const JOBS: Pages = Pages {
    operation: "list_jobs",
    rows: "jobs",
    order: |fields| {
        let given = |field: &str| fields.get(field).and_then(Value::as_str);
        let is_descending = given("sort_order").is_none_or(|order| order != "asc");
        RowOrder {
            time_field: given("sort_by").unwrap_or("created_at").to_owned(),
            id_field: "id",
            is_newest_first: is_descending,
            is_greatest_id_first: is_descending,
        }
    },
};

impl RowOrder {
    fn key(&self, row: &Value) -> Option<Key> {
        let time = Stamp::deserialize(&row[&self.time_field]).ok()?;
        let id = match &row[self.id_field] {
            // As texts they are sorted as the numbers are.
            Value::Number(id) => format!("{:020}", id.as_u64()?),
            id => id.as_str()?.to_owned(),
        };
        Some(Key(time.0, id))
    }

    /// Whether a row stands behind the one of this key.
    fn is_behind(&self, row: &Value, last: &Key) -> bool {
        let Some(key) = self.key(row) else { return true };
        let turned = |order: Ordering, is_turned| if is_turned { order.reverse() } else { order };
        let by_time = turned(key.0.cmp(&last.0), self.is_newest_first);
        let by_id = turned(key.1.cmp(&last.1), self.is_greatest_id_first);
        by_time.then(by_id) == Ordering::Greater
    }
}

/// Part of a list, as the engine answers it.
struct Part {
    answer: Map<String, Value>,
    rows: Vec<Value>,
    has_more: bool,
}

impl Pages {
    /// A page: the first, or the one behind a cursor.
    ///
    /// # Errors
    /// When the cursor is none of this request, and what the operation answers.
    pub async fn page(
        &self,
        app: &App,
        caller: &Caller,
        fields: Map<String, Value>,
        cursor: Option<&str>,
    ) -> Result<Vec<u8>, Problem> {
        let request = digest(&fields);
        let number = |field: &str| fields.get(field).and_then(Value::as_u64);
        let limit = number("limit").and_then(|limit| u32::try_from(limit).ok());
        let order = (self.order)(&fields);
        let (part, offset) = match cursor {
            Some(cursor) => {
                if number("offset").is_some_and(|offset| offset > 0) {
                    let message = "offset: cannot be given with a cursor";
                    return Err(ApiError::invalid_argument(message).into());
                }
                let cursor = Cursor::parse(cursor, self.operation, &request)?;
                let limit = limit.unwrap_or(ROWS_DEFAULT);
                if !(1..=ROWS_MAX).contains(&limit) {
                    let message = format!("limit: must be 1 to {ROWS_MAX}, got {limit}");
                    return Err(ApiError::invalid_argument(message).into());
                }
                self.behind(app, caller, &fields, &order, &cursor, limit).await?
            }
            None => {
                let offset = number("offset").and_then(|offset| u32::try_from(offset).ok());
                (self.part(app, caller, fields.clone()).await?, offset.unwrap_or(0))
            }
        };
        let Part { mut answer, rows, has_more } = part;
        let last = rows.last().and_then(|row| order.key(row)).filter(|_| has_more);
        let next = last.map(|key| {
            let offset = offset.saturating_add(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            Cursor { list: self.operation.to_owned(), request, offset, key }.text()
        });
        answer.insert(self.rows.to_owned(), rows.into());
        answer.insert("has_more".to_owned(), has_more.into());
        answer.insert(NEXT_CURSOR.to_owned(), next.into());
        Ok(Value::Object(answer).to_string().into_bytes())
    }

    /// The rows behind a cursor, and at which offset they begin.
    async fn behind(
        &self,
        app: &App,
        caller: &Caller,
        fields: &Map<String, Value>,
        order: &RowOrder,
        cursor: &Cursor,
        limit: u32,
    ) -> Result<(Part, u32), Problem> {
        // It begins with the last row of the page before, if that is where it was.
        let mut offset = cursor.offset.saturating_sub(1);
        let mut asked = (limit + 1).min(ROWS_MAX);
        for _ in 0..HTTP_CURSOR_PAGES_MAX {
            let mut fields = fields.clone();
            fields.insert("limit".to_owned(), asked.into());
            fields.insert("offset".to_owned(), offset.into());
            let mut part = self.part(app, caller, fields).await?;
            let known =
                part.rows.iter().take_while(|row| !order.is_behind(row, &cursor.key)).count();
            let count = u32::try_from(part.rows.len()).unwrap_or(u32::MAX);
            let is_short = part.rows.len() - known < limit as usize;
            if known == 0 && offset > 0 {
                // Rows in front of it went.
                asked = ROWS_MAX;
                offset = offset.saturating_sub(asked - 1);
            } else if known > 1 && part.has_more && is_short {
                // Rows in front of it came, or it was gone back too far.
                asked = ROWS_MAX;
                offset = offset.saturating_add(u32::try_from(known).unwrap_or(count)) - 1;
            } else {
                part.rows.drain(..known);
                part.has_more |= part.rows.len() > limit as usize;
                part.rows.truncate(limit as usize);
                let begin = offset.saturating_add(u32::try_from(known).unwrap_or(count));
                for (field, value) in [("limit", limit), ("offset", begin)] {
                    if let Some(told) = part.answer.get_mut(field) {
                        *told = value.into();
                    }
                }
                return Ok((part, begin));
            }
        }
        Err(Problem::new(
            StatusCode::CONFLICT,
            "invalid_state",
            "cursor: too many rows came or went since; begin again without it",
        ))
    }

    async fn part(
        &self,
        app: &App,
        caller: &Caller,
        fields: Map<String, Value>,
    ) -> Result<Part, Problem> {
        let mut answer: Map<String, Value> = app.ask(caller, self.operation, fields).await?;
        let has_more = answer.get("has_more").and_then(Value::as_bool);
        match (answer.remove(self.rows), has_more) {
            (Some(Value::Array(rows)), Some(has_more)) => Ok(Part { answer, rows, has_more }),
            _ => {
                let detail = format!("the answer of {} is no list", self.operation);
                Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail))
            }
        }
    }
}
