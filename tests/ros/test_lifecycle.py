"""The observer as a managed node, as Nav2's lifecycle manager and `ros2 lifecycle` use it."""

from chess_observer.msg import Board
from conftest import LATCHED, RELIABLE
from lifecycle_msgs.msg import State, Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from pictures import plain
from sensor_msgs.msg import Image
from std_srvs.srv import SetBool

NODE = '/chess_observer/'


def test_a_managed_node_waits_to_be_activated(start, client):
    observer = start(lifecycle=True)
    client.wait_for(lambda: ' is ready' in observer.said(), what='the node')
    events = client.listen(TransitionEvent, NODE + 'transition_event')
    boards = client.listen(Board, 'board', LATCHED)
    camera = client.node.create_publisher(Image, 'image_raw', RELIABLE)

    def state():
        return client.call(GetState, NODE + 'get_state').current_state.label

    def change(number, label=''):
        return client.call(ChangeState, NODE + 'change_state', transition=Transition(id=number, label=label)).success

    def looks(seconds=1.5):
        camera.publish(plain())
        client.spin(seconds)
        return int(client.diagnostics('tracker')[2]['looks']) + int(client.diagnostics('input')[2]['examined'])

    client.wait_for(lambda: boards and boards[-1].tracker == Board.TRACKER_PAUSED, what='a node that waits')
    assert state() == 'unconfigured'
    # A way that does not lead from here is refused.
    assert not change(Transition.TRANSITION_ACTIVATE) and state() == 'unconfigured'
    assert change(Transition.TRANSITION_CONFIGURE) and state() == 'inactive'
    # People cannot start what its manager has not.
    answer = client.call(SetBool, NODE + 'pause', data=False)
    assert answer.success and answer.message == 'the game is followed as soon as the node is activated'
    assert boards[-1].tracker == Board.TRACKER_PAUSED
    assert change(Transition.TRANSITION_ACTIVATE) and state() == 'active'
    client.wait_for(lambda: boards[-1].tracker == Board.TRACKER_NO_BOARD, what='a node that works')
    before = looks()
    assert looks() > before
    assert change(0, 'deactivate') and state() == 'inactive'
    client.wait_for(lambda: boards[-1].tracker == Board.TRACKER_PAUSED, what='a node that rests')
    assert change(Transition.TRANSITION_CLEANUP) and state() == 'unconfigured'
    assert change(Transition.TRANSITION_UNCONFIGURED_SHUTDOWN) and state() == 'finalized'
    assert not change(Transition.TRANSITION_CONFIGURE)
    client.wait_for(lambda: len(events) == 5, what='events')
    assert [e.goal_state.label for e in events] == ['inactive', 'active', 'inactive', 'unconfigured', 'finalized']
    assert 'life cycle: activate, now active' in observer.said()


def test_what_is_possible_is_told(start, client):
    start(lifecycle=True)
    states = client.call(GetAvailableStates, NODE + 'get_available_states').available_states
    assert [s.id for s in states] == [
        State.PRIMARY_STATE_UNCONFIGURED, State.PRIMARY_STATE_INACTIVE, State.PRIMARY_STATE_ACTIVE, State.PRIMARY_STATE_FINALIZED]
    ways = client.call(GetAvailableTransitions, NODE + 'get_available_transitions').available_transitions
    assert [w.transition.label for w in ways] == ['configure', 'shutdown']
    graph = client.call(GetAvailableTransitions, NODE + 'get_transition_graph').available_transitions
    assert len(graph) == 7


def test_a_node_that_nobody_manages_works_at_once(observer, client):
    client.wait_for(lambda: 'chess_observer' in client.node.get_node_names(), what='the node in the graph')
    client.spin(0.5)
    names = [name for name, _ in client.node.get_service_names_and_types_by_node('chess_observer', '/')]
    assert NODE + 'change_state' not in names
    boards = client.listen(Board, 'board', LATCHED)
    client.wait_for(lambda: boards, what='the board')
    assert boards[-1].tracker == Board.TRACKER_NO_BOARD
