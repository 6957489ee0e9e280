"""Interface packages that a robot has and the wheels have not: made for the tests, of the fields that these use.

Programs that import them run in processes of their own, with the environment that `install` returns.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

FOLDER = Path(__file__).parent
BUILT = FOLDER.parents[1] / 'build' / 'test_packages'


def install(*packages):
    """Build and install packages of the folder `packages`; returns the variables of an environment with them.

    What was built before of the same files is taken again.
    """
    files = sorted(it for name in packages for it in (FOLDER / 'packages' / name).rglob('*.*'))
    texts = b''.join(it.name.encode() + it.read_bytes() for it in files if it.is_file())
    built = BUILT / hashlib.sha256(texts).hexdigest()[:16]
    built.mkdir(parents=True, exist_ok=True)
    prefix = built / 'install'
    with open(built / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (built / 'complete').exists():
            for package in packages:
                build(FOLDER / 'packages' / package, built / package, prefix)
            (built / 'complete').touch()
    added = {
        'AMENT_PREFIX_PATH': prefix,
        'LD_LIBRARY_PATH': prefix / 'lib',
        'PYTHONPATH': next(prefix.glob('lib/python*/site-packages')),
    }
    return {name: f'{value}:{os.environ.get(name, "")}' for name, value in added.items()}


def build(source, folder, prefix):
    """Build a package, and install it."""
    configure = ['cmake', '-S', source, '-B', folder, f'-DCMAKE_INSTALL_PREFIX={prefix}']
    for command in (configure, ['cmake', '--build', folder, '--target', 'install', '-j', '2']):
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


class Program:
    """A program of this folder in such an environment; it is told what to do by lines."""

    def __init__(self, environment, name, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, FOLDER / name, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        self.lines = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Keep what it prints."""
        for line in self.process.stdout:
            self.lines.append(line)

    def say(self, line):
        """Tell it something."""
        self.process.stdin.write(f'{line}\n')
        self.process.stdin.flush()

    def end(self):
        """End it."""
        self.process.kill()
        self.process.wait(10.0)
