//! Robot memory engine tests.
fn main() {}
