//! A bound that another robot told, held against what was tried here.

use super::super::interval::wilson;
use super::contrast::SortedTrials;
use super::track::{CONTRADICTIONS_MIN, TESTS_MAX, TRIALS_MAX};
use super::{Contrast, Trial};
use robot_memory_core::api::Side;
use robot_memory_core::claim::Ruling;
use std::collections::VecDeque;

/// What trials, in order of time, say of a bound beyond which they are to fail: by the rules and thresholds of a lesson,
/// with this bound in the place of one that was read out of them. `None`: too little to say anything.
///
/// Who heeds a bound no longer tests it, so that what was found stays until it is refuted.
pub fn ruling_on_bound(
    side: Side,
    bound: f64,
    trials: impl IntoIterator<Item = Trial>,
) -> Option<Ruling> {
    let mut ruling = None;
    let mut window = Window::new(side);
    for trial in trials {
        window.push(trial);
        let contrast = Contrast::at(bound, &window.sorted);
        if let Some(first) = refuted_from(&window.tests(side, &contrast)) {
            // What was before the contradiction is of another world.
            window.keep_newest(window.trials.len() - first);
            ruling = Some(Ruling::Contradicted);
        } else if is_borne_out(&window.tests(side, &contrast), &contrast) {
            ruling = Some(Ruling::Confirmed);
        }
    }
    ruling
}

/// A trial of which the bound expects something.
struct Test {
    is_right: bool,
    is_beyond: bool,
    /// Where it stands among the trials.
    place: usize,
}

/// The newest trials.
struct Window {
    trials: VecDeque<Trial>,
    sorted: SortedTrials,
}

impl Window {
    fn new(side: Side) -> Self {
        Self { trials: VecDeque::new(), sorted: SortedTrials::new(side) }
    }

    fn push(&mut self, trial: Trial) {
        self.trials.push_back(trial);
        self.sorted.insert(&trial);
        self.keep_newest(TRIALS_MAX);
    }

    fn keep_newest(&mut self, max: usize) {
        while self.trials.len() > max
            && let Some(oldest) = self.trials.pop_front()
        {
            self.sorted.remove(&oldest);
        }
    }

    /// The newest tests, the newest first.
    fn tests(&self, side: Side, contrast: &Contrast) -> Vec<Test> {
        let tests = self.trials.iter().enumerate().rev().filter_map(|(place, trial)| {
            let is_beyond = contrast.expects_failure(side, trial.value)?;
            Some(Test { is_right: is_beyond == trial.has_failed, is_beyond, place })
        });
        tests.take(TESTS_MAX).collect()
    }
}

/// From which trial on the tests of the newest one's side contradict the bound.
fn refuted_from(tests: &[Test]) -> Option<usize> {
    let is_beyond = tests.first()?.is_beyond;
    let (mut total, mut right, mut first) = (0, 0, None);
    for test in tests.iter().filter(|it| it.is_beyond == is_beyond) {
        total += 1;
        right += u64::from(test.is_right);
        let is_contradicted = wilson(right, total).high < 0.5;
        if total >= CONTRADICTIONS_MIN as u64 && is_contradicted && !test.is_right {
            first = Some(test.place);
        }
    }
    first
}

fn is_borne_out(tests: &[Test], contrast: &Contrast) -> bool {
    let right_count = tests.iter().filter(|it| it.is_right).count() as u64;
    contrast.has_enough()
        && contrast.is_credible()
        && tests.iter().any(|it| it.is_beyond && it.is_right)
        && wilson(right_count, tests.len() as u64).low > contrast.guess_share()
}
