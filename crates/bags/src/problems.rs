/// Sentences that are kept; of a badly damaged bag the others say nothing more.
const SENTENCES_MAX: usize = 50;

/// What could not be read, in words.
#[derive(Debug, Default)]
pub struct Problems {
    sentences: Vec<String>,
    unsaid: u64,
}

impl Problems {
    /// Notes a sentence about a place, once.
    pub fn note(&mut self, place: &str, what: &str) {
        self.say(format!("{place}: {what}"));
    }

    /// Notes what others are.
    pub fn extend(&mut self, others: Self) {
        self.unsaid += others.unsaid;
        for sentence in others.sentences {
            self.say(sentence);
        }
    }

    fn say(&mut self, sentence: String) {
        if self.sentences.contains(&sentence) {
            return;
        }
        if self.sentences.len() < SENTENCES_MAX {
            self.sentences.push(sentence);
        } else {
            self.unsaid += 1;
        }
    }

    /// All sentences, and how many more there would be.
    pub fn lines(&self) -> Vec<String> {
        let more = (self.unsaid > 0).then(|| format!("and {} more problems", self.unsaid));
        self.sentences.iter().cloned().chain(more).collect()
    }
}
