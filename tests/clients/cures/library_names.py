"""What Python 3.7 to 3.13 took away. The values are those of Python 3.7."""

import base64
import cgi
import codecs
import fractions
import imghdr
import io
import json
import os
import pipes
import platform
import random
import threading
import time
import unittest
import xml.etree.cElementTree as ElementTree
from distutils.dir_util import copy_tree, mkpath, remove_tree
from distutils.file_util import copy_file
from distutils.spawn import find_executable
from distutils.util import strtobool
from distutils.version import LooseVersion, StrictVersion
from html.parser import HTMLParser

assert time.clock() <= time.clock()
pairs = (12, 8), (-12, 8), (12, -8), (0, 5), (0, -5), (6, 0), (2.5, 0.5)
assert [fractions.gcd(*pair) for pair in pairs] == [4, 4, -4, 5, -5, 6, 0.5]
assert threading.Thread().isAlive() is False and base64.decodestring(b'YWI=') == b'ab'
assert base64.encodestring(b'ab' * 40).count(b'\n') == 2 and HTMLParser().unescape('&lt;a&amp;&#39;') == "<a&'"
assert cgi.escape('<a b="c">\'') == '&lt;a b="c"&gt;\'' and cgi.escape('<a b="c">', True) == '&lt;a b=&quot;c&quot;&gt;'
assert cgi.parse_header('text/html; charset="utf-8"; x=y') == ('text/html', {'charset': 'utf-8', 'x': 'y'})
assert len(platform.linux_distribution()) == 3 and json.loads('{"a": 1}', encoding='utf-8') == {'a': 1}
assert not hasattr(os, 'errno') or os.errno.EEXIST == 17

with open('lines.txt', 'w') as stream:
    stream.write('a\nb\n')
for opened in open('lines.txt', 'rU'), io.open('lines.txt', 'U'), codecs.open('lines.txt', 'rU', 'utf8'):
    with opened:
        assert [line.strip() for line in opened] == ['a', 'b']
with io.open('lines.txt', 'rUb') as stream:
    assert stream.read(1) == b'a'

assert sorted(random.sample({1, 2, 3}, 3)) == [1, 2, 3] and sorted(random.sample({1: 1, 2: 2}.keys(), 2)) == [1, 2]
random.seed(1)
assert random.randint(0, 10.0) == 2 and random.Random(1).randint(0, 10.0) == 2
for wrong in (lambda: random.randint(0, 10.5)), (lambda: random.randrange(2.5)):
    try:
        wrong()
    except ValueError:
        pass
    else:
        raise AssertionError('these are no whole numbers')
order = list(range(6))
random.shuffle(order, lambda: 0.3)
assert order == [3, 2, 0, 4, 5, 1]

heads = {
    b'\xff\xd8\xff\xe0\x00\x10JFIF\x00': 'jpeg',
    b'\x89PNG\r\n\x1a\n\0\0': 'png',
    b'GIF89a': 'gif',
    b'BM123': 'bmp',
    b'RIFF\0\0\0\0WEBPVP': 'webp',
    b'II*\0': 'tiff',
    b'xx': None,
    b'\xff\xd8\xff\xe1aaExif\0': 'jpeg',
    b'P6 3': 'ppm',
}
assert {head: imghdr.what(None, head) for head in heads} == heads
with open('image.gif', 'wb') as stream:
    stream.write(b'GIF89a')
assert imghdr.what('image.gif') == 'gif' and imghdr.what(open('image.gif', 'rb')) == 'gif'
assert pipes.quote("a b'c") == "'a b'\"'\"'c'" and ElementTree.fromstring('<a><b/></a>').find('b').tag == 'b'

assert (
    LooseVersion('1.10') > LooseVersion('1.9') and LooseVersion('2.0.0') >= '1.15' and not LooseVersion('1.13') < '1.2'
)
assert LooseVersion('1.15.5').version == [1, 15, 5] and LooseVersion('1.2b3').version == [1, 2, 'b', 3]
assert str(LooseVersion('1.2b3')) == '1.2b3' and LooseVersion('1.0') == LooseVersion('1.0') != LooseVersion('1.0.0')
assert StrictVersion('1.10') > StrictVersion('1.9') and StrictVersion('1.0a1') < StrictVersion('1.0') == StrictVersion(
    '1.0.0'
)
assert (
    StrictVersion('1.2.0').version == (1, 2, 0)
    and str(StrictVersion('1.2.0')) == '1.2'
    and StrictVersion('1.2b3').prerelease == ('b', 3)
)
assert [strtobool(word) for word in ('y', 'No', '1', 'off')] == [1, 0, 1, 0]
for wrong in (lambda: StrictVersion('1.2.3.4')), (lambda: strtobool('maybe')):
    try:
        wrong()
    except ValueError:
        pass
    else:
        raise AssertionError('this has to be an error')
assert os.path.basename(find_executable('sh')) == 'sh'
os.makedirs(os.path.join('folder', 'below'))
copy_file('lines.txt', os.path.join('folder', 'below', 'f'))
assert copy_tree('folder', 'copy') == [os.path.join('copy', 'below', 'f')] and copy_file('lines.txt', 'other.txt') == (
    'other.txt',
    1,
)
mkpath(os.path.join('new', 'folder'))
assert os.path.isdir(os.path.join('new', 'folder'))
remove_tree('copy')
assert not os.path.exists('copy')


class Test(unittest.TestCase):
    def runTest(self):
        self.assertEquals(1, 1)
        self.assertAlmostEquals(1, 1 + 1e-9)
        self.assertRegexpMatches('abc', 'b')
        self.assert_(True)


assert Test().run().wasSuccessful()
print('cured')
