//! The part of rcl that hearing topics needs, as types that own what they name and give it back in
//! the right order. The only place of the streams that is unsafe.
//!
//! r2r takes one message of a topic in a turn, drops beyond ten that wait, and tells neither of
//! losses nor of QoS; so the streams have a node and a wait set of their own, and take messages as
//! the bytes that were sent.

mod context;

use crate::faces::ros::command_line::{allocator, deallocate, take_rcl_error};
use context::SharedContext;
use libloading::Library;
use r2r_rcl::*;
use robot_memory_messages::TypeName;
use robot_memory_perception::{Durability, Reliability};
use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::forget;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::time::Duration;

/// What ROS refused, in its own words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(in crate::faces::ros) struct RclError(String);

/// A subscription's quality of service, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::faces::ros) struct Qos {
    pub reliability: Reliability,
    pub durability: Durability,
    pub depth: usize,
}

/// Somebody who publishes on a topic, or subscribes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::faces::ros) struct Endpoint {
    /// With its namespace; `None` until it is known.
    pub node_name: Option<String>,
    /// `sensor_msgs/msg/JointState`.
    pub type_name: String,
    pub reliability: Reliability,
    pub durability: Durability,
}

/// What the middleware tells of a message that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::faces::ros) struct Taken {
    /// When it was published, by the publisher's system clock, ns; 0 when that is not told.
    pub source_nanos: i64,
    /// When it came, by the system clock of this computer, ns; 0 when that is not told.
    pub received_nanos: i64,
    /// Counts the publisher's messages, if the middleware does.
    pub sequence: Option<u64>,
    /// Who published it.
    pub publisher: [u8; 16],
}

/// The answer of rcl as a result. Takes rcl's words for it from where rcl leaves them.
fn checked(code: rcl_ret_t, what: &str) -> Result<(), RclError> {
    if code == RCL_RET_OK as rcl_ret_t { Ok(()) } else { Err(refused(code, what)) }
}

fn refused(code: rcl_ret_t, what: &str) -> RclError {
    RclError(format!("{what}: {} (code {code})", take_rcl_error()))
}

fn c_string(text: &str) -> Result<CString, RclError> {
    CString::new(text).map_err(|_| RclError(format!("{text:?} holds a zero byte")))
}

/// # Safety
/// `text` is null, or a string that ends with a zero.
unsafe fn owned_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A node, and the context that it is of. Boxed, since rcl keeps its address.
struct Handles {
    node: Box<rcl_node_t>,
    context: SharedContext,
}

impl Handles {
    fn node(&self) -> *const rcl_node_t {
        &raw const *self.node
    }
}

impl Drop for Handles {
    fn drop(&mut self) {
        let _alone = self.context.lock();
        // SAFETY: made by `Node::create`, and what was made of it holds this struct, so it is gone by
        // now. rcl takes a zero initialized one, too.
        let code = unsafe { rcl_node_fini(&raw mut *self.node) };
        if let Err(error) = checked(code, "a hidden node") {
            log::debug!("{error}");
        }
    }
}

/// A function of rcl that lists the endpoints of a topic.
type EndpointsOfTopic = unsafe extern "C" fn(
    *const rcl_node_t,
    *mut rcutils_allocator_t,
    *const c_char,
    bool,
    *mut rmw_topic_endpoint_info_array_t,
) -> rcl_ret_t;

/// A node beside the one that r2r spins.
#[derive(Clone)]
pub(in crate::faces::ros) struct Node(Rc<Handles>);

