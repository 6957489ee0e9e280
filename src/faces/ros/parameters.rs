//! The parameters of the node, served from the table of declarations.

use super::StartError;
use super::service::{Requests, arrived, serve};
use super::wire::text;
use crate::config::{
    Bounds, DECLARATIONS, Declaration, Invalid, Settings, Value, declaration, unknown,
};
use r2r::rcl_interfaces::msg::{
    FloatingPointRange, IntegerRange, ListParametersResult, Parameter, ParameterDescriptor,
    ParameterEvent, ParameterValue, SetParametersResult,
};
use r2r::rcl_interfaces::srv::{
    DescribeParameters, GetParameterTypes, GetParameters, ListParameters, SetParameters,
    SetParametersAtomically,
};
use r2r::{Publisher, QosProfile};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The values of `type` in rcl_interfaces/ParameterType.
mod parameter_type {
    pub const NOT_SET: u8 = 0;
    pub const BOOL: u8 = 1;
    pub const INTEGER: u8 = 2;
    pub const DOUBLE: u8 = 3;
    pub const STRING: u8 = 4;
}

/// The settings of a running node, as threads share them.
#[derive(Clone)]
pub(super) struct SharedSettings(Arc<Mutex<Settings>>);

impl SharedSettings {
    /// The settings now.
    pub fn lock(&self) -> MutexGuard<'_, Settings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The settings that the command line and parameter files give, with the names that are not
/// declared.
///
/// # Errors
/// When a parameter does not take the value given.
pub(super) fn given_at_start(node: &r2r::Node) -> Result<(Settings, Vec<String>), Invalid> {
    let mut settings = Settings::default();
    let mut unknown_names = Vec::new();
    let given = node.params.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, parameter) in given.iter() {
        match (declaration(name), &parameter.value) {
            (None, _) => unknown_names.push(name.clone()),
            (Some(_), r2r::ParameterValue::NotSet) => {}
            (Some(declared), value) => {
                let value =
                    start_value(value).ok_or_else(|| wrong_type(declared, value.type_name()))?;
                settings.set(name, value)?;
            }
        }
    }
    unknown_names.sort();
    Ok((settings, unknown_names))
}

fn wrong_type(declared: &Declaration, given: &str) -> Invalid {
    let Declaration { name, default, .. } = declared;
    Invalid(format!("parameter {name} takes {}, not a value of type {given}", default.type_name()))
}

fn start_value(value: &r2r::ParameterValue) -> Option<Value> {
    use r2r::ParameterValue as Given;
    Some(match value {
        Given::Bool(value) => Value::Bool(*value),
        Given::Integer(value) => Value::Integer(*value),
        Given::Double(value) => Value::Double(*value),
        Given::String(value) => Value::Text(Cow::Owned(value.clone())),
        Given::NotSet
        | Given::BoolArray(_)
        | Given::ByteArray(_)
        | Given::IntegerArray(_)
        | Given::DoubleArray(_)
        | Given::StringArray(_) => return None,
    })
}

/// What is done in the spinning thread after a change.
type OnChange = Box<dyn FnMut(&mut r2r::Node, &Settings) + Send>;

/// The six parameter services and `/parameter_events`.
pub(super) struct ParameterServer {
    settings: SharedSettings,
    on_change: OnChange,
    node_name: String,
    clock: Arc<Mutex<r2r::Clock>>,
    events: Publisher<ParameterEvent>,
    describe: Requests<DescribeParameters::Service>,
    get: Requests<GetParameters::Service>,
    types: Requests<GetParameterTypes::Service>,
    list: Requests<ListParameters::Service>,
    set: Requests<SetParameters::Service>,
    set_atomically: Requests<SetParametersAtomically::Service>,
}

impl ParameterServer {
    /// Offers the services, and announces every parameter.
    ///
    /// # Errors
    /// When the middleware cannot make a service.
    pub fn offer(
        node: &mut r2r::Node,
        settings: Settings,
        on_change: impl FnMut(&mut r2r::Node, &Settings) + Send + 'static,
    ) -> Result<(Self, SharedSettings), StartError> {
        let announced: Vec<Parameter> = DECLARATIONS
            .iter()
            .map(|declared| Parameter {
                name: declared.name.to_owned(),
                value: value_message(settings.get(declared.name)),
            })
            .collect();
        let settings = SharedSettings(Arc::new(Mutex::new(settings)));
        let mut server = Self {
            settings: settings.clone(),
            on_change: Box::new(on_change),
            node_name: node.fully_qualified_name()?,
            clock: node.get_ros_clock(),
            events: node.create_publisher("/parameter_events", QosProfile::parameter_events())?,
            describe: serve(node, "~/describe_parameters")?,
            get: serve(node, "~/get_parameters")?,
            types: serve(node, "~/get_parameter_types")?,
            list: serve(node, "~/list_parameters")?,
            set: serve(node, "~/set_parameters")?,
            set_atomically: serve(node, "~/set_parameters_atomically")?,
        };
        server.publish_event(ParameterEvent { new_parameters: announced, ..Default::default() });
        Ok((server, settings))
    }

