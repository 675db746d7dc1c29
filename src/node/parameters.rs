//! The parameter services, made from a table of [`crate::params`].
//!
//! r2r's own services know neither ranges nor read-only parameters, take no whole number for a double, and publish no
//! `/parameter_events`; so the six services are answered here.

use futures::StreamExt;
use r2r::{
    Node, ParameterValue as Override, Publisher, QosProfile,
    rcl_interfaces::{
        msg::{
            FloatingPointRange, IntegerRange, ListParametersResult, Parameter, ParameterDescriptor, ParameterEvent,
            ParameterValue, SetParametersResult,
        },
        srv::{
            DescribeParameters, GetParameterTypes, GetParameters, ListParameters, SetParameters,
            SetParametersAtomically,
        },
    },
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{clock::RosClock, log::Log};
use crate::params::{Accepts, ParamError, Spec, Table, Value};

/// r2r binds every constant of a message as a type of its own.
mod kind {
    use r2r::rcl_interfaces::msg::ParameterType as T;
    pub(super) const NOT_SET: u8 = T::PARAMETER_NOT_SET as u8;
    pub(super) const BOOL: u8 = T::PARAMETER_BOOL as u8;
    pub(super) const INTEGER: u8 = T::PARAMETER_INTEGER as u8;
    pub(super) const DOUBLE: u8 = T::PARAMETER_DOUBLE as u8;
    pub(super) const STRING: u8 = T::PARAMETER_STRING as u8;
    pub(super) const INTEGER_ARRAY: u8 = T::PARAMETER_INTEGER_ARRAY as u8;
    pub(super) const DOUBLE_ARRAY: u8 = T::PARAMETER_DOUBLE_ARRAY as u8;
}

/// The parameter that every ROS node has.
const USE_SIM_TIME: &str = "use_sim_time";

/// Why the node cannot start with its parameters.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// A value was refused.
    #[error(transparent)]
    Refused(#[from] ParamError),
    /// A value is of a type that no parameter has.
    #[error("{0}")]
    Type(String),
    /// The middleware refuses a service.
    #[error("cannot offer the parameter services: {0}")]
    Ros(#[from] r2r::Error),
}

/// All values, and what hears of changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Values<P> {
    /// The observer's and the node's own.
    pub params: P,
    /// Follow `/clock`?
    pub(crate) use_sim_time: bool,
}

/// Values at the start: the defaults, and over them what the command line and parameter files say.
///
/// # Errors
/// When a value is refused. Unknown names are only warned of: one file often serves several nodes.
pub(super) fn at_start<'a, P: Table>(
    overrides: impl IntoIterator<Item = (&'a String, &'a Override)>,
    log: &Log,
) -> Result<Values<P>, StartError> {
    let mut values = Values { params: P::default(), use_sim_time: false };
    for (name, value) in overrides {
        let value = from_override(value)
            .map_err(|kind| StartError::Type(format!("parameter {name}: {kind} is no type of any parameter here")))?;
        match (name.as_str(), value) {
            (_, None) => {}
            (USE_SIM_TIME, Some(Value::Bool(on))) => values.use_sim_time = on,
            (USE_SIM_TIME, Some(_)) => {
                return Err(StartError::Type(format!("parameter {USE_SIM_TIME}: expected true or false")));
            }
            (name, Some(value)) => match values.params.set(name, &value) {
                Err(error @ ParamError::Unknown { .. }) => log.warn(&error.to_string()),
                other => other?,
            },
        }
    }
    values.params.check()?;
    Ok(values)
}

fn from_override(value: &Override) -> Result<Option<Value>, &'static str> {
    Ok(Some(match value {
        Override::NotSet => return Ok(None),
        Override::Bool(v) => Value::Bool(*v),
        Override::Integer(v) => Value::Int(*v),
        Override::Double(v) => Value::Double(*v),
        Override::String(v) => Value::Text(v.clone()),
        Override::DoubleArray(v) => Value::Doubles(v.clone()),
        Override::IntegerArray(v) => Value::Doubles(v.iter().map(|v| *v as f64).collect()),
        other => return Err(other.type_name()),
    }))
}

