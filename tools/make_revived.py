"""Write docs/revived.md, famous programs that live again, of the facts in revived_facts.py and the records of the tests.

    python tools/make_revived.py                        write the page
    python tools/make_revived.py --check                compare, change nothing
    python tools/make_revived.py --run numpy torch      run the programs on these engines first, and keep their numbers
    python tools/make_revived.py --run jax --only vae   only these programs

docs/revived.json has the numbers of today. Programs of Keras 2 run on any engine, those of tf.keras on TensorFlow, JAX and
PyTorch. A run needs what docs/legacy-keras.md and docs/coming-from-tf-keras.md install.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(ROOT, 'tests', 'tools')]

from program_records import differences, headers, recorded, result, write  # noqa: E402
from revived_facts import FACTS, TOPICS, Fact  # noqa: E402

PAGE = os.path.join(ROOT, 'docs', 'revived.md')
TODAY = os.path.join(ROOT, 'docs', 'revived.json')
# Name -> title, package. The order of the columns.
ENGINES = {
    'numpy': ('NumPy', 'numpy'),
    'tensorflow': ('TensorFlow', 'tensorflow'),
    'torch': ('PyTorch', 'torch'),
    'jax': ('JAX', 'jax'),
}
OF_KERAS_2 = ['numpy', 'tensorflow', 'torch', 'jax', 'theano', 'cntk']
OF_KERAS_3 = ['tensorflow', 'torch', 'jax']
DIGITS = 5

HEADER = """# Famous programs that live again

<!-- `python tools/make_revived.py` writes this page. Do not edit it. -->

Each row is a short version of a famous program, written for these tests in the style of its time. The column "then" is the number
that the original gave: Keras 2 on TensorFlow 1.15, or `tf_keras` {tf_keras}. The columns of today are the same number from
{versions}. All numbers of a program, not only this one, are compared in the tests, and may differ by {tolerance}.

The programs are small, so that they run in seconds. They train on data that they make themselves.
[The gallery](gallery.md) has programs that are written with K alone. [Three notebooks](notebooks.md) run an old repository on NumPy,
tf.keras code on JAX, and layer code on several engines.

{pictures}
## Run one

Install keras_backend in the folder of a clone, and what Keras 2 needs:

<!-- not run: installs packages; tox does it -->
```bash
pip install ".[files]" scipy six pillow           # for the programs of Keras 2, on NumPy
pip install ".[keras3,jax]" matplotlib pillow     # for those of tf.keras, on JAX
```

Each command below ends with a line `RESULT` that has all numbers of the program. `KERAS_BACKEND` names the engine. The first run of a
version of Keras installs it beside the settings, see [legacy-keras.md](legacy-keras.md). `--stand-in` lets a program import
`tensorflow` where only JAX or PyTorch is installed, see [coming-from-tf-keras.md](coming-from-tf-keras.md). Leave it out for
`KERAS_BACKEND=tensorflow`. The commands run in the folder `build`, as some programs write files:

