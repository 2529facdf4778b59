"""Other libraries in a program: names that they have removed and that no cure gives back, and what to write today."""

import sys
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Set, Tuple

from ..libraries.library_pins import PINS
from .rules import Finding, Place, finding
from .uses import Uses

# -- names that are gone -----------------------------------------------------------------------------------------------
# Other libraries: names that they have removed and that no cure gives back, and what to write today.


class Gone(NamedTuple):
    """A name that is gone: what to write today, and whether the pinned version for Python 3.10 and 3.11 has it."""

    today: str
    pinned: bool = False


class Library(NamedTuple):
    """A library that programs of the time use: its name for pip, and the names that are gone."""

    install: str
    removed: Dict[str, Gone]


def _all(module: str, pinned: bool, **names: str) -> Dict[str, Gone]:
    return {f'{module}.{name}': Gone(today, pinned) for name, today in names.items()}


_FINANCE = ('fv', 'ipmt', 'irr', 'mirr', 'nper', 'npv', 'pmt', 'ppmt', 'pv', 'rate')

# Name of the module that programs import -> the library.
LIBRARIES: Dict[str, Library] = {
    'numpy': Library(
        'numpy',
        {
            **{f'numpy.{name}': Gone(f'numpy_financial.{name}') for name in _FINANCE},
            **_all('numpy', True, disp='print', recfromcsv='np.genfromtxt', recfromtxt='np.genfromtxt'),
            **_all('numpy', True, obj2sctype='np.dtype(x).type', sctype2char='np.dtype(x).char', who='locals'),
            **_all('numpy', True, set_string_function='np.set_printoptions', source='inspect.getsource'),
            **_all('numpy', False, MachAr='np.finfo', ndfromtxt='np.genfromtxt'),
            **_all('numpy', False, mafromtxt='np.genfromtxt(usemask=True)'),
        },
    ),
    'scipy': Library(
        'scipy',
        {
            **_all('scipy', False, weave='NumPy', maxentropy='sklearn.linear_model'),
            **_all(
                'scipy.misc', False, lena='scipy.misc.face', imrotate='PIL.Image.rotate', imfilter='PIL.ImageFilter'
            ),
        },
    ),
    'pandas': Library(
        'pandas',
        {
            **_all('pandas', False, Panel='a DataFrame with a MultiIndex', WidePanel='a DataFrame with a MultiIndex'),
            **_all(
                'pandas',
                False,
                ols='statsmodels.api.OLS',
                TimeSeries='pandas.Series',
                SparseDataFrame='pandas.DataFrame',
            ),
            **{'pandas.io.data': Gone('pandas_datareader.data')},
        },
    ),
    'sklearn': Library(
        'scikit-learn',
        {
            **_all('sklearn.datasets', True, load_boston="fetch_openml(name='boston', version=1)"),
            **_all('sklearn', False, hmm='the package hmmlearn'),
            **_all('sklearn.mixture', False, GMM='GaussianMixture'),
            **_all('sklearn.decomposition', False, RandomizedPCA="PCA(svd_solver='randomized')"),
            **_all('sklearn.covariance', False, GraphLasso='GraphicalLasso'),
        },
    ),
    'matplotlib': Library(
        'matplotlib',
        {
            **_all(
                'matplotlib',
                False,
                finance='the package mplfinance',
                nxutils='matplotlib.path',
                delaunay='matplotlib.tri',
            ),
            **_all('matplotlib.mlab', False, PCA='sklearn.decomposition.PCA', csv2rec='np.genfromtxt'),
        },
    ),
    'PIL': Library('pillow', {**_all('PIL.Image', False, fromstring='PIL.Image.frombytes')}),
}

# The libraries that programs of the time import: no other name is given to pip. These have one name for both.
SAME = set(
    """albumentations catboost chainer click colorama colorlog deap docopt easydict easygui editdistance emoji
    flask ftfy gensim graphviz gym hyperas hyperopt imageio imgaug imutils jieba joblib librosa lightgbm lxml
    matplotlib mido mlxtend mock moviepy music21 networkx nibabel nilearn nltk nose numba openpyxl pandas
    pathlib2 patsy pexpect plotly pretty_midi progress psutil pycocotools pydicom pydot pydub pygame pymongo
    pynvml pytest pytz redis regex requests sacred seaborn sentencepiece setuptools shapely simplejson
    sounddevice soundfile spacy statsmodels sympy tables tabulate tensorboardX termcolor textblob tflearn
    tifffile toolz torchvision tornado tqdm webcolors xgboost xlrd xmltodict""".split()
)
# Name of a module -> its name for pip.
INSTALL: Dict[str, str] = {
    **{name: name for name in SAME},
    'cv2': 'opencv-python-headless',
    'PIL': 'pillow',
    'sklearn': 'scikit-learn',
    'skimage': 'scikit-image',
    'yaml': 'pyyaml',
    'bs4': 'beautifulsoup4',
    'Bio': 'biopython',
    'dateutil': 'python-dateutil',
    'pkg_resources': 'setuptools<81',
    'progressbar': 'progressbar2',
    'pydot_ng': 'pydot-ng',
    'serial': 'pyserial',
    'mpl_toolkits': 'matplotlib',
    'pylab': 'matplotlib',
    'keras_contrib': 'git+https://github.com/keras-team/keras-contrib',
    'vis': 'keras-vis',
    'rl': 'keras-rl',
    'OpenSSL': 'pyopenssl',
    'usb': 'pyusb',
    'wx': 'wxpython',
    'Levenshtein': 'python-Levenshtein',
    'MeCab': 'mecab-python3',
    'attr': 'attrs',
    'absl': 'absl-py',
    'pyfits': 'astropy',
    'pywt': 'PyWavelets',
    'skopt': 'scikit-optimize',
    'zmq': 'pyzmq',
    'kerastuner': 'keras-tuner',
    'pymysql': 'PyMySQL',
    'keras_tqdm': 'keras-tqdm',
    'unidecode': 'Unidecode',
    'tensorflow_hub': 'tensorflow-hub',
    'tensorflow_probability': 'tensorflow-probability',
    'psycopg2': 'psycopg2-binary',
    'Cython': 'cython',
    'pyprind': 'PyPrind',
}

