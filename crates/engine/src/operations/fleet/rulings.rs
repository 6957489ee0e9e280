//! What attempts say of a lesson that another robot told: those of this robot, which tells it to the others, and theirs.

use super::incoming::{Intake, told_at};
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::access::{Share, Visibility};
use robot_memory_core::api::{LessonJudgment, LessonState, Side};
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Ruling};
use robot_memory_core::limits::{
    FLEET_TELLERS_READ_MAX, FLEET_TELLERS_SHOWN_MAX, HEARD_LESSONS_MAX,
};
use robot_memory_core::model::{MemType, Memory, Scope, Status};
use robot_memory_db::{ForeignLesson, ForeignRuling, Hearsay, ReadTx};
use robot_memory_index::parse_context;
use robot_memory_text::experience::{AttemptPlace, Quantity};
use serde_json::Value;
use std::collections::BTreeSet;

/// Who says what of a memory by attempts of its own, in order of name.
#[derive(Debug, Default)]
pub(crate) struct Rulings {
    pub confirmed_by: Vec<String>,
    pub contradicted_by: Vec<String>,
}

/// What the attempts here say of a lesson now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnRuling {
    memory_id: i64,
    ruling: Option<Ruling>,
}

/// The attempts that rulings rest on: the robot's own, where nothing is anybody's alone.
const ATTEMPTS: (Scope, MemType) = (Scope::Global, MemType::TaskLog);

fn is_counted(place: &AttemptPlace) -> bool {
    (&place.scope, place.mem_type) == (&ATTEMPTS.0, ATTEMPTS.1)
}

impl Operations {
    /// What the attempts say of the lessons of others that these groups of them are about.
    pub(crate) fn rulings_about(&self, set: &[usize]) -> Result<Vec<OwnRuling>> {
        if self.robot_id().is_empty() {
            return Ok(Vec::new());
        }
        let heard = self.store.read(|tx| tx.heard_lessons())?;
        self.rule(heard, |groups| groups.iter().any(|group| set.contains(group)))
    }

    /// What they say of the first lessons that were told since, at most `n`.
    pub(crate) fn rulings_due(&self, n: usize) -> Result<Vec<OwnRuling>> {
        if self.robot_id().is_empty() {
            return Ok(Vec::new());
        }
        let due = self.store.read(|tx| tx.due_heard_lessons(n))?;
        self.rule(due, |_| true)
    }

    fn rule(
        &self,
        heard: Vec<ForeignLesson>,
        is_wanted: impl Fn(&[usize]) -> bool,
    ) -> Result<Vec<OwnRuling>> {
        if heard.is_empty() {
            return Ok(Vec::new());
        }
        self.attempts.with(self, |known| {
            let mut rulings = Vec::new();
            for ForeignLesson { memory_id, task, object, path, unit, side, bound, .. } in heard {
                let groups = known.groups_about(&task, &object, is_counted);
                if is_wanted(&groups) {
                    let ruling = known.ruling_on(&groups, &Quantity { path, unit }, (side, bound));
                    rulings.push(OwnRuling { memory_id, ruling });
                }
            }
            Ok(rulings)
        })
    }

    /// Notes what attempts say, and that it is to be told. Returns whether anything changed.
    pub(crate) fn put_rulings(&self, tx: &WriteTx<'_>, rulings: &[OwnRuling]) -> Result<bool> {
        let mut has_changed = false;
        for OwnRuling { memory_id, ruling } in rulings {
            // One that is gone meanwhile needs none.
            let Some(known) = tx.heard_lesson(*memory_id)? else { continue };
            if known.ruling == *ruling {
                if known.is_due {
                    tx.put_heard_lesson_done(*memory_id)?;
                    has_changed = true;
                }
                continue;
            }
            tx.put_own_ruling(*memory_id, *ruling)?;
            has_changed = true;
        }
        Ok(has_changed)
    }

    /// Notes a memory that was told, when it is a lesson that attempts can test.
    pub(super) fn note_heard_lesson(
        &self,
        tx: &WriteTx<'_>,
        memory_id: i64,
        context: &str,
    ) -> Result<()> {
        let Some(lesson) = lesson_of(memory_id, &parse_context(context)) else { return Ok(()) };
        if tx.heard_lesson_count()? < HEARD_LESSONS_MAX {
            tx.insert_heard_lesson(&lesson)?;
        }
        Ok(())
    }

    /// What is to be told of a memory that another robot told: what the attempts here say of it, and of which memory of that
    /// robot. `None`: nothing.
    pub(super) fn own_ruling_to_tell(
        &self,
        tx: &ReadTx<'_>,
        memory: &Memory,
    ) -> Result<Option<(ClaimOp, MemoryRef)>> {
        let shares = self.access.sharing.of(&Scope::Global, MemType::Lesson) != Share::Nothing;
        if memory.status != Status::Active || !shares {
            return Ok(None);
        }
        let op = match tx.heard_lesson(memory.id)?.and_then(|it| it.ruling) {
            None => return Ok(None),
            Some(Ruling::Confirmed) => ClaimOp::Confirm,
            Some(Ruling::Contradicted) => ClaimOp::Contradict,
        };
        let tellers = tx.tellers(memory.id, FLEET_TELLERS_READ_MAX)?;
        Ok(self.target_of(&tellers).map(|target| (op, target)))
    }

