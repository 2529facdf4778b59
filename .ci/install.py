"""Installs requirements in the environment whose Python runs this: by uv, or by pip where uv does not run.

    python -I .ci/install.py FOLDER REQUIREMENTS...

FOLDER has uv in venv/bin. uv keeps there what it has unpacked, and links it into the next environment. So an
environment takes seconds, and all of them together little more disk than the largest. Python compiles the modules that
the tests import; pip would compile all of them, which takes half of an installation.
"""

import os
import subprocess
import sys

folder, *requirements = sys.argv[1:]
if sys.version_info < (3, 7):  # noqa: UP036  # the environments of Python 3.6 run this, too
    command = [sys.executable, '-I', '-m', 'pip', 'install', '--quiet', '--no-compile']
else:
    command = [os.path.join(folder, 'venv', 'bin', 'uv'), 'pip', 'install', '--quiet', '--python', sys.executable]
    command += ['--cache-dir', os.path.join(folder, 'uv'), '--link-mode', 'hardlink', '--system-certs']
sys.exit(subprocess.call(command + requirements))
