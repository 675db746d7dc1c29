//! The life of a node that observes, whichever game: parameters, threads, work until a signal, an orderly end.

use r2r::{Context, Node};
use std::{
    io::{self, Write as _},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Handle, Runtime},
    signal::unix::{Signal, SignalKind, signal},
};

use super::{
    arguments::RosArguments,
    diagnostics::{self, Diagnostics},
    disk::{Writer, Written},
    help,
    inbox::{Inbox, Setting},
    input::Input,
    lifecycle,
    log::{self, Log},
    logger_levels,
    owner::Owner,
    parameters::{self, Values},
    systemd::Systemd,
    watchdog::{Health, Pulse, Watchdog},
};
use crate::params::Table;

/// Longest wait for messages: bounds how late the end of the node is noticed.
const SPIN: Duration = Duration::from_millis(50);
/// How often the publishers of pictures are looked at.
const FOLLOW: Duration = Duration::from_millis(500);
/// How long the actor may take for its last picture, and then the game's file: together below the 5 s after which
/// `ros2 launch` sends SIGTERM.
const LAST_PICTURE: Duration = Duration::from_millis(2500);
const LAST_WRITING: Duration = Duration::from_millis(1500);
/// After that a node is ended the hard way: what hangs is not to keep systemd or launch from starting it again.
const LAST_PATIENCE: Duration = Duration::from_secs(3);
/// What a node that ended itself says to systemd and launch, in order or not.
const FAILED: i32 = 1;

/// Anything that keeps a node from starting: one line for people.
pub(super) type Failure = Box<dyn std::error::Error>;

/// Runs the node that `start` starts until SIGINT or SIGTERM, or says its `usage` where that is asked for. 0 after an orderly end,
/// 2 when it could not start, 1 when it broke.
pub(super) fn live<A: Owner>(
    name: &str,
    usage: fn() -> String,
    start: fn() -> Result<Running<A>, Failure>,
) -> ExitCode {
    if help::is_asked_for(std::env::args()) {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    match start() {
        Ok(node) => node.work(),
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(2)
        }
    }
}

/// Starts rcl. r2r panics where rcl refuses.
///
/// # Errors
/// What rcl says.
pub(crate) fn context() -> Result<Context, String> {
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

/// A node that has read its parameters, and does nothing yet.
pub(super) struct Ground<P> {
    pub(super) node: Node,
    pub(super) log: Log,
    pub(super) params: P,
    use_sim_time: bool,
    arguments: RosArguments,
    runtime: Runtime,
    signals: [Signal; 2],
}

impl<P: Table> Ground<P> {
    /// The node of this name, where the arguments give it no other.
    ///
    /// # Errors
    /// What is wrong with the arguments, the parameters or the middleware.
    pub(super) fn lay(name: &str) -> Result<Self, Failure> {
        r2r::assert_compiled_with_use_sim_time_support!();
        let arguments = RosArguments::parse(std::env::args())?;
        arguments.check_files()?;
        let mut node = Node::create(context()?, name, "")?;
        log::bridge_r2r();
        let log = Log::of(&mut node, &arguments)?;
        let Values { params, use_sim_time } = {
            let overrides = node.params.lock().map_err(|e| e.to_string())?;
            parameters::at_start(overrides.iter().map(|(name, p)| (name, &p.value)), &log)?
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        // From the first word that the node says, whoever hears it may ask it to end.
        let signals = signals(&runtime)?;
        Ok(Self { node, log, params, use_sim_time, arguments, runtime, signals })
    }

    /// Begins the work: `actor` owns the observer, `writer` writes its game, `serve` offers the services.
    ///
    /// # Errors
    /// What the middleware or the system refuses.
    pub(super) fn begin<A: Owner<Params = P>>(
        self,
        actor: A,
        writer: Writer,
        serve: impl FnOnce(&mut Node, &Handle, &Arc<Inbox<A>>) -> r2r::Result<()>,
    ) -> Result<Running<A>, Failure> {
        let Self { mut node, log, params, use_sim_time, arguments, runtime, signals } = self;
        let handle = runtime.handle().clone();
        let inbox = Arc::new(Inbox::default());
        let own = A::node_params(&params);
        inbox.set_max_rate(own.max_rate_hz);
        let input = Input::new(&mut node, &handle, &inbox, own, &arguments, log.clone())?;
        let diagnostics = Diagnostics::new(&mut node, &inbox, input.source(), actor.status(), log.clone())?;
        serve(&mut node, &handle, &inbox)?;
        logger_levels::serve(&mut node, &handle, &log)?;
        lifecycle::serve_where(own.lifecycle, &mut node, &handle, &inbox, &log)?;
        let (sim_time, sim_time_asked) = mpsc::channel();
        // The receiver lives as long as the node spins.
        let _ = sim_time.send(use_sim_time);
        let spinning = Pulse::default();
        let watchdog = Watchdog::new(own.watchdog_s, &inbox, spinning.clone());
        let values = Values { params, use_sim_time };
        parameters::serve(&mut node, &handle, values, passes_on::<A>(&inbox, sim_time))?;

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
        let (reports, reporter) = reporter(diagnostics, log.clone())?;
        log.info(&format!("{name} {} is ready", env!("CARGO_PKG_VERSION")));
        let systemd = Systemd::from_environment();
        systemd.ready();
        Ok(Running {
            runtime,
            signals,
            inbox,
            actor,
            spinner,
            stop_spinning,
            reports,
            reporter,
            writer,
            watchdog,
            systemd,
            log,
        })
    }
}

/// A node at work.
pub(super) struct Running<A: Owner> {
    runtime: Runtime,
    signals: [Signal; 2],
    inbox: Arc<Inbox<A>>,
    actor: JoinHandle<()>,
    spinner: JoinHandle<()>,
    stop_spinning: Arc<AtomicBool>,
    reports: mpsc::SyncSender<State>,
    reporter: JoinHandle<()>,
    writer: Writer,
    watchdog: Watchdog<A>,
    systemd: Systemd,
    log: Log,
}

/// How the work has ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// Somebody asked for it.
    Asked,
    /// Something broke.
    Broken,
    /// Something hangs: what, and for how long.
    Hung(String),
}

/// Those that end the node. A file that has reached the size that is allowed is an error of the writing, and ends nothing: a
/// signal that somebody hears does not kill.
fn signals(runtime: &Runtime) -> io::Result<[Signal; 2]> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    let _inside = runtime.enter();
    Ok([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?])
}

