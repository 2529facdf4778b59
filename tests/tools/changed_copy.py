"""A copy of the checkout with changes in it, and what its tests say."""

import os
import re
import shutil
import subprocess
import sys

from checkout import ROOT

SKIPPED = shutil.ignore_patterns(
    '.git', '.tox', '.?*_cache', '__pycache__', 'api', '_drawn', 'build', 'dist', '*.egg-info'
)


def text(path):
    """The text of a file."""
    with open(path, encoding='utf-8') as file:
        return file.read()


def changed_copy(root, changes):
    """Copy the checkout to the folder `root`, with changes: (file, the text before the new one, the new text).

    The text before the new one occurs once in the file. It is None for the end of the file, which may be a new one.
    """
    shutil.copytree(ROOT, root, ignore=SKIPPED)
    for name, before, new in changes:
        path = os.path.join(root, name)
        if before is None and not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            found = ''
        else:
            found = text(path)
        if before is not None:
            assert found.count(before) == 1, (name, before)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(found + new if before is None else found.replace(before, before + new))
    return root


def succeeds(root, *command, **variables):
    """What a command of Python says in the copy, with these environment variables."""
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join([root, os.path.join(root, 'tests', 'tools')]), **variables
    )
    environment.pop('PYTEST_ADDOPTS', None)
    done = subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def passes(root, *command, **variables):
    """Tests pass in the copy, some at least."""
    said = succeeds(root, '-m', *command, '-p', 'no:cacheprovider', **variables)
    assert re.search(r'[1-9]\d* passed', said), said[-2000:]
