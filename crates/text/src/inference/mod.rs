//! What can be read out of a text by rules, English and Chinese. Pure functions.
//!
//! | function | answers |
//! |---|---|
//! | [`classify`] | what kind of statement is this? |
//! | [`is_of_speaker`] | is it about whoever made it? |
//! | [`confidence`] | how far is it believed when it is new? |
//! | [`scope_files`], [`scope_entities`] | which files, robots, parts and topics does it name? |
//! | [`tokens`] | which words is it found by? |
//! | [`asked`] | which events does a question ask for: of what kind, when, which of several? |
//! | [`asks_how_often`], [`asks_how_much`], [`asks_how_many`], [`asks_when`], [`asks_what_was_asked`] | does a query ask how often something was, for an amount, how many there are, when it was, or for a question? |
//! | [`share_asked`] | how much of it is a question? |
//! | [`name_tokens`] | which names of what it is about is it found by besides? |
//! | [`query_terms`] | what does a query ask for, and how else can it be said? |
//! | [`cut`] | where can it be shortened without damage? |
//! | [`limits`] | which bounds does a constraint set? |
//! | [`salience`] | how much does a reader want to know it? |
//! | [`mentions`] | what does it say piece by piece, to be held against another text? |
//! | [`Statement`] | can two statements be the same one in other words? |
//! | [`turn_facts`], [`turn_summary`] | what does the report of a finished step say? |
//! | [`hold_against_attempts`] | does what another reader took out of it agree with how its attempts ended? |
//! | [`named_task`] | which task was it, and on what? |
//! | [`sentences`] | where do its sentences begin and end? |
//! | [`Proposition`] | do two statements say different things of the same subject? |
//! | [`Thing`] | do two names mean the same object, place or parameter? |
//! | [`Prohibition`] | what does it forbid without a number? |
//! | [`Objects`] | which objects does it name, and is it about others than a question? |
//! | [`ParaphraseKey`] | does one say the same as another in other words, or deny it? |
//!
//! They all see the same words, numbers and names, those of `lexer`.

mod amount;
mod any_word;
mod asking;
mod category;
mod confidence;
mod decimal;
mod entities;
mod event_question;
mod identifier;
mod identity;
mod items;
mod key;
mod lexer;
mod limits;
mod mentions;
mod names;
mod numerals;
mod opposites;
mod parameter;
mod paraphrase;
mod phrases;
mod proposition;
mod query_terms;
mod question;
mod salience;
mod setting;
mod speaker;
mod statement;
mod stem;
mod stop_words;
mod synonyms;
mod text;
mod tokens;
mod triggers;
mod turn;
mod units;
mod validity;

pub use amount::Amount;
pub use asking::{asks_what_was_asked, share_asked};
pub use category::{Classification, classify};
pub use confidence::confidence;
pub use entities::{scope_entities, scope_files};
pub use event_question::{
    Anchor, AskedOrder, Became, Beside, Bounds, Closest, Direction, End, EventQuestion, Lasted,
    Lengths, NamedEvents, Nth, OrderQuestion, PastDays, Span, Taken, asked, class_share,
    event_classes, order_question,
};
pub use identity::{
    Clause, Doing, Evidence, Frame, Groups, Likeness, Objects, Part, PartRole, Prohibition,
    SameDoing, Thing, ThingKind, folded, listed, things_in,
};
pub use lexer::is_han;
pub use limits::{limits, may_set_a_bound};
pub use mentions::{Mention, MentionKind, mentions};
pub use names::{name_tokens, or_named, word_count};
pub use parameter::ParameterName;
pub use paraphrase::ParaphraseKey;
pub use proposition::{Proposition, is_conflict};
pub use query_terms::{QueryTerm, TermAlternative, query_terms, telling_terms};
pub use question::{asks_how_many, asks_how_much, asks_how_often, asks_when};
pub use salience::salience;
pub use setting::Setting;
pub use speaker::is_of_speaker;
pub use statement::Statement;
pub use synonyms::{SynonymError, Synonyms};
pub use text::cut;
pub use tokens::{TOKENS_VERSION, index_token, tokens};
pub use turn::{
    NamedTask, TurnFact, TurnFactKind, TurnPlace, ended_well, hold_against_attempts, key_and_unit,
    named_task, sentences, task_verb, turn_facts, turn_summary,
};
