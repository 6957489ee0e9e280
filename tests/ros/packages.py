"""Interface packages that a robot has and the wheels have not: made for the tests, of the fields that these use.

Programs that import them run in processes of their own, with the environment that `install` returns.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

FOLDER = Path(__file__).parent


def install(folder, *packages):
    """Build and install packages of the folder `packages`; returns the variables of an environment with them."""
    prefix = folder / 'install'
    for package in packages:
        source, build = FOLDER / 'packages' / package, folder / package
        configure = ['cmake', '-S', source, '-B', build, f'-DCMAKE_INSTALL_PREFIX={prefix}']
        for command in (configure, ['cmake', '--build', build, '--target', 'install', '-j', '2']):
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    added = {
        'AMENT_PREFIX_PATH': prefix,
        'LD_LIBRARY_PATH': prefix / 'lib',
        'PYTHONPATH': next(prefix.glob('lib/python*/site-packages')),
    }
    return {name: f'{value}:{os.environ.get(name, "")}' for name, value in added.items()}


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
