//! Rows that may share many words with a statement.

use crate::Result;
use robot_memory_db::ReadTx;
use robot_memory_index::{Bitset, Derived, Postings};
use robot_memory_text::inference::{self, Statement};

/// Tokens that stand in the store so often are not told apart by how common they are.
const COMMON_COUNT: u32 = 256;

/// The statement's index tokens, the rarest first, and the rows of `among` that have one of the rarest. Every
/// one of these rows with more than the share `jaccard_min` of tokens in common is found: if it had none of the
/// `|A| - floor(t |A|)` rarest ones, no more than `t |A|` were left to share (prefix filtering: S. Chaudhuri,
/// V. Ganti and R. Kaushik 2006). That holds for any tokens; the rarest leave the fewest rows.
pub(crate) fn lexical_candidates(
    tx: &ReadTx<'_>,
    derived: &Derived,
    statement: &Statement,
    jaccard_min: f64,
    among: &Bitset,
) -> Result<(Vec<String>, Bitset)> {
    let mut tokens = Vec::with_capacity(statement.tokens().len());
    for token in statement.tokens() {
        // Rows with the token have its index token as well.
        let token = inference::index_token(token);
        let count = match &derived.words {
            Some(words) => words.df(&token),
            None => tx.token_count(&token, COMMON_COUNT)?.into(),
        };
        tokens.push((count, token));
    }
    tokens.sort_unstable();
    let shared_max = (jaccard_min * tokens.len() as f64).floor() as usize;
    let rarest = tokens.len() - shared_max.min(tokens.len());
    let tokens: Vec<String> = tokens.into_iter().map(|(_, token)| token).collect();
    let mut slots = Bitset::default();
    for token in tokens.iter().take(rarest) {
        insert_with_token(tx, derived, token, among, &mut slots)?;
    }
    Ok((tokens, slots))
}

/// Puts those rows of `among` that have an index token into `found`.
pub(super) fn insert_with_token(
    tx: &ReadTx<'_>,
    derived: &Derived,
    token: &str,
    among: &Bitset,
    found: &mut Bitset,
) -> Result<()> {
    match &derived.words {
        Some(words) => words.postings(token).insert_within(among, found),
        None => {
            let ids = tx.postings(token)?.into_iter().map(|(id, _)| id);
            let known = ids.filter_map(|id| derived.rows.slot(id));
            known.filter(|slot| among.contains(*slot)).for_each(|slot| found.insert(slot));
        }
    }
    Ok(())
}
