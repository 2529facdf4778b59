"""Run the programs of tools/messages without keras_backend, and write what they say into recorded.json.

    python tools/record_messages.py                     on the libraries of this Python: Keras 3, TensorFlow, NumPy
    python tools/record_messages.py --world tf_keras    with tf_keras, and TF_USE_LEGACY_KERAS=1
    python tools/record_messages.py --world keras231    in an environment of Keras 2.3.1 on TensorFlow 1.15
    python tools/record_messages.py --world jax         with KERAS_BACKEND=jax: all entries that say `by jax`

`--world all-engines` does the last for each engine, in processes of their own. An entry that does not stop is named,
and has no message then.
"""

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings

from error_texts import DOORS, RECORD, entries, recorded

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = os.path.join(ROOT, 'tests', 'files', 'models')
WORLDS = ('', 'tf_keras', 'flag', 'keras231', 'tf210')
OLD_KERAS = {'keras231': 'keras', 'tf210': 'tensorflow.keras', 'tf_keras': 'tf_keras', '': 'keras'}
# What changes from run to run.
CHANGING = ((r' at 0x[0-9a-f]+', ' at 0x'), (r'\(/[^)]*/site-packages/', '(.../'), (r'/[^ \'"]*/tests/files/', '.../'))
CHANGING += ((r' in /[^ ,;]*/envs/[^ ,;]*', ' in ...'), (r'"/[^"]*\[', '".../['), (r'\x1b\[[0-9;]*m', ''))


def opening(world, files):
    """A program that opens model files with the Keras of a world."""
    keras, paths = OLD_KERAS[world], [os.path.join(MODELS, name) for name in files]
    lines = [f'from {keras} import models']
    if paths[0].endswith('.json'):
        lines.append(f'model = models.model_from_json(open({paths[0]!r}).read())')
        lines += [f'model.load_weights({path!r})' for path in paths[1:]]
    else:
        lines.append(f'models.load_model({paths[0]!r})')
    return '\n'.join(lines)


def message(program):
    """What a program says where it stops, or None."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(program + '\n', 'train.py', 'exec'), {'__name__': '__main__'})
    # The programs stop by errors of many classes, which are the result.
    except Exception as error:
        text = ''.join(traceback.format_exception_only(type(error), error)).strip()
        for pattern, plain in CHANGING:
            text = re.sub(pattern, plain, text)
        # A configuration in the middle may be long.
        return text if len(text) <= 700 else text[:350] + ' ... ' + text[-350:]
    return None


LIBRARIES = (('torch', 'PyTorch'), ('jax', 'JAX'), ('keras_backend', 'keras_backend'), ('numpy', 'NumPy'))
LIBRARIES += (('scipy', 'SciPy'), ('pandas', 'pandas'), ('sklearn', 'scikit-learn'), ('PIL', 'Pillow'))
LIBRARIES += (('matplotlib', 'Matplotlib'), ('h5py', 'h5py'), ('networkx', 'NetworkX'), ('tf_keras', 'tf_keras'))


def said_by(program, world):
    """The library that stops a program, with its version."""
    if world in ('keras231', 'tf210'):
        return {'keras231': 'Keras 2.3.1', 'tf210': 'tf.keras of TensorFlow 2.10'}[world]
    for module, title in LIBRARIES:
        if re.search(rf'^(?:import|from) {module}\b', program, re.M) and not re.search(r'\bkeras\b', program):
            return f'{title} {version(module)}'.strip()
    if re.search(r'\b(tf|tensorflow)\.(?!keras)\w', program) and 'keras' not in program:
        return f'TensorFlow {version("tensorflow")}'
    if world == 'tf_keras' or 'keras' not in program:
        return f'tf_keras {version("tf_keras")}' if world else f'Python {sys.version.split()[0]}'
    return f'Keras {version("keras")} on TensorFlow {version("tensorflow")}'


def version(module):
    """The version of an installed library, also of one that could not be imported."""
    from importlib.metadata import PackageNotFoundError, version

    if module == 'keras_backend':
        return ''
    names = {'sklearn': 'scikit-learn', 'PIL': 'Pillow', 'tensorflow': 'tensorflow-cpu'}
    try:
        return version(names.get(module, module))
    except PackageNotFoundError:
        return version(module)


def record(world):
    """Run the entries of a world, and keep their messages."""
    warnings.simplefilter('ignore')
    listed = recorded()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for door in DOORS:
            for entry in entries(door):
                if entry.world != world:
                    continue
                program = opening(world, entry.files) if entry.files else entry.program
                text = message(program)
                listed.pop(entry.name, None)
                if text is None:
                    print('does not stop:', entry.name)
                else:
                    listed[entry.name] = {'message': text, 'said by': said_by(program, world)}
        os.chdir(ROOT)
    order = [entry.name for door in DOORS for entry in entries(door)]
    kept = {name: listed[name] for name in order if name in listed}
    with open(RECORD, 'w', encoding='utf-8') as stream:
        stream.write(json.dumps(kept, indent=1) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--world', default='', help='what the programs run on')
    world = parser.parse_args().world
    if world == 'all-engines':
        engines = sorted({entry.world for door in DOORS for entry in entries(door)} - set(WORLDS))
        for engine in engines:
            command = [sys.executable, os.path.abspath(__file__), '--world', engine]
            subprocess.check_call(command, env=dict(os.environ, KERAS_BACKEND=engine))
    else:
        record(world)


if __name__ == '__main__':
    main()
