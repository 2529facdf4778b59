"""What Python 3.10 to 3.12 took away."""
import imp
import importlib.util
import inspect
import os
from collections import Callable, Iterable, Mapping, OrderedDict, Sequence, deque

assert isinstance([], Iterable) and isinstance({}, Mapping) and isinstance((), Sequence) and isinstance(len, Callable)
assert OrderedDict and deque


def call(self, x, mask=None, *rest, **options):
    return x


told = inspect.getargspec(call)
assert told.args == ['self', 'x', 'mask'] and told.varargs == 'rest' and told.keywords == 'options', told
assert told.defaults == (None,) and told[0] == told.args

with open('config_of_mine.py', 'w') as stream:
    stream.write('BATCH = 7\n')
assert importlib.util.find_spec('imp') is not None
config = imp.load_source('config', 'config_of_mine.py')
assert config.BATCH == 7
import config as again
assert again is config
with open('broken.py', 'w') as stream:
    stream.write('1 / 0\n')
try:
    imp.load_source('broken', 'broken.py')
except ZeroDivisionError:
    pass
else:
    raise AssertionError('an error of the file has to reach the program')
found = imp.find_module('config_of_mine', ['.'])
assert imp.load_module('other', *found).BATCH == 7
os.makedirs('package')
with open(os.path.join('package', '__init__.py'), 'w') as stream:
    stream.write('SIZE = 3\n')
assert imp.load_module('package', *imp.find_module('package', ['.'])).SIZE == 3
try:
    imp.find_module('there_is_no_such_module')
except ImportError:
    pass
else:
    raise AssertionError('a module that is not there has to be an error')
assert imp.new_module('empty').__name__ == 'empty' and imp.reload(inspect) is inspect
print('cured')
