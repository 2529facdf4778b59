"""The modules of a program itself mean what they meant: Python 2, and NumPy that joined any iterable of arrays."""

import contextlib
import importlib
import io
import pickle
import sys

import numpy as np
import pytest

from keras_backend.programs.launcher import rewriting
from keras_backend.programs.launcher.check import translation
from keras_backend.programs.launcher.own_modules import (
    arrays,
    colab,
    dimensions,
    names_of_python2,
    pickle_of_python2,
    python2,
)

IS_TRANSLATED = pytest.mark.skipif(not translation.tool(), reason='Python 3.13 has no lib2to3, and fissix is not here')


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """No module of Python 2 was read before."""
    monkeypatch.setattr(python2._State, 'is_old', False)
    monkeypatch.delenv(python2.VARIABLE, raising=False)


def ran(text, changes=(), readers=(python2.read,), path='train.py'):
    """What a program prints, and its names. None if it stays as it is."""
    code = rewriting.changed_code(text.encode('utf-8'), path, False, readers, changes)
    if code is None:
        return None
    names, output = {}, io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, names)
    return output.getvalue(), names


@IS_TRANSLATED
def test_a_program_of_python_2_prints_what_it_printed():
    """Recorded on Python 2.7.18."""
    text = '''"""A program."""
import sys, string
print 7 / 2, 7.0 / 2, -7 / 2, round(2.5), round(-0.5), round(1.25, 1)
x = 9
x /= 2
print x,
print string.letters[:3], sys.maxint > 5
for name, size in sorted({'a': 2, 'b': 1}.iteritems(), key=lambda (name, size): size):
    print name, size
for i in xrange(2): print i,
'''
    assert ran(text)[0] == '3 3.5 -4 3.0 -1.0 1.3\n4 abc True\nb 1\na 2\n0 1 '


@IS_TRANSLATED
def test_the_future_of_a_module_of_python_2():
    """A module that asked for it has the division and the print of Python 3."""
    assert ran('from __future__ import division, print_function\nprint(7 / 2, list(xrange(2)))\n')[0] == '3.5 [0, 1]\n'


@IS_TRANSLATED
def test_arrays_of_whole_numbers_in_python_2():
    """An array is divided as its numbers are, in place, too."""
    names = ran('import numpy as np\nprint 1\na = np.arange(4)\nb = a / 2\na /= 2\nc = np.arange(4.) / 2\n')[1]
    assert [names[name].tolist() for name in 'abc'] == [[0, 0, 1, 1], [0, 0, 1, 1], [0.0, 0.5, 1.0, 1.5]]


@IS_TRANSLATED
def test_names_alone_tell_python_2():
    """`xrange` and `iteritems` are as good as a print statement, and what `six` gives is not."""
    assert ran('from six.moves import xrange\nx = 1 / 2\n') is None
    assert ran('x = 1 / 2\n') is None
    assert ran('d = {}\nfor k, v in d.iteritems(): pass\nx = 1 / 2\n')[1]['x'] == 0


@IS_TRANSLATED
def test_modules_of_a_program_of_python_2():
    """What it imports is of Python 2, too, and so is all of a program that `run` has read."""
    assert ran('print 1\n')[0] == '1\n'
    assert ran('x = 1 / 2\n')[1]['x'] == 0


@IS_TRANSLATED
def test_run_has_seen_python_2(monkeypatch):
    monkeypatch.setenv(python2.VARIABLE, '1')
    assert ran('x = 1 / 2\n')[1]['x'] == 0


@IS_TRANSLATED
def test_tabs_and_spaces_of_python_2():
    """A tab reaches to the next eighth column."""
    assert ran('if 1:\n        x = 1\n\ty = 2\nprint x + y\n')[0] == '3\n'


@IS_TRANSLATED
def test_files_of_python_2(tmp_path, monkeypatch):
    """Text and bytes were one type: a file takes both, and pickles of Python 2 are read."""
    monkeypatch.chdir(str(tmp_path))
    # pickle.dump(u'\\xe9'.encode('utf-8')), by Python 2.7.18
    (tmp_path / 'old.pkl').write_bytes(b"S'\\xc3\\xa9'\np0\n.")
    (tmp_path / 'bytes.txt').write_bytes(b'a\xffb')
    text = """import csv
import cPickle as pickle
print pickle.load(open('old.pkl')) == '\\xc3\\xa9'
pickle.dump([1], open('new.pkl', 'w'))
print pickle.load(open('new.pkl', 'rb'))
with open('table.csv', 'wb') as stream: csv.writer(stream).writerow([1, 2])
print open('table.csv').read().strip(), len(open('bytes.txt').read())
"""
    assert ran(text)[0] == 'True\n[1]\n1,2 3\n'


