//! The part of rcl that asking for a goal's result needs. A server answers anybody who knows the goal's id,
//! as long as it keeps the result. The only place here that is unsafe.
//!
//! r2r has clients only of the types that it was compiled with; this one loads the compiled code of the
//! type's own package, as the streams do for messages.

use super::tracker::GoalId;
use crate::faces::installed::Installed;
use crate::faces::ros::command_line::checked;
use crate::faces::ros::stop::Stop;
use crate::faces::ros::streams::rcl::{Buffer, Node, RclError};
use crate::faces::ros::streams::{Owner, hidden_node};
use libloading::Library;
use r2r_rcl::*;
use robot_memory_messages::{Interface, TypeName};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::mem::forget;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long one result is waited for: servers answer within milliseconds once they are discovered, which takes
/// seconds on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// How long it is still waited for once the node is to stop.
const LAST_ANSWER_MAX: Duration = Duration::from_millis(200);
/// How long a server is not asked that did not answer.
const SILENT: Duration = Duration::from_secs(60);
/// Between two looks for the answer.
const POLL_PERIOD: Duration = Duration::from_millis(1);

/// A client of the results of each action that was asked for some.
pub(super) struct ResultClients {
    node: Node,
    installed: Installed,
    /// `None`: its type is not installed here.
    clients: BTreeMap<String, Option<ResultClient>>,
    silent_until: BTreeMap<String, Instant>,
}

impl ResultClients {
    /// With a hidden node of its own.
    ///
    /// # Errors
    /// What ROS refuses.
    pub fn create(owner: &Owner) -> Result<Self, RclError> {
        Ok(Self {
            node: hidden_node(owner, "results")?,
            installed: Installed::from_environment(),
            clients: BTreeMap::new(),
            silent_until: BTreeMap::new(),
        })
    }

    /// The result of a goal that has ended; `None` when its server does not keep or tell it, or its type is
    /// not installed here, or it does not come in time.
    pub fn result(
        &mut self,
        action: &str,
        type_name: &str,
        id: &GoalId,
        stop: &Stop,
    ) -> Option<Value> {
        if self.silent_until.get(action).is_some_and(|until| Instant::now() < *until) {
            return None;
        }
        if !self.clients.contains_key(action) {
            let client = ResultClient::create(&self.node, action, type_name, &self.installed);
            let client = client.inspect_err(|reason| {
                log::info!("action {action}: results of its goals are not stored: {reason}");
            });
            self.clients.insert(action.to_owned(), client.ok());
        }
        let client = self.clients.get(action)?.as_ref()?;
        match client.ask(id, Patience::new(stop)) {
            Ok(result) => result,
            Err(reason) => {
                let secs = SILENT.as_secs();
                log::warn!(
                    "action {action}: the result of a goal is not stored: {reason}; for {secs} s no result is \
                     asked for"
                );
                self.silent_until.insert(action.to_owned(), Instant::now() + SILENT);
                None
            }
        }
    }
}

/// Makes, or gives back, the answer of a service in memory.
type Create = unsafe extern "C" fn() -> *mut c_void;
type Destroy = unsafe extern "C" fn(*mut c_void);

struct ResultClient {
    handle: rcl_client_t,
    node: Node,
    response_type: *const rosidl_message_type_support_t,
    create: Create,
    destroy: Destroy,
    interface: Interface,
}

impl ResultClient {
    fn create(
        node: &Node,
        action: &str,
        type_name: &str,
        installed: &Installed,
    ) -> Result<Self, String> {
        let named = TypeName::parse(type_name).filter(|name| name.folder() == "action");
        let named = named.ok_or_else(|| format!("{type_name:?} is no name of an action's type"))?;
        let interface = Interface::load_result(type_name, &installed.share_folders)
            .map_err(|error| error.to_string())?;
        let (package, name) = (named.package(), named.name());
        let of = format!("{package}__action__{name}_GetResult");
        let folders = &installed.library_folders;
        let support = load(&format!("lib{package}__rosidl_typesupport_c.so"), folders)?;
        let structs = load(&format!("lib{package}__rosidl_generator_c.so"), folders)?;
        type Service = unsafe extern "C" fn() -> *const rosidl_service_type_support_t;
        type Message = unsafe extern "C" fn() -> *const rosidl_message_type_support_t;
        let prefix = "rosidl_typesupport_c__get";
        let service_symbol = format!("{prefix}_service_type_support_handle__{of}");
        let message_symbol = format!("{prefix}_message_type_support_handle__{of}_Response");
        // SAFETY: the symbols have these signatures in all that rosidl generates; the first two are called
        // while their library is loaded, and have no precondition.
        let (service_type, response_type, create, destroy) = unsafe {
            (
                symbol::<Service>(&support, &service_symbol)?(),
                symbol::<Message>(&support, &message_symbol)?(),
                symbol::<Create>(&structs, &format!("{of}_Response__create"))?,
                symbol::<Destroy>(&structs, &format!("{of}_Response__destroy"))?,
            )
        };
        // The middleware keeps pointers into them.
        forget((support, structs));
        let service = format!("{action}/_action/get_result");
        let service = CString::new(service).map_err(|_| "its name holds a zero byte".to_owned())?;
        // SAFETY: the node is valid and is held by the client; type and name are live, and are copied.
        let handle = unsafe {
            let mut handle = rcl_get_zero_initialized_client();
            let options = rcl_client_get_default_options();
            let code = rcl_client_init(
                &raw mut handle,
                node.handle(),
                service_type,
                service.as_ptr(),
                &raw const options,
            );
            checked(code)?;
            handle
        };
        Ok(Self { handle, node: node.clone(), response_type, create, destroy, interface })
    }

