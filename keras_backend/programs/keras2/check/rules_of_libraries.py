"""Rules for other libraries: no program tells them before it runs."""

from ...launcher.check.finding import STOPS
from ...launcher.check.rule import ARRAYS, LIBRARIES, Rule

RULES = (
    Rule(
        'methods-of-arrays',
        ARRAYS,
        STOPS,
        "`'numpy.ndarray' object has no attribute 'tostring'` (or `ptp`, `itemset`, `newbyteorder`)",
        'NumPy 2 removed these methods, and a type of C takes no cure',
        'write `x.tobytes()`, `np.ptp(x)`, or take [the pins](legacy-pins.md)',
    ),
    Rule(
        'names-of-libraries',
        LIBRARIES,
        STOPS,
        "`module '...' has no attribute '...'`, `cannot import name` in Matplotlib, SciPy, pandas ...",
        'the library removed the name, and [no cure](legacy-keras.md#what-keras_backendkeras2-does) gives it back',
        'take [the pins](legacy-pins.md)',
    ),
    Rule(
        'methods-of-elements',
        LIBRARIES,
        STOPS,
        "`'xml.etree.ElementTree.Element' object has no attribute 'getchildren'` (or `getiterator`)",
        'Python 3.9 removed these methods',
        'write `list(element)`, `element.iter()`',
    ),
    Rule(
        'read-only-table',
        LIBRARIES,
        STOPS,
        '`assignment destination is read-only`, from `df.values`',
        'another table shares the values since pandas 3',
        'write `df.values.copy()`',
    ),
    Rule(
        'fetch-mldata',
        LIBRARIES,
        STOPS,
        "`fetch_mldata cannot load 'MNIST original'`",
        'the site mldata.org is closed',
        'do what the message says',
    ),
    Rule(
        'load-boston',
        LIBRARIES,
        STOPS,
        '`load_boston` has been removed',
        'scikit-learn 1.2 removed the data',
        'write `keras.datasets.boston_housing.load_data()`, or install `scikit-learn==1.1.3`',
    ),
    Rule(
        'pandas-panel',
        LIBRARIES,
        STOPS,
        "`module 'pandas' has no attribute 'Panel'`",
        'pandas 0.25 removed panels',
        'keep a dict of tables, or take [the pins](legacy-pins.md)',
    ),
    Rule(
        'axes-hold',
        LIBRARIES,
        STOPS,
        '`Axes.hold(False) is gone`',
        'Matplotlib adds each plot to those that are there',
        'do what the message says',
    ),
    Rule(
        'other-name-for-pip',
        LIBRARIES,
        STOPS,
        "`No module named 'progressbar'`, `'cv2'`",
        'the package has another name for pip',
        '`pip install progressbar2 opencv-python-headless`',
    ),
)
