#!/usr/bin/env python3
"""Run benchmarks and print what they have measured as JSON, for `lab --write-docs --from`.

    scripts/costs.py frame_cost sim_cost game > costs.json

Medians of criterion's estimates; a benchmark's own output goes to standard error. Run it when nothing else does.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get('CARGO_TARGET_DIR') or ROOT / 'target')


def measured(bench):
    """Run one benchmark; its costs in the order in which they were measured."""
    began = time.time()
    subprocess.run(['cargo', 'bench', '--bench', bench], cwd=ROOT, stdout=sys.stderr, check=True)
    found = []
    for estimates in (TARGET / 'criterion').rglob('new/estimates.json'):
        written = estimates.stat().st_mtime
        if written < began:
            continue  # another benchmark's, or one that is no more
        name = json.loads((estimates.parent / 'benchmark.json').read_text())['full_id']
        median = json.loads(estimates.read_text())['median']['point_estimate']
        found.append((written, {'name': name, 'median_ns': median}))
    return {'command': f'cargo bench --bench {bench}', 'costs': [cost for _, cost in sorted(found, key=lambda f: f[0])]}


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    run = ['cargo', 'run', '--quiet', '--release', '-p', 'chess_observer_lab', '--', '--version']
    version = subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]
    print(json.dumps({'version': version, 'costs': [measured(bench) for bench in sys.argv[1:]]}, indent=1))


if __name__ == '__main__':
    main()
