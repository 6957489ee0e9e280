//! The engine, as a memory to be measured.

use crate::Result;
use crate::robot::Robot;
use crate::system::{Entry, Filter, MIN_CONFIDENCE, Memory};
use crate::vectors::{Given, Vectors};
use robot_memory_core::api::{
    Learn, LearnRequest, LearnStatus, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    SavePerceptionResponse, StartSession, StartSessionRequest,
};
use robot_memory_embedding::Embedder;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What happens in one episode.
const SESSION_ENTRIES: usize = 500;
/// From one perception to the next.
const STEP_DAYS: f64 = 30.0 / 86_400.0;

/// An engine that is given its vectors.
pub struct Ours {
    robot: Robot,
    given: Arc<Given>,
    questions: Vec<String>,
    session: Mutex<Episode>,
}

/// The session that entries are saved in.
#[derive(Default)]
struct Episode {
    id: String,
    entries_left: usize,
}

impl Ours {
    /// Opens a store, making it when there is none; it has no vectors until [`Ours::load`].
    pub fn open(path: &Path, vectors: &Vectors, questions: &[String]) -> Result<Self> {
        Ok(Self {
            robot: Robot::open(path)?,
            given: Arc::new(vectors.embedder()),
            questions: questions.to_vec(),
            session: Mutex::default(),
        })
    }

    /// Does what the node does when its model is there.
    pub fn load(&self) -> Result<()> {
        let given = Arc::clone(&self.given) as Arc<dyn Embedder>;
        Ok(self.robot.engine.set_embedder(Ok(Some(given)))?)
    }

    /// Asks for the exact nearest, by a look at every vector of the store.
    pub fn recall_exactly(&self, question: &str, n: usize) -> Result<Vec<i64>> {
        let request = RecallRequest {
            query: question.into(),
            min_confidence: MIN_CONFIDENCE,
            n: n.try_into()?,
            exact: true,
            ..Default::default()
        };
        let response = self.robot.engine.call::<Recall>(request)?;
        Ok(response.memories.iter().map(|hit| hit.memory.id).collect())
    }

    /// A round of upkeep; whether there is more of it to do at once.
    pub fn has_upkeep(&self) -> Result<bool> {
        Ok(self.robot.engine.upkeep()?)
    }

    /// Closes the store.
    pub fn close(self) -> Result<()> {
        Ok(self.robot.engine.close()?)
    }

    fn request(&self, entry: Entry) -> Result<SavePerceptionRequest> {
        self.robot.clock.sleep_days(STEP_DAYS);
        let session_id = {
            let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            if session.entries_left == 0 {
                let request = StartSessionRequest::default();
                session.id = self.robot.engine.call::<StartSession>(request)?.session_id;
                session.entries_left = SESSION_ENTRIES;
            }
            session.entries_left -= 1;
            session.id.clone()
        };
        self.given.give(&entry.statement.text, entry.vector);
        Ok(SavePerceptionRequest {
            description: entry.statement.text,
            context: entry.statement.context,
            session_id,
            ..Default::default()
        })
    }
}

/// The id of a stored perception that has its vector.
fn id_of(response: &SavePerceptionResponse) -> Result<i64> {
    if response.has_embedding {
        Ok(response.memory_id)
    } else {
        Err("a perception was stored without its vector".into())
    }
}

impl Memory for Ours {
    fn save(&self, entry: Entry) -> Result<i64> {
        id_of(&self.robot.engine.call::<SavePerception>(self.request(entry)?)?)
    }

    fn save_all(&self, entries: Vec<Entry>) -> Result<i64> {
        let requests =
            entries.into_iter().map(|entry| self.request(entry)).collect::<Result<_>>()?;
        let mut last_id = 0;
        for answer in self.robot.engine.save_perceptions(requests)? {
            last_id = id_of(&answer?)?;
        }
        Ok(last_id)
    }

    fn learn(&self, entry: Entry) -> Result<Option<bool>> {
        self.given.give(&entry.statement.text, entry.vector);
        let request = LearnRequest {
            insight: entry.statement.text,
            context: entry.statement.context,
            ..Default::default()
        };
        let response = self.robot.engine.call::<Learn>(request)?;
        Ok(Some(response.status == LearnStatus::Created))
    }

    fn recall(&self, question: &str, filter: Filter, n: usize) -> Result<Vec<i64>> {
        let request = RecallRequest {
            query: question.into(),
            context_filter: filter.json().into(),
            min_confidence: MIN_CONFIDENCE,
            n: n.try_into()?,
            ..Default::default()
        };
        let response = self.robot.engine.call::<Recall>(request)?;
        Ok(response.memories.iter().map(|hit| hit.memory.id).collect())
    }

    fn nearest(&self, question: &str, n: usize) -> Result<Option<Vec<i64>>> {
        let place = self.questions.iter().position(|known| known == question);
        // No word, so that nothing but the vector counts.
        let wordless = "?".repeat(place.ok_or("a question of this source was expected")? + 1);
        self.given.give(&wordless, self.given.embed(question)?);
        let request = RecallRequest {
            query: wordless,
            min_confidence: MIN_CONFIDENCE,
            n: 100,
            ranking: "rrf".into(),
            ..Default::default()
        };
        let response = self.robot.engine.call::<Recall>(request)?;
        let mut ranked: Vec<(u32, i64)> = response
            .memories
            .iter()
            .map(|hit| (hit.why.vector_rank, hit.memory.id))
            .filter(|(rank, _)| *rank > 0)
            .collect();
        ranked.sort_unstable();
        Ok(Some(ranked.into_iter().take(n).map(|(_, id)| id).collect()))
    }

    fn upkeep(&self) -> Result<()> {
        self.robot.engine.upkeep()?;
        Ok(())
    }
}
