"""Installs requirements in the environment whose Python runs this: by uv, or by pip where uv does not run.

    python -I .ci/install.py FOLDER REQUIREMENTS...

FOLDER has uv in venv/bin. uv keeps there what it has unpacked, and links it into the next environment. So an
environment takes seconds, and all of them together little more disk than the largest. When little disk is free, what uv
keeps is removed: the environments in use have links of their own. Python compiles the modules that the tests import;
pip would compile all of them, which takes half of an installation.
"""

import os
import shutil
import subprocess
import sys

# Two environments with PyTorch's CUDA build, the largest, can be installed at the same time.
LEAST_FREE_GB = 14

folder, *requirements = sys.argv[1:]
if sys.version_info < (3, 7):  # noqa: UP036  # the environments of Python 3.6 run this, too
    command = [sys.executable, '-I', '-m', 'pip', 'install', '--quiet', '--no-compile']
else:
    uv = os.path.join(folder, 'venv', 'bin', 'uv')
    cache = ['--cache-dir', os.path.join(folder, 'uv')]
    if shutil.disk_usage(folder).free < LEAST_FREE_GB * 1e9:
        subprocess.call([uv, 'cache', 'prune', '--ci', '--quiet', *cache])
    command = [uv, 'pip', 'install', '--quiet', '--python', sys.executable]
    command += [*cache, '--link-mode', 'hardlink', '--system-certs']
sys.exit(subprocess.call(command + requirements))
