"""Other libraries: names that they have removed and that no cure gives back, and the last version that has them."""

from typing import Dict, NamedTuple, Tuple


class Gone(NamedTuple):
    """A name that is gone: what to write today, and the last version that has it beside Python 3.10 or later.

    `last` is '' if no such version has it.
    """

    today: str
    last: str = ''


class Pin(NamedTuple):
    """A library that programs of the time use: its name for pip, and the names that are gone."""

    install: str
    removed: Dict[str, Gone]


def _all(module: str, last: str, **names: str) -> Dict[str, Gone]:
    return {f'{module}.{name}': Gone(today, last) for name, today in names.items()}


_FINANCE = ('fv', 'ipmt', 'irr', 'mirr', 'nper', 'npv', 'pmt', 'ppmt', 'pv', 'rate')
_ERRORS = ('AxisError', 'ComplexWarning', 'RankWarning', 'TooHardError', 'VisibleDeprecationWarning')

# Name of the module that programs import -> its pin.
PINS: Dict[str, Pin] = {
    'numpy': Pin(
        'numpy',
        {
            **{f'numpy.{name}': Gone(f'numpy_financial.{name}') for name in _FINANCE},
            **{f'numpy.{name}': Gone(f'np.exceptions.{name}', '1.26.4') for name in _ERRORS},
            **_all('numpy', '1.26.4', NAN='np.nan', byte_bounds='np.lib.array_utils.byte_bounds', disp='print'),
            **_all(
                'numpy', '1.26.4', recfromcsv='np.genfromtxt', recfromtxt='np.genfromtxt', safe_eval='ast.literal_eval'
            ),
            **_all('numpy', '1.26.4', obj2sctype='np.dtype(x).type', sctype2char='np.dtype(x).char', who='locals'),
            **_all('numpy', '1.26.4', set_string_function='np.set_printoptions', longcomplex='np.clongdouble'),
            **_all('numpy', '1.26.4', DataSource='np.lib.npyio.DataSource', source='inspect.getsource', compat='bytes'),
            **_all('numpy', '1.23.5', str0='np.str_', bytes0='np.bytes_', void0='np.void', typeDict='np.sctypeDict'),
            **_all('numpy', '', alen='len', loads='pickle.loads', MachAr='np.finfo', ndfromtxt='np.genfromtxt'),
            **_all('numpy', '', mafromtxt='np.genfromtxt(usemask=True)'),
        },
    ),
    'scipy': Pin(
        'scipy',
        {
            **_all('scipy', '', weave='NumPy', maxentropy='sklearn.linear_model'),
            **_all('scipy.misc', '', lena='scipy.misc.face', imrotate='PIL.Image.rotate', imfilter='PIL.ImageFilter'),
        },
    ),
    'pandas': Pin(
        'pandas',
        {
            **_all('pandas', '', Panel='a DataFrame with a MultiIndex', WidePanel='a DataFrame with a MultiIndex'),
            **_all(
                'pandas', '', ols='statsmodels.api.OLS', TimeSeries='pandas.Series', SparseDataFrame='pandas.DataFrame'
            ),
            **{'pandas.io.data': Gone('pandas_datareader.data')},
        },
    ),
    'sklearn': Pin(
        'scikit-learn',
        {
            **_all('sklearn.datasets', '1.1.3', load_boston="fetch_openml(name='boston', version=1)"),
            **_all('sklearn', '', hmm='the package hmmlearn'),
            **_all('sklearn.mixture', '', GMM='GaussianMixture'),
            **_all('sklearn.decomposition', '', RandomizedPCA="PCA(svd_solver='randomized')"),
            **_all('sklearn.covariance', '', GraphLasso='GraphicalLasso'),
        },
    ),
    'matplotlib': Pin(
        'matplotlib',
        {
            **_all(
                'matplotlib', '', finance='the package mplfinance', nxutils='matplotlib.path', delaunay='matplotlib.tri'
            ),
            **_all('matplotlib.mlab', '', PCA='sklearn.decomposition.PCA', csv2rec='np.genfromtxt'),
        },
    ),
    'PIL': Pin('pillow', {**_all('PIL.Image', '', fromstring='PIL.Image.frombytes')}),
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

# What the environment of `--keras` has already, or Keras brings along.
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
