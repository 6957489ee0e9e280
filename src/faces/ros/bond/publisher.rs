//! The part of rcl that publishing a message of a type that is loaded at run time needs. The only place of the
//! bond that is unsafe.

use crate::faces::ros::command_line::checked;
use crate::faces::ros::streams::rcl::{Buffer, Node, Qos, TypeSupport};
use r2r_rcl::*;
use std::ffi::CString;
use std::ptr::null_mut;

/// A reliable, volatile publisher of messages that are given as CDR.
pub(super) struct SerializedPublisher {
    handle: rcl_publisher_t,
    node: Node,
}

impl SerializedPublisher {
    /// Of a topic, by its full name.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn create(
        node: &Node,
        topic: &str,
        type_support: TypeSupport,
        qos: Qos,
    ) -> Result<Self, String> {
        let topic = CString::new(topic).map_err(|_| "its name holds a zero byte".to_owned())?;
        // SAFETY: the node is valid and is held by the publisher; the type support lives as long as the
        // process; name and options are copied.
        unsafe {
            let mut handle = rcl_get_zero_initialized_publisher();
            let mut options = rcl_publisher_get_default_options();
            options.qos.depth = qos.depth;
            let code = rcl_publisher_init(
                &raw mut handle,
                node.handle(),
                type_support.handle(),
                topic.as_ptr(),
                &raw const options,
            );
            checked(code)?;
            Ok(Self { handle, node: node.clone() })
        }
    }

    /// Publishes a message.
    ///
    /// # Errors
    /// What the middleware refuses.
    pub fn publish(&self, message: &[u8]) -> Result<(), String> {
        let mut buffer = Buffer::of(message).map_err(|error| error.to_string())?;
        // SAFETY: publisher and buffer are valid, and the buffer is borrowed for the call.
        checked(unsafe {
            rcl_publish_serialized_message(&raw const self.handle, buffer.array(), null_mut())
        })
    }
}

impl Drop for SerializedPublisher {
    fn drop(&mut self) {
        // SAFETY: made by `create`, of the node that is held; all of it stays in one thread, since `Node` does.
        let code =
            unsafe { rcl_publisher_fini(&raw mut self.handle, self.node.handle().cast_mut()) };
        if let Err(error) = checked(code) {
            log::debug!("a publisher: {error}");
        }
    }
}
