/// The one of `names` that `given` is most likely a slip of: at most a third of its letters differ
/// (Levenshtein's distance, without regard to capitals), the first of equals.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const CHARS_MAX: usize = 64;
    let given: Vec<char> = given.chars().take(CHARS_MAX).flat_map(char::to_lowercase).collect();
    let distance_max = (given.len() / 3).max(1);
    names
        .into_iter()
        .map(|name| (distance(&given, name), name))
        .filter(|(distance, name)| *distance <= distance_max && *distance < name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters have to be put in, taken out or exchanged.
fn distance(given: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (i, letter) in name.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in given.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[given.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_what_was_meant() {
        let names = ["topic", "type", "triggers", "store_path", "Left Wrist"];
        let cases = [
            ("topik", Some("topic")),
            ("TYPE", Some("type")),
            ("store_pth", Some("store_path")),
            ("left wrst", Some("Left Wrist")),
            ("xyz", None),
            ("", None),
        ];
        for (given, expected) in cases {
            assert_eq!(nearest(given, names), expected, "{given:?}");
        }
    }

    #[test]
    fn distance_counts_single_edits() {
        let cases =
            [("", "", 0), ("", "ab", 2), ("store_path", "store_pth", 1), ("kitten", "sitting", 3)];
        for (given, name, expected) in cases {
            let letters: Vec<char> = given.chars().collect();
            assert_eq!(distance(&letters, name), expected, "{given} {name}");
        }
    }
}
