//! The parameters of the node, served from the table of declarations.

use super::StartError;
use super::publish::{PublisherQos, publish};
use super::service::{Requests, answer_each, arrived, reply, serve};
use super::wire::{ToMessage, text};
use crate::config::{
    Bounds, DECLARATIONS, Declaration, Invalid, Settings, StartParameters, Value, declaration,
    unknown,
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
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is asked, in the log.
const WHAT: &str = "a parameter request";

/// The settings of a running node, as threads share them.
#[derive(Clone)]
pub(super) struct SharedSettings(Arc<Mutex<Settings>>);

impl SharedSettings {
    /// The settings now.
    pub fn lock(&self) -> MutexGuard<'_, Settings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is done in the spinning thread after a change.
type OnChange = Box<dyn FnMut(&mut r2r::Node, &Settings) + Send>;

/// The six parameter services and `/parameter_events`.
pub(super) struct ParameterServer {
    settings: SharedSettings,
    /// Those whose names are not declared: what was given of each topic. They never change.
    of_streams: BTreeMap<String, Value>,
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
        given: StartParameters,
        overrides: &PublisherQos,
        on_change: impl FnMut(&mut r2r::Node, &Settings) + Send + 'static,
    ) -> Result<(Self, SharedSettings), StartError> {
        let StartParameters { settings, streams, qos, unknown: _told } = given;
        let of_streams: BTreeMap<_, _> = streams.into_iter().chain(qos).collect();
        let announced: Vec<Parameter> = names(&of_streams)
            .map(|name| Parameter {
                name: name.to_owned(),
                value: value_message(value(&settings, &of_streams, name)),
            })
            .collect();
        let settings = SharedSettings(Arc::new(Mutex::new(settings)));
        let qos = QosProfile::parameter_events();
        let events = overrides.create_publisher("/parameter_events", node, qos)?;
        let mut server = Self {
            settings: settings.clone(),
            of_streams,
            on_change: Box::new(on_change),
            node_name: node.fully_qualified_name()?,
            clock: node.get_ros_clock(),
            events,
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
        let of_streams = &self.of_streams;
        answer_each(&mut self.describe, WHAT, |message, _has_empty_name| {
            let descriptors = message.names.iter().map(|name| descriptor(name, of_streams));
            DescribeParameters::Response { descriptors: descriptors.collect() }
        });
        let settings = self.settings.lock();
        answer_each(&mut self.get, WHAT, |message, _has_empty_name| {
            let values =
                message.names.iter().map(|name| value_message(value(&settings, of_streams, name)));
            GetParameters::Response { values: values.collect() }
        });
        drop(settings);
        answer_each(&mut self.types, WHAT, |message, _has_empty_name| {
            let types = message.names.iter().map(|name| type_number(declared(name, of_streams)));
            GetParameterTypes::Response { types: types.collect() }
        });
        answer_each(&mut self.list, WHAT, |message, _has_empty_prefix| {
            let result = listed(names(of_streams), &message.prefixes, message.depth);
            ListParameters::Response { result }
        });
        let set: Vec<_> = arrived(&mut self.set).collect();
        for mut request in set {
            let (message, is_text) = request.message.take_parts();
            let results = message.parameters.into_iter().map(|parameter| match &is_text {
                Ok(()) => self.change(node, vec![parameter]),
                Err(refusal) => unchanged(refusal.message.clone()),
            });
            let results = results.collect();
            reply(request, SetParameters::Response { results }, WHAT);
        }
        let set_atomically: Vec<_> = arrived(&mut self.set_atomically).collect();
        for mut request in set_atomically {
            let result = match request.message.take() {
                Ok(message) => self.change(node, message.parameters),
                Err(refusal) => unchanged(refusal.message),
            };
            reply(request, SetParametersAtomically::Response { result }, WHAT);
        }
    }

    /// Changes all of these parameters, or none.
    fn change(&mut self, node: &mut r2r::Node, parameters: Vec<Parameter>) -> SetParametersResult {
        let mut settings = self.settings.lock().clone();
        for Parameter { name, value } in &parameters {
            if self.of_streams.contains_key(name) {
                return unchanged(format!(
                    "parameter {name} is read only when the node starts; give it there"
                ));
            }
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
        let event = ParameterEvent { stamp, node, ..event };
        publish(&self.events, "/parameter_events", &event);
    }
}

fn unchanged(reason: String) -> SetParametersResult {
    SetParametersResult { successful: false, reason: text(reason) }
}

fn changed(settings: &mut Settings, name: &str, value: &ParameterValue) -> Result<(), Invalid> {
    if declaration(name).is_none() {
        return Err(unknown(name));
    }
    let Some(value) = value_of(value) else {
        return Err(Invalid(format!("parameter {name} cannot be removed")));
    };
    settings.change(name, value)
}

/// The names of all parameters. `streams` is not one beside those of each topic: a tool that writes all of
/// them into one file (`ros2 param dump`) cannot have it as a value and as the begin of names.
fn names(of_streams: &BTreeMap<String, Value>) -> impl Iterator<Item = &str> {
    let declared = DECLARATIONS.iter().map(|declared| declared.name);
    let declared = declared.filter(|name| is_declared(name, of_streams));
    declared.chain(of_streams.keys().map(String::as_str))
}

fn is_declared(name: &str, of_streams: &BTreeMap<String, Value>) -> bool {
    let is_of_streams = |name: &String| name == "streams" || name.starts_with("streams.");
    declaration(name).is_some() && (name != "streams" || !of_streams.keys().any(is_of_streams))
}

fn value(settings: &Settings, of_streams: &BTreeMap<String, Value>, name: &str) -> Option<Value> {
    let declared = is_declared(name, of_streams).then(|| settings.get(name)).flatten();
    declared.or_else(|| of_streams.get(name).cloned())
}

/// A value of a parameter's type.
fn declared<'a>(name: &str, of_streams: &'a BTreeMap<String, Value>) -> Option<&'a Value> {
    let declared = declaration(name).filter(|_| is_declared(name, of_streams));
    declared.map(|declared| &declared.default).or_else(|| of_streams.get(name))
}

/// What a value is in messages: its number in `rcl_interfaces/msg/ParameterType`, and its field.
macro_rules! kinds {
    ($($kind:ident $number:literal $field:ident;)+) => {
        /// Zero when it is not set.
        fn type_number(value: Option<&Value>) -> u8 {
            match value {
                None => 0,
                $(Some(Value::$kind(_)) => $number,)+
            }
        }

        fn value_message(value: Option<Value>) -> ParameterValue {
            let type_ = type_number(value.as_ref());
            let mut message = ParameterValue { type_, ..ParameterValue::default() };
            match value {
                None => {}
                $(Some(Value::$kind(value)) => message.$field = value.to_message(),)+
            }
            message
        }

        /// `None` when it is not set.
        fn value_of(message: &ParameterValue) -> Option<Value> {
            Some(match message.type_ {
                $($number => Value::$kind(message.$field.clone().into()),)+
                _ => return None,
            })
        }
    };
}

kinds! {
    Bool 1 bool_value;
    Integer 2 integer_value;
    Double 3 double_value;
    Text 4 string_value;
    Bytes 5 byte_array_value;
    Bools 6 bool_array_value;
    Integers 7 integer_array_value;
    Doubles 8 double_array_value;
    Texts 9 string_array_value;
}

/// The descriptor of a parameter; of an undeclared one, only its name.
fn descriptor(name: &str, of_streams: &BTreeMap<String, Value>) -> ParameterDescriptor {
    let mut message = ParameterDescriptor { name: text(name), ..Default::default() };
    message.type_ = type_number(declared(name, of_streams));
    if of_streams.contains_key(name) {
        message.read_only = true;
        message.description = "A topic (docs/sensors.md). Read once, when the \
                               node starts."
            .to_owned();
    }
    let Some(declared) = declaration(name).filter(|_| is_declared(name, of_streams)) else {
        return message;
    };
    let Declaration { name: _, default: _, bounds, read_only, description } = declared;
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

/// The names that are, or are below, one of the prefixes; all when there is none. Of these, those with
/// fewer dots than `depth` below the prefix; 0: all. And what their last parts are below of.
fn listed<'a>(
    all: impl Iterator<Item = &'a str>,
    prefixes: &[String],
    depth: u64,
) -> ListParametersResult {
    let is_near = |rest: &str| depth == 0 || (rest.matches('.').count() as u64) < depth;
    let is_below = |name: &str, prefix: &String| {
        let rest = name.strip_prefix(prefix.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_near))
    };
    let mut result = ListParametersResult::default();
    for name in all {
        let is_wanted = match prefixes {
            [] => is_near(name),
            prefixes => prefixes.iter().any(|prefix| is_below(name, prefix)),
        };
        if !is_wanted {
            continue;
        }
        result.names.push(name.to_owned());
        if let Some((above, _)) = name.rsplit_once('.')
            && !result.prefixes.iter().any(|known| known == above)
        {
            result.prefixes.push(above.to_owned());
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn descriptors_tell_bounds_and_effect() {
        let none = BTreeMap::new();
        let queue = descriptor("queue_max", &none);
        assert_eq!(
            queue.integer_range,
            [IntegerRange { from_value: 1, to_value: 100_000, step: 1 }]
        );
        assert!(queue.read_only && queue.description.ends_with("when the node starts."));
        let period = descriptor("diagnostics_period_secs", &none);
        assert_eq!(period.floating_point_range.len(), 1);
        assert!(!period.read_only);
        assert_eq!(
            descriptor("sim_or_real", &none).additional_constraints,
            r#"one of "", "real", "sim""#
        );
        assert_eq!(descriptor("no_such", &none).type_, 0);
    }

    #[test]
    fn a_change_is_taken_or_refused_with_its_reason() {
        let text = |value: &str| value_message(Some(Value::Text(Cow::Owned(value.to_owned()))));
        let array = ParameterValue { type_: 9, ..Default::default() };
        let cases = [
            ("log_level", text("debug"), Ok(())),
            ("log_level", array, Err("takes a string, not a list of strings")),
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
    fn lists_by_prefix_and_depth() {
        let of_streams = BTreeMap::from(
            ["streams.arm.qos.depth", "streams.arm.topic", "streams.cup"]
                .map(|name| (name.to_owned(), Value::Integer(1))),
        );
        let list = |prefixes: &[&str], depth| {
            let prefixes: Vec<_> = prefixes.iter().map(|&prefix| prefix.to_owned()).collect();
            listed(names(&of_streams), &prefixes, depth)
        };
        let declared = DECLARATIONS.len() - 1;
        assert_eq!(list(&[], 0).names.len(), declared + 3);
        assert_eq!(list(&[], 1).names.len(), declared);
        assert_eq!(list(&[], 0).prefixes, ["streams.arm.qos", "streams.arm", "streams"]);
        assert_eq!(list(&["queue_max"], 0).names, ["queue_max"]);
        assert!(list(&["queue"], 0).names.is_empty());
        assert!(list(&[""], 0).names.is_empty());
        assert_eq!(list(&["streams"], 1).names, ["streams.cup"]);
        assert_eq!(list(&["streams"], 2).names, ["streams.arm.topic", "streams.cup"]);
        assert_eq!(list(&["streams.arm"], 0).names.len(), 2);
    }

    #[test]
    fn what_was_given_of_a_topic_is_told_in_the_place_of_streams() {
        let given = [("streams.cup.triggers".to_owned(), Value::Texts(vec!["slip".to_owned()]))];
        let of_streams = BTreeMap::from(given);
        let settings = Settings { streams: "{}".to_owned(), ..Settings::default() };
        let message_of = |name| value_message(value(&settings, &of_streams, name));
        assert_eq!(message_of("streams").type_, 0);
        assert_eq!(message_of("streams.cup.triggers").string_array_value, ["slip"]);
        let described = descriptor("streams.cup.triggers", &of_streams);
        assert!(described.read_only);
        assert_eq!(described.type_, 9);
        assert_eq!(value_message(value(&settings, &BTreeMap::new(), "streams")).string_value, "{}");
    }
}
