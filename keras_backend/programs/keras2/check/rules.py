"""The rules: what stops an old program or changes its numbers, why, and what to do."""

from ...launcher.check import rules
from ...launcher.check.rules import ARRAYS, DIFFERS, KERAS, LIBRARIES, MODELS, NOTE, START, STOPS, TENSORFLOW, Rule

# -- libraries ---------------------------------------------------------------------------------------------------------
# Rules for other libraries: no program tells them before it runs.


OF_LIBRARIES = (
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


# -- what a look at a program tells ------------------------------------------------------------------------------------
# The rules about Keras and TensorFlow that `--check` sees in a program.


OF_READING = (
    Rule(
        'imported-before',
        START,
        STOPS,
        '`Keras was imported before keras_backend.keras2`',
        '`import keras_backend.keras2` comes after `import keras`, in the program or in the notebook',
        'start Python again, and put the line first',
    ),
    Rule(
        'keras-name',
        KERAS,
        STOPS,
        "`cannot import name 'Merge' from 'keras.layers'`, `No module named 'keras.initializations'`",
        'another version of Keras has the name',
        '`python -m keras_backend.keras2 --check train.py` says which version has it',
    ),
    Rule(
        'keras-argument',
        KERAS,
        STOPS,
        "`got an unexpected keyword argument 'learning_rate'`, `'show_accuracy'`, `Keyword argument not understood`",
        'another version of Keras has the argument',
        '`python -m keras_backend.keras2 --check train.py` says which version has it',
    ),
    Rule(
        'keras-idiom',
        KERAS,
        STOPS,
        "`object has no attribute 'inbound_nodes'`, `'metrics_tensors'`",
        'Keras has renamed or removed it',
        '`python -m keras_backend.keras2 --check train.py` says which version has it',
    ),
    Rule(
        'history-acc',
        MODELS,
        STOPS,
        "`KeyError: 'acc'`, `KeyError: 'val_acc'`",
        "the program asks for `'accuracy'`, and Keras 2.3 then writes `accuracy` in place of `acc`",
        'install `keras==2.2.4`, or write `accuracy` in the program',
    ),
    Rule(
        'monitor-acc',
        MODELS,
        DIFFERS,
        '`which is not available. Available metrics are`',
        'a callback watches `val_acc`, and Keras 2.3 calls it `val_accuracy`; nothing is saved or stopped then',
        'install `keras==2.2.4`, or write `val_accuracy` in the program',
    ),
    Rule(
        'samples-per-epoch',
        KERAS,
        DIFFERS,
        '`The semantics of the Keras 2 argument`',
        '`fit_generator` of Keras 2 counts batches, and that of Keras 1 counted samples, so an epoch is much longer',
        'install `keras==1.2.2`, or write `steps_per_epoch`, the samples divided by the size of a batch',
    ),
    Rule(
        'batch-dot',
        KERAS,
        NOTE,
        '',
        'K.batch_dot of tensors with more than three axes has another meaning from Keras 2.2.5 on',
        'take Keras 2.2.4 if the tensors have four axes or more, as in capsule networks',
    ),
    Rule(
        'keras-0',
        KERAS,
        STOPS,
        "`No module named 'keras.layers.containers'`",
        'the program is written for Keras 0.3 or before',
        'rewrite these lines for Keras 1.2.2',
    ),
    Rule(
        'of-keras-3',
        KERAS,
        STOPS,
        "`module 'keras' has no attribute 'ops'`",
        'the program is written for Keras 3 or TensorFlow 2',
        '`python -m keras_backend.keras3 train.py`, see [coming-from-tf-keras.md](coming-from-tf-keras.md)',
    ),
    Rule(
        'own-keras',
        KERAS,
        NOTE,
        '',
        'a folder or file of the program is called keras, and Python takes it for Keras',
        'rename it if it is not a copy of Keras',
    ),
    Rule(
        'tf-gone',
        TENSORFLOW,
        STOPS,
        '`tf.contrib.... is gone`, `tf.layers.... is gone`',
        'this name of TensorFlow 1 is not among those [given back](legacy-keras.md#what-keras_backendkeras2-does)',
        'write what the message says',
    ),
    Rule(
        'tf-renamed',
        TENSORFLOW,
        STOPS,
        "`module 'tensorflow' has no attribute 'pack'` (or `mul`, `sub`, `merge_all_summaries`)",
        'TensorFlow 1.0 renamed it',
        'write the name of TensorFlow 1; `--check` says which',
    ),
    Rule(
        'one-device',
        TENSORFLOW,
        NOTE,
        'a warning that a model runs on one device',
        '`multi_gpu_model` asks for more GPUs than the machine has',
        'do nothing; the numbers are the same',
    ),
)


# -- what only a run shows ---------------------------------------------------------------------------------------------
# The rules that only a run shows: they have a row in docs/legacy-errors.md, and `--check` does not tell them.


_INSTALL = '`pip install --no-deps keras==2.3.1 keras-applications keras-preprocessing`'
_OLD_NUMPY = 'install NumPy 1.23.5, in [the combination of NumPy 1 and SciPy 1.10](legacy-pins.md)'

OF_RUNS = (
    Rule(
        'keras-3-installed',
        START,
        STOPS,
        '`keras_backend.keras2 needs Keras 1.2.2 or Keras 2, and Keras 3`',
        'Keras 3 was installed in place of Keras 2, because TensorFlow depends on it',
        f'{_INSTALL}, after all other installs',
    ),
    Rule(
        'no-keras',
        START,
        STOPS,
        '`keras_backend.keras2 needs Keras 1.2.2 or Keras 2, and none is installed`',
        'this environment has no Keras',
        'the same command',
    ),
    Rule(
        'no-program',
        START,
        STOPS,
        '`cannot find the program`',
        'there is no such file in this folder',
        'give the path of the program',
    ),
    Rule(
        'not-launched',
        START,
        STOPS,
        "`cannot import name 'Iterable' from 'collections'`",
        'Keras was imported without `keras_backend.keras2`',
        'start the program as said above',
    ),
    Rule(
        'no-applications',
        START,
        STOPS,
        "`No module named 'keras_applications'`",
        'Keras was installed with `--no-deps`, and the two packages that belong to it are missing',
        '`pip install --no-deps keras-applications keras-preprocessing`',
    ),
    Rule(
        'no-packages-of-keras',
        START,
        STOPS,
        "`No module named 'yaml'`, `'six'`, `'h5py'`, `'PIL'`",
        '`--no-deps` left out packages that Keras needs',
        '`pip install pyyaml six h5py pillow scipy`',
    ),
    Rule(
        'no-engine',
        START,
        STOPS,
        '`keras_backend was asked for the engine`',
        'the engine or its library is not installed',
        'do what the message says; `python -m keras_backend` shows more',
    ),
    Rule(
        'imported-early',
        TENSORFLOW,
        STOPS,
        "`module 'tensorflow' has no attribute 'Session'` (or `placeholder`, `ConfigProto`, `log`)",
        'TensorFlow was imported before `keras_backend.keras2`',
        'start the program as said above, or put the line before `import tensorflow`',
    ),
    Rule(
        'tf-argument',
        TENSORFLOW,
        STOPS,
        '`is gone with TensorFlow 1; leave out`',
        'the function is given back, and this argument of it is not',
        'leave out the argument, if the program can do without it',
    ),
    Rule(
        'tf-other-graph',
        TENSORFLOW,
        STOPS,
        '`belongs to another TensorFlow graph`',
        'a tensor of one graph is used in another graph, often in a thread',
        '`graph = tf.get_default_graph()` after building, and `with graph.as_default():` in the thread',
    ),
    Rule(
        'tf-not-initialised',
        TENSORFLOW,
        STOPS,
        '`is not initialised; run its initializer`',
        'the program made a variable with TensorFlow itself',
        '`K.get_session().run(tf.global_variables_initializer())` before the model is trained or loaded, because it '
        'resets all weights',
    ),
    Rule(
        'missing-input',
        TENSORFLOW,
        STOPS,
        '`depends on the placeholder` ... `which is not among the inputs`',
        '`K.function` lacks an input',
        'list the placeholder among its inputs',
    ),
    Rule(
        'allow-pickle',
        ARRAYS,
        STOPS,
        '`Object arrays cannot be loaded when allow_pickle=False`',
        'the program passes `allow_pickle=False`, or runs without `keras_backend.keras2`',
        'pass `allow_pickle=True`, for files that you trust',
    ),
    Rule(
        'out-of-bounds',
        ARRAYS,
        STOPS,
        '`Python integer 300 out of bounds for uint8`',
        'NumPy 2 does not convert 300 to 44',
        _OLD_NUMPY,
    ),
    Rule(
        'list-as-index',
        ARRAYS,
        STOPS,
        '`only integers, slices` ... `are valid indices`',
        'NumPy 1.23 and later take a list that is an index for an array of positions, not for a tuple',
        'write `x[tuple(index)]` in the program',
    ),
    Rule(
        'uneven-arrays',
        ARRAYS,
        STOPS,
        '`could not broadcast input array from shape`',
        'the program calls `np.array` on arrays that have equal first axes and different other axes; this never worked',
        'make an empty array with `dtype=object` and fill it in a loop',
    ),
    Rule(
        'built-for-numpy-1',
        ARRAYS,
        STOPS,
        '`numpy.core.multiarray failed to import`, `compiled using NumPy 1.x`',
        'a library was built for NumPy 1',
        _OLD_NUMPY,
    ),
    Rule(
        'h5py-bytes',
        ARRAYS,
        STOPS,
        "`'str' object has no attribute 'decode'`",
        'code that keeps its own reader opened an HDF5 file before Keras was imported',
        'install `h5py<3`',
    ),
    Rule(
        'marshal',
        MODELS,
        STOPS,
        '`bad marshal data`, `unknown opcode`, or the process ends without a message',
        'another Python saved a `Lambda` layer, and Keras runs without `keras_backend.keras2`',
        'run the program with `python -m keras_backend.keras2`, which interprets the function',
    ),
    Rule(
        'function-of-a-file',
        MODELS,
        STOPS,
        '`The function ... of the layer ... is not run, because it ...`',
        'a `Lambda` layer of the file uses a name of its program, or does more than compute',
        "`load_model(path, custom_objects={'name': value})`, or `{'name of the layer': function}`",
    ),
    Rule(
        'unknown-layer',
        MODELS,
        STOPS,
        '`Unknown layer: ...`, `Unknown loss function:...`, `Unknown metric function:...`, `Unknown optimizer: ...`',
        'the program has one of its own; the original says the same',
        "`load_model(path, custom_objects={'Name': Name})`",
    ),
    Rule(
        'saved-by-tf-keras',
        MODELS,
        STOPS,
        "`got an unexpected keyword argument 'ragged'` (or `groups`, `synchronized`), `Unknown layer: Functional`",
        'tf.keras of TensorFlow 2 saved the file, and Keras runs without `keras_backend.keras2`',
        'run the program with `python -m keras_backend.keras2`, which reads it',
    ),
    Rule(
        'other-weights',
        MODELS,
        STOPS,
        '`You are trying to load a weight file containing ... layers`',
        'the weights belong to another model',
        'pass `by_name=True`, or build the model that the weights were saved from',
    ),
    Rule(
        'url-fetch',
        MODELS,
        STOPS,
        '`Exception: URL fetch failure`',
        'a data set or weights have moved',
        'download the file yourself into `~/.keras/datasets` or `~/.keras/models`',
    ),
    Rule(
        'not-available',
        MODELS,
        STOPS,
        '`is not available on the ... engine`',
        'the library of the engine cannot do this',
        'do what the message says; the TensorFlow and NumPy engines have all of K',
    ),
)


# -- all of them -------------------------------------------------------------------------------------------------------
# The rules: what stops an old program or changes its numbers, why, and what to do.
#
# One table serves three. `--check` tells a rule where it finds it in a program. docs/legacy-errors.md has a row for
# each rule with a message, in the same words. The errors at run time have the messages.


_OF_KERAS_2 = (*OF_READING, *OF_RUNS, *OF_LIBRARIES)
rules.RULES.update((rule.name, rule) for rule in _OF_KERAS_2)
RULES = {**{rule.name: rule for rule in rules.OF_ALL_PROGRAMS}, **{rule.name: rule for rule in _OF_KERAS_2}}
plain, finding = rules.plain, rules.finding
