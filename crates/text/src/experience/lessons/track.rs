//! A lesson over time: hypothesis, tested, demoted.

use super::super::interval::wilson;
use super::contrast::SortedTrials;
use super::{Contrast, Trial};
use robot_memory_core::api::{LessonState, Side};
use robot_memory_core::limits::LESSON_IDS_MAX;
use robot_memory_core::model::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The newest trials that a bound is read out of: what is older says little of a robot that wears.
pub(super) const TRIALS_MAX: usize = 60;
/// The newest tests that count.
pub(super) const TESTS_MAX: usize = 20;
/// Tests in a row from which a lesson may be demoted.
pub(super) const CONTRADICTIONS_MIN: usize = 4;
/// Steps of a history that are kept.
const STEPS_MAX: usize = 20;

/// What became of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LessonStep {
    /// What it became.
    pub state: LessonState,
    /// The attempt after which it did.
    pub attempt_id: i64,
    /// When that was made.
    pub at: Stamp,
}

/// A lesson as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Where failure lies.
    pub side: Side,
    /// How far it is believed.
    pub state: LessonState,
    /// The bound, and the attempts that it was read out of.
    pub contrast: Contrast,
    /// Tests that bore it out, of the newest 20,
    pub confirmed_count: u64,
    /// and those that did not.
    pub refuted_count: u64,
    /// What became of it, the oldest first; the newest 20.
    pub steps: VecDeque<LessonStep>,
    /// The newest failures beyond the bound when it was last read, the newest first.
    pub failure_ids: Vec<i64>,
    /// The newest successes within it.
    pub success_ids: Vec<i64>,
}

/// What is known of one side of one number, trial by trial in order of time.
#[derive(Debug, Clone)]
pub struct Track {
    side: Side,
    trials: VecDeque<Trial>,
    sorted: SortedTrials,
    lesson: Option<Lesson>,
    /// Whether a test bore it out, and on which side of the bound it was; the newest last.
    tests: VecDeque<Test>,
    /// Of the contrast when the lesson was new.
    guess_share: f64,
    /// Trials that were taken in.
    count: u64,
}

#[derive(Debug, Clone, Copy)]
struct Test {
    is_right: bool,
    is_beyond: bool,
    /// How many trials were taken in before it.
    number: u64,
}

impl Track {
    /// Of a side of which nothing is known.
    pub fn new(side: Side) -> Self {
        let (trials, tests) = (VecDeque::new(), VecDeque::new());
        let sorted = SortedTrials::new(side);
        Self { side, trials, sorted, lesson: None, tests, guess_share: 1.0, count: 0 }
    }

    /// The lesson, when there is one.
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref()
    }

    /// Takes in what was tried after all others: tests what is expected, then reads the bound again.
    pub fn take(&mut self, trial: Trial) {
        let is_live = self.lesson.as_ref().is_some_and(|it| it.state != LessonState::Demoted);
        let refuted_from = if is_live { self.test(&trial) } else { None };
        self.trials.push_back(trial);
        self.sorted.insert(&trial);
        self.count += 1;
        self.keep_newest(TRIALS_MAX);
        if let Some(first) = refuted_from {
            // What was before the contradiction is of another world.
            self.keep_newest(usize::try_from(self.count - first).unwrap_or(TRIALS_MAX));
            self.become_state(LessonState::Demoted, &trial);
            return;
        }
        let contrast = Contrast::of(&self.sorted);
        if !is_live {
            if let Some(contrast) = contrast.filter(Contrast::is_credible) {
                self.begin(contrast, &trial);
            }
            return;
        }
        match contrast {
            Some(contrast) if contrast.is_apart() => self.read(contrast),
            Some(_) => return self.become_state(LessonState::Demoted, &trial),
            // The robot keeps within the bound: what it was read out of is long ago.
            None => {}
        }
        let state = if self.is_tested() { LessonState::Tested } else { LessonState::Hypothesis };
        self.become_state(state, &trial);
    }

    fn keep_newest(&mut self, max: usize) {
        while self.trials.len() > max
            && let Some(oldest) = self.trials.pop_front()
        {
            self.sorted.remove(&oldest);
        }
    }

    /// Tests what is expected. Returns from which trial on it is contradicted, when it is.
    fn test(&mut self, trial: &Trial) -> Option<u64> {
        let lesson = self.lesson.as_mut()?;
        let is_beyond = lesson.contrast.expects_failure(self.side, trial.value)?;
        let is_right = is_beyond == trial.has_failed;
        self.tests.push_back(Test { is_right, is_beyond, number: self.count });
        if self.tests.len() > TESTS_MAX {
            self.tests.pop_front();
        }
        let right_count = self.tests.iter().filter(|it| it.is_right).count() as u64;
        lesson.confirmed_count = right_count;
        lesson.refuted_count = self.tests.len() as u64 - right_count;
        // What fails beyond may still hold within, and the other way round.
        let of_side = self.tests.iter().rev().filter(|it| it.is_beyond == is_beyond);
        let (mut total, mut right, mut first) = (0, 0, None);
        for test in of_side {
            total += 1;
            right += u64::from(test.is_right);
            let is_contradicted = wilson(right, total).high < 0.5;
            if total >= CONTRADICTIONS_MIN as u64 && is_contradicted && !test.is_right {
                first = Some(test.number);
            }
        }
        first
    }

    /// Whether the newest tests bear it out more surely than a guess would have, and one was beyond the bound: what
    /// keeps within it tells nothing of where it lies.
    fn is_tested(&self) -> bool {
        let Some(lesson) = &self.lesson else { return false };
        // Who heeds it stays within it: that takes nothing back.
        let has_beyond = lesson.state == LessonState::Tested
            || self.tests.iter().any(|it| it.is_beyond && it.is_right);
        has_beyond && wilson(lesson.confirmed_count, self.tests.len() as u64).low > self.guess_share
    }

    fn begin(&mut self, contrast: Contrast, trial: &Trial) {
        let steps = self.lesson.take().map(|it| it.steps).unwrap_or_default();
        self.tests.clear();
        self.guess_share = contrast.guess_share();
        self.lesson = Some(Lesson {
            side: self.side,
            state: LessonState::Demoted,
            contrast,
            confirmed_count: 0,
            refuted_count: 0,
            steps,
            failure_ids: Vec::new(),
            success_ids: Vec::new(),
        });
        self.read(contrast);
        self.become_state(LessonState::Hypothesis, trial);
    }

    fn read(&mut self, contrast: Contrast) {
        let Some(lesson) = &mut self.lesson else { return };
        lesson.contrast = contrast;
        let ids = |expected: bool| -> Vec<i64> {
            let of_side = self.trials.iter().rev().filter(|it| {
                it.has_failed == expected
                    && contrast.expects_failure(lesson.side, it.value) == Some(expected)
            });
            of_side.map(|it| it.id).take(LESSON_IDS_MAX).collect()
        };
        (lesson.failure_ids, lesson.success_ids) = (ids(true), ids(false));
    }

    fn become_state(&mut self, state: LessonState, trial: &Trial) {
        let Some(lesson) = &mut self.lesson else { return };
        if lesson.state == state && !lesson.steps.is_empty() {
            return;
        }
        lesson.state = state;
        lesson.steps.push_back(LessonStep { state, attempt_id: trial.id, at: trial.at });
        if lesson.steps.len() > STEPS_MAX {
            lesson.steps.pop_front();
        }
    }
}
