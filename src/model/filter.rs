//! Conditions on a memory's context.
