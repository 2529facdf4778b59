"""Write keras_backend/programs/keras2/check/names.json: which Keras has which names, arguments and idioms.

    python tools/record_keras_versions.py PYTHON FOLDER [FOLDER ...]

PYTHON is an interpreter with TensorFlow 1.15 (Python 3.7). Each FOLDER has one version of Keras, as `pip install
--no-deps --target FOLDER` makes it, with the keras-applications and keras-preprocessing of its time. Keras is run and
never read. The record has the names of its modules, the arguments that its classes accept, and whether a few lines of
code do what their authors expected.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(HERE), 'keras_backend', 'programs', 'keras2', 'check', 'names.json')


def facts(interpreter, folder):
    """The names of one version of Keras."""
    variables = dict(os.environ, KERAS_BACKEND='tensorflow', TF_CPP_MIN_LOG_LEVEL='3')
    process = subprocess.run(
        [interpreter, '-W', 'ignore', os.path.join(HERE, 'keras_facts.py'), folder],
        env=variables,
        cwd=folder,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(process.stdout.decode().splitlines()[-1])


def by_versions(sets):
    """{versions: names}: sets has a set of names for each version, in order. A version is a digit, its place."""
    found = {}
    for name in sorted(set().union(*sets)):
        found.setdefault(''.join(str(place) for place, names in enumerate(sets) if name in names), []).append(name)
    return {versions: ' '.join(names) for versions, names in sorted(found.items())}


def merged(all_facts):
    """One table of the facts of all versions."""
    modules = sorted({module for one in all_facts for module in one['modules']})
    classes = sorted({name for one in all_facts for name in one['arguments']})
    return {
        'versions': [one['version'] for one in all_facts],
        'modules': {
            module: by_versions([set(one['modules'].get(module) or []) for one in all_facts]) for module in modules
        },
        # Modules that exist and could not be imported there: the engines of other libraries.
        'exist': by_versions([set(one['modules']) for one in all_facts]),
        'arguments': {
            name: by_versions([set(one['arguments'].get(name, [])) for one in all_facts]) for name in classes
        },
        'idioms': by_versions([set(one['idioms']) for one in all_facts]),
    }


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    all_facts = [facts(arguments[0], folder) for folder in arguments[1:]]
    all_facts.sort(key=lambda one: [int(part) for part in one['version'].split('.')])
    with open(TARGET, 'w', encoding='utf-8') as stream:
        json.dump(merged(all_facts), stream, indent=0, separators=(',', ':'), sort_keys=True)
        stream.write('\n')


if __name__ == '__main__':
    main(sys.argv[1:])