    /// Answers every request that has arrived. None of them waits for anything, so the spinning
    /// thread does it itself. Where an answer has no room for an error, a name that is no text is one
    /// of the names that are not declared.
    pub fn answer(&mut self, node: &mut r2r::Node) {
        for mut request in arrived(&mut self.describe) {
            let (message, _has_empty_name) = request.message.take_parts();
            let descriptors = message.names.iter().map(|name| descriptor(name)).collect();
            answered(request.respond(DescribeParameters::Response { descriptors }));
        }
        for mut request in arrived(&mut self.get) {
            let (message, _has_empty_name) = request.message.take_parts();
            let settings = self.settings.lock();
            let values = message.names.iter();
            let values = values.map(|name| value_message(settings.get(name))).collect();
            drop(settings);
            answered(request.respond(GetParameters::Response { values }));
        }
        for mut request in arrived(&mut self.types) {
            let (message, _has_empty_name) = request.message.take_parts();
            let types = message.names.iter();
            let types = types.map(|name| type_number(declaration(name))).collect();
            answered(request.respond(GetParameterTypes::Response { types }));
        }
        for mut request in arrived(&mut self.list) {
            let (message, _has_empty_prefix) = request.message.take_parts();
            let result = listed(&message.prefixes);
            answered(request.respond(ListParameters::Response { result }));
        }
        let set: Vec<_> = arrived(&mut self.set).collect();
        for mut request in set {
            let (message, is_text) = request.message.take_parts();
            let results = message.parameters.into_iter().map(|parameter| match &is_text {
                Ok(()) => self.change(node, vec![parameter]),
                Err(refusal) => unchanged(refusal.message.clone()),
            });
            let results = results.collect();
            answered(request.respond(SetParameters::Response { results }));
        }
        let set_atomically: Vec<_> = arrived(&mut self.set_atomically).collect();
        for mut request in set_atomically {
            let result = match request.message.take() {
                Ok(message) => self.change(node, message.parameters),
                Err(refusal) => unchanged(refusal.message),
            };
            answered(request.respond(SetParametersAtomically::Response { result }));
        }
    }

    /// Changes all of these parameters, or none.
    fn change(&mut self, node: &mut r2r::Node, parameters: Vec<Parameter>) -> SetParametersResult {
        let mut settings = self.settings.lock().clone();
        for Parameter { name, value } in &parameters {
            if let Err(Invalid(reason)) = changed(&mut settings, name, value) {
                return unchanged(reason);
            }
        }
        *self.settings.lock() = settings.clone();
        (self.on_change)(node, &settings);
        for Parameter { name, .. } in &parameters {
            if let Some(value) = settings.get(name) {
                log::info!("parameter {name} is now {value}");
            }
        }
        let changed_parameters = parameters
            .into_iter()
            .map(|Parameter { name, .. }| {
                let value = value_message(settings.get(&name));
                Parameter { name, value }
            })
            .collect();
        self.publish_event(ParameterEvent { changed_parameters, ..Default::default() });
        SetParametersResult { successful: true, reason: String::new() }
    }

    fn publish_event(&mut self, event: ParameterEvent) {
        let now = self.clock.lock().unwrap_or_else(PoisonError::into_inner).get_now();
        let stamp = now.map(|now| r2r::Clock::to_builtin_time(&now)).unwrap_or_default();
        let node = self.node_name.clone();
        if let Err(error) = self.events.publish(&ParameterEvent { stamp, node, ..event }) {
            log::debug!("/parameter_events: {error}");
        }
    }
}

fn unchanged(reason: String) -> SetParametersResult {
    SetParametersResult { successful: false, reason: text(reason) }
}

fn answered(outcome: r2r::Result<()>) {
    if let Err(error) = outcome {
        log::debug!("a parameter request: the caller is gone ({error})");
    }
}

fn changed(settings: &mut Settings, name: &str, value: &ParameterValue) -> Result<(), Invalid> {
    let declared = declaration(name).ok_or_else(|| unknown(name))?;
    let value = match value.type_ {
        parameter_type::NOT_SET => {
            return Err(Invalid(format!("parameter {name} cannot be removed")));
        }
        parameter_type::BOOL => Value::Bool(value.bool_value),
        parameter_type::INTEGER => Value::Integer(value.integer_value),
        parameter_type::DOUBLE => Value::Double(value.double_value),
        parameter_type::STRING => Value::Text(Cow::Owned(value.string_value.clone())),
        _ => return Err(wrong_type(declared, "array")),
    };
    settings.change(name, value)
}

