"""Other libraries: names that they have removed and that no cure gives back, and the last version that has them."""

from typing import Dict, NamedTuple, Tuple


class Pin(NamedTuple):
    """A library that programs of the time use.

    Attributes
    ----------
    install : str
        Its name for pip.
    last : str
        The last version that has the names.
    removed : dict
        A name that is gone, in full -> what to write today.
    """

    install: str
    last: str
    removed: Dict[str, str]


def _gone(module: str, **names: str) -> Dict[str, str]:
    return {f'{module}.{name}': now for name, now in names.items()}


_FINANCE = ('fv', 'ipmt', 'irr', 'mirr', 'nper', 'npv', 'pmt', 'ppmt', 'pv', 'rate')

# Name of the module that programs import -> its pin.
PINS: Dict[str, Pin] = {
    'numpy': Pin(
        'numpy',
        '1.19.5',
        {
            **{f'numpy.{name}': f'numpy_financial.{name}' for name in _FINANCE},
            **_gone('numpy', alen='len(x)', loads='pickle.loads', str0='np.str_', bytes0='np.bytes_'),
            **_gone('numpy', typeDict='np.sctypeDict', MachAr='np.finfo', ndfromtxt='np.genfromtxt'),
            **_gone('numpy', mafromtxt='np.genfromtxt(usemask=True)', set_numeric_ops='nothing'),
        },
    )
}

# Name of a module -> its name for pip, where they differ.
INSTALL: Dict[str, str] = {
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
    'magic': 'python-magic',
    'Levenshtein': 'python-Levenshtein',
    'MeCab': 'mecab-python3',
    'attr': 'attrs',
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
