"""Runs the conformance tests, unless the change that .ci/run tests does not reach them: tools/affected.py says so.

python tools/if_reached.py python -m keras_backend check jax
"""

import json
import os
import subprocess
import sys


def main(command):
    """Run a command; returns its exit status."""
    plan = {}
    if os.environ.get('TEST_PLAN'):
        with open(os.environ['TEST_PLAN']) as file:
            plan = json.load(file).get(os.environ.get('TOX_ENV_NAME', ''), {})
    if not plan.get('conformance', True):
        print('The change does not reach the conformance tests on this engine.')
        return 0
    return subprocess.call(command)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