<!-- not run: makes a folder in the clone -->
```bash
mkdir -p build && cd build
```
"""

# Drawn by tools/pages/revived_pictures.py: file, words for those who cannot see it, what it says.
PICTURES = [
    (
        'losses.png',
        'Four lines of a loss over eleven updates lie on each other',
        'The loss of the deep Q network: the original, and three libraries of today. The lines lie on each other.',
    ),
    (
        'grad-cam.png',
        'Two equal maps of 8 by 8 squares, and a third that is empty',
        'The map of Grad-CAM++: `tf_keras`, K on JAX, and a thousand times the difference.',
    ),
    (
        'attention.png',
        'A matrix whose bright squares lie on the diagonal from the lower left to the upper right',
        'A network turns words around. Its attention goes from the last letter to the first.',
    ),
    (
        'style.png',
        'A picture of rings, a picture of stripes, and the rings painted in stripes',
        'Style transfer: content, style, and what they give.',
    ),
    (
        'triplets.png',
        'Points of ten colours in a plane, each colour in a heap of its own',
        'Digits in a plane, after training with triplets.',
    ),
    (
        'doubt.png',
        'A curve through points in its middle, with a band that widens beyond them',
        'Dropout stays on: the band widens beyond the points.',
    ),
]


def path_of(fact: Fact) -> str:
    """The program of a row, as seen from the root of the project."""
    return '/'.join(['tests', 'programs', *([] if fact.keras else ['keras3']), fact.program + '.py'])


def said(fact: Fact) -> Dict[str, List[str]]:
    """What the first lines of a program say."""
    return headers(os.path.join(ROOT, path_of(fact)), ('engines', 'backends', 'arguments'))


def engines(fact: Fact) -> List[str]:
    """The engines that the tests run a program on."""
    return said(fact).get(*('engines', OF_KERAS_2) if fact.keras else ('backends', OF_KERAS_3))


def at(found: Any, place: Sequence[Any]) -> Any:
    """The number in a result."""
    for key in place:
        found = found[key]
    return found


def original(fact: Fact) -> Any:
    """The recorded result of the original."""
    folder = os.path.join(ROOT, 'tests', 'programs')
    if fact.keras:
        return recorded(os.path.join(folder, 'original.json'))[fact.program][fact.keras]
    (found,) = recorded(os.path.join(folder, 'keras3', 'tf_keras.json'))[fact.program].values()
    return found


def version_of_tf_keras() -> str:
    """The version of the record of tf_keras."""
    record = recorded(os.path.join(ROOT, 'tests', 'programs', 'keras3', 'tf_keras.json'))
    (version,) = {version for found in record.values() for version in found if version.startswith('tf_keras ')}
    return version.split()[-1]


def command(fact: Fact, engine: str, prefix: str = '') -> List[str]:
    """The words that run a program on an engine."""
    if fact.keras:
        first = ['-m', 'keras_backend.keras2', '--keras', fact.keras]
    else:
        first = ['-m', 'keras_backend.keras3', *([] if engine == 'tensorflow' else ['--stand-in'])]
    return [*first, prefix + path_of(fact), *said(fact).get('arguments', [])]


def run(fact: Fact, engine: str) -> Any:
    """The result of a program today."""
    environment = dict(os.environ, KERAS_BACKEND=engine, OMP_NUM_THREADS='1')
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, [ROOT, os.environ.get('PYTHONPATH')]))
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, '-W', 'ignore', *command(fact, engine, ROOT + '/')]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=500)
    if done.returncode:
        raise SystemExit(f'{fact.program} on {engine} failed:\n{done.stdout}{done.stderr}')
    return result(done.stdout)


def measure(names: List[str], only: List[str]) -> None:
    """Run programs, and put their numbers into docs/revived.json."""
    for engine in names:
        for fact in FACTS:
            if (only and fact.program not in only) or engine not in engines(fact):
                continue
            found = run(fact, engine)
            told = differences(found, original(fact))
            record = recorded(TODAY)
            record.setdefault('versions', {})[engine] = version_of(engine)
            record.setdefault(fact.program, {})[engine] = at(found, fact.place)
            if fact.series:
                record.setdefault(f'{fact.program} {fact.series[-1]}', {})[engine] = at(found, fact.series)
            write(record, TODAY)
            print(fact.program, engine, at(found, fact.place), *told[:3], flush=True)


def version_of(engine: str) -> str:
    """The version of the package of an engine, by the name that is installed."""
    from importlib import metadata  # not in Python 3.6, which checks the page

    return metadata.version(metadata.packages_distributions()[ENGINES[engine][1]][0])


def number(value: float) -> str:
    """A number with the digits that float32 keeps."""
    return f'{value:.{DIGITS}g}'


def table(rows: List[Fact], today: Dict[str, Any]) -> List[str]:
    """The table of a topic."""
    columns = [name for name in ENGINES if any(name in today[fact.program] for fact in rows)]
    titles = ['program and paper', 'K functions', 'number', 'then', *(ENGINES[name][0] for name in columns), 'runs on']
    lines = [f'| {" | ".join(titles)} |', '|' + '---|' * len(titles)]
    for fact in rows:
        functions = ', '.join(f'`{name}`' for name in fact.functions.split(', '))
        then = f'{number(at(original(fact), fact.place))} ({"Keras " + fact.keras if fact.keras else "tf_keras"})'
        values = [number(today[fact.program][name]) if name in today[fact.program] else '' for name in columns]
        where = {len(OF_KERAS_2): 'all six', len(OF_KERAS_3): 'the three of Keras 3'}
        on = where.get(len(engines(fact))) or ', '.join(ENGINES[name][0] for name in engines(fact))
        lines.append(
            f'| **{fact.title}**. {fact.paper} | ' + ' | '.join([functions, fact.number, then, *values, on]) + ' |'
        )
    return lines


def page() -> str:
    """The text of the page."""
    today = recorded(TODAY)
    versions = ', '.join(
        f'{ENGINES[name][0]} {today["versions"][name]}' for name in ENGINES if name in today['versions']
    )
    pictures = []
    for name, alt, says in PICTURES:
        pictures += [f'![{alt}](_static/revived/{name})', '', says, '']
    header = HEADER.format(
        versions=' and '.join(versions.rsplit(', ', 1)),
        tf_keras=version_of_tf_keras(),
        tolerance='1e-4, or by 1e-4 of the number if it is greater than 1',
        pictures='\n'.join(pictures),
    )
    lines = [header]
    for topic in TOPICS:
        lines += [f'## {topic.title}', '', *table(topic.rows, today), '']
        lines += [f'<!-- not run: {tests(topic.rows)} runs them -->', '```bash']
        for fact in topic.rows:
            engine = 'numpy' if fact.keras else 'jax'
            lines.append(f'KERAS_BACKEND={engine} python {" ".join(command(fact, engine, "../"))}')
        lines += ['```', '']
    return '\n'.join(lines).rstrip() + '\n'


def tests(rows: List[Fact]) -> str:
    """The tests that run the programs of a topic."""
    modules = {
        'tests/programs/test_programs.py' if fact.keras else 'tests/programs/keras3/test_keras3_programs.py'
        for fact in rows
    }
    return ' or '.join(sorted(modules, reverse=True))


def main(arguments: List[str]) -> int:
    """Write or compare; returns the exit status."""
    parser = argparse.ArgumentParser(prog='python tools/make_revived.py', description=__doc__.partition('\n')[0])
    parser.add_argument('--check', action='store_true', help='compare what is there, change nothing')
    parser.add_argument(
        '--run', nargs='+', default=[], choices=list(ENGINES), metavar='ENGINE', help='run on these first'
    )
    parser.add_argument('--only', nargs='+', default=[], metavar='PROGRAM', help='with --run: only these programs')
    options = parser.parse_args(arguments)
    measure(options.run, options.only)
    made = page()
    if not options.check:
        with open(PAGE, 'w', encoding='utf-8', newline='\n') as file:
            file.write(made)
        return 0
    with open(PAGE, encoding='utf-8') as file:
        if file.read() == made:
            return 0
    print('docs/revived.md is stale; type: python tools/make_revived.py')
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
