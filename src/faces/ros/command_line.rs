//! The command line as rcl reads it: what of it nobody knows, and the parameters that it and its
//! parameter files give to this node.
//!
//! r2r matches names of nodes otherwise than ROS does, and passes over what it does not know.

use crate::config::{DECLARATIONS, Value};
use crate::faces::patterns::names_node;
use r2r_rcl::*;
use std::borrow::Cow;
use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::fmt::Write;
use std::ptr::null_mut;

/// Parameters by the pattern of the nodes' names that they are for, in the order of the files.
type ByPattern = Vec<(String, Vec<(String, Value)>)>;

/// How rcl tells places of arguments.
type GetPlaces =
    unsafe extern "C" fn(*const rcl_arguments_t, rcutils_allocator_t, *mut *mut c_int) -> rcl_ret_t;

/// Nodes of a parameter file that a warning names.
const NODES_SHOWN_MAX: usize = 8;
/// Characters of an argument that an error quotes.
const SHOWN_CHARS_MAX: usize = 64;

/// The arguments of the process.
pub(super) struct CommandLine {
    arguments: Vec<CString>,
    parsed: rcl_arguments_t,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Run the node.
    Run,
    /// Only say how it is called.
    Help,
}

/// A parameter file that does not name the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unnamed {
    pub file: String,
    /// The nodes that it names.
    pub nodes: Vec<String>,
}

