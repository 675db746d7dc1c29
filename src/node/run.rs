//! The life of the node: start, work until a signal, end in order.

use r2r::{Context, Node};
use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{
    actor::Actor,
    arguments::RosArguments,
    calibration_file::{self, CalibrationFile},
    clock::RosClock,
    diagnostics::{self, Diagnostics},
    disk::Writer,
    help,
    inbox::{Inbox, Setting},
    input::Input,
    lifecycle,
    log::{self, Log},
    logger_levels,
    outputs::Outputs,
    parameters,
    pgn_file::PgnFile,
    services,
    systemd::Systemd,
    watchdog::{Health, Pulse, Watchdog},
};
use crate::board::calibration::Calibration;

use crate::{
    archive::{
        Keeper,
        keeper::{Place, stem},
    },
    params::Params,
};

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(50);
/// How often the publishers of pictures are looked at.
const FOLLOW: Duration = Duration::from_millis(500);
/// How long the actor may take for its last picture, and then the PGN file: together below the 5 s after which
/// `ros2 launch` sends SIGTERM.
const LAST_PICTURE: Duration = Duration::from_millis(2500);
const LAST_WRITING: Duration = Duration::from_millis(1500);
/// After that a node is ended the hard way: what hangs is not to keep systemd or launch from starting it again.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// Anything that keeps the node from starting: one line for people.
type Failure = Box<dyn std::error::Error>;

/// Runs the node until SIGINT or SIGTERM. 0 after an orderly end, 2 when it could not start, 1 when it broke.
#[must_use]
pub fn run() -> ExitCode {
    if help::is_asked_for(std::env::args()) {
        print!("{}", help::observer());
        return ExitCode::SUCCESS;
    }
    match start() {
        Ok(node) => node.work(),
        Err(error) => {
            eprintln!("observer_node: {error}");
            ExitCode::from(2)
        }
    }
}

/// Starts rcl. r2r panics where rcl refuses.
///
/// # Errors
/// What rcl says.
pub fn context() -> Result<Context, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let started = std::panic::catch_unwind(Context::create);
    std::panic::set_hook(hook);
    match started {
        Ok(Ok(context)) => Ok(context),
        Ok(Err(error)) => Err(format!("ROS 2 does not start: {error}")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown reason");
            Err(format!("ROS 2 refuses the arguments or parameter files: {text}"))
        }
    }
}

struct Running {
    runtime: tokio::runtime::Runtime,
    signals: [Signal; 2],
    inbox: Arc<Inbox>,
    actor: JoinHandle<()>,
    spinner: JoinHandle<()>,
    stop_spinning: Arc<AtomicBool>,
    diagnostics: Diagnostics,
    writer: Writer,
    watchdog: Watchdog,
    systemd: Systemd,
    log: Log,
}

/// How the work has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Somebody asked for it.
    Asked,
    /// Something broke.
    Broken,
    /// Something hangs.
    Hung,
}

fn start() -> Result<Running, Failure> {
    r2r::assert_compiled_with_use_sim_time_support!();
    let arguments = RosArguments::parse(std::env::args())?;
    arguments.check_files()?;
    let mut node = Node::create(context()?, "chess_observer", "")?;
    log::bridge_r2r();
    let log = Log::of(&mut node, &arguments)?;

    let values = {
        let overrides = node.params.lock().map_err(|e| e.to_string())?;
        parameters::at_start(overrides.iter().map(|(name, p)| (name, &p.value)), &log)?
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let handle = runtime.handle().clone();
    // From the first word that the node says, whoever hears it may ask it to end.
    let signals = signals(&runtime)?;
    let inbox = Arc::new(Inbox::default());
    inbox.set_max_rate(values.params.max_rate_hz);
    let outputs = Outputs::new(&mut node, log.clone())?;
    let has_tf = outputs.has_tf();
    let (pgn_file, writer) = PgnFile::new(&values.params.pgn_directory, &node.fully_qualified_name()?)?;
    let calibration = calibration(&values.params.board_calibration_file, &node.fully_qualified_name()?, &log)?;
    let clock = RosClock::of(&node);
    let archive = archive(&values.params, &node.fully_qualified_name()?)?;
    let actor = Actor::new(values.params.clone(), outputs, pgn_file, calibration, clock, log.clone())?;
    let actor = actor.with_archive(archive);
    let input = Input::new(&mut node, &handle, &inbox, &values.params, &arguments, log.clone())?;
    let diagnostics = Diagnostics::new(&mut node, &inbox, input.source(), actor.status(), has_tf, log.clone())?;

    services::serve(&mut node, &handle, &inbox)?;
    logger_levels::serve(&mut node, &handle, &log)?;
    lifecycle::serve_where(values.params.lifecycle, &mut node, &handle, &inbox, &log)?;
    let (sim_time, sim_time_asked) = mpsc::channel();
    // The receiver lives as long as the node spins.
    let _ = sim_time.send(values.use_sim_time);
    let spinning = Pulse::default();
    let watchdog = Watchdog::new(values.params.watchdog_s, &inbox, spinning.clone());
    parameters::serve(&mut node, &handle, values, passes_on(&inbox, sim_time))?;

    let name = node.fully_qualified_name()?;
    let stop_spinning = Arc::new(AtomicBool::new(false));
    let spinner = {
        let stop = Arc::clone(&stop_spinning);
        let log = log.clone();
        std::thread::Builder::new()
            .name("spin".into())
            .spawn(move || spin(node, input, (&stop, &spinning), &sim_time_asked, &log))?
    };
    let actor = {
        let inbox = Arc::clone(&inbox);
        std::thread::Builder::new().name("actor".into()).spawn(move || actor.run(&inbox))?
    };
    log.info(&format!("{name} {} is ready", env!("CARGO_PKG_VERSION")));
    let systemd = Systemd::from_environment();
    systemd.ready();
    Ok(Running { runtime, signals, inbox, actor, spinner, stop_spinning, diagnostics, writer, watchdog, systemd, log })
}

/// Those that end the node. A file that has reached the size that is allowed is an error of the writing, and ends nothing: a
/// signal that somebody hears does not kill.
fn signals(runtime: &tokio::runtime::Runtime) -> std::io::Result<[Signal; 2]> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    let _inside = runtime.enter();
    Ok([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?])
}

