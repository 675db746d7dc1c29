//! A managed node on demand: the states of ROS 2's life cycle, asked and changed by the services of lifecycle_msgs.
//!
//! r2r has no life cycle, so this has: the machine, its services, and what the states mean for the observer. Only an active node
//! looks at pictures; everything else it offers from the start.

use futures::StreamExt;
use r2r::{
    Node, Publisher, QosProfile,
    lifecycle_msgs::{
        msg::{State as StateMessage, Transition as TransitionMessage, TransitionDescription, TransitionEvent},
        srv::{ChangeState, GetAvailableStates, GetAvailableTransitions, GetState},
    },
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

use super::{clock::RosClock, inbox::Inbox, log::Log, owner::Owner};

/// The states in which the node can stay, with rcl's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// As it was started.
    Unconfigured = StateMessage::PRIMARY_STATE_UNCONFIGURED as u8,
    /// Ready, and looking at nothing.
    Inactive = StateMessage::PRIMARY_STATE_INACTIVE as u8,
    /// Following the game.
    Active = StateMessage::PRIMARY_STATE_ACTIVE as u8,
    /// At its end.
    Finalized = StateMessage::PRIMARY_STATE_FINALIZED as u8,
}

/// A way from one state to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Transition {
    id: u8,
    label: &'static str,
    from: State,
    to: State,
}

const fn transition(id: u32, label: &'static str, from: State, to: State) -> Transition {
    Transition { id: id as u8, label, from, to }
}

use State::{Active, Finalized, Inactive, Unconfigured};

/// All of them.
const TRANSITIONS: [Transition; 7] = [
    transition(TransitionMessage::TRANSITION_CONFIGURE as u32, "configure", Unconfigured, Inactive),
    transition(TransitionMessage::TRANSITION_CLEANUP as u32, "cleanup", Inactive, Unconfigured),
    transition(TransitionMessage::TRANSITION_ACTIVATE as u32, "activate", Inactive, Active),
    transition(TransitionMessage::TRANSITION_DEACTIVATE as u32, "deactivate", Active, Inactive),
    transition(TransitionMessage::TRANSITION_UNCONFIGURED_SHUTDOWN as u32, "shutdown", Unconfigured, Finalized),
    transition(TransitionMessage::TRANSITION_INACTIVE_SHUTDOWN as u32, "shutdown", Inactive, Finalized),
    transition(TransitionMessage::TRANSITION_ACTIVE_SHUTDOWN as u32, "shutdown", Active, Finalized),
];

impl State {
    const ALL: [Self; 4] = [Unconfigured, Inactive, Active, Finalized];

    fn message(self) -> StateMessage {
        StateMessage { id: self as u8, label: format!("{self:?}").to_lowercase() }
    }

    /// The way that a request asks for, by its label where it has one, as rclcpp does, else by its number; `None` where there is
    /// none from here.
    fn way(self, asked: &TransitionMessage) -> Option<Transition> {
        let is_meant = |t: &&Transition| if asked.label.is_empty() { t.id == asked.id } else { t.label == asked.label };
        TRANSITIONS.iter().filter(|t| t.from == self).find(is_meant).copied()
    }
}

impl Transition {
    fn message(&self) -> TransitionMessage {
        TransitionMessage { id: self.id, label: self.label.into() }
    }

    fn description(&self) -> TransitionDescription {
        TransitionDescription {
            transition: self.message(),
            start_state: self.from.message(),
            goal_state: self.to.message(),
        }
    }
}

