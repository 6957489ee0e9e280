//! The sentences of a question, and what stands in parentheses in them.

/// Questions of more sentences are not read.
const SENTENCES_MAX: usize = 4;

/// A sentence, or what was said beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentenceText {
    pub text: String,
    /// Whether a question mark ends it.
    pub is_question: bool,
    /// Whether it stood in parentheses.
    pub is_aside: bool,
}

/// The sentences of a text, each before what stands in parentheses in it; `None` when something is quoted, or
/// there are too many.
pub(super) fn sentences(text: &str) -> Option<Vec<SentenceText>> {
    if is_quoting(text) {
        return None;
    }
    let mut sentences = Vec::new();
    let mut sentence = String::new();
    let mut asides: Vec<String> = Vec::new();
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let is_number = before.is_ascii_digit() && letters.peek().is_some_and(char::is_ascii_digit);
        let is_apart = before == ' ' && letters.peek() == Some(&' ');
        before = letter;
        match letter {
            // A dash, not a hyphen.
            '-' if is_apart => close(&mut sentences, &mut sentence, &mut asides, false),
            '–' | '—' => close(&mut sentences, &mut sentence, &mut asides, false),
            '(' => {
                let aside: String = letters.by_ref().take_while(|letter| *letter != ')').collect();
                if aside.contains(['(', '?', '!']) {
                    return None;
                }
                sentence.push(' ');
                // It belongs to the time before it.
                let is_clock = aside.contains(':')
                    && aside.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | ' '));
                if is_clock || aside.trim().eq_ignore_ascii_case("utc") {
                    sentence.push_str(&aside);
                    sentence.push(' ');
                } else {
                    asides.push(aside);
                }
            }
            ')' => return None,
            '?' | '!' | ';' | '。' | '…' | '\n' | ':' | '.' if !is_number => {
                close(&mut sentences, &mut sentence, &mut asides, letter == '?');
            }
            _ => sentence.push(letter),
        }
    }
    close(&mut sentences, &mut sentence, &mut asides, false);
    (sentences.len() <= SENTENCES_MAX).then_some(sentences)
}

/// A clause without the words that make it one of time: "once it had tripped", 当周期变到150时.
pub(super) fn without_when(clause: &str) -> &str {
    const ENDS: [&str; 9] =
        ["的那一刻", "那一刻", "的时候", "那时候", "的时刻", "那会儿", "的当口", "时分", "时"];
    let clause = clause.trim();
    const BEGINS: [&str; 8] =
        ["当", "在", "Once ", "once ", "As soon as ", "as soon as ", "After ", "after "];
    let begun = BEGINS.iter().find_map(|begin| clause.strip_prefix(begin)).unwrap_or(clause);
    ENDS.iter().find_map(|end| begun.strip_suffix(end)).unwrap_or(begun)
}

/// Ends a sentence.
fn close(
    sentences: &mut Vec<SentenceText>,
    sentence: &mut String,
    asides: &mut Vec<String>,
    is_question: bool,
) {
    let is_said = |text: &str| text.contains(char::is_alphanumeric);
    let text = std::mem::take(sentence);
    if is_said(&text) {
        sentences.push(SentenceText { text, is_question, is_aside: false });
    } else if is_question && let Some(last) = sentences.last_mut() {
        // ".?" and the like.
        last.is_question = true;
    }
    let asides = std::mem::take(asides).into_iter().filter(|text| is_said(text));
    sentences.extend(asides.map(|text| SentenceText { text, is_question: false, is_aside: true }));
}

/// Whether a text quotes something.
fn is_quoting(text: &str) -> bool {
    let quotes = [
        '"', '“', '”', '„', '「', '」', '『', '』', '«', '»', '`', '[', ']', '{', '}', '<', '>',
        '*',
    ];
    let mut before = ' ';
    let mut is_apostrophe = |letter: char| {
        // 'lid' is quoted, the robot's is not.
        let is_quote = letter == '\'' && !before.is_alphanumeric();
        before = letter;
        is_quote
    };
    text.contains(quotes) || text.chars().any(&mut is_apostrophe)
}
