//! From lists to one list. Pure functions.