impl Node {
    /// Makes a node of exactly this name, that remaps topics as `arguments` say.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn create(name: &str, namespace: &str, arguments: &[String]) -> Result<Self, RclError> {
        let (name, namespace) = (c_string(name)?, c_string(namespace)?);
        let arguments =
            arguments.iter().map(|text| c_string(text)).collect::<Result<Vec<_>, _>>()?;
        let argv: Vec<*const c_char> = arguments.iter().map(|text| text.as_ptr()).collect();
        let argc = c_int::try_from(argv.len()).unwrap_or(0);
        let context = SharedContext::of_process()?;
        // SAFETY: has no precondition.
        let node = Box::new(unsafe { rcl_get_zero_initialized_node() });
        // From here on dropped, whatever fails.
        let mut handles = Handles { node, context };
        // SAFETY: zero initialized as rcl wants them; every pointer is to a live value that rcl
        // copies from, but for the context, which outlives the node, and the node, which stays at its
        // address until `Handles` ends it.
        unsafe {
            let mut options = rcl_node_get_default_options();
            options.enable_rosout = false;
            // Those of the process name the owner.
            options.use_global_arguments = false;
            let argv = if argc == 0 { null() } else { argv.as_ptr() };
            let code = rcl_parse_arguments(argc, argv, allocator(), &raw mut options.arguments);
            checked(code, "the arguments of a hidden node")?;
            let code = {
                let mut context = handles.context.lock();
                rcl_node_init(
                    &raw mut *handles.node,
                    name.as_ptr(),
                    namespace.as_ptr(),
                    &raw mut **context,
                    &raw const options,
                )
            };
            let is_init = checked(code, "rcl_node_init");
            let _ = rcl_node_options_fini(&raw mut options);
            is_init?;
        }
        Ok(Self(Rc::new(handles)))
    }

    /// As rcl knows it; valid as long as this is.
    pub fn handle(&self) -> *const rcl_node_t {
        self.0.node()
    }

    /// The full name of a topic, in this node's namespace and remapped.
    ///
    /// # Errors
    /// When it is no name of a topic.
    pub fn resolve(&self, topic: &str) -> Result<String, RclError> {
        let name = c_string(topic)?;
        let mut resolved: *mut c_char = null_mut();
        // SAFETY: the node is valid; `resolved` becomes a string of the allocator, given back here.
        unsafe {
            let code = rcl_node_resolve_name(
                self.0.node(),
                name.as_ptr(),
                allocator(),
                false,
                false,
                &raw mut resolved,
            );
            checked(code, topic)?;
            let text = owned_text(resolved);
            deallocate(resolved.cast());
            Ok(text)
        }
    }

    /// Every topic and its types, in the order of names.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn topics(&self) -> Result<Vec<(String, Vec<String>)>, RclError> {
        let mut allocator = allocator();
        // SAFETY: `found` is zero initialized, filled by rcl, only read within its sizes, and given
        // back.
        unsafe {
            let mut found = rmw_get_zero_initialized_names_and_types();
            let code = rcl_get_topic_names_and_types(
                self.0.node(),
                &raw mut allocator,
                false,
                &raw mut found,
            );
            checked(code, "the topics")?;
            let mut topics = Vec::with_capacity(found.names.size);
            for i in 0..found.names.size {
                let types = &*found.types.add(i);
                let types = (0..types.size).map(|k| owned_text(*types.data.add(k))).collect();
                topics.push((owned_text(*found.names.data.add(i)), types));
            }
            let _ = rcl_names_and_types_fini(&raw mut found);
            topics.sort();
            Ok(topics)
        }
    }

    /// Who publishes on a topic, by its full name.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn publishers(&self, topic: &str) -> Result<Vec<Endpoint>, RclError> {
        self.endpoints(topic, rcl_get_publishers_info_by_topic)
    }

    /// Who subscribes to a topic, by its full name.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn subscribers(&self, topic: &str) -> Result<Vec<Endpoint>, RclError> {
        self.endpoints(topic, rcl_get_subscriptions_info_by_topic)
    }

    fn endpoints(
        &self,
        topic: &str,
        of_topic: EndpointsOfTopic,
    ) -> Result<Vec<Endpoint>, RclError> {
        let name = c_string(topic)?;
        let mut allocator = allocator();
        // SAFETY: as in `topics`; both functions of rcl have the same contract.
        unsafe {
            let mut found = rmw_get_zero_initialized_topic_endpoint_info_array();
            let code =
                of_topic(self.0.node(), &raw mut allocator, name.as_ptr(), false, &raw mut found);
            checked(code, topic)?;
            let mut endpoints = Vec::with_capacity(found.size);
            for i in 0..found.size {
                let info = &*found.info_array.add(i);
                let namespace = owned_text(info.node_namespace);
                let name = owned_text(info.node_name);
                endpoints.push(Endpoint {
                    // rmw's words for a node that it has only heard of.
                    node_name: (name != "_NODE_NAME_UNKNOWN_")
                        .then(|| format!("{}/{name}", namespace.trim_end_matches('/'))),
                    type_name: owned_text(info.topic_type),
                    reliability: reliability(info.qos_profile.reliability),
                    durability: durability(info.qos_profile.durability),
                });
            }
            let _ = rmw_topic_endpoint_info_array_fini(&raw mut found, &raw mut allocator);
            Ok(endpoints)
        }
    }

    /// Subscribes to a topic, by its full name.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn subscribe(
        &self,
        topic: &str,
        type_support: TypeSupport,
        qos: Qos,
    ) -> Result<RclSubscription, RclError> {
        let name = c_string(topic)?;
        // SAFETY: the node is valid, the type support lives as long as the process, and the options
        // are copied. The subscription holds the node.
        unsafe {
            let mut options = rcl_subscription_get_default_options();
            options.qos.history = rmw_qos_history_policy_e::RMW_QOS_POLICY_HISTORY_KEEP_LAST;
            options.qos.depth = qos.depth;
            options.qos.reliability = match qos.reliability {
                Reliability::Reliable => {
                    rmw_qos_reliability_policy_e::RMW_QOS_POLICY_RELIABILITY_RELIABLE
                }
                Reliability::BestEffort => {
                    rmw_qos_reliability_policy_e::RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT
                }
            };
            options.qos.durability = match qos.durability {
                Durability::TransientLocal => {
                    rmw_qos_durability_policy_e::RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL
                }
                Durability::Volatile => {
                    rmw_qos_durability_policy_e::RMW_QOS_POLICY_DURABILITY_VOLATILE
                }
            };
            let mut handle = rcl_get_zero_initialized_subscription();
            let code = rcl_subscription_init(
                &raw mut handle,
                self.0.node(),
                type_support.0,
                name.as_ptr(),
                &raw const options,
            );
            let is_init = checked(code, topic);
            let _ = rcl_subscription_options_fini(&raw mut options);
            is_init?;
            let mut lost = rcl_get_zero_initialized_event();
            let kind = rcl_subscription_event_type_e::RCL_SUBSCRIPTION_MESSAGE_LOST;
            let code = rcl_subscription_event_init(&raw mut lost, &raw const handle, kind);
            let lost = checked(code, "the event of lost messages").ok().map(|()| lost);
            Ok(RclSubscription { handle, lost, handles: Rc::clone(&self.0) })
        }
    }
}