/// Tells those whom it concerns that parameters have changed.
fn passes_on(inbox: &Arc<Inbox>, sim_time: mpsc::Sender<bool>) -> impl Fn(&parameters::Values) + Send + Sync + use<> {
    let inbox = Arc::clone(inbox);
    move |values| {
        inbox.set_max_rate(values.params.max_rate_hz);
        let params = values.params.clone();
        inbox.set(Setting::Params, move |actor| actor.set_params(params));
        // The receiver lives as long as the node spins.
        let _ = sim_time.send(values.use_sim_time);
    }
}

/// Where the board's place is kept, by the parameter and the node's name, and what was kept there.
fn calibration(parameter: &str, name: &str, log: &Log) -> std::io::Result<(CalibrationFile, Option<Calibration>)> {
    let variable = |name: &str| std::env::var_os(name).map(Into::into);
    let kept_at = calibration_file::place(parameter, name, variable("ROS_HOME"), variable("HOME"));
    let kept = kept_at.as_ref().and_then(|place| calibration_file::read(&place.path, log));
    Ok((CalibrationFile::new(kept_at, log.clone())?, kept))
}

/// The keeper of looks, where a folder is named for them.
fn archive(params: &Params, name: &str) -> Result<Option<Keeper>, Failure> {
    if params.archive_directory.is_empty() {
        return Ok(None);
    }
    let place = Place::Folder(params.archive_directory.clone().into(), stem(name));
    let most_bytes = params.archive_max_mb.unsigned_abs() << 20;
    let keeper = Keeper::new(place, most_bytes, params);
    Ok(Some(keeper.map_err(|e| format!("archive_directory {}: {e}", params.archive_directory))?))
}

fn spin(
    mut node: Node,
    mut input: Input,
    (stop, spinning): (&AtomicBool, &Pulse),
    sim_time_asked: &mpsc::Receiver<bool>,
    log: &Log,
) {
    let mut followed = Instant::now();
    input.follow_publishers(&mut node);
    while !stop.load(Ordering::Relaxed) {
        node.spin_once(SPIN);
        spinning.beat();
        if followed.elapsed() >= FOLLOW {
            followed = Instant::now();
            input.follow_publishers(&mut node);
        }
        while let Ok(on) = sim_time_asked.try_recv() {
            let source = node.get_time_source();
            if !on {
                source.disable_sim_time();
            } else if let Err(error) = source.enable_sim_time(&mut node) {
                log.error(&format!("cannot follow /clock: {error}"));
            }
        }
    }
}

impl Running {
    fn work(mut self) -> ExitCode {
        let end = self.runtime.block_on(async {
            let [interrupt, terminate] = &mut self.signals;
            let mut tick = tokio::time::interval(diagnostics::PERIOD);
            tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = interrupt.recv() => return End::Asked,
                    _ = terminate.recv() => return End::Asked,
                    _ = tick.tick() => {
                        let health = self.watchdog.look();
                        self.diagnostics.report(&self.writer.written(), &health);
                        // Only a panic ends one of them before the other end of this function does.
                        if self.actor.is_finished() || self.spinner.is_finished() {
                            self.log.error("a thread of the node has ended by itself: please report this");
                            return End::Broken;
                        }
                        match health {
                            Health::Well => self.systemd.alive(),
                            Health::Late(why) => self.log.error(&why),
                            Health::Hung(why) => {
                                self.log.error(&format!("{why}: the node hangs and ends; please report this"));
                                return End::Hung;
                            }
                        }
                    }
                }
            }
        });
        self.end(end)
    }

    /// First who publishes, then the file, then the node: nothing is published on a node that is gone.
    fn end(mut self, end: End) -> ExitCode {
        self.log.info("ending");
        self.systemd.ending();
        self.inbox.close();
        if end != End::Hung {
            wait_until(LAST_PICTURE, || self.actor.is_finished());
        }
        if let Err(lost) = self.writer.finish(LAST_WRITING) {
            self.log.error(&format!("the last moves could not be written: {lost}"));
        }
        self.runtime.shutdown_timeout(Duration::from_millis(200));
        self.stop_spinning.store(true, Ordering::Relaxed);
        // Everything is saved. What hangs in the middleware, known or not, may keep the node from ending in order.
        let log = self.log.clone();
        std::thread::spawn(move || {
            std::thread::sleep(LAST_PATIENCE);
            log.error("the middleware does not come to an end: the node ends without it");
            std::process::abort();
        });
        let spun_well = self.spinner.join().is_ok();
        if end == End::Asked && spun_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn wait_until(patience: Duration, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() && begun.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
}