/// Tells those whom it concerns that parameters have changed.
fn passes_on<A: Owner>(
    inbox: &Arc<Inbox<A>>,
    sim_time: mpsc::Sender<bool>,
) -> impl Fn(&Values<A::Params>) + Send + Sync + use<A> {
    let inbox = Arc::clone(inbox);
    move |values| {
        inbox.set_max_rate(A::node_params(&values.params).max_rate_hz);
        let params = values.params.clone();
        inbox.set(Setting::Params, move |actor: &mut A| actor.set_params(params));
        // The receiver lives as long as the node spins.
        let _ = sim_time.send(values.use_sim_time);
    }
}

fn spin<A: Owner>(
    mut node: Node,
    mut input: Input<A>,
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

/// What is reported of the node: how the file of the game is doing, and its threads.
type State = (Written, Health);

/// Starts who publishes what the main thread wants reported. A thread of its own: whoever hangs may hold what a report needs, and
/// the main thread is to notice it all the same.
fn reporter<A: Owner>(
    mut diagnostics: Diagnostics<A>,
    log: Log,
) -> io::Result<(mpsc::SyncSender<State>, JoinHandle<()>)> {
    let (reports, wanted) = mpsc::sync_channel::<State>(1);
    let report = move || {
        while let Ok((written, health)) = wanted.recv() {
            diagnostics.report(&written, &health);
            if let Health::Late(why) = health {
                log.error(&why);
            }
        }
    };
    Ok((reports, std::thread::Builder::new().name("reporter".into()).spawn(report)?))
}

impl<A: Owner> Running<A> {
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
                        // Where the last report has not gone yet, this one is left out.
                        let _ = self.reports.try_send((self.writer.written(), health.clone()));
                        // Only a panic ends one of them before the other end of this function does.
                        if [&self.actor, &self.spinner, &self.reporter].iter().any(|thread| thread.is_finished()) {
                            return End::Broken;
                        }
                        match health {
                            Health::Well => self.systemd.alive(),
                            Health::Late(_) => {}
                            Health::Hung(why) => return End::Hung(why),
                        }
                    }
                }
            }
        });
        self.end(&end)
    }

    /// First who publishes, then the file, then the node: nothing is published on a node that is gone.
    fn end(mut self, end: &End) -> ExitCode {
        self.systemd.ending();
        self.inbox.close();
        drop(self.reports);
        // Before the first line of the log: what hangs may hold what that needs.
        end_at_last(LAST_PICTURE + LAST_WRITING + LAST_PATIENCE);
        match end {
            End::Asked => {}
            End::Broken => self.log.error("a thread of the node has ended by itself: please report this"),
            End::Hung(why) => self.log.error(&format!("{why}: the node hangs and ends; please report this")),
        }
        self.log.info("ending");
        if !matches!(end, End::Hung(_)) {
            wait_until(LAST_PICTURE, || self.actor.is_finished() && self.reporter.is_finished());
        }
        if let Err(lost) = self.writer.finish(LAST_WRITING) {
            self.log.error(&format!("the last moves could not be written: {lost}"));
        }
        self.runtime.shutdown_timeout(Duration::from_millis(200));
        self.stop_spinning.store(true, Ordering::Relaxed);
        // Everything is saved.
        end_at_last(LAST_PATIENCE);
        let spun_well = self.spinner.join().is_ok();
        if *end == End::Asked && spun_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Ends the node after this time, if it has not ended: what hangs in the middleware, known or not, may keep it from ending in order.
fn end_at_last(patience: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(patience);
        // Not by the log, which is the middleware's; and a reader of it who has gone is no reason to stay.
        let _ = writeln!(io::stderr(), "the middleware does not come to an end: the node ends without it");
        // Not `exit`, which calls the middleware once more, and not `abort`: it is a failure that is known, and no core is wanted.
        signal_hook::low_level::exit(FAILED);
    });
}

fn wait_until(patience: Duration, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() && begun.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
}