fn reliability(policy: rmw_qos_reliability_policy_e) -> Reliability {
    match policy {
        rmw_qos_reliability_policy_e::RMW_QOS_POLICY_RELIABILITY_RELIABLE => Reliability::Reliable,
        _ => Reliability::BestEffort,
    }
}

fn durability(policy: rmw_qos_durability_policy_e) -> Durability {
    match policy {
        rmw_qos_durability_policy_e::RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL => {
            Durability::TransientLocal
        }
        _ => Durability::Volatile,
    }
}

/// How the middleware takes a type's messages: compiled code of the type's own package.
#[derive(Debug, Clone, Copy)]
pub(in crate::faces::ros) struct TypeSupport(*const rosidl_message_type_support_t);

impl TypeSupport {
    /// Loads that of a type, `sensor_msgs/msg/JointState`, from where programs find libraries, else
    /// from one of these folders. It stays loaded until the process ends.
    ///
    /// # Errors
    /// In words, when the type's package is not installed or does not have it.
    pub fn load(type_name: &str, folders: &[PathBuf]) -> Result<Self, String> {
        let Some(name) =
            TypeName::parse(type_name).filter(|name| matches!(name.folder(), "msg" | "action"))
        else {
            return Err(format!("{type_name} is no name of a message type (package/msg/Type)"));
        };
        let (package, folder, name) = (name.package(), name.folder(), name.name());
        let file = format!("lib{package}__rosidl_typesupport_c.so");
        let places =
            std::iter::once(PathBuf::from(&file)).chain(folders.iter().map(|at| at.join(&file)));
        // SAFETY: what runs on loading is the type support that ROS generates, as in every node.
        let library = places.into_iter().find_map(|place| unsafe { Library::new(place) }.ok());
        let Some(library) = library else {
            return Err(format!("package {package} is not installed (no {file})"));
        };
        type Handle = unsafe extern "C" fn() -> *const rosidl_message_type_support_t;
        let symbol = format!(
            "rosidl_typesupport_c__get_message_type_support_handle__{package}__{folder}__{name}"
        );
        // SAFETY: the symbol has this signature in all that rosidl generates; it is called while its
        // library is loaded, and has no precondition.
        let handle = unsafe {
            library.get::<Handle>(symbol.as_bytes()).map(|handle| handle()).unwrap_or(null())
        };
        if handle.is_null() {
            return Err(format!("package {package} has no message {name}"));
        }
        // The middleware keeps pointers into it.
        forget(library);
        Ok(Self(handle))
    }

