//! What happens while a vector is made, which no lock is held for.

use crate::robot::{DIMENSION, Robot};
use robot_memory_embedding::{EmbedError, Embedder, HashedEmbedder};
use robot_memory_engine::Engine;
use std::sync::{Arc, Mutex};

/// An embedder that lets something happen, once, while it is asked for the vector of a text with a word.
struct InterferingEmbedder {
    inner: HashedEmbedder,
    word: &'static str,
    interfere: Mutex<Option<Interference>>,
}

type Interference = Box<dyn FnOnce() + Send>;

impl Embedder for InterferingEmbedder {
    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if text.contains(self.word) {
            let interfere = self.interfere.lock().expect("nothing panics").take();
            interfere.into_iter().for_each(|it| it());
        }
        self.inner.embed(text)
    }
}

/// Lets something happen to an engine, once, while it makes the vector of a text with a word.
pub fn while_embedding(
    robot: &Robot,
    word: &'static str,
    interfere: impl FnOnce(&Engine) + Send + 'static,
) {
    let engine = Arc::downgrade(&robot.engine);
    let interfere = move || interfere(&engine.upgrade().expect("the engine is there"));
    let embedder = InterferingEmbedder {
        inner: HashedEmbedder::new(DIMENSION),
        word,
        interfere: Mutex::new(Some(Box::new(interfere))),
    };
    robot.engine.set_embedder(Ok(Some(Arc::new(embedder)))).expect("it is taken");
}