fn from_message(value: &ParameterValue) -> Result<Value, String> {
    Ok(match value.type_ {
        kind::BOOL => Value::Bool(value.bool_value),
        kind::INTEGER => Value::Int(value.integer_value),
        kind::DOUBLE => Value::Double(value.double_value),
        kind::STRING => Value::Text(value.string_value.clone()),
        kind::DOUBLE_ARRAY => Value::Doubles(value.double_array_value.clone()),
        kind::INTEGER_ARRAY => Value::Doubles(value.integer_array_value.iter().map(|v| *v as f64).collect()),
        kind::NOT_SET => return Err("a parameter cannot be removed".into()),
        other => return Err(format!("values of type {other} are no type of any parameter here")),
    })
}

fn to_message(value: Value) -> ParameterValue {
    let typed = |kind: u8| ParameterValue { type_: kind, ..ParameterValue::default() };
    match value {
        Value::Bool(v) => ParameterValue { bool_value: v, ..typed(kind::BOOL) },
        Value::Int(v) => ParameterValue { integer_value: v, ..typed(kind::INTEGER) },
        Value::Double(v) => ParameterValue { double_value: v, ..typed(kind::DOUBLE) },
        Value::Text(v) => ParameterValue { string_value: v, ..typed(kind::STRING) },
        Value::Doubles(v) => ParameterValue { double_array_value: v, ..typed(kind::DOUBLE_ARRAY) },
    }
}

impl<P: Table> Values<P> {
    fn get(&self, name: &str) -> Option<Value> {
        if name == USE_SIM_TIME { Some(Value::Bool(self.use_sim_time)) } else { self.params.get(name) }
    }

    fn message(&self, name: &str) -> ParameterValue {
        self.get(name).map(to_message).unwrap_or_default()
    }

    /// Sets one parameter of the running node. The error is for the one who asked.
    fn set(&mut self, parameter: &Parameter) -> Result<(), String> {
        let name = parameter.name.as_str();
        if name == USE_SIM_TIME {
            let Ok(Value::Bool(on)) = from_message(&parameter.value) else {
                return Err(format!("parameter {USE_SIM_TIME}: expected true or false"));
            };
            self.use_sim_time = on;
            return Ok(());
        }
        let spec = P::spec(name).map_err(|e| e.to_string())?;
        let value = from_message(&parameter.value)
            .map_err(|why| format!("parameter {name}: expected {}: {why}", spec.expected()))?;
        let before = self.params.get(name);
        let mut changed = self.params.clone();
        changed.set(name, &value).map_err(|e| e.to_string())?;
        if !spec.live && changed.get(name) != before {
            return Err(format!("parameter {name}: cannot change while the node runs; give it when the node starts"));
        }
        self.params = changed;
        Ok(())
    }
}

fn describe<P: Table>(name: &str) -> ParameterDescriptor {
    if name == USE_SIM_TIME {
        return ParameterDescriptor {
            name: name.into(),
            type_: kind::BOOL,
            description: "Follow /clock instead of the system's time.".into(),
            ..ParameterDescriptor::default()
        };
    }
    let Ok(spec) = P::spec(name) else {
        return ParameterDescriptor { name: name.into(), ..ParameterDescriptor::default() };
    };
    let mut descriptor = ParameterDescriptor {
        name: name.into(),
        type_: Values { params: P::default(), use_sim_time: false }.message(name).type_,
        description: description(spec),
        additional_constraints: spec.expected(),
        read_only: !spec.live,
        ..ParameterDescriptor::default()
    };
    match spec.accepts {
        Accepts::Double { min, max } => {
            descriptor.floating_point_range = vec![FloatingPointRange { from_value: min, to_value: max, step: 0.0 }];
        }
        Accepts::Int { min, max } => {
            let step = 1;
            descriptor.integer_range = vec![IntegerRange { from_value: min, to_value: max, step }];
        }
        _ => {}
    }
    descriptor
}

fn description(spec: &Spec) -> String {
    let about = spec.about.trim();
    if spec.unit.is_empty() { about.to_owned() } else { format!("{about} [{}]", spec.unit) }
}

fn names<P: Table>() -> impl Iterator<Item = &'static str> {
    P::SPECS.iter().map(|s| s.name).chain([USE_SIM_TIME])
}