def test_what_pickle_of_python_2_takes():
    data = pickle.dumps([1, 2])
    assert pickle_of_python2.loads(data) == [1, 2]
    assert pickle_of_python2.loads("S'\\xe9'\np0\n.") == '\xe9'
    assert pickle_of_python2.load(io.BytesIO(b"S'\\xe9'\np0\n.")) == '\xe9'
    assert pickle_of_python2.HIGHEST_PROTOCOL == pickle.HIGHEST_PROTOCOL


def test_meanings_of_python_2():
    """What is no number of Python is divided as it says."""
    assert (names_of_python2.divided(True, 2), names_of_python2.divided(np.float32(1), 2)) == (0, 0.5)
    assert names_of_python2.divided_in_place(np.ones(2), 2).tolist() == [0.5, 0.5]
    assert [names_of_python2.rounded(x) for x in (0.5, 1.5, -2.5, 0.49999999999999994)] == [1.0, 2.0, -3.0, 0.0]


# -- NumPy -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('start', 'function'),
    [('import numpy as np', 'np.{}'), ('import numpy', 'numpy.{}'), ('from numpy import {0}', '{}')],
)
@pytest.mark.parametrize('name', ['stack', 'vstack', 'hstack', 'dstack', 'column_stack', 'concatenate'])
@pytest.mark.parametrize('given', ['({} for i in x)', 'map(lambda i: {}, x)', '{{i: {} for i in x}}.values()'])
def test_iterables_of_arrays(start, function, name, given):
    """A generator, a map and the values of a dict are joined as their list is."""
    text = f'{start.format(name)}\nx = [1., 2.]\nimport numpy as _n\ny = {function.format(name)}({{}})\n'
    array = '_n.full((2, 2), i)'
    names = ran(text.format(given.format(array)), [arrays.CHANGE])[1]
    wanted = getattr(np, name)([np.full((2, 2), i) for i in (1.0, 2.0)])
    np.testing.assert_array_equal(wanted, names['y'])


def test_what_is_no_iterator_stays():
    """An array, a list and what numpy does not own are handed on."""
    array = np.ones((2, 2))
    assert arrays.as_sequence(array) is array
    assert arrays.as_sequence(array.flat) is not None
    assert ran('import numpy as np\nnp.stack([1, 2])\nstack(x for x in y)\n', [arrays.CHANGE]) is None


def test_values_of_sizes():
    """A number and None are their own value; an object has the one that it says."""
    text = 'class A: value = 5\nx = [3, None, A()]\ny = [x[0].value, x[1].value, x[-1].value]\nx[2].value = 6\n'
    names = ran(text, [dimensions.CHANGE])[1]
    assert (names['y'], names['x'][2].value) == ([3, None, 5], 6)
    assert ran('x.value\n"x[0].value"\n', [dimensions.CHANGE]) is None


def test_all_changes_of_a_module_are_made():
    """A module with two kinds of changes gets both."""
    first = rewriting.Change(lambda source, installed: True, lambda tree, installed: bool(tree.body.pop()))
    names = ran('import numpy as np\nx = np.stack(np.ones(2) for i in (1, 2))\ny = 1\n', [first, arrays.CHANGE])[1]
    assert (names['x'].shape, 'y' in names) == ((2, 2), False)


@IS_TRANSLATED
def test_an_imported_module_of_python_2(tmp_path, monkeypatch):
    """A module of the program is found, and an installed one stays as it is."""
    finder = rewriting.Finder()
    finder.readers.append(python2.read)
    monkeypatch.setattr(sys, 'meta_path', [finder, *sys.meta_path])
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / 'helper_in_python_2.py').write_text('print "imported"\nx = 1 / 2\n')
    packages = tmp_path / 'site-packages'
    packages.mkdir()
    monkeypatch.syspath_prepend(str(packages))
    (packages / 'installed_helper.py').write_text('x = 1 / 2\n')
    assert importlib.import_module('helper_in_python_2').x == 0
    assert importlib.import_module('installed_helper').x == 0.5


def test_a_program_that_asks_for_colab():
    """Outside of Colab `try: import google.colab` fails; an import that nothing handles stays for the stand-in."""
    text = 'try:\n    {}\n    here = True\nexcept {}:\n    here = False\n'
    for statement in ('import google.colab', 'from google.colab import drive', 'from google import colab'):
        for error in ('ImportError', '(OSError, ModuleNotFoundError)', 'Exception as error'):
            assert ran(text.format(statement, error), [colab.CHANGE])[1]['here'] is False
    assert ran(text.format('from google.colab import drive', 'OSError'), [colab.CHANGE]) is None
    assert ran('from google.colab import drive\n', [colab.CHANGE]) is None
