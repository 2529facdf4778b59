"""A shell for the commands that documents show."""

import os
import shlex
import subprocess
import sys

from processes import environment


class Shell:
    """A shell in a folder, whose `python` is this one and whose `pip install` goes to a folder of its own."""

    def __init__(self, folder, **variables):
        self.work, self.site, self.state = [folder / name for name in ('work', 'site', 'state')]
        commands = folder / 'bin'
        for place in (self.work, self.site, commands):
            place.mkdir()
        target = f'--disable-pip-version-check --target {shlex.quote(str(self.site))}'
        for name, call in [('python', '"$@"'), ('pip', f'-m pip "$1" {target} "${{@:2}}"')]:
            script = commands / name
            script.write_text(f'#!/bin/bash\nexec {shlex.quote(sys.executable)} {call}\n')
            script.chmod(0o755)
        # Unbuffered, as at a terminal: what is printed comes before the error that follows it.
        self.environment = environment(
            folder / 'home',
            path=[self.work, self.site],
            OMP_NUM_THREADS='1',
            PYTHONUNBUFFERED='1',
            PATH=f'{commands}{os.pathsep}{os.environ["PATH"]}',
            **variables,
        )
        self.state.write_text(f'cd {shlex.quote(str(self.work))}\n')

    def run(self, text):
        """Run commands where the last ones left off; returns (exit status, what was printed)."""
        saved = shlex.quote(str(self.state))
        script = (
            f'source {saved}\n{text}\nstatus=$?\n(export -p; echo cd "$(printf %q "$PWD")") > {saved}\nexit $status'
        )
        process = subprocess.run(
            ['bash', '-c', script], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600
        )
        return process.returncode, process.stdout.decode('utf-8')
