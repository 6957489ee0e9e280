//! What `.srv` files say to users of requests: what an operation does, what a field means, how it is spelled.

use std::collections::BTreeMap;

/// A request, as its file describes it.
#[derive(Debug, Default)]
pub(super) struct Interface<'a> {
    /// What the operation does, in a sentence.
    pub summary: String,
    /// The rest: more of it, and the errors.
    pub description: String,
    pub fields: BTreeMap<&'a str, InterfaceField<'a>>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct InterfaceField<'a> {
    pub description: String,
    /// Every spelling, of a text that is one of several.
    pub spellings: Vec<&'a str>,
}

/// Reads the comments at the head, and the fields of the request.
pub(super) fn parse(srv: &str) -> Interface<'_> {
    let mut interface = Interface::default();
    let head: Vec<&str> = srv
        .lines()
        .map_while(|line| line.strip_prefix('#'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let head = head.join("\n");
    let (first, rest) = head.split_once("\n\n").unwrap_or((&head, ""));
    let first = first.replace('\n', " ");
    let (summary, more) = first.split_once(". ").unwrap_or((&first, ""));
    interface.summary = summary.trim_end_matches('.').to_owned();
    interface.description = [more, rest.trim()].join("\n\n").trim().to_owned();
    let request = srv.split("---\n").next().unwrap_or_default();
    let mut spellings = Vec::new();
    let mut last = "";
    for line in request.lines().filter(|line| !line.starts_with('#')) {
        let (declared, comment) = line.split_once('#').unwrap_or((line, ""));
        let comment = comment.trim();
        if let Some((_, value)) = declared.split_once("=\"") {
            spellings.extend(value.split('"').next());
            continue;
        }
        let Some(name) = declared.split_whitespace().nth(1) else {
            // A comment that goes on.
            if let Some(field) = interface.fields.get_mut(last).filter(|_| !comment.is_empty()) {
                field.description = format!("{} {comment}", field.description);
            }
            continue;
        };
        let spellings = std::mem::take(&mut spellings);
        // Here what is absent is left out.
        let description = comment.replace(&format!("unless has_{name}"), "when it is left out");
        interface.fields.insert(name, InterfaceField { description, spellings });
        last = name;
    }
    interface
}

/// The least and the greatest value, when a description begins with them: `1 to 100; ...`.
pub(super) fn bounds(description: &str) -> Option<[i64; 2]> {
    let (least, rest) = description.split_once(" to ")?;
    let greatest = rest.split(|c: char| !c.is_ascii_digit() && c != '-').next()?;
    let is_whole = !rest[greatest.len()..].starts_with('.');
    is_whole.then_some([least.parse().ok()?, greatest.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRV: &str = "\
# Find what is there. Of any kind.
#
# Errors: not_found.

string query     # words
                 # of any language
string ORDER_NEWEST=\"newest\"
string ORDER_OLDEST=\"oldest\"
string order     # newest | oldest; empty = best first
bool has_weight  # whether weight is given
float64 weight   # 0 to 1; 0.5 unless has_weight
uint32 limit 50
---
bool success
string other     # of the answer
";

    #[test]
    fn a_request_is_described_by_its_file() {
        let interface = parse(SRV);
        assert_eq!(interface.summary, "Find what is there");
        assert_eq!(interface.description, "Of any kind.\n\nErrors: not_found.");
        let field = |name: &str| &interface.fields[name];
        assert_eq!(field("query").description, "words of any language");
        assert_eq!(field("order").spellings, ["newest", "oldest"]);
        assert_eq!(field("weight").description, "0 to 1; 0.5 when it is left out");
        assert_eq!(*field("limit"), InterfaceField::default());
        assert!(!interface.fields.contains_key("other"));
    }

    #[test]
    fn bounds_stand_at_the_beginning() {
        let cases = [
            ("1 to 100", Some([1, 100])),
            ("-1 to 1; 0 = no limit", Some([-1, 1])),
            ("0 to 1: how well", Some([0, 1])),
            ("0 to 1.5", None),
            ("seconds; 0 to 60", None),
            ("as much as is to be", None),
        ];
        for (description, expected) in cases {
            assert_eq!(bounds(description), expected, "{description}");
        }
    }
}
