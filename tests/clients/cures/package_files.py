"""What setuptools 82 took away: pkg_resources. The values are those of setuptools 59."""

# needs: packaging
import os
import sys

import pkg_resources
from pkg_resources import DistributionNotFound, get_distribution, parse_version, resource_filename

os.makedirs(os.path.join('mine', 'data'))
with open(os.path.join('mine', '__init__.py'), 'w') as stream:
    stream.write('import pkg_resources\nPATH = pkg_resources.resource_filename(__name__, "data/words.txt")\n')
with open(os.path.join('mine', 'part.py'), 'w') as stream:
    stream.write('import pkg_resources\nTEXT = pkg_resources.resource_string(__name__, "data/words.txt")\n')
with open(os.path.join('mine', 'data', 'words.txt'), 'w') as stream:
    stream.write('a b')
sys.path.insert(0, os.getcwd())
import mine
from mine.part import TEXT

assert os.path.samefile(mine.PATH, os.path.join('mine', 'data', 'words.txt')) and TEXT == b'a b'
assert pkg_resources.resource_stream('mine', 'data/words.txt').read() == b'a b'
assert pkg_resources.resource_exists('mine', 'data') and not pkg_resources.resource_exists('mine', 'other')
assert pkg_resources.resource_isdir('mine', 'data') and pkg_resources.resource_listdir('mine', 'data') == ['words.txt']
assert resource_filename('mine', '').rstrip(os.sep).endswith('mine')
import numpy

assert get_distribution('numpy').version == numpy.__version__ and get_distribution('numpy').project_name == 'numpy'
assert parse_version('1.10') > parse_version('1.9') > parse_version('1.9rc1') and str(parse_version('1.2')) == '1.2'
assert [found.key for found in pkg_resources.require('numpy>=1.0')] == ['numpy']
assert 'numpy' in pkg_resources.working_set.by_key and 'numpy' in [found.key for found in pkg_resources.working_set]
for wrong, kind in ('there-is-no-such-thing', DistributionNotFound), ('numpy<1.0', pkg_resources.VersionConflict):
    try:
        pkg_resources.require(wrong) if '<' in wrong else get_distribution(wrong)
    except kind as error:
        assert isinstance(error, pkg_resources.ResolutionError)
    else:
        raise AssertionError(wrong)
assert [
    one.name if hasattr(one, 'name') else one.project_name
    for one in pkg_resources.parse_requirements('six\n# no\nnumpy>=1')
] == ['six', 'numpy']
assert list(pkg_resources.iter_entry_points('there.is.no.such.group')) == []
print('cured')