# Packages that the environment of `--keras` has already, or that Keras brings along.
THERE: Tuple[str, ...] = (
    'numpy',
    'scipy',
    'h5py',
    'yaml',
    'six',
    'PIL',
    'keras',
    'tensorflow',
    'theano',
    'cntk',
    'torch',
)
THERE += ('keras_applications', 'keras_preprocessing', 'keras_backend', 'jax')


At = Callable[[int], Place]
NOTHING: Mapping[str, str] = {}

# Modules of Python 2, and of Python before 3.13. No library has these names.
_OLD = {'imp', 'distutils', 'cPickle', 'urllib2', 'ConfigParser', 'Queue', 'StringIO', 'cStringIO', 'urlparse', 'cgi'}
_OLD |= {'HTMLParser', 'httplib', 'Tkinter', '__builtin__', 'commands', 'thread', 'md5', 'sets', 'exceptions', 'pipes'}
_OLD |= {
    'asyncore',
    'imghdr',
    'telnetlib',
    'crypt',
    'SocketServer',
    'BaseHTTPServer',
    'cookielib',
    'copy_reg',
    'tkMessageBox',
}
_OLD |= {
    '__future__',
    'tkFileDialog',
    'xmlrpclib',
    'dummy_thread',
    'SimpleHTTPServer',
    'new',
    'sre',
    'asynchat',
    'smtpd',
}
# For Python before 3.10, which has no list of its modules.
_STANDARD = set(
    """abc argparse array ast asyncio atexit base64 bisect builtins bz2 calendar cmath cmd code codecs
    collections colorsys concurrent configparser contextlib copy copyreg csv ctypes curses dataclasses
    datetime dbm decimal difflib dis doctest email enum errno faulthandler fcntl filecmp fileinput
    fnmatch fractions ftplib functools gc getopt getpass gettext glob grp gzip hashlib heapq hmac html
    http imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging lzma
    mailbox marshal math mimetypes mmap multiprocessing numbers operator optparse os pathlib pdb pickle
    pickletools pkgutil platform plistlib pprint profile pstats pty pwd queue random re readline reprlib
    resource runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket
    socketserver sqlite3 ssl stat statistics string struct subprocess symtable sys sysconfig syslog
    tarfile tempfile termios textwrap threading time timeit tkinter token tokenize trace traceback
    tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref
    webbrowser winreg wsgiref xml xmlrpc zipapp zipfile zipimport zlib""".split()
) | set(getattr(sys, 'stdlib_module_names', ()))


def judge(found: Uses, place: At, local: Set[str]) -> Iterator[Finding]:
    """Names of libraries that are gone."""
    seen: Set[str] = set()
    for use in found.names:
        if use.guarded or use.name.split('.')[0] in local:
            continue
        for library in LIBRARIES.values():
            gone = next((name for name in library.removed if use.name == name or use.name.startswith(name + '.')), '')
            if gone and gone not in seen:
                seen.add(gone)
                today, pinned = library.removed[gone]
                version = _pinned_version(library.install) if pinned else ''
                advice = f'write {today}' + (f', or pip install "{library.install}=={version}"' if version else '')
                yield finding('library-removed', place(use.line), f'{gone} is gone from {library.install}', advice)


def _pinned_version(install: str) -> str:
    """The version of a library in the combination for Python 3.10 and 3.11, '' if it has none."""
    for pythons, pins in PINS.items():
        if pythons.startswith('3.10') and install in pins:
            return str(pins[install].version)
    return ''


def imported(found: Uses, local: Set[str], asked: Mapping[str, str] = NOTHING) -> List[Tuple[str, str]]:
    """The libraries that a program imports, without those that are there.

    asked : mapping of str to str
        The names of modules and their names for pip in the requirements of the program.

    Returns
    -------
    list of (str, str)
        The module and its name for pip. The name is '' for a module that is no known library: it may lie anywhere,
        and a stranger may have taken its name at PyPI.
    """
    modules = {use.name.split('.')[0] for use in found.names} | {module.split('.')[0] for module, _ in found.stars}
    others = sorted(modules - local - _STANDARD - _OLD - set(THERE) - {'', 'tensorboard', 'IPython', 'google'})
    return [(module, INSTALL.get(module) or asked.get(module.lower(), '')) for module in others]
