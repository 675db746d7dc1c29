"""Means to hurt a node: a slow disk, a small one, a thread that stops; and what it uses."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess

import pytest

SHIM = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_as_told(void) {
  const char *path = getenv("SLOW_SYNC_FILE");
  FILE *file = path ? fopen(path, "r") : NULL;
  long ms = 0;
  if (!file) return;
  if (fscanf(file, "%ld", &ms) != 1) ms = 0;
  fclose(file);
  usleep(1000 * ms);
}

int fsync(int fd) {
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  wait_as_told();
  return next(fd);
}
'''


class SlowDisk:
    """Syncs that take as long as one likes, for programs started while it is in the environment."""

    def __init__(self, folder, monkeypatch):
        source, shim, self.file = folder / 'slow.c', folder / 'slow.so', folder / 'slow_ms'
        source.write_text(SHIM)
        subprocess.run(['cc', '-shared', '-fPIC', '-o', shim, source, '-ldl'], check=True)
        self.takes(0)
        monkeypatch.setenv('SLOW_SYNC_FILE', str(self.file))
        monkeypatch.setenv('LD_PRELOAD', str(shim))

    def takes(self, milliseconds):
        """Let every sync from now on take so long."""
        aside = self.file.with_suffix('.new')
        aside.write_text(str(milliseconds))
        aside.rename(self.file)


@contextlib.contextmanager
def small_disk(folder, kilobytes=64):
    """Mount a disk in memory; skips where that is not allowed."""
    folder.mkdir()
    done = subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={kilobytes}k', 'tmpfs', folder], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f'no small disk can be mounted here: {done.stderr.strip()}')
    try:
        yield folder
    finally:
        subprocess.run(['umount', '-l', folder], check=True)


def remount(folder, how):
    """Mount it again, `ro` or `rw`."""
    subprocess.run(['mount', '-o', f'remount,{how}', folder], check=True)


def without_privileges():
    """Begin of a command line that runs a program as somebody whom permissions of files bind; nothing where they do."""
    if os.geteuid() != 0:
        return []
    if shutil.which('setpriv') is None:
        pytest.skip('root writes to read-only folders, and setpriv, which takes that right away, is not here')
    return ['setpriv', '--bounding-set', '-dac_override', '--']


def threads(pid):
    """Names of a process's threads, and their numbers."""
    return {(t / 'comm').read_text().strip(): int(t.name) for t in pathlib.Path(f'/proc/{pid}/task').iterdir()}


class Stopped:
    """One thread of a process, stopped as a debugger stops it, while the others go on."""

    ATTACH, DETACH, WALL = 16, 17, 0x40000000

    def __init__(self, pid, name):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.thread = threads(pid)[name]
        if self.libc.ptrace(self.ATTACH, self.thread, None, None) != 0:
            pytest.skip(f'no thread may be stopped here: {os.strerror(ctypes.get_errno())}')
        os.waitpid(self.thread, self.WALL)

    def go_on(self):
        """Let it run again."""
        self.libc.ptrace(self.DETACH, self.thread, None, None)

    def bury(self):
        """Take note of its end, without which its process does not end."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.thread, self.WALL)


def usage(pid):
    """Memory in use, in MB, and the number of open descriptors."""
    pages = int(pathlib.Path(f'/proc/{pid}/statm').read_text().split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE') / 1e6, len(os.listdir(f'/proc/{pid}/fd'))