    /// The memory that a ruling is on: that of the first robot which tells it of its own experience. None when it rests
    /// on experience of this robot, which cannot bear itself out.
    fn target_of(&self, tellers: &[Hearsay]) -> Option<MemoryRef> {
        let rests_on = |it: &Hearsay, name: &str| it.roots.iter().any(|root| root.origin == name);
        if tellers.iter().any(|it| rests_on(it, self.robot_id())) {
            return None;
        }
        let first = tellers.iter().find(|it| rests_on(it, &it.origin)).or(tellers.first())?;
        Some(MemoryRef { origin: first.origin.clone(), memory_id: first.origin_memory_id })
    }

    /// Takes what another robot's attempts say of a memory.
    pub(super) fn take_ruling(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        intake: &mut Intake,
    ) -> Result<()> {
        let ruling = match claim.op {
            ClaimOp::Confirm => Ruling::Confirmed,
            _ => Ruling::Contradicted,
        };
        let target = claim.target.as_ref().filter(|target| target.origin != claim.origin);
        let Some(target) = target else {
            intake.taken.ignored_count += 1;
            return Ok(());
        };
        let told_at = told_at(claim);
        let revoked = tx.revocations_of(&claim.origin)?;
        let is_revoked = revoked.iter().any(|it| it.means_ruling(claim.memory_id, told_at));
        tx.put_ruling(&ForeignRuling {
            origin: claim.origin.clone(),
            memory_id: claim.memory_id,
            revision: claim.revision,
            ruling: (!is_revoked).then_some(ruling),
            target_origin: target.origin.clone(),
            target_memory_id: target.memory_id,
            told_at,
        })?;
        match is_revoked {
            true => intake.taken.forgotten_count += 1,
            false => intake.taken.ruling_count += 1,
        }
        Ok(())
    }

    /// Who says what of a memory by attempts of its own, this robot among them, as far as a caller may read what the others
    /// told and what was tried here.
    pub(crate) fn rulings_on(
        &self,
        tx: &ReadTx<'_>,
        memory: &Memory,
        visibility: &Visibility,
    ) -> Result<Rulings> {
        let is_heard = memory.scope == Scope::Fleet;
        let is_told = visibility.sees(&Scope::Fleet, memory.mem_type);
        if !is_heard && (self.robot_id().is_empty() || !is_told) {
            return Ok(Rulings::default());
        }
        let target = MemoryRef { origin: self.robot_id().to_owned(), memory_id: memory.id };
        let own = match is_heard && visibility.sees(&ATTEMPTS.0, ATTEMPTS.1) {
            true => tx.heard_lesson(memory.id)?.and_then(|it| it.ruling),
            false => None,
        };
        let by = |ruling: Ruling| -> Result<Vec<String>> {
            let max = FLEET_TELLERS_SHOWN_MAX;
            let mut robots: BTreeSet<String> = match is_heard {
                true => tx.heard_ruled_by(memory.id, ruling, max)?,
                false => tx.ruled_by(&target, ruling, max)?,
            }
            .into_iter()
            .collect();
            if own == Some(ruling) && self.rules_on(tx, memory)? {
                robots.insert(self.robot_id().to_owned());
            }
            Ok(robots.into_iter().take(max).collect())
        };
        Ok(Rulings {
            confirmed_by: by(Ruling::Confirmed)?,
            contradicted_by: by(Ruling::Contradicted)?,
        })
    }

    /// Whether what this robot's attempts say of a memory that was told is a say of its own.
    fn rules_on(&self, tx: &ReadTx<'_>, memory: &Memory) -> Result<bool> {
        let tellers = tx.tellers(memory.id, FLEET_TELLERS_READ_MAX)?;
        Ok(!self.robot_id().is_empty() && self.target_of(&tellers).is_some())
    }
}

/// Takes back what a robot said of a memory: it says something else now, or is not believed.
pub(super) fn take_back(tx: &WriteTx<'_>, told: ForeignRuling, revision: u64) -> Result<()> {
    let revision = revision.max(told.revision);
    Ok(tx.put_ruling(&ForeignRuling { ruling: None, revision, ..told })?)
}

/// The lesson that a context tells, when attempts can test it, and its origin believes it.
fn lesson_of(memory_id: i64, context: &Value) -> Option<ForeignLesson> {
    let text = |path: &str| context.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let judgment = LessonJudgment::parse(text("/lesson/judgment"));
    let state = LessonState::parse(text("/lesson/state"))?;
    let is_believed = match judgment {
        Some(LessonJudgment::Pinned) => true,
        Some(LessonJudgment::Rejected) => false,
        None => state != LessonState::Demoted,
    };
    let (task, path) = (text("/task/name"), text("/lesson/path"));
    let bound = context.pointer("/lesson/bound")?.as_f64().filter(|it| it.is_finite())?;
    if !is_believed || task.is_empty() || path.is_empty() {
        return None;
    }
    Some(ForeignLesson {
        memory_id,
        task: task.to_owned(),
        object: text("/task/object").to_owned(),
        path: path.to_owned(),
        unit: text("/lesson/unit").to_owned(),
        side: Side::parse(text("/lesson/side"))?,
        bound,
        ruling: None,
        is_due: true,
    })
}
