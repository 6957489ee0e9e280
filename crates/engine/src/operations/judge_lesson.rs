//! JudgeLesson: a person pins or rejects what was read out of attempts.

use super::check::{self, invalid};
use super::lessons::StoredLesson;
use super::visibility::seen_memory;
use crate::db::Outcome;
use crate::{Operations, Result, Run};
use robot_memory_core::api::{
    ApiError, JudgeLesson, JudgeLessonRequest, JudgeLessonResponse, LessonJudgment, Operation,
};
use robot_memory_core::limits::REASON_CHARS_MAX;
use robot_memory_core::model::{LedgerChange, Status};
use robot_memory_db::LedgerNote;
use robot_memory_index::parse_context;

impl Run<JudgeLesson> for Operations {
    fn run(&self, request: JudgeLessonRequest) -> Result<JudgeLessonResponse> {
        let JudgeLessonRequest { lesson_id, judgment, reason, agent } = request;
        self.check_agent(&agent)?;
        let lesson_id = check::given_id("lesson_id", lesson_id)?;
        let spellings = LessonJudgment::spellings;
        let judgment = check::parse_enum("judgment", &judgment, LessonJudgment::parse, spellings)?;
        let reason = reason.trim();
        let count = reason.chars().count();
        if count > REASON_CHARS_MAX {
            return Err(invalid(format!(
                "reason: at most {REASON_CHARS_MAX} characters, got {count}"
            )));
        }
        let visibility = self.visibility_of_one(&agent, "")?;
        let now = self.now()?;
        self.write(|tx| {
            let memory = seen_memory(tx.memory(lesson_id, false)?, &visibility, lesson_id)?;
            let summary = tx.lesson(lesson_id)?.filter(|_| memory.status == Status::Active);
            let stored = summary.and_then(|(subject, figures)| {
                Some((subject, serde_json::from_str::<StoredLesson>(&figures).ok()?))
            });
            let Some((subject, mut stored)) = stored else {
                let message = format!("lesson_id: memory {lesson_id} is no active lesson");
                return Err(ApiError::invalid_state(message).into());
            };
            self.check_write(&agent, &memory.scope, memory.mem_type)?;
            let response = JudgeLessonResponse { lesson_id, state: stored.state(), judgment };
            let before = stored.judgment;
            if before == judgment && reason.is_empty() {
                return Ok(Outcome::Unchanged(response));
            }
            stored.judgment = judgment;
            let contrast = stored.contrast();
            stored.pinned = contrast.filter(|_| judgment == Some(LessonJudgment::Pinned));
            let name = |it: Option<LessonJudgment>| it.map_or("", LessonJudgment::as_str);
            tx.note_change(&LedgerNote {
                memory_id: lesson_id,
                change: LedgerChange::Judged,
                cause: if reason.is_empty() { JudgeLesson::NAME } else { reason },
                agent: &agent,
                values: (name(before), name(judgment)),
                at: now,
            })?;
            let context = stored.context(&subject, sim_or_real(&memory.context));
            self.write_lesson(tx, lesson_id, &stored, context, now)?;
            Ok(Outcome::Changed(response))
        })
    }
}

/// Whether a lesson was learned in the real world or in a simulated one, as its context says.
fn sim_or_real(context: &str) -> Option<bool> {
    let context = parse_context(context);
    context.pointer("/env/sim_or_real").map(|it| it == "real")
}
