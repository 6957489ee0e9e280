use robot_memory_core::model::{Stamp, Trust};
use std::cmp::{Ordering, Reverse};

/// Fewer memories of one place than this are not worth merging.
pub const MERGED_FROM_MIN: usize = 3;

/// A memory that may be merged with others that say the same.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub id: i64,
    /// Belief, 0 to 1.
    pub confidence: f64,
    /// How often it was recalled.
    pub access_count: u32,
    pub created_at: Stamp,
    /// How far its source is believed.
    pub trust: Trust,
}

/// Memories that say the same, as places in the list of candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The one that stays.
    pub kept: usize,
    /// Those that it replaces, at least one, in the order in which they would have been kept.
    pub superseded: Vec<usize>,
    /// Similarity of every pair in the group.
    pub pair_similarities: Vec<f64>,
}

/// Puts memories together of which every pair is similar (complete linkage).
///
/// `similar` answers for two places in the list how similar they are, or `None` when they are not
/// similar enough; it does not matter which comes first.
///
/// Candidates are gone through in the order in which they would be kept: the highest confidence
/// first, then the most often recalled, the newest, the lowest id. The first opens a group, and each
/// later one joins it that is similar to all in it and not of higher trust than the first, which it
/// would be replaced by. Then the same with those that are left.
pub fn groups(
    candidates: &[Candidate],
    similar: impl Fn(usize, usize) -> Option<f64>,
) -> Vec<Group> {
    let mut rest: Vec<usize> = (0..candidates.len()).collect();
    rest.sort_by(|&a, &b| kept_first(&candidates[a], &candidates[b]));
    let mut groups = Vec::new();
    while let Some((&kept, others)) = rest.split_first() {
        let mut group = Group { kept, superseded: Vec::new(), pair_similarities: Vec::new() };
        let mut left = Vec::with_capacity(others.len());
        for &other in others {
            match group.similarities(other, &similar) {
                Some(similarities) if candidates[other].trust <= candidates[kept].trust => {
                    group.superseded.push(other);
                    group.pair_similarities.extend(similarities);
                }
                _ => left.push(other),
            }
        }
        if !group.superseded.is_empty() {
            groups.push(group);
        }
        rest = left;
    }
    groups
}

impl Group {
    /// How similar a candidate is to each member, or `None` when it is not to one of them.
    fn similarities(
        &self,
        candidate: usize,
        similar: impl Fn(usize, usize) -> Option<f64>,
    ) -> Option<Vec<f64>> {
        let members = std::iter::once(self.kept).chain(self.superseded.iter().copied());
        members.map(|member| similar(member, candidate)).collect()
    }
}

fn kept_first(a: &Candidate, b: &Candidate) -> Ordering {
    let key = |c: &Candidate| (Reverse(c.access_count), Reverse(c.created_at), c.id);
    b.confidence.total_cmp(&a.confidence).then_with(|| key(a).cmp(&key(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(id: i64, confidence: f64) -> Candidate {
        Candidate {
            id,
            confidence,
            access_count: 0,
            created_at: Stamp::from_secs(100),
            trust: Trust::Medium,
        }
    }

    /// Similar when no farther apart than 2.
    fn near(positions: &[i32]) -> impl Fn(usize, usize) -> Option<f64> {
        move |a, b| {
            let apart = (positions[a] - positions[b]).abs();
            (apart <= 2).then(|| 1.0 - f64::from(apart) / 10.0)
        }
    }

    fn members(groups: &[Group]) -> Vec<(usize, Vec<usize>)> {
        groups.iter().map(|group| (group.kept, group.superseded.clone())).collect()
    }

    #[test]
    fn every_pair_of_a_group_is_similar() {
        // 0, 2 and 4 form a chain whose ends are not similar.
        let candidates = [candidate(1, 0.8), candidate(2, 0.9), candidate(3, 0.7)];
        let groups = groups(&candidates, near(&[0, 2, 4]));
        assert_eq!(members(&groups), [(1, vec![0])]);
        assert_eq!(groups[0].pair_similarities, [0.8]);
    }

    #[test]
    fn all_pairs_are_told_and_what_is_left_forms_groups_of_its_own() {
        let candidates: Vec<Candidate> =
            (0..6).map(|id| candidate(id, 0.9 - 0.1 * id as f64)).collect();
        let groups = groups(&candidates, near(&[0, 50, 1, 51, 2, 99]));
        assert_eq!(members(&groups), [(0, vec![2, 4]), (1, vec![3])]);
        assert_eq!(groups[0].pair_similarities, [0.9, 0.8, 0.9]);
    }

    #[test]
    fn the_one_kept_is_believed_then_recalled_then_newest_then_first() {
        let base = candidate(5, 0.8);
        let cases = [
            Candidate { id: 9, confidence: 0.81, ..base },
            Candidate { id: 9, access_count: 1, ..base },
            Candidate { id: 9, created_at: Stamp::from_secs(101), ..base },
            Candidate { id: 3, ..base },
        ];
        let other = candidate(7, 0.1);
        for better in cases {
            for candidates in [[base, better, other], [better, other, base]] {
                let groups = groups(&candidates, |_, _| Some(0.9));
                assert_eq!(candidates[groups[0].kept], better);
                assert_eq!(groups[0].superseded.len(), 2);
            }
        }
    }

    #[test]
    fn nothing_supersedes_what_is_trusted_more() {
        let mut candidates = [candidate(1, 0.9), candidate(2, 0.8), candidate(3, 0.7)];
        candidates[1].trust = Trust::High;
        let groups = groups(&candidates, |_, _| Some(1.0));
        assert_eq!(members(&groups), [(0, vec![2])]);
    }
}
