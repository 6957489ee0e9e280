pub struct QueryTerm {
    pub text: String,
    pub weight: f64,
    pub alternatives: Vec<Alternative>,
}
pub struct Alternative {
    pub tokens: Vec<String>,
    pub weight: f64,
}
#[derive(Debug, Default)]
pub struct Synonyms;
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct SynonymError;
impl Synonyms {
    pub fn parse(_: &str) -> Result<Self, SynonymError> {
        Ok(Self)
    }
    pub fn shipped() -> Self {
        Self
    }
}
pub fn query_terms(text: &str, _: &Synonyms) -> Vec<QueryTerm> {
    let t: std::collections::BTreeSet<String> = super::tokens(text).into_iter().collect();
    t.into_iter().map(QueryTerm::of_token).collect()
}
pub fn index_token(token: &str) -> String {
    token.to_owned()
}
impl QueryTerm {
    pub fn of_token(token: String) -> Self {
        Self {
            text: token.clone(),
            weight: 1.0,
            alternatives: vec![Alternative { tokens: vec![token], weight: 1.0 }],
        }
    }
}
