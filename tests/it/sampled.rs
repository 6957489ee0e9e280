//! Storms and sweeps repeat one case many times: a run takes every so many of them, `scripts/test --long` all.

/// Every `step`th of `all`, from the first; all of them when `ROBOT_MEMORY_LONG` is set.
#[expect(clippy::disallowed_methods, reason = "what the tests are told comes from the environment")]
pub fn sampled<I: IntoIterator>(all: I, step: usize) -> impl Iterator<Item = I::Item> {
    let is_long = std::env::var_os("ROBOT_MEMORY_LONG").is_some();
    all.into_iter().step_by(if is_long { 1 } else { step })
}