impl CommandLine {
    /// Reads the arguments, with the program's name at their head.
    ///
    /// # Errors
    /// In words, when one is not UTF-8 or ROS cannot read one or the file that it names.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut texts = Vec::new();
        for (place, argument) in arguments.into_iter().enumerate() {
            let text = argument.into_string().map_err(|bytes| {
                let shown = shown(&bytes.to_string_lossy());
                format!("argument {place} ({shown}) is not UTF-8")
            })?;
            let text =
                CString::new(text).map_err(|_| format!("argument {place} holds a zero byte"))?;
            texts.push(text);
        }
        let argv: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let argc = c_int::try_from(argv.len()).map_err(|_| "too many arguments".to_owned())?;
        // SAFETY: zero initialized as rcl wants it, and all pointers are to live strings, which rcl
        // copies.
        unsafe {
            let mut parsed = rcl_get_zero_initialized_arguments();
            let code = rcl_parse_arguments(argc, argv.as_ptr(), allocator(), &raw mut parsed);
            if code != RCL_RET_OK as rcl_ret_t {
                return Err(take_rcl_error());
            }
            Ok(Self { arguments: texts, parsed })
        }
    }

    /// What is to be done.
    ///
    /// # Errors
    /// Names the arguments that nobody knows.
    pub fn wish(&self) -> Result<Wish, String> {
        let unknown = self.unknown()?;
        if unknown.iter().any(|argument| matches!(argument.as_str(), "-h" | "--help")) {
            return Ok(Wish::Help);
        }
        if unknown.is_empty() {
            return Ok(Wish::Run);
        }
        let all: Vec<String> = unknown.iter().map(|argument| shown(argument)).collect();
        Err(format!("unknown arguments: {}; --help shows those that there are", all.join(", ")))
    }

    /// Arguments that are none of ROS, but for the program's name, and those of ROS that it does not know.
    fn unknown(&self) -> Result<Vec<String>, String> {
        // SAFETY: the arguments were parsed; each array has as many numbers as rcl counts.
        let (stray, of_ros) = unsafe {
            let stray = rcl_arguments_get_count_unparsed(&raw const self.parsed);
            let of_ros = rcl_arguments_get_count_unparsed_ros(&raw const self.parsed);
            (
                self.places(stray, rcl_arguments_get_unparsed)?,
                self.places(of_ros, rcl_arguments_get_unparsed_ros)?,
            )
        };
        let places = stray.into_iter().filter(|place| *place > 0).chain(of_ros);
        let arguments = places.filter_map(|place| self.arguments.get(place));
        Ok(arguments.map(|argument| argument.to_string_lossy().into_owned()).collect())
    }

    /// The numbers in an array of so many that rcl makes, which is given back.
    ///
    /// # Safety
    /// `get` makes an array of so many.
    unsafe fn places(&self, count: c_int, get: GetPlaces) -> Result<Vec<usize>, String> {
        let mut places = null_mut();
        if count == 0 {
            return Ok(Vec::new());
        }
        // SAFETY: as the caller promises.
        unsafe {
            let code = get(&raw const self.parsed, allocator(), &raw mut places);
            if code != RCL_RET_OK as rcl_ret_t {
                return Err(take_rcl_error());
            }
            let taken = slice(places, usize::try_from(count).unwrap_or(0)).iter();
            let taken = taken.filter_map(|place| usize::try_from(*place).ok()).collect();
            deallocate(places.cast());
            Ok(taken)
        }
    }

    /// The parameters given to the node of this full name, in the order in which they count.
    ///
    /// # Errors
    /// In words, when one is not UTF-8.
    pub fn parameters(&self, full_name: &str) -> Result<Vec<(String, Value)>, String> {
        let mut given = Vec::new();
        for (pattern, parameters) in self.overrides()? {
            if names_node(&pattern, full_name) {
                given.extend(parameters);
            }
        }
        Ok(given)
    }

    /// Parameters by the patterns of who they are for.
    fn overrides(&self) -> Result<ByPattern, String> {
        // SAFETY: the arguments were parsed. What rcl gives is a copy, read within its sizes and given
        // back.
        unsafe {
            let mut nodes = null_mut();
            let code = rcl_arguments_get_param_overrides(&raw const self.parsed, &raw mut nodes);
            if code != RCL_RET_OK as rcl_ret_t {
                return Err(take_rcl_error());
            }
            let read = nodes.as_ref().map_or(Ok(Vec::new()), |nodes| overrides_of(nodes));
            rcl_yaml_node_struct_fini(nodes);
            read
        }
    }

    /// The parameter files that name the node of this full name by no pattern: nothing of them counts.
    ///
    /// # Errors
    /// In words, when a file cannot be read any more.
    pub fn unnamed(&self, full_name: &str) -> Result<Vec<Unnamed>, String> {
        let mut unnamed = Vec::new();
        for file in self.files()? {
            // SAFETY: the struct is made and given back here, and the path ends with a zero.
            let nodes = unsafe {
                let nodes = rcl_yaml_node_struct_init(allocator());
                let is_read = !nodes.is_null() && rcl_parse_yaml_file(file.as_ptr(), nodes);
                let names = if is_read { nodes.as_ref().map(names_of) } else { None };
                rcl_yaml_node_struct_fini(nodes);
                names.ok_or_else(take_rcl_error)?
            };
            if !nodes.iter().any(|pattern| names_node(pattern, full_name)) {
                unnamed.push(Unnamed { file: file.to_string_lossy().into_owned(), nodes });
            }
        }
        Ok(unnamed)
    }

    fn files(&self) -> Result<Vec<CString>, String> {
        // SAFETY: the arguments were parsed. rcl gives as many strings as it counts, and all of them, and
        // the array, are given back.
        unsafe {
            let count = rcl_arguments_get_param_files_count(&raw const self.parsed);
            let count = usize::try_from(count).unwrap_or(0);
            let mut files: *mut *mut c_char = null_mut();
            if count == 0 {
                return Ok(Vec::new());
            }
            let code =
                rcl_arguments_get_param_files(&raw const self.parsed, allocator(), &raw mut files);
            if code != RCL_RET_OK as rcl_ret_t {
                return Err(take_rcl_error());
            }
            let names = (0..count).map(|i| {
                let name = *files.add(i);
                let owned = CStr::from_ptr(name).to_owned();
                deallocate(name.cast());
                owned
            });
            let names = names.collect();
            deallocate(files.cast());
            Ok(names)
        }
    }
}

