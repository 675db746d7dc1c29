//! Which boards there are, and what is heard of them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use futures::StreamExt;
use r2r::{
    Node, QosProfile, WrappedTypesupport,
    chess_observer::msg::{Board, GoMove, Move, Position, Warning},
    diagnostic_msgs::msg::DiagnosticArray,
    std_msgs::msg::String as Text,
};
use tokio::{runtime::Handle, task::JoinHandle};

use super::{
    ask::{Observers, Services},
    pictures, translate,
};
use crate::{
    display::{
        Hall,
        hall::View,
        words::{Health, Plays, Word},
    },
    node::log::Log,
};

/// What tells a board: its observer publishes this type under this name.
const TOLD_BY: [(Plays, &str, &str); 2] = [
    (Plays::Chess, "/position", "chess_observer/msg/Position"),
    (Plays::Go, "/go_board", "chess_observer/msg/GoBoard"),
];
/// As the observer offers them.
const EVENTS: QosProfile = QosProfile::default().keep_last(50);
const LATCHED: QosProfile = QosProfile::default().keep_last(1).transient_local();

/// One board that is followed.
struct Followed {
    plays: Plays,
    /// The topic that tells it.
    told_by: String,
    /// Those who hear its topics.
    ears: Vec<JoinHandle<()>>,
    /// Full name of its observer, once it was seen.
    observer: Option<String>,
    gone: bool,
    /// Those who show its pictures.
    eyes: BTreeMap<View, JoinHandle<()>>,
}

impl Followed {
    /// Has its observer gone, and does one of the other game publish there now?
    fn gives_way_to(&self, plays: Plays, node: &Node, topic: &str) -> bool {
        let there = || node.get_publishers_info_by_topic(topic, false).is_ok_and(|all| !all.is_empty());
        self.plays != plays && self.gone && there()
    }
}

/// Observer's full name to the board's name in addresses and the topic of its pictures: what `/diagnostics` needs.
type Inputs = Arc<Mutex<BTreeMap<String, (String, String)>>>;

/// Follows boards. Lives on the thread that spins.
pub(super) struct Follower {
    runtime: Handle,
    hall: Hall,
    observers: Observers,
    /// The namespaces that were asked for; empty is all.
    wanted: Vec<String>,
    followed: BTreeMap<String, Followed>,
    inputs: Inputs,
    log: Log,
}

impl Follower {
    /// Follows the boards of these namespaces, or all.
    pub(super) fn new(
        node: &mut Node,
        runtime: &Handle,
        hall: Hall,
        observers: Observers,
        wanted: &str,
        log: Log,
    ) -> r2r::Result<Self> {
        let wanted = wanted.split_whitespace().map(|name| format!("/{}", name.trim_matches('/'))).collect();
        let follower = Self {
            runtime: runtime.clone(),
            hall,
            observers,
            wanted,
            followed: BTreeMap::new(),
            inputs: Arc::default(),
            log,
        };
        let mut reports = node.subscribe::<DiagnosticArray>("/diagnostics", QosProfile::default().keep_last(10))?;
        let (hall, inputs) = (follower.hall.clone(), Arc::clone(&follower.inputs));
        follower.runtime.spawn(async move {
            while let Some(report) = reports.next().await {
                hear_diagnostics(&hall, &inputs, &report);
            }
        });
        Ok(follower)
    }

    /// Finds boards that have come or gone.
    pub(super) fn look_around(&mut self, node: &mut Node) {
        let Ok(topics) = node.get_topic_names_and_types() else { return };
        for (topic, types) in &topics {
            let told_by = TOLD_BY.iter().find_map(|(plays, name, kind)| {
                let namespace = topic.strip_suffix(name)?;
                types.iter().any(|t| t == kind).then_some((*plays, namespace))
            });
            let Some((plays, namespace)) = told_by else { continue };
            let root = if namespace.is_empty() { "/" } else { namespace };
            let asked = self.wanted.is_empty() || self.wanted.iter().any(|wanted| wanted == root);
            let id = id(namespace);
            let new = self.followed.get(&id).is_none_or(|old| old.gives_way_to(plays, node, topic));
            if asked && new {
                match self.begin(node, &id, namespace, plays, topic) {
                    Ok(()) => self.log.info(&format!("board {root}: followed")),
                    Err(error) => self.log.error(&format!("board {root}: cannot be followed: {error}")),
                }
            }
        }
        for (id, followed) in &mut self.followed {
            let Ok(publishers) = node.get_publishers_info_by_topic(&followed.told_by, false) else { continue };
            let gone = publishers.is_empty();
            if gone != followed.gone {
                followed.gone = gone;
                self.hall.tell(id, [Word::Health(Health { silent: String::new(), gone })]);
            }
            let Some(publisher) = publishers.first() else { continue };
            let observer = format!("{}/{}", publisher.node_namespace.trim_end_matches('/'), publisher.node_name);
            if followed.observer.as_ref() != Some(&observer) {
                match Services::of(node, &observer, followed.plays) {
                    Ok(services) => self.observers.know(id, &observer, services),
                    Err(error) => self.log.error(&format!("the services of {observer} cannot be called: {error}")),
                }
                let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
                inputs.retain(|_, (board, _)| board != id);
                inputs.insert(observer.clone(), (id.clone(), String::new()));
                followed.observer = Some(observer);
            }
        }
    }