    /// As rcl knows it.
    pub fn handle(self) -> *const rosidl_message_type_support_t {
        self.0
    }
}

/// A subscription to a topic.
pub(in crate::faces::ros) struct RclSubscription {
    handle: rcl_subscription_t,
    lost: Option<rcl_event_t>,
    handles: Rc<Handles>,
}

impl RclSubscription {
    /// Takes the next message that waits, into the buffer; `None` when none does.
    ///
    /// # Errors
    /// What the middleware refuses.
    pub fn take(&self, buffer: &mut Buffer) -> Result<Option<Taken>, RclError> {
        // SAFETY: subscription and buffer are valid, and the buffer is borrowed for the call.
        let (code, info) = unsafe {
            let mut info = rmw_get_zero_initialized_message_info();
            let code = rcl_take_serialized_message(
                &raw const self.handle,
                &raw mut buffer.0,
                &raw mut info,
                null_mut(),
            );
            (code, info)
        };
        if code == RCL_RET_SUBSCRIPTION_TAKE_FAILED as rcl_ret_t {
            // SAFETY: has no precondition.
            unsafe { rcutils_reset_error() };
            return Ok(None);
        }
        checked(code, "a message was not taken")?;
        // The greatest number stands for a middleware that does not count.
        let sequence = Some(info.publication_sequence_number).filter(|number| *number != u64::MAX);
        Ok(Some(Taken {
            source_nanos: info.source_timestamp,
            received_nanos: info.received_timestamp,
            sequence,
            publisher: info.publisher_gid.data,
        }))
    }

    /// Messages that the middleware says it lost since the last call.
    pub fn lost_since(&mut self) -> u64 {
        let Some(lost) = &self.lost else { return 0 };
        let mut status = rmw_message_lost_status_t { total_count: 0, total_count_change: 0 };
        // SAFETY: the event is valid, and of the kind that fills this struct.
        let code = unsafe { rcl_take_event(lost, (&raw mut status).cast()) };
        if code == RCL_RET_OK as rcl_ret_t {
            return status.total_count_change as u64;
        }
        // SAFETY: has no precondition.
        unsafe { rcutils_reset_error() };
        0
    }
}

impl Drop for RclSubscription {
    fn drop(&mut self) {
        // SAFETY: made by `Node::subscribe`, the event of the subscription, and the subscription of
        // the node that is held. rcl wants the node mutable and changes nothing of ours in it; all
        // of it stays in one thread, since `Rc` does.
        unsafe {
            if let Some(lost) = &mut self.lost {
                let _ = rcl_event_fini(lost);
            }
            let code = rcl_subscription_fini(&raw mut self.handle, self.handles.node().cast_mut());
            if let Err(error) = checked(code, "a subscription") {
                log::debug!("{error}");
            }
        }
    }
}

/// Bytes of the message that was taken last.
pub(in crate::faces::ros) struct Buffer(rcutils_uint8_array_t);

