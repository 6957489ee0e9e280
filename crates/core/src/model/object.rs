use super::text_enum;

text_enum! {
    /// What is known of whether a thing is at its place.
    ObjectState {
        /// It was, when the place was last looked at.
        Present = "present",
        /// It was not: the place was looked at, and it was not seen.
        Gone = "gone",
    }
}
