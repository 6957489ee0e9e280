//! Real messages.
