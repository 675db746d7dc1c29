"""docs/reference.md against the nodes: what they say of themselves, and what is on the graph.

Elsewhere: tests/it/parameter_table.rs for the observers' parameters, test_interface.py for the topics of chess (in the README),
test_launch.py for the launch arguments. The display's topics are those of the boards that it finds.
"""

import re
import subprocess

import pytest
from board_api import TOKEN, BoardApi
from conftest import ROOT, program

CHAPTERS = {'display_node': 'The display', **{n: n for n in ('lichess_node', 'broadcast_node', 'engine_node', 'go_node', 'simulator_node')}}
# What every node has, of itself or of ROS; the chapters on parameters and on the console speak for all of them.
COMMON = re.compile(r'^(/rosout|/parameter_events|/clock|.*/(\w+_parameters(_atomically)?|get_parameter_types|[gs]et_logger_levels|get_type_description))$')


def chapter(node):
    """What the reference says of a node."""
    text = (ROOT / 'docs' / 'reference.md').read_text(encoding='utf-8')
    return text.split(f'\n## {CHAPTERS[node]}\n')[1].split('\n## ')[0]


def rows(node):
    """Parameters that the reference has, with their defaults as it writes them."""
    table = chapter(node).split('| parameter | default | |\n| --- | --- | --- |\n')[1].split('\n\n')[0]
    found = {}
    for line in table.splitlines():
        names, default = line.split(' | ')[:2]
        found.update({name: default.strip('` ') for name in re.findall(r'`([^`]+)`', names)})
    return found


def parameters(node):
    """Parameters that the node has, with their defaults as the reference writes them."""
    said = subprocess.run([program(node), '--help'], check=True, capture_output=True, text=True).stdout
    lines = said.split('Parameters:\n')[1].splitlines()
    found = {}
    for name, meaning in zip(lines[::2], lines[1::2]):
        default = re.search(r'\[([^\[\]]*)\]$', meaning)[1].strip('"')
        found[name.strip()] = default.removesuffix('.0') or 'empty'
    # Of every node alike.
    assert found.pop('use_sim_time', 'false') == 'false'
    return found


@pytest.mark.parametrize('node', [node for node in CHAPTERS if node != 'go_node'])
def test_every_parameter_is_in_the_reference_with_its_default(node):
    said = {name: default.removesuffix('.0') for name, default in rows(node).items()}
    assert said == parameters(node)


@pytest.fixture
def api():
    """A server."""
    server = BoardApi()
    yield server
    server.close()


@pytest.fixture
def given(api, tmp_path):
    """What each node needs to begin."""
    token = tmp_path / 'token'
    token.write_text(TOKEN)
    token.chmod(0o600)
    engine = tmp_path / 'engine'
    engine.write_text('#!/bin/sh\nwhile read -r word; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done\n')
    engine.chmod(0o755)
    account = {'server': api.address, 'token_file': token}
    return {
        'display_node': {'port': 0}, 'lichess_node': account, 'broadcast_node': {**account, 'round': 'abc'},
        'engine_node': {'engine': engine}, 'go_node': {}, 'simulator_node': {},
    }


def on_the_graph(client, name):
    """Topics and services of a node, as the reference calls them."""
    of = client.node
    lists = (of.get_publisher_names_and_types_by_node, of.get_subscriber_names_and_types_by_node,
             of.get_service_names_and_types_by_node, of.get_client_names_and_types_by_node)
    there = {topic for names in lists for topic, _ in names(name, '/')}
    return {topic.replace(f'/{name}/', '~/', 1) for topic in there if not COMMON.match(topic)}


@pytest.mark.parametrize('node', [node for node in CHAPTERS if node != 'display_node'])
def test_every_topic_and_service_is_in_the_reference(start, client, given, node):
    name = {'simulator_node': 'chess_simulator', 'go_node': 'go_observer'}.get(node, f'chess_{node.removesuffix("_node")}')
    start(node, **given[node])
    client.wait_for(lambda: name in client.node.get_node_names(), 20, 'the node')
    client.wait_for(lambda: on_the_graph(client, name), 20, 'its topics')
    client.spin(1.0)
    said = chapter(node)
    there = on_the_graph(client, name)
    for topic in there:
        # The observer's, as its own chapters call them.
        short = topic.replace('/chess_observer/', '~/', 1)
        assert f'`{short}`' in said or f'`{short.removeprefix("/")}`' in said, f'{topic} is not in the chapter on {node}'
    # And nothing is in its table that is not there.
    table = said.split('| topic or service | type | |\n| --- | --- | --- |\n')
    names = [n for line in table[1:] for row in line.split('\n\n')[0].splitlines() for n in re.findall(r'`([^`]+)`', row.split(' | ')[0])]
    for topic in names:
        assert {topic, f'/{topic}'} & there, f'{node} has no {topic}'


def test_the_services_of_the_observer_are_those_of_the_reference(observer, client):
    client.wait_for(lambda: 'chess_observer' in client.node.get_node_names(), what='the node in the graph')
    client.wait_for(lambda: '~/pause' in on_the_graph(client, 'chess_observer'), what='its services')
    client.spin(0.5)
    services = client.node.get_service_names_and_types_by_node('chess_observer', '/')
    there = {name.replace('/chess_observer/', '~/') for name, _ in services if not COMMON.match(name)}
    text = (ROOT / 'docs' / 'reference.md').read_text(encoding='utf-8')
    table = text.split('\n## Services\n')[1].split('| name | request | response besides |\n| --- | --- | --- |\n')[1].split('\n\n')[0]
    assert {line.split('`')[1] for line in table.splitlines()} == there
