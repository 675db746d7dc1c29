"""Print the log of a long run as a table in Markdown: python3 tests/faults/table.py faults.jsonl."""

import json
import sys


def rows(lines):
    """Sum up the tests of one function: how many passed, how long they took, and their figures."""
    tests = {}
    for line in lines:
        # The last word on a test counts: a run that was stopped goes on.
        tests.setdefault(line['test'].partition('[')[0], {})[line['test']] = line
    for name, ends in tests.items():
        passed = sum(end['outcome'] == 'passed' for end in ends.values())
        words = {end['outcome'] for end in ends.values()} - {'passed'}
        result = f'{passed} of {len(ends)}' + ''.join(f', {word}' for word in sorted(words))
        seconds = sum(end.get('seconds', 0.0) for end in ends.values())
        keys = dict.fromkeys(key for end in ends.values() for key in end if key not in ('test', 'outcome', 'seconds'))
        said = []
        for key in keys:
            values = [end[key] for end in ends.values() if key in end]
            if len(values) == 1:
                said.append(f'{key} {json.dumps(values[0])}')
            elif all(isinstance(value, int) for value in values):
                said.append(f'{key} {sum(values)}')
        yield name, result, f'{seconds:.0f}', '; '.join(said)


def main(path):
    """Print the table."""
    with open(path, encoding='utf-8') as log:
        lines = [json.loads(line) for line in log]
    print('| test | passed | seconds | figures |\n| --- | --- | --- | --- |')
    for row in rows(lines):
        print('| ' + ' | '.join(row) + ' |')


if __name__ == '__main__':
    main(*sys.argv[1:])
