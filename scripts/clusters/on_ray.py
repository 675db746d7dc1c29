#!/usr/bin/env python3
"""Evaluate on a Ray cluster: every part of the run is a task with one processor.

    pip install ray
    scripts/clusters/on_ray.py 8 parts --experiments ladder --seed 1

The parts are kept in the folder (a shared one, where there are several machines); a part that fails is started again and
goes on where it was. At the end `lab merge` prints the figures of all.
"""
import os
import pathlib
import subprocess
import sys

import ray

PROGRAM = os.environ.get('LAB', 'lab')


@ray.remote(num_cpus=1, max_retries=3, retry_exceptions=True)
def part(number, of, folder, asked):
    """Carry out one part; the file that it is in."""
    file = f'{folder}/{number}-of-{of}.part'
    subprocess.run([PROGRAM, *asked, '--shard', f'{number}/{of}', '--part', file, '--jobs', '1'], check=True)
    return file


def main():
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    of, folder, asked = int(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    ray.init(log_to_driver=False)
    parts = ray.get([part.remote(number, of, str(folder), asked) for number in range(1, of + 1)])
    sys.exit(subprocess.run([PROGRAM, 'merge', *parts]).returncode)


if __name__ == '__main__':
    main()
