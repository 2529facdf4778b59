"""Other libraries: names that they have removed and that no cure gives back, and what to write today."""

from typing import Dict, NamedTuple, Tuple


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
