//! What the nodes beside the observer have in common: help, arguments, parameters, signals, and how they begin.

use std::{
    error::Error,
    mem,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use r2r::{Node, Parameter, ParameterValue, RosParams, indexmap::IndexMap};
use tokio::{
    runtime::Runtime,
    signal::unix::{SignalKind, signal},
    task::JoinHandle,
};

use super::{arguments::RosArguments, help, life::context, log::Log};
use crate::params;

/// Parameters that rcl and its clients know, by their beginnings.
const ROS_OWN: [&str; 2] = ["qos_overrides", "start_type_description_service"];

/// A program and what it says of itself.
#[derive(Debug)]
pub struct Program {
    /// Its file's name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What it hears and says, in whole lines.
    pub topics: &'static str,
}

impl Program {
    /// Says its help where that is asked for, with the parameters of `P`, else runs `start` until it ends: 0 after an orderly end,
    /// 2 when it could not start, and then why in one line.
    pub fn run<P: RosParams + Default>(&self, start: fn() -> Result<(), Box<dyn Error>>) -> ExitCode {
        if help::is_asked_for(std::env::args()) {
            let parameters: Vec<_> = described::<P>().iter().map(line).collect();
            print!("{}", help::usage(self.name, self.about, self.topics, &parameters));
            return ExitCode::SUCCESS;
        }
        match start() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", self.name);
                ExitCode::from(2)
            }
        }
    }
}

/// A node that has begun.
pub(crate) struct Begun<P> {
    /// The node; parameter services are offered.
    pub node: Node,
    /// Where its tasks run.
    pub runtime: Runtime,
    /// The parameters as they were given.
    pub params: P,
    /// The console and `/rosout`.
    pub log: Log,
    /// Is finished when SIGINT or SIGTERM has come.
    pub(crate) stop: JoinHandle<()>,
}

/// Begins the node `name`, with so many threads for its tasks.
///
/// # Errors
/// What is wrong with the arguments, the parameters or the middleware.
pub fn begin<P>(name: &str, threads: usize) -> Result<Begun<P>, Box<dyn Error>>
where
    P: RosParams + Default + Clone + Send + 'static,
{
    let arguments = RosArguments::parse(std::env::args())?;
    arguments.check_files()?;
    let mut node = Node::create(context()?, name, "")?;
    super::log::bridge_r2r();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    // From the first word that the node says, whoever hears it may ask it to end.
    let [mut interrupt, mut terminate] = {
        let _inside = runtime.enter();
        [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]
    };
    let stop = runtime.spawn(async move {
        tokio::select! { _ = interrupt.recv() => (), _ = terminate.recv() => () }
    });
    let log = Log::of(&mut node, &arguments)?;
    fit::<P>(&node, &log)?;
    let params = Arc::new(Mutex::new(P::default()));
    let (services, _) = node.make_derived_parameter_handler(params.clone())?;
    runtime.spawn(services);
    let params = params.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Begun { node, runtime, params, log, stop })
}

/// Fits what was given to the parameters of `P`: says which there are not (r2r passes over them), and takes a whole number for a
/// number, as the observer does (`speed:=3`).
///
/// # Errors
/// When a value is of another type.
fn fit<P: RosParams + Default>(node: &Node, log: &Log) -> Result<(), Box<dyn Error>> {
    let known = described::<P>();
    let mut given = node.params.lock().map_err(|e| e.to_string())?;
    let mut unknown = Vec::new();
    for (name, parameter) in given.iter_mut() {
        match (known.get(name).map(|known| &known.value), &parameter.value) {
            // One file may speak to all nodes: what is meant for the observer is no mistake.
            (None, _) if ROS_OWN.iter().any(|own| name.starts_with(own)) || params::spec(name).is_ok() => (),
            (None, _) => unknown.push(name),
            (Some(ParameterValue::Double(_)), &ParameterValue::Integer(v)) => {
                parameter.value = ParameterValue::Double(v as f64)
            }
            (Some(wanted), got) if mem::discriminant(wanted) != mem::discriminant(got) => {
                let (expected, got) = (wanted.type_name(), shown(got));
                return Err(format!("parameter {name}: expected a value of type {expected}, got {got}").into());
            }
            _ => (),
        }
    }
    unknown.sort();
    for name in unknown {
        log.warn(&params::unknown(name, known.keys().map(String::as_str)).to_string());
    }
    Ok(())
}

/// The parameters of `P`, with their defaults.
fn described<P: RosParams + Default>() -> IndexMap<String, Parameter> {
    let mut described = IndexMap::new();
    // Without values from outside nothing is refused.
    let _ = P::default().register_parameters("", None, &mut described);
    described
}

/// A parameter's name, and what it means and its default.
fn line((name, parameter): (&String, &Parameter)) -> (String, String) {
    (name.clone(), format!("{} [{}]", parameter.description.trim(), shown(&parameter.value)))
}

/// A value as a person would write it.
fn shown(value: &ParameterValue) -> String {
    match value {
        ParameterValue::Bool(v) => v.to_string(),
        ParameterValue::Integer(v) => v.to_string(),
        ParameterValue::Double(v) => format!("{v:?}"),
        ParameterValue::String(v) => format!("{v:?}"),
        other => other.type_name().into(),
    }
}