impl Drop for CommandLine {
    fn drop(&mut self) {
        // SAFETY: made by `read`.
        let _ = unsafe { rcl_arguments_fini(&raw mut self.parsed) };
    }
}

impl std::fmt::Display for Unnamed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, nodes } = self;
        write!(f, "parameter file {file} has no parameters for this node: ")?;
        let shown = nodes.iter().take(NODES_SHOWN_MAX).map(|node| shown(node));
        match nodes.len() {
            0 => f.write_str("it names none"),
            _ => write!(f, "it names {}", shown.collect::<Vec<_>>().join(", ")),
        }?;
        let more = nodes.len().saturating_sub(NODES_SHOWN_MAX);
        if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

/// How the program is called.
pub(super) fn usage() -> String {
    let mut usage = "\
Usage: memory_node [--ros-args ARGUMENT...]

The long-term memory of one robot, a node of ROS 2. It runs until SIGINT or SIGTERM.

  -h, --help                     show this
  --ros-args                     begins the arguments of ROS, -- ends them:
    -p NAME:=VALUE               set a parameter
    --params-file FILE           set those of a file
    -r FROM:=TO                  rename a topic or service; __node:=NAME and __ns:=NAMESPACE: the node
    --log-level [LOGGER:=]LEVEL  debug, info, warn, error, fatal
    --log-file-name PREFIX       begin of the log file's name
    --log-config-file FILE       settings of the log file
    --[enable|disable]-[rosout|stdout|external-lib]-logs

Exit codes: 0 stopped on request, 2 invalid arguments or parameters, 1 any other failure.

Parameters, and what they are when they are not given:
"
    .to_owned();
    for declared in DECLARATIONS {
        let _ = writeln!(usage, "  {}: {}", declared.name, declared.default);
        let _ = writeln!(usage, "      {}", declared.description);
    }
    usage
}

/// A text for an error, cut to what can be read.
fn shown(text: &str) -> String {
    match text.chars().count() {
        0..=SHOWN_CHARS_MAX => text.to_owned(),
        count => {
            let start: String = text.chars().take(SHOWN_CHARS_MAX).collect();
            format!("{start}... ({count} characters)")
        }
    }
}

pub(super) fn allocator() -> rcutils_allocator_t {
    // SAFETY: has no precondition.
    unsafe { rcutils_get_default_allocator() }
}

/// # Safety
/// Memory of the default allocator, or null.
pub(super) unsafe fn deallocate(memory: *mut std::ffi::c_void) {
    let allocator = allocator();
    if let Some(deallocate) = allocator.deallocate {
        // SAFETY: as the caller promises.
        unsafe { deallocate(memory, allocator.state) };
    }
}

/// The last error of rcl, in its own words; takes it out of there.
pub(super) fn take_rcl_error() -> String {
    // SAFETY: both only read and write storage of this thread, and the string ends with a zero.
    unsafe {
        let message = rcutils_get_error_string();
        rcutils_reset_error();
        CStr::from_ptr(message.str_.as_ptr()).to_string_lossy().into_owned()
    }
}

/// The answer of rcl as a result, with its last error.
///
/// # Errors
/// When it is not that all went well.
pub(super) fn checked(code: rcl_ret_t) -> Result<(), String> {
    match code == RCL_RET_OK as rcl_ret_t {
        true => Ok(()),
        false => Err(format!("{} (code {code})", take_rcl_error())),
    }
}

/// # Safety
/// `count` values are at `values`, or it is null.
unsafe fn slice<'a, T>(values: *const T, count: usize) -> &'a [T] {
    if values.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(values, count) }
}

/// # Safety
/// A string that ends with a zero.
unsafe fn text(text: *const c_char) -> Result<String, String> {
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(str::to_owned).map_err(|_| {
        format!("{} in a parameter file or argument is not UTF-8", shown(&text.to_string_lossy()))
    })
}

