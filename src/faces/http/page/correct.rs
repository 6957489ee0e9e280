//! Correcting what a memory says.

use super::act::{Question, asked, done_as, of_path, quoted};
use super::layout::Sheet;
use super::visit::{Fields, Visit, field};
use crate::faces::http::problem::Problem;
use maud::html;
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use serde_json::{Value, json};

pub async fn ask(visit: &Visit) -> Result<Sheet, Problem> {
    let memory = of_path(visit).await?.memory;
    Ok(asked(
        visit,
        &Question {
            operation: "update",
            title: format!("Correct memory {}", memory.id),
            here: "",
            back: format!("/memories/{}", memory.id),
            says: html! { p { "It says:" } (quoted(&memory)) p { "What it said stays in its history, and can be put back." } },
            fields: html! {
                label { span { "It should say" }
                    textarea name="content" rows="4" maxlength=(CONTENT_CHARS_MAX) required { (memory.content) } }
            },
            button: "Correct it",
            is_grave: false,
        },
    ))
}

pub async fn correct(visit: &Visit, form: Fields) -> Result<String, Problem> {
    let request = json!({ "memory_id": visit.id, "new_content": field(&form, "content") });
    let answer = visit.ask::<Value>("update", request).await?;
    Ok(format!("/memories/{}?did={}", visit.id, done_as(&answer, "corrected")))
}
