//! What can be read out of a text by rules, English and Chinese. Pure functions.