fn names_of(nodes: &rcl_params_t) -> Vec<String> {
    // SAFETY: rcl has so many names, each ending with a zero.
    unsafe {
        let names = slice(nodes.node_names, nodes.num_nodes).iter();
        names.map(|name| CStr::from_ptr(*name).to_string_lossy().into_owned()).collect()
    }
}

/// # Safety
/// As rcl makes it.
unsafe fn overrides_of(nodes: &rcl_params_t) -> Result<ByPattern, String> {
    let mut all = Vec::new();
    // SAFETY: rcl has so many nodes, each with as many names as values.
    unsafe {
        for (pattern, node) in names_of(nodes).into_iter().zip(slice(nodes.params, nodes.num_nodes))
        {
            let names = slice(node.parameter_names, node.num_params);
            let values = slice(node.parameter_values, node.num_params);
            let mut parameters = Vec::new();
            for (name, value) in names.iter().zip(values) {
                if let Some(value) = value_of(value)? {
                    parameters.push((text(*name)?, value));
                }
            }
            all.push((pattern, parameters));
        }
    }
    Ok(all)
}

/// The one value that a variant has; `None` for a parameter that is named without one, as an empty list.
///
/// # Safety
/// As rcl makes it.
unsafe fn value_of(value: &rcl_variant_t) -> Result<Option<Value>, String> {
    macro_rules! list {
        ($list:ident) => {
            value.$list.as_ref().map(|list| slice(list.values, list.size).to_vec())
        };
    }
    // SAFETY: what is not null is valid; lists are as long as they say.
    unsafe {
        if !value.string_value.is_null() {
            return Ok(Some(Value::Text(Cow::Owned(text(value.string_value)?))));
        }
        if let Some(list) = value.string_array_value.as_ref() {
            let texts = slice(list.data, list.size).iter().map(|item| text(*item));
            return Ok(Some(Value::Texts(texts.collect::<Result<_, _>>()?)));
        }
        let bool = value.bool_value.as_ref().map(|value| Value::Bool(*value));
        Ok(bool
            .or_else(|| value.integer_value.as_ref().map(|value| Value::Integer(*value)))
            .or_else(|| value.double_value.as_ref().map(|value| Value::Double(*value)))
            .or_else(|| list!(byte_array_value).map(Value::Bytes))
            .or_else(|| list!(bool_array_value).map(Value::Bools))
            .or_else(|| list!(integer_array_value).map(Value::Integers))
            .or_else(|| list!(double_array_value).map(Value::Doubles)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn read(line: &str) -> Result<CommandLine, String> {
        CommandLine::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn arguments_are_known_or_named() {
        let cases = [
            ("node", Ok(Wish::Run)),
            ("node --ros-args", Ok(Wish::Run)),
            ("node --ros-args -p x:=1 -r a:=b --log-level info", Ok(Wish::Run)),
            ("node --ros-args --disable-rosout-logs --", Ok(Wish::Run)),
            ("node --help", Ok(Wish::Help)),
            ("node -h", Ok(Wish::Help)),
            ("node --ros-args --help", Ok(Wish::Help)),
            ("node --ros-args -p x:=1 -- --help", Ok(Wish::Help)),
            ("node stray", Err("unknown arguments: stray;")),
            ("node --ros-args --bogus", Err("unknown arguments: --bogus;")),
            ("node x --ros-args --bogus -p a:=1 y", Err("unknown arguments: x, --bogus, y;")),
            ("node --ros-args -p a:=1 -- rest", Err("unknown arguments: rest;")),
        ];
        for (line, expected) in cases {
            match (read(line).unwrap().wish(), expected) {
                (Ok(wish), Ok(expected)) => assert_eq!(wish, expected, "{line}"),
                (Err(error), Err(part)) => assert!(error.starts_with(part), "{line}: {error}"),
                (wish, expected) => panic!("{line}: {wish:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn what_ros_cannot_read_is_an_error() {
        for (line, part) in [
            ("node --ros-args -p nonsense", "nonsense"),
            ("node --ros-args --params-file /no/such/file.yaml", "/no/such/file.yaml"),
            ("node --ros-args --log-level loud", "loud"),
            ("node --ros-args -r", "-r"),
        ] {
            let error = read(line).map(|_| ()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        let bytes = OsString::from_vec(b"x:=gr\xfcn".to_vec());
        let arguments = ["node", "--ros-args", "-p"].map(OsString::from);
        let error = CommandLine::read(arguments.into_iter().chain([bytes])).map(|_| ());
        assert_eq!(error, Err("argument 3 (x:=gr\u{fffd}n) is not UTF-8".to_owned()));
    }

    #[test]
    fn parameters_are_those_of_the_patterns_that_name_the_node() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.yaml");
        let text = "\
/**:\n  ros__parameters: {a: 1, streams: [/x, /y]}
left_arm:\n  mem:\n    ros__parameters: {a: 2, b: true, streams.wrist.topic: /w}
/left_arm/*:\n  ros__parameters: {c: [1.5, 2.5], none: []}
mem:\n  ros__parameters: {d: 4}
/**/mem:\n  ros__parameters: {e: text, f: {g: [1, 2]}}
/*/other:\n  ros__parameters: {a: 7}
";
        std::fs::write(&file, text).unwrap();
        let line = format!("node --ros-args --params-file {} -p d:=5", file.display());
        let line = read(&line).unwrap();
        let texts =
            |texts: &[&str]| Value::Texts(texts.iter().map(|&text| text.to_owned()).collect());
        let text = |text: &'static str| Value::Text(Cow::Borrowed(text));
        let of = |full_name| -> std::collections::BTreeMap<String, Value> {
            line.parameters(full_name).unwrap().into_iter().collect()
        };
        let of_all = [("d", Value::Integer(5)), ("streams", texts(&["/x", "/y"]))];
        let expect = |parameters: &[(&str, Value)]| {
            let parameters = of_all.iter().chain(parameters);
            parameters.map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
        };
        let found: std::collections::BTreeMap<String, Value> = expect(&[
            ("a", Value::Integer(2)),
            ("b", Value::Bool(true)),
            ("streams.wrist.topic", text("/w")),
            ("c", Value::Doubles(vec![1.5, 2.5])),
            ("e", text("text")),
            ("f.g", Value::Integers(vec![1, 2])),
        ]);
        assert_eq!(of("/left_arm/mem"), found);
        assert_eq!(of("/else/where/node"), expect(&[("a", Value::Integer(1))]));
        assert_eq!(of("/mem")["d"], Value::Integer(4), "the file's own name comes after /**");
    }

    #[test]
    fn a_file_that_does_not_name_the_node_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).unwrap();
            file.display().to_string()
        };
        let all = write("all.yaml", "/**: {ros__parameters: {a: 1}}\n");
        let other = write(
            "other.yaml",
            "amcl: {ros__parameters: {a: 1}}\nleft:\n  mem: {ros__parameters: {b: 1}}\n",
        );
        let line = format!("node --ros-args --params-file {all} --params-file {other}");
        let line = read(&line).unwrap();
        assert_eq!(line.unnamed("/left/mem"), Ok(Vec::new()));
        let unnamed = line.unnamed("/mem").unwrap();
        assert_eq!(unnamed.len(), 1);
        assert_eq!(
            unnamed[0].to_string(),
            format!(
                "parameter file {other} has no parameters for this node: it names amcl, left/mem"
            )
        );
    }

    #[test]
    fn the_usage_names_every_parameter() {
        let usage = usage();
        for declared in DECLARATIONS {
            assert!(usage.contains(&format!("\n  {}: ", declared.name)), "{}", declared.name);
        }
    }
}
