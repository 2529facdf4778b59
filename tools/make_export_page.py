"""Write docs/support-export.md: which K functions each format of `keras_backend.export` can say.

    python tools/make_export_page.py onnx              run the conformance tests through a format; write record and page
    python tools/make_export_page.py stablehlo --most 4     the same for at most four tests of each function
    python tools/make_export_page.py --check           compare the page with the records; no test runs

A format needs its library, so each has a record, docs/support/export_FORMAT.json, and the page is written from the
records. A record says for each function whether all of its tests pass through the format, some or none. So it does not
change with each new test. `python -m keras_backend check numpy --through FORMAT` shows that a record is right.
"""

import json
import os
import sys
from collections import Counter, OrderedDict, defaultdict

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_support import FOLDER, ROOT, table, text, write

PAGE = os.path.join(ROOT, 'docs', 'support-export.md')
FORMATS = OrderedDict(
    [('onnx', 'ONNX'), ('stablehlo', 'StableHLO'), ('torch_export', 'torch.export'), ('saved_model', 'SavedModel')]
)
HEADER = """# What files of K functions hold

<!-- `python tools/make_export_page.py FORMAT` writes this page. Do not edit it. -->

Each conformance test ran with a file in the place of each function: see [K functions as files](export.md). A file was
run by onnxruntime, JAX, PyTorch or TensorFlow. All tests ran through ONNX, and at most four of each function through
the other formats, since their files take long to write.

* "yes" is a function whose tests all pass.
* "in part" is a function some of whose tests pass. The others are errors of `keras_backend.export`, or stand in
  `keras_backend/conformance/expected/`.
* "no" is a function that the format has no words for.
* "-" is a function whose tests run no K function.
"""


class Seen:
    """A pytest plugin: of each K function, how many of its tests had which outcome."""

    def __init__(self, most=None):
        """most: how many tests of each function run; None for all."""
        self.counts, self.most = defaultdict(Counter), most

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if self.most is None:
            return
        chosen, taken = [], Counter()
        for item in items:
            names = [name for mark in item.iter_markers('covers') for name in mark.args]
            if any([taken[name] < self.most for name in names]):
                taken.update(names)
                chosen.append(item)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen

    def pytest_runtest_logreport(self, report):
        properties = dict(report.user_properties)
        if report.when == 'call' and 'through' in properties:
            for name in properties.get('covers', ()):
                self.counts[name][properties['through']] += 1

    def words(self, names):
        """A word for each function."""
        return OrderedDict((name, self._word(self.counts[name])) for name in names)

    @staticmethod
    def _word(counts):
        if not counts:
            return '-'
        if not counts['passed']:
            return 'no'
        return 'yes' if set(counts) == {'passed'} else 'in part'


def path_of(form):
    """The record of a format."""
    return os.path.join(FOLDER, f'export_{form}.json')


def measure(form, most):
    """Run the tests through a format, and write its record. most: as of `Seen`."""
    from keras_backend import conformance
    from keras_backend.contract import CONTRACT

    seen = Seen(most)
    conformance.run('numpy', plugins=[seen], through=form)
    write(path_of(form), json.dumps(seen.words(CONTRACT), indent=1) + '\n')


def page():
    """The text of the page."""
    from keras_backend.contract import CONTRACT

    measured = [form for form in FORMATS if os.path.exists(path_of(form))]
    records = [json.loads(text(path_of(form))) for form in measured]
    topics = OrderedDict()
    for name, entry in CONTRACT.items():
        topics.setdefault(entry.category, []).append(name)
    titles = [FORMATS[form] for form in measured]
    counts = [
        (f'functions: {word}', [list(r.values()).count(word) for r in records]) for word in ('yes', 'in part', 'no')
    ]
    lines = [HEADER, *table('all', titles, counts)]
    for topic, names in topics.items():
        rows = [(f'`K.{name}`', [record[name] for record in records]) for name in names]
        lines += [f'## {topic}', '', *table('function', titles, rows)]
    return '\n'.join(lines)


def main(arguments):
    """Measure, write or compare; returns the exit status."""
    if arguments == ['--check']:
        if page() == text(PAGE):
            return 0
        print(f'{os.path.relpath(PAGE, ROOT)} is stale; type: python tools/make_export_page.py')
        return 1
    if arguments:
        measure(arguments[0], int(arguments[2]) if arguments[1:2] == ['--most'] else None)
    write(PAGE, page())
    return 0


if __name__ == '__main__':
    sys.path.insert(0, ROOT)
    sys.exit(main(sys.argv[1:]))
