"""The SROS 2 policy against the running node: it allows what the node has, and no more.

That a client without rights is refused can be tried only where the middleware was built with security.
"""

import os
import xml.etree.ElementTree as Xml

from ament_index_python.packages import get_package_share_directory

# Names that the policy has and the node may lack: they depend on the transport, on the distribution, and on `lifecycle`.
OF_ROS = {f'/chess_observer/{name}' for name in (
    'change_state', 'get_state', 'get_available_states', 'get_available_transitions', 'get_transition_graph',
    'get_logger_levels', 'set_logger_levels')}
DEPENDS = OF_ROS | {'/image_raw', '/image_raw/compressed', '/clock', '/parameter_events', '/rosout', '/tf',
                    '/chess_observer/markers', '/chess_observer/transition_event'}


def policy(enclave):
    """Read what an enclave allows: full names by kind and direction."""
    path = os.path.join(get_package_share_directory('chess_observer'), 'params', 'sros2', 'policy.xml')
    (profile,) = Xml.parse(path).findall(f".//enclave[@path='/chess_observer/{enclave}']/profiles/profile")
    full = {}
    for part in profile:
        ((direction, allowed),) = part.attrib.items()
        assert allowed == 'ALLOW'
        names = [name.text.replace('~', f"/{profile.attrib['node']}") for name in part]
        full[part.tag, direction] = {name if name.startswith('/') else f'/{name}' for name in names}
    return full


def test_the_node_may_do_what_it_does_and_no_more(observer, client):
    node = client.node
    allowed = policy('observer')

    def has(ask):
        return {name for name, _ in ask('chess_observer', '/')}

    client.wait_for(lambda: 'chess_observer' in node.get_node_names(), what='the node')
    client.wait_for(lambda: len(has(node.get_service_names_and_types_by_node)) >= 16, what='the services')
    client.wait_for(lambda: '/diagnostics' in has(node.get_publisher_names_and_types_by_node), what='the publishers')
    for ask, key in [
        (node.get_service_names_and_types_by_node, ('services', 'reply')),
        (node.get_publisher_names_and_types_by_node, ('topics', 'publish')),
        (node.get_subscriber_names_and_types_by_node, ('topics', 'subscribe')),
    ]:
        assert has(ask) - DEPENDS == allowed[key] - DEPENDS, key
        assert has(ask) <= allowed[key]


def test_an_arbiter_may_call_everything_but_parameters_and_a_listener_nothing():
    node, arbiter, listener = (policy(name) for name in ('observer', 'arbiter', 'listener'))
    assert arbiter['services', 'request'] == {s for s in node['services', 'reply'] - OF_ROS if 'parameter' not in s}
    assert set(listener) == {('topics', 'subscribe')}
    for client in (arbiter, listener):
        assert client['topics', 'subscribe'] <= node['topics', 'publish']