/// Names as `list_parameters` filters them: below one of `prefixes` (all when empty), at most `depth` names deep from
/// there (0 is any depth).
fn list<P: Table>(prefixes: &[String], depth: u64) -> ListParametersResult {
    let deep_enough = |rest: &str| depth == 0 || (rest.split('.').count() as u64) <= depth;
    let wanted = |name: &str| {
        prefixes.is_empty() && deep_enough(name)
            || prefixes.iter().any(|prefix| {
                name == prefix
                    || name.strip_prefix(prefix.as_str()).and_then(|r| r.strip_prefix('.')).is_some_and(deep_enough)
            })
    };
    let names: Vec<String> = names::<P>().filter(|n| wanted(n)).map(str::to_owned).collect();
    let mut prefixes: Vec<String> =
        names.iter().filter_map(|n| n.rsplit_once('.')).map(|(prefix, _)| prefix.to_owned()).collect();
    prefixes.dedup();
    ListParametersResult { names, prefixes }
}

/// Answers the parameter services of a node.
struct Server<P> {
    values: Mutex<Values<P>>,
    events: Mutex<Publisher<ParameterEvent>>,
    node_name: String,
    clock: RosClock,
    changed: Box<Changed<P>>,
}

/// Hears of every change.
type Changed<P> = dyn Fn(&Values<P>) + Send + Sync;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Table> Server<P> {
    /// All of `parameters`, or none of them.
    fn set(&self, parameters: &[Parameter]) -> SetParametersResult {
        let mut values = lock(&self.values);
        let mut wanted = values.clone();
        for parameter in parameters {
            if let Err(reason) = wanted.set(parameter) {
                return SetParametersResult { successful: false, reason };
            }
        }
        if let Err(reason) = wanted.params.check() {
            return SetParametersResult { successful: false, reason: reason.to_string() };
        }
        if *values != wanted {
            let changed = names::<P>()
                .filter(|name| values.get(name) != wanted.get(name))
                .map(|name| Parameter { name: name.into(), value: wanted.message(name) })
                .collect();
            *values = wanted;
            (self.changed)(&values);
            self.publish(ParameterEvent { changed_parameters: changed, ..ParameterEvent::default() });
        }
        SetParametersResult { successful: true, reason: String::new() }
    }

    fn publish(&self, mut event: ParameterEvent) {
        event.node.clone_from(&self.node_name);
        event.stamp = self.clock.stamp();
        // Nobody is harmed when an event is lost: the values can be asked for.
        let _ = lock(&self.events).publish(&event);
    }
}

