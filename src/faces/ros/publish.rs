//! Publishing: nobody waits for it, so that a message that is not taken is only noted.

use r2r::{Publisher, WrappedTypesupport};

/// Publishes a message on a topic.
pub(super) fn publish<M: WrappedTypesupport + 'static>(
    publisher: &Publisher<M>,
    topic: &str,
    message: &M,
) {
    if let Err(error) = publisher.publish(message) {
        log::debug!("{topic}: {error}");
    }
}
