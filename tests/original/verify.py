"""Runs the original again and compares it with its records, where anything that goes into them has changed.

    python verify.py              in the environment of tox `original`: Keras 2.3.1
    python verify.py --keras224   in the environment of tox `original224`: Keras 2.2.4

verified.txt says for which inputs the records were verified: a hash of the cases, the programs, the records and the
versions that tox.ini installs. Where the inputs are still the same, a run of .ci/run, which sets TEST_TURN, does not
repeat the comparison. Any other run does, the weekly one among them. A run that ends well writes its line into
verified.txt.
"""

import configparser
import hashlib
import os
import sys

import record
import record_programs

FOLDER = record.FOLDER
VERIFIED = os.path.join(FOLDER, 'verified.txt')
# What goes into no record: what our engines give, and how the differences are explained.
OURS = {'verified.txt', 'verify.py', 'ours.txt', 'raw_errors.txt', 'differences.txt', 'keras224_rows.txt'}


def inputs():
    """The paths of the files that decide what the records say, in order."""
    for folder, folders, names in os.walk(FOLDER):
        folders[:] = sorted(set(folders) - {'__pycache__'})
        for name in sorted(names):
            if name not in OURS and not name.startswith('test_') and not name.endswith('.pyc'):
                yield os.path.join(folder, name)


def installed():
    """What tox.ini installs for the original."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(os.path.join(os.path.dirname(os.path.dirname(FOLDER)), 'tox.ini'), encoding='utf-8')
    return tox['testenv:original{,224}']['deps']


def fingerprint():
    """A hash of all inputs."""
    found = hashlib.sha256(installed().encode())
    for path in inputs():
        with open(path, 'rb') as stream:
            content = stream.read().replace(b'\r\n', b'\n')
        found.update(f'{os.path.relpath(path, FOLDER)} {len(content)}\n'.replace(os.sep, '/').encode() + content)
    return found.hexdigest()


def read():
    """The verified hashes, by version."""
    if not os.path.exists(VERIFIED):
        return {}
    with open(VERIFIED, encoding='utf-8') as stream:
        return dict(line.split() for line in stream if not line.startswith('#'))


def write(found):
    """Write the verified hashes, by version."""
    with open(VERIFIED, 'w', encoding='utf-8', newline='\n') as stream:
        stream.write('# The inputs for which the original gave what is recorded: verify.py says how.\n')
        stream.writelines(f'{version} {digest}\n' for version, digest in sorted(found.items()))


def main(arguments):
    """Compare, unless the inputs are verified already; returns the exit status."""
    version = '2.2.4' if '--keras224' in arguments else '2.3.1'
    now = fingerprint()
    if os.environ.get('TEST_TURN') and read().get(version) == now:
        print(f'0 cases give what is recorded: Keras {version} gave it for these inputs before')
        return 0
    sys.argv[1:] = ['--check', *arguments]
    status = record.main() or record_programs.main(sys.argv[1:])
    if not status:
        write(dict(read(), **{version: now}))
    return int(status)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