/// Offers the parameter services of `node`, answered by tasks of `runtime`. `changed` hears of every change.
///
/// # Errors
/// When the middleware refuses a service.
pub fn serve<P: Table>(
    node: &mut Node,
    runtime: &tokio::runtime::Handle,
    values: Values<P>,
    changed: impl Fn(&Values<P>) + Send + Sync + 'static,
) -> Result<(), StartError> {
    let events = node.create_publisher::<ParameterEvent>("/parameter_events", QosProfile::parameter_events())?;
    let server = Arc::new(Server {
        node_name: node.fully_qualified_name()?,
        clock: RosClock::of(node),
        events: Mutex::new(events),
        values: Mutex::new(values),
        changed: Box::new(changed),
    });
    server.publish(ParameterEvent {
        new_parameters: names::<P>()
            .map(|name| Parameter { name: name.into(), value: lock(&server.values).message(name) })
            .collect(),
        ..ParameterEvent::default()
    });
    let qos = QosProfile::parameters();

    // A request whose client has gone needs no answer: errors of respond are let go.
    macro_rules! answer {
        ($service:ident, $name:literal, |$server:ident, $request:ident| $response:expr) => {{
            let mut requests = node.create_service::<$service::Service>(concat!("~/", $name), qos.clone())?;
            let $server = Arc::clone(&server);
            runtime.spawn(async move {
                while let Some(asked) = requests.next().await {
                    let response = {
                        let $request = &asked.message;
                        $response
                    };
                    let _ = asked.respond(response);
                }
            });
        }};
    }
    answer!(GetParameters, "get_parameters", |server, request| GetParameters::Response {
        values: request.names.iter().map(|name| lock(&server.values).message(name)).collect(),
    });
    answer!(GetParameterTypes, "get_parameter_types", |server, request| GetParameterTypes::Response {
        types: request.names.iter().map(|name| lock(&server.values).message(name).type_).collect(),
    });
    answer!(SetParameters, "set_parameters", |server, request| SetParameters::Response {
        results: request.parameters.iter().map(|p| server.set(std::slice::from_ref(p))).collect(),
    });
    answer!(SetParametersAtomically, "set_parameters_atomically", |server, request| {
        SetParametersAtomically::Response { result: server.set(&request.parameters) }
    });
    answer!(DescribeParameters, "describe_parameters", |_server, request| DescribeParameters::Response {
        descriptors: request.names.iter().map(|name| describe::<P>(name)).collect(),
    });
    answer!(ListParameters, "list_parameters", |_server, request| ListParameters::Response {
        result: list::<P>(&request.prefixes, request.depth),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Params, SPECS, go};

    fn values() -> Values<Params> {
        Values { params: Params::default(), use_sim_time: false }
    }

    fn parameter(name: &str, value: Value) -> Parameter {
        Parameter { name: name.into(), value: to_message(value) }
    }

    #[test]
    fn values_survive_the_way_to_messages_and_back() {
        for name in names::<Params>() {
            let value = values().get(name).unwrap();
            assert_eq!(from_message(&to_message(value.clone())), Ok(value), "{name}");
        }
    }

    #[test]
    fn whole_numbers_are_taken_for_doubles() {
        let mut values = values();
        values.set(&parameter("square_size_m", Value::Int(1))).unwrap();
        assert_eq!(values.params.square_size_m, 1.0);
    }

    #[test]
    fn refusals_say_why_and_change_nothing() {
        let mut values = values();
        let mut refused = |name: &str, value| values.set(&parameter(name, value)).unwrap_err();
        assert_eq!(
            refused("game.min_confidence", Value::Double(2.0)),
            "parameter game.min_confidence: expected a number from 0.5 to 0.9999 probability, got 2"
        );
        assert_eq!(
            refused("game.min_confidense", Value::Double(0.9)),
            "unknown parameter \"game.min_confidense\": did you mean \"game.min_confidence\"?"
        );
        assert_eq!(
            refused("pgn_directory", Value::Text("/elsewhere".into())),
            "parameter pgn_directory: cannot change while the node runs; give it when the node starts"
        );
        assert_eq!(refused("use_sim_time", Value::Int(1)), "parameter use_sim_time: expected true or false");
        assert_eq!(values, super::Values { params: Params::default(), use_sim_time: false });
    }

    #[test]
    fn a_read_only_parameter_may_be_set_to_what_it_is() {
        values().set(&parameter("image_transport", Value::Text("auto".into()))).unwrap();
    }

    #[test]
    fn every_parameter_is_described() {
        for spec in SPECS {
            let descriptor = describe::<Params>(spec.name);
            assert!(descriptor.type_ > 0 && !descriptor.description.is_empty());
            assert_eq!(descriptor.read_only, !spec.live);
        }
        let size = describe::<Params>("square_size_m");
        assert_eq!(size.description, "Side of one square. [m]");
        assert_eq!((size.floating_point_range[0].from_value, size.floating_point_range[0].to_value), (0.005, 1.0));
        assert_eq!(describe::<Params>("nonsense").type_, 0);
        for spec in go::SPECS {
            let descriptor = describe::<go::Params>(spec.name);
            assert!(descriptor.type_ > 0 && descriptor.read_only != spec.live, "{}", spec.name);
        }
    }

    #[test]
    fn lists_are_filtered_as_rclcpp_does() {
        let all = list::<Params>(&[], 0);
        assert_eq!(all.names.len(), SPECS.len() + 1);
        assert_eq!(all.prefixes, ["board", "game", "sight"]);
        assert!(list::<Params>(&[], 1).names.iter().all(|n| !n.contains('.')));
        assert_eq!(
            list::<Params>(&["board".into()], 1).names,
            ["board.corners", "board.mirrored", "board.calibration_file"]
        );
        assert_eq!(list::<Params>(&["board.corners".into()], 1).names, ["board.corners"]);
        assert!(list::<Params>(&["boar".into()], 0).names.is_empty());
    }

    #[test]
    fn overrides_of_unknown_types_are_named() {
        let name = "game.white".to_owned();
        let value = Override::StringArray(vec!["a".into()]);
        let error = at_start::<Params>([(&name, &value)], &Log::new("test")).unwrap_err().to_string();
        assert_eq!(error, "parameter game.white: string array is no type of any parameter here");
        let value = Override::Integer(5);
        let error = at_start::<Params>([(&name, &value)], &Log::new("test")).unwrap_err().to_string();
        assert_eq!(error, "parameter game.white: expected a text without control characters, got 5");
    }
}