fn type_number(declared: Option<&Declaration>) -> u8 {
    match declared.map(|declared| &declared.default) {
        None => parameter_type::NOT_SET,
        Some(Value::Bool(_)) => parameter_type::BOOL,
        Some(Value::Integer(_)) => parameter_type::INTEGER,
        Some(Value::Double(_)) => parameter_type::DOUBLE,
        Some(Value::Text(_)) => parameter_type::STRING,
    }
}

fn value_message(value: Option<Value>) -> ParameterValue {
    let mut message = ParameterValue::default();
    match value {
        None => message.type_ = parameter_type::NOT_SET,
        Some(Value::Bool(value)) => {
            message.type_ = parameter_type::BOOL;
            message.bool_value = value;
        }
        Some(Value::Integer(value)) => {
            message.type_ = parameter_type::INTEGER;
            message.integer_value = value;
        }
        Some(Value::Double(value)) => {
            message.type_ = parameter_type::DOUBLE;
            message.double_value = value;
        }
        Some(Value::Text(value)) => {
            message.type_ = parameter_type::STRING;
            message.string_value = text(value);
        }
    }
    message
}

/// The descriptor of a parameter; of an undeclared one, only its name.
fn descriptor(name: &str) -> ParameterDescriptor {
    let mut message = ParameterDescriptor { name: text(name), ..Default::default() };
    let Some(declared) = declaration(name) else { return message };
    let Declaration { name: _, default: _, bounds, read_only, description } = declared;
    message.type_ = type_number(Some(declared));
    message.read_only = *read_only;
    message.description = text(*description);
    if *read_only {
        message.description.push_str(" Read once, when the node starts.");
    }
    match *bounds {
        Bounds::Any => {}
        Bounds::Integers(from_value, to_value) => {
            message.integer_range = vec![IntegerRange { from_value, to_value, step: 1 }];
        }
        Bounds::Doubles(from_value, to_value) => {
            message.floating_point_range =
                vec![FloatingPointRange { from_value, to_value, step: 0.0 }];
        }
        Bounds::OneOf(_) | Bounds::Bytes(..) | Bounds::Scope | Bounds::Daily | Bounds::Weekly => {
            message.additional_constraints = text(bounds.to_string());
        }
    }
    message
}

/// The names that are, or are below, one of the prefixes; all when there is none. No declared name
/// has parts, so the depth that the request asks for makes no difference.
fn listed(prefixes: &[String]) -> ListParametersResult {
    let is_below = |name: &str, prefix: &String| {
        name.strip_prefix(prefix.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let names = DECLARATIONS
        .iter()
        .map(|declared| declared.name)
        .filter(|name| prefixes.is_empty() || prefixes.iter().any(|prefix| is_below(name, prefix)))
        .map(str::to_owned)
        .collect();
    ListParametersResult { names, prefixes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_tell_bounds_and_effect() {
        let queue = descriptor("queue_max");
        assert_eq!(
            queue.integer_range,
            [IntegerRange { from_value: 1, to_value: 100_000, step: 1 }]
        );
        assert!(queue.read_only && queue.description.ends_with("when the node starts."));
        let period = descriptor("diagnostics_period_secs");
        assert_eq!(period.floating_point_range.len(), 1);
        assert!(!period.read_only);
        assert_eq!(descriptor("sim_or_real").additional_constraints, r#"one of "", "real", "sim""#);
        assert_eq!(descriptor("no_such").type_, parameter_type::NOT_SET);
    }

    #[test]
    fn a_change_is_taken_or_refused_with_its_reason() {
        let text = |value: &str| value_message(Some(Value::Text(Cow::Owned(value.to_owned()))));
        let array = ParameterValue { type_: 9, ..Default::default() };
        let cases = [
            ("log_level", text("debug"), Ok(())),
            ("log_level", array, Err("takes a string, not a value of type array")),
            ("log_level", value_message(None), Err("cannot be removed")),
            ("store_path", text("x"), Err("read only when the node starts")),
            ("log_levle", text("x"), Err("did you mean log_level?")),
        ];
        for (name, value, expected) in cases {
            let mut settings = Settings::default();
            match (changed(&mut settings, name, &value), expected) {
                (Ok(()), Ok(())) => assert_eq!(settings.log_level, "debug"),
                (Err(Invalid(reason)), Err(part)) => assert!(reason.contains(part), "{reason}"),
                (outcome, expected) => panic!("{name}: {outcome:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn lists_by_prefix() {
        let prefixes =
            |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(listed(&[]).names.len(), DECLARATIONS.len());
        assert_eq!(listed(&prefixes(&["queue_max"])).names, ["queue_max"]);
        assert!(listed(&prefixes(&["queue"])).names.is_empty());
    }
}
