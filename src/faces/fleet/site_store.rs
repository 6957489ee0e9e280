//! The memory of a site in Postgres, as the transport of claims needs it.

use super::verifier::{NOT_STORABLE, RefusedClaims, Verifier};
use robot_memory_claims::KnownRobots;
use robot_memory_core::claim::Claim;
use robot_memory_core::limits::SITE_BATCH_MAX;
use robot_memory_core::site::{SiteAnswer, SiteQuestion};
use robot_memory_embedding::Embedder;
use robot_memory_fleet::{
    Error, Memory, Outgoing, Position, Settings, Site, Transport, start_site,
};
use robot_memory_site::{Scopes, SitePosition, SiteStore};
use std::sync::{Arc, Mutex, PoisonError};

/// A site whose memory is in Postgres: takes what robots tell, and answers what they ask, until it is stopped.
pub struct SiteLink {
    // Connections of the store must not end on its thread, where one may not block: the claims outlive it.
    transport: Mutex<Option<Transport>>,
    claims: Arc<SiteClaims>,
}

impl SiteLink {
    /// Begins to take and to answer. Without an embedder it answers by words.
    ///
    /// # Errors
    /// When a setting cannot be used.
    pub fn start(
        settings: Settings,
        store: SiteStore,
        known: KnownRobots,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, Error> {
        let refused = Arc::new(RefusedClaims::default());
        let verifier = Verifier::new(settings.robot.clone(), known, refused);
        let speakers = verifier.speakers_hash();
        let claims = Arc::new(SiteClaims { store, verifier, speakers, embedder });
        let memory: Arc<dyn Memory> = Arc::clone(&claims) as Arc<dyn Memory>;
        let site: Arc<dyn Site> = Arc::clone(&claims) as Arc<dyn Site>;
        Ok(Self { transport: Mutex::new(Some(start_site(settings, memory, site)?)), claims })
    }

    /// Takes and answers no more.
    pub fn stop(&self) {
        let transport = self.transport.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(transport);
    }

    /// Makes the indexes of vectors that are missing.
    pub fn index_vectors(&self) {
        match self.claims.store.index_vectors() {
            Ok(0) => {}
            Ok(count) => log::info!("{count} indexes of vectors were made"),
            Err(error) => log::warn!("indexes of vectors are not made: {error}"),
        }
    }
}

struct SiteClaims {
    store: SiteStore,
    verifier: Verifier,
    /// Before the name of a stream that was taken: when others are believed than then, it is taken from its beginning.
    speakers: String,
    embedder: Option<Arc<dyn Embedder>>,
}

/// It tells nothing.
impl Memory for SiteClaims {
    fn to_tell(&self, _: usize) -> Result<Vec<Outgoing>, String> {
        Ok(Vec::new())
    }

    fn told(&self, _: &[(i64, u64)]) -> Result<(), String> {
        Ok(())
    }

    fn take(&self, messages: &[Vec<u8>], position: &Position) -> Result<(), String> {
        let claims = self.verifier.claims(messages);
        let Position { stream_id, sequence } = position;
        let stream_id = format!("{} {stream_id}", self.speakers);
        self.take_claims(&claims, &SitePosition { stream_id, sequence: *sequence })
    }

    fn who_comes_first(&self) -> Vec<String> {
        self.verifier.authorities()
    }

    fn take_first(&self, messages: &[Vec<u8>]) -> Result<(), String> {
        // One that has taken nothing answers nothing.
        match self.store.position().map_err(|error| error.to_string())? {
            Some(position) => self.take_claims(&self.verifier.revocations(messages), &position),
            None => Ok(()),
        }
    }

    fn position(&self) -> Result<Option<Position>, String> {
        let position = self.store.position().map_err(|error| error.to_string())?;
        Ok(position.and_then(|SitePosition { stream_id, sequence }| {
            let (speakers, stream_id) = stream_id.split_once(' ')?;
            (speakers == self.speakers)
                .then(|| Position { stream_id: stream_id.to_owned(), sequence })
        }))
    }
}

impl SiteClaims {
    fn take_claims(&self, claims: &[Claim], position: &SitePosition) -> Result<(), String> {
        debug_assert!(claims.len() <= SITE_BATCH_MAX, "the transport takes fewer at a time");
        let taken = self.store.take(claims, position).map_err(|error| error.to_string())?;
        for (origin, fault) in &taken.refused {
            self.verifier.refused.note(NOT_STORABLE, &format!("a claim of {origin}: {fault}"));
        }
        for removed in &taken.removed {
            log::warn!(
                "revocation {} of {}: {} memories of {} were deleted",
                removed.revocation_no,
                removed.revoked_by,
                removed.deleted_count,
                removed.origin
            );
        }
        Ok(())
    }
}

impl Site for SiteClaims {
    fn answer(&self, question: &[u8]) -> Vec<u8> {
        let answered = || -> Result<SiteAnswer, String> {
            let SiteQuestion { request, .. } = SiteQuestion::read(question)?;
            let embedder = self.embedder.as_ref().filter(|_| !request.query.trim().is_empty());
            let vector = embedder.map(|it| it.embed_query(&request.query)).transpose();
            let vector = vector.map_err(|error| error.to_string())?;
            let model = self.embedder.as_ref().map_or("", |it| it.model_id());
            let vector = vector.as_deref().map(|components| (model, components));
            let answer = self.store.answer_robot(&request, vector, &Scopes::All);
            answer.map_err(|error| error.message)
        };
        answered().unwrap_or_else(SiteAnswer::fault).message()
    }
}