impl Buffer {
    /// # Errors
    /// When there is no memory.
    pub fn create() -> Result<Self, RclError> {
        let allocator = allocator();
        // SAFETY: zero initialized as it must be, and the allocator is copied.
        unsafe {
            let mut array = rcutils_get_zero_initialized_uint8_array();
            let code = rcutils_uint8_array_init(&raw mut array, 4096, &raw const allocator);
            checked(code, "a buffer for messages")?;
            Ok(Self(array))
        }
    }

    /// A buffer with these bytes.
    ///
    /// # Errors
    /// When there is no memory.
    pub fn of(bytes: &[u8]) -> Result<Self, RclError> {
        let mut buffer = Self::create()?;
        // SAFETY: the array is valid; it has room for so many bytes once it was resized.
        unsafe {
            let code = rcutils_uint8_array_resize(&raw mut buffer.0, bytes.len());
            checked(code, "a buffer for messages")?;
            bytes.as_ptr().copy_to_nonoverlapping(buffer.0.buffer, bytes.len());
        }
        buffer.0.buffer_length = bytes.len();
        Ok(buffer)
    }

    /// As rcl knows it; valid as long as this is.
    pub fn array(&mut self) -> *mut rcutils_uint8_array_t {
        &raw mut self.0
    }

    /// CDR with its header of four bytes.
    pub fn bytes(&self) -> &[u8] {
        if self.0.buffer.is_null() {
            return &[];
        }
        // SAFETY: so many bytes of the buffer were written by the middleware.
        unsafe { std::slice::from_raw_parts(self.0.buffer, self.0.buffer_length) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: made by `create`.
        let _ = unsafe { rcutils_uint8_array_fini(&raw mut self.0) };
    }
}

/// Waits for messages, and for publishers that come and go.
pub(in crate::faces::ros) struct WaitSet {
    handle: rcl_wait_set_t,
    node: Node,
}

impl WaitSet {
    /// # Errors
    /// What ROS refuses.
    pub fn create(node: &Node) -> Result<Self, RclError> {
        let mut context = node.0.context.lock();
        // SAFETY: zero initialized as it must be. The context is valid, and held by the node; rcl only
        // keeps its address.
        unsafe {
            let mut handle = rcl_get_zero_initialized_wait_set();
            let context = &raw mut **context;
            let code = rcl_wait_set_init(&raw mut handle, 0, 1, 0, 0, 0, 0, context, allocator());
            checked(code, "a wait set")?;
            Ok(Self { handle, node: node.clone() })
        }
    }

    /// Waits until one of the subscriptions has a message, somebody begins or ends to publish
    /// something, or the time is over. Answers whether who publishes has changed.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn wait(
        &mut self,
        subscriptions: &[&RclSubscription],
        timeout: Duration,
    ) -> Result<bool, RclError> {
        let timeout_nanos = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        // SAFETY: the set is valid and has room for what is added; what is added lives until the
        // call ends, and the set is cleared before it is used again.
        unsafe {
            if self.handle.size_of_subscriptions == subscriptions.len() {
                checked(rcl_wait_set_clear(&raw mut self.handle), "the wait set")?;
            } else {
                let count = subscriptions.len();
                let code = rcl_wait_set_resize(&raw mut self.handle, count, 1, 0, 0, 0, 0);
                checked(code, "the wait set")?;
            }
            for subscription in subscriptions {
                let code = rcl_wait_set_add_subscription(
                    &raw mut self.handle,
                    &raw const subscription.handle,
                    null_mut(),
                );
                checked(code, "the wait set")?;
            }
            let graph = rcl_node_get_graph_guard_condition(self.node.0.node());
            let code = rcl_wait_set_add_guard_condition(&raw mut self.handle, graph, null_mut());
            checked(code, "the wait set")?;
            let code = rcl_wait(&raw mut self.handle, timeout_nanos);
            if code == RCL_RET_TIMEOUT as rcl_ret_t {
                rcutils_reset_error();
                return Ok(false);
            }
            checked(code, "waiting for messages")?;
            Ok(!(*self.handle.guard_conditions).is_null())
        }
    }
}

impl Drop for WaitSet {
    fn drop(&mut self) {
        // SAFETY: made by `create`, and the context is still held.
        let _ = unsafe { rcl_wait_set_fini(&raw mut self.handle) };
    }
}