struct Machine<A> {
    state: Mutex<State>,
    events: Mutex<Publisher<TransitionEvent>>,
    clock: RosClock,
    inbox: Arc<Inbox<A>>,
    log: Log,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<A: Owner> Machine<A> {
    /// Goes that way, if there is one. Says whether there was.
    fn change(&self, asked: &TransitionMessage) -> bool {
        let mut state = lock(&self.state);
        let Some(way) = state.way(asked) else {
            let word = if asked.label.is_empty() { asked.id.to_string() } else { asked.label.clone() };
            self.log.warn(&format!("life cycle: no transition {word} from {}", state.message().label));
            return false;
        };
        *state = way.to;
        let active = way.to == Active;
        self.inbox.request(move |actor: &mut A| actor.set_active(active));
        self.log.info(&format!("life cycle: {}, now {}", way.label, way.to.message().label));
        let event = TransitionEvent {
            timestamp: u64::try_from(self.clock.now().as_nanos()).unwrap_or(u64::MAX),
            transition: way.message(),
            start_state: way.from.message(),
            goal_state: way.to.message(),
        };
        // Nobody is harmed when an event is lost: the state can be asked for.
        let _ = lock(&self.events).publish(&event);
        true
    }
}

/// Makes a managed node of `node`, where that is wanted: it waits to be configured and activated.
///
/// # Errors
/// When the middleware refuses a service.
pub(super) fn serve_where<A: Owner>(
    wanted: bool,
    node: &mut Node,
    runtime: &Handle,
    inbox: &Arc<Inbox<A>>,
    log: &Log,
) -> r2r::Result<()> {
    if !wanted {
        return Ok(());
    }
    let machine = Arc::new(Machine {
        state: Mutex::new(Unconfigured),
        events: Mutex::new(node.create_publisher("~/transition_event", QosProfile::default().keep_last(10))?),
        clock: RosClock::of(node),
        inbox: Arc::clone(inbox),
        log: log.clone(),
    });
    inbox.request(|actor: &mut A| actor.set_active(false));
    let name = node.fully_qualified_name()?;
    log.info(&format!(
        "life cycle: unconfigured; waits to be configured and activated (ros2 lifecycle set {name} configure)"
    ));
    // A request whose client has gone needs no answer: errors of respond are let go.
    macro_rules! answer {
        ($service:ident, $name:literal, |$machine:ident, $request:ident| $response:expr) => {{
            let mut requests =
                node.create_service::<$service::Service>(concat!("~/", $name), QosProfile::services_default())?;
            let $machine = Arc::clone(&machine);
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
    let descriptions = |from: Option<State>| {
        TRANSITIONS.iter().filter(|t| from.is_none_or(|from| from == t.from)).map(Transition::description).collect()
    };
    answer!(ChangeState, "change_state", |machine, request| {
        ChangeState::Response { success: machine.change(&request.transition) }
    });
    answer!(GetState, "get_state", |machine, _request| {
        GetState::Response { current_state: lock(&machine.state).message() }
    });
    answer!(GetAvailableStates, "get_available_states", |_machine, _request| {
        GetAvailableStates::Response { available_states: State::ALL.map(State::message).to_vec() }
    });
    answer!(GetAvailableTransitions, "get_available_transitions", |machine, _request| {
        GetAvailableTransitions::Response { available_transitions: descriptions(Some(*lock(&machine.state))) }
    });
    answer!(GetAvailableTransitions, "get_transition_graph", |_machine, _request| {
        GetAvailableTransitions::Response { available_transitions: descriptions(None) }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(id: u8, label: &str) -> TransitionMessage {
        TransitionMessage { id, label: label.into() }
    }

    #[test]
    fn the_states_follow_each_other_as_in_rcl() {
        let goes = |from: State, label: &str| from.way(&asked(0, label)).map(|way| way.to);
        assert_eq!(goes(Unconfigured, "configure"), Some(Inactive));
        assert_eq!(goes(Inactive, "activate"), Some(Active));
        assert_eq!(goes(Active, "deactivate"), Some(Inactive));
        assert_eq!(goes(Inactive, "cleanup"), Some(Unconfigured));
        assert_eq!([Unconfigured, Inactive, Active].map(|s| goes(s, "shutdown")), [Some(Finalized); 3]);
        assert_eq!([goes(Unconfigured, "activate"), goes(Active, "cleanup"), goes(Finalized, "configure")], [None; 3]);
        assert_eq!(Unconfigured.way(&asked(1, "")).map(|way| way.to), Some(Inactive));
        assert_eq!(Unconfigured.way(&asked(3, "")), None);
    }

    #[test]
    fn names_and_numbers_are_those_of_rcl() {
        let states = State::ALL.map(|s| (s.message().id, s.message().label));
        let named = [(1, "unconfigured"), (2, "inactive"), (3, "active"), (4, "finalized")];
        assert_eq!(states, named.map(|(id, label)| (id, label.to_owned())));
        assert_eq!(TRANSITIONS.map(|t| t.id), [1, 2, 3, 4, 5, 6, 7]);
    }
}