    fn begin(&mut self, node: &mut Node, id: &str, namespace: &str, plays: Plays, told_by: &str) -> r2r::Result<()> {
        if let Some(old) = self.followed.remove(id) {
            old.ears.into_iter().chain(old.eyes.into_values()).for_each(|task| task.abort());
        }
        let name = namespace.trim_start_matches('/');
        let name = if name.is_empty() { "Board" } else { name };
        let at = |topic: &str| format!("{namespace}/{topic}");
        let mut ears = match plays {
            Plays::Chess => {
                self.hall.open(id, name);
                vec![
                    self.hear(node, id, &at("position"), LATCHED, |m: Position| Some(translate::position(&m)))?,
                    self.hear(node, id, &at("pgn"), LATCHED, |m: Text| Some(Word::Game(m.data)))?,
                    self.hear(node, id, &at("board"), LATCHED, |m: Board| Some(translate::board(m)))?,
                    self.hear(node, id, &at("moves"), EVENTS, |m: Move| translate::a_move(&m))?,
                ]
            }
            Plays::Go => {
                self.hall.open_go(id, name);
                vec![
                    self.hear(node, id, &at("go_board"), LATCHED, translate::go_board)?,
                    self.hear(node, id, &at("sgf"), LATCHED, |m: Text| Some(Word::Game(m.data)))?,
                    self.hear(node, id, &at("go_moves"), EVENTS, |m: GoMove| translate::go_move(&m))?,
                ]
            }
        };
        ears.push(self.hear(node, id, &at("warnings"), EVENTS, |m: Warning| translate::warning(&m))?);
        let eyes = BTreeMap::new();
        let told_by = told_by.into();
        self.followed.insert(id.into(), Followed { plays, told_by, ears, observer: None, gone: false, eyes });
        Ok(())
    }

    fn hear<M: WrappedTypesupport + Send + 'static, W: IntoIterator<Item = Word> + 'static>(
        &self,
        node: &mut Node,
        id: &str,
        topic: &str,
        qos: QosProfile,
        words: fn(M) -> W,
    ) -> r2r::Result<JoinHandle<()>> {
        let mut messages = node.subscribe::<M>(topic, qos)?;
        let (hall, id) = (self.hall.clone(), id.to_owned());
        Ok(self.runtime.spawn(async move {
            while let Some(message) = messages.next().await {
                hall.tell(&id, words(message));
            }
        }))
    }

    /// Subscribes to the pictures that somebody has begun to look at.
    pub(super) fn open_eyes(&mut self, node: &mut Node) {
        for (id, followed) in &mut self.followed {
            for view in View::ALL {
                let open = followed.eyes.get(&view).is_some_and(|task| !task.is_finished());
                let Some(observer) = followed.observer.as_ref().filter(|_| !open && self.hall.is_looked_at(id, view))
                else {
                    continue;
                };
                let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
                let topic = match view {
                    View::Overlay => format!("{observer}/overlay"),
                    View::Camera => inputs.get(observer).map(|(_, topic)| topic.clone()).unwrap_or_default(),
                };
                drop(inputs);
                if topic.is_empty() {
                    // The diagnostics will say it within a second.
                    continue;
                }
                match pictures::show(node, &self.runtime, &self.hall, id, view, &topic) {
                    Ok(task) => {
                        followed.eyes.insert(view, task);
                    }
                    Err(error) => self.log.error(&format!("{topic} cannot be looked at: {error}")),
                }
            }
        }
    }

    /// Nothing more is asked of the node.
    pub(super) fn end(self) {
        self.observers.forget();
        self.followed.into_values().flat_map(|f| f.eyes.into_values()).for_each(|task| task.abort());
    }
}

fn hear_diagnostics(hall: &Hall, inputs: &Inputs, report: &DiagnosticArray) {
    let mut news = Vec::new();
    for (observer, (board, topic)) in inputs.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
        if let Some((of, health)) = translate::input(report, observer) {
            *topic = of;
            news.push((board.clone(), Word::Health(health)));
        }
        if let Some(sight) = translate::sight(report, observer) {
            news.push((board.clone(), Word::Sight(sight)));
        }
    }
    for (board, word) in news {
        hall.tell(&board, [word]);
    }
}

/// A namespace as a part of addresses. Names of ROS have no `-`, so no two become the same.
fn id(namespace: &str) -> String {
    match namespace.trim_matches('/') {
        "" => "the-board".into(),
        name => name.replace('/', "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::id;

    #[test]
    fn namespaces_become_parts_of_addresses_and_stay_different() {
        assert_eq!([id(""), id("/board_1"), id("/hall/board_1")], ["the-board", "board_1", "hall-board_1"]);
    }
}
