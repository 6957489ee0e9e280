//! The one SQLite file.