    /// Asks for the result of a goal. `None`: the server does not know it any more.
    fn ask(&self, id: &GoalId, mut patience: Patience<'_>) -> Result<Option<Value>, String> {
        while !self.has_server()? {
            patience.wait()?;
        }
        let mut asked = 0;
        // SAFETY: the client is valid. The request of every action's type is this goal's id alone, 16 bytes.
        checked(unsafe {
            rcl_send_request(&raw const self.handle, id.as_ptr().cast(), &raw mut asked)
        })?;
        loop {
            match self.take()? {
                Some((number, message)) if number == asked => return self.decoded(&message),
                // The answer to a request that was given up.
                Some(_) => {}
                None => patience.wait()?,
            }
        }
    }

    fn has_server(&self) -> Result<bool, String> {
        let mut is_there = false;
        // SAFETY: node and client are valid.
        checked(unsafe {
            rcl_service_server_is_available(
                self.node.handle(),
                &raw const self.handle,
                &raw mut is_there,
            )
        })?;
        Ok(is_there)
    }

    /// The next answer that waits: the number of its request, and the answer as CDR.
    fn take(&self) -> Result<Option<(i64, Vec<u8>)>, String> {
        let mut buffer = Buffer::create().map_err(|error| error.to_string())?;
        let mut header = rmw_request_id_t { writer_guid: [0; 16], sequence_number: 0 };
        // SAFETY: the answer is made and given back by the code of its own type, and is only used in between;
        // client, type and buffer are valid.
        let (code, serialized) = unsafe {
            let response = (self.create)();
            if response.is_null() {
                return Err("there is no memory for it".to_owned());
            }
            let code = rcl_take_response(&raw const self.handle, &raw mut header, response);
            let mut serialized = RCL_RET_OK as rcl_ret_t;
            if code == RCL_RET_OK as rcl_ret_t {
                serialized = rmw_serialize(response, self.response_type, buffer.array());
            }
            (self.destroy)(response);
            (code, serialized)
        };
        if code == RCL_RET_CLIENT_TAKE_FAILED as rcl_ret_t {
            // SAFETY: has no precondition.
            unsafe { rcutils_reset_error() };
            return Ok(None);
        }
        checked(code)?;
        checked(serialized)?;
        Ok(Some((header.sequence_number, buffer.bytes().to_vec())))
    }

    fn decoded(&self, message: &[u8]) -> Result<Option<Value>, String> {
        let mut response = self.interface.to_json(message).map_err(|error| error.to_string())?;
        let is_known = response["status"].as_i64().is_some_and(|status| status != 0);
        Ok(is_known.then(|| response["result"].take()))
    }
}

impl Drop for ResultClient {
    fn drop(&mut self) {
        // SAFETY: made by `create`, of the node that is held; all of it stays in one thread, since `Node` does.
        let code = unsafe { rcl_client_fini(&raw mut self.handle, self.node.handle().cast_mut()) };
        if let Err(error) = checked(code) {
            log::debug!("a client of results: {error}");
        }
    }
}

/// Until when an answer is waited for.
struct Patience<'a> {
    deadline: Instant,
    stop: &'a Stop,
    is_last: bool,
}

impl<'a> Patience<'a> {
    fn new(stop: &'a Stop) -> Self {
        Self { deadline: Instant::now() + ANSWER_MAX, stop, is_last: false }
    }

    fn wait(&mut self) -> Result<(), String> {
        if !self.is_last && self.stop.wait(Duration::ZERO) {
            self.is_last = true;
            self.deadline = self.deadline.min(Instant::now() + LAST_ANSWER_MAX);
        }
        if Instant::now() >= self.deadline {
            return Err("no answer in time".to_owned());
        }
        std::thread::sleep(POLL_PERIOD);
        Ok(())
    }
}

/// A library, from where programs find them, else from one of these folders.
fn load(file: &str, folders: &[PathBuf]) -> Result<Library, String> {
    let places =
        std::iter::once(PathBuf::from(file)).chain(folders.iter().map(|folder| folder.join(file)));
    // SAFETY: what runs on loading is what ROS generates, as in every node.
    let library = places.into_iter().find_map(|place| unsafe { Library::new(place) }.ok());
    library.ok_or_else(|| format!("its package is not installed (no {file})"))
}

/// # Safety
/// The symbol, if there is one, is of this type.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: as the caller promises.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|_| format!("its package has no {name}"))
}
