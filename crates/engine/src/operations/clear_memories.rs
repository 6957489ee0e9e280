//! ClearMemories: delete every memory of a level and collection for good.
//!
//! In batches, each of them a transaction: nobody waits for long, however many go, and a read never.
//! What was deleted stays deleted when a later batch fails; the error says how many that were.

use super::check;
use super::deletion::{Stale, delete};
use super::objects::OBJECT_TYPE;
use crate::db::Outcome;
use crate::{Error, Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{ApiError, ClearMemoriesRequest, ClearMemoriesResponse};
use robot_memory_core::model::{Level, MemType, Scope, Stamp};
use robot_memory_db::{DeletedMemory, Locked};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

/// Rows deleted in one transaction: other writers wait some ten milliseconds.
const BATCH: usize = 128;
/// Between two batches, so that a writer who waits comes to its turn.
const PAUSE: Duration = Duration::from_millis(1);

/// Which rows are to go.
struct Clearing {
    level: Level,
    collection: String,
    since: Option<Stamp>,
    until: Option<Stamp>,
    visibility: Visibility,
    agent: String,
}

/// What a caller may do with the rows of a scope and class.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    Unseen,
    Writable,
    Forbidden(ApiError),
}

impl Operations {
    /// Deletes them, and hands `follow` what was deleted after each batch: their clips are still there.
    pub(crate) fn clear_memories(
        &self,
        request: ClearMemoriesRequest,
        follow: &dyn Fn(&[DeletedMemory]),
    ) -> Result<ClearMemoriesResponse> {
        let ClearMemoriesRequest { level, collection, since, until, scope, agent } = request;
        self.check_agent(&agent)?;
        let level = check::parse_enum("level", &level, Level::parse, Level::spellings)?;
        let level = level.ok_or_else(|| {
            check::invalid(format!("level: must be given, one of {}", Level::spellings()))
        })?;
        check::collection_name(&collection)?;
        if collection.is_empty() {
            return Err(check::invalid("collection: must be given"));
        }
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            return Err(check::invalid("since: must be before until"));
        }
        let visibility = self.visibility_of_one(&agent, &scope)?;
        let now = self.now()?;
        let clearing = Clearing { level, collection, since, until, visibility, agent };
        let ids = self.to_clear(&clearing)?;
        let mut response =
            ClearMemoriesResponse { deleted_count: 0, clips_deleted_count: 0, backups_until: None };
        let cleared = self
            .clear(&clearing, &ids, now, &mut response, follow)
            .and_then(|()| self.clear_objects(&clearing));
        let cleared = cleared.map(|count| response.deleted_count += count);
        if response.deleted_count > 0 {
            self.erase_deleted();
        }
        match cleared {
            Ok(()) => Ok(response),
            Err(error) if response.deleted_count == 0 => Err(error),
            Err(error) => {
                let ApiError { kind, message } = error.into();
                let deleted_count = response.deleted_count;
                let message = format!(
                    "{deleted_count} of {} memories were deleted, then: {message}; call again for \
                     the rest",
                    ids.len()
                );
                Err(ApiError { kind, message }.into())
            }
        }
    }
    /// The rows that are to go, in order of id, as they are now; what comes later stays. Fails when
    /// the caller may not write one of them.
    fn to_clear(&self, clearing: &Clearing) -> Result<Vec<i64>> {
        let Clearing { level, collection, since, until, .. } = clearing;
        let mut ids = Vec::new();
        let (mut forbidden_count, mut forbidden) = (0_u64, None);
        let mut known: BTreeMap<String, BTreeMap<MemType, Standing>> = BTreeMap::new();
        self.store.read(|tx| {
            tx.each_of_level(*level, collection, *since, *until, |id, scope, mem_type| {
                let standing = match known.get(scope).and_then(|known| known.get(&mem_type)) {
                    Some(standing) => standing,
                    None => {
                        let standing = Scope::parse(scope).map_or(Standing::Unseen, |scope| {
                            self.standing(clearing, &scope, mem_type)
                        });
                        let of_scope = known.entry(scope.to_owned()).or_default();
                        of_scope.entry(mem_type).or_insert(standing)
                    }
                };
                match standing {
                    Standing::Unseen => {}
                    Standing::Writable => ids.push(id),
                    Standing::Forbidden(error) => {
                        forbidden_count += 1;
                        forbidden.get_or_insert_with(|| error.clone());
                    }
                }
                ControlFlow::Continue(())
            })
        })?;
        match forbidden {
            None => Ok(ids),
            Some(ApiError { kind, message }) => {
                let total = ids.len() as u64 + forbidden_count;
                let message = format!(
                    "{message}; {forbidden_count} of {total} memories, nothing was deleted"
                );
                Err(ApiError { kind, message }.into())
            }
        }
    }

    fn standing(&self, clearing: &Clearing, scope: &Scope, mem_type: MemType) -> Standing {
        if !clearing.visibility.sees(scope, mem_type) {
            return Standing::Unseen;
        }
        match self.check_write(&clearing.agent, scope, mem_type) {
            Ok(()) => Standing::Writable,
            Err(error) => Standing::Forbidden(error.into()),
        }
    }

    fn clear(
        &self,
        clearing: &Clearing,
        ids: &[i64],
        now: Stamp,
        response: &mut ClearMemoriesResponse,
        follow: &dyn Fn(&[DeletedMemory]),
    ) -> Result<()> {
        for (number, batch) in ids.chunks(BATCH).enumerate() {
            if self.is_closing() {
                return Err(Error::unavailable("the store is being closed"));
            }
            if number > 0 {
                std::thread::sleep(PAUSE);
            }
            let deleted = self.clear_batch(clearing, batch, now)?;
            response.deleted_count += deleted.len() as u64;
            let clips = deleted.iter().filter(|memory| !memory.clip.is_empty());
            response.clips_deleted_count += clips.count() as u64;
            follow(&deleted);
        }
        Ok(())
    }

    /// Deletes the objects that were last seen in the span: they belong to the events' collection and level.
    fn clear_objects(&self, clearing: &Clearing) -> Result<u64> {
        let Clearing { level, collection, since, until, .. } = clearing;
        if *level != Level::Working || *collection != self.config.default_collection {
            return Ok(0);
        }
        let (since, until) = (since.unwrap_or(Stamp(i64::MIN)), until.unwrap_or(Stamp(i64::MAX)));
        let deleted_count = self.write(|tx| {
            let mut deleted_count = 0_u64;
            for scope in tx.object_scopes()? {
                if self.standing(clearing, &scope, OBJECT_TYPE) == Standing::Writable {
                    deleted_count += tx.delete_objects(&scope, since, until)? as u64;
                }
            }
            // Who knew them stores none of them from here on.
            if deleted_count > 0 {
                self.note_objects_changed();
            }
            Ok(Outcome::of(deleted_count > 0, deleted_count))
        })?;
        // Who read them before they were gone reads them again.
        if deleted_count > 0 {
            self.note_objects_changed();
        }
        Ok(deleted_count)
    }

    fn clear_batch(
        &self,
        clearing: &Clearing,
        batch: &[i64],
        now: Stamp,
    ) -> Result<Vec<DeletedMemory>> {
        let deleted = self.write(|tx| {
            let mut deleted = Vec::with_capacity(batch.len());
            let mut stale = Stale::default();
            for id in batch {
                // It may have been promoted, or have got another class, since it was found.
                let Some(place) = tx.row_place(*id)? else { continue };
                let is_meant = place.level == clearing.level
                    && place.collection == clearing.collection
                    && self.standing(clearing, &place.scope, place.mem_type) == Standing::Writable;
                if is_meant && let Some(memory) = delete(self, tx, &mut stale, *id, now)? {
                    deleted.push(memory);
                }
            }
            self.make_again(tx, &stale, now)?;
            Ok(Outcome::of(!deleted.is_empty(), deleted))
        })?;
        let mut pending = self.accesses.locked();
        for id in batch {
            pending.remove(*id);
        }
        Ok(deleted)
    }
}
