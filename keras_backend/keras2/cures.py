"""The list of all cures: what each gives back to programs of 2017, and which programs need it.

The cures of `keras` and `tensorflow` are applied after Keras was imported on the configured engine.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import List, Tuple

from ..errors import WrongKeras
from ..launcher import draws, imports
from ..launcher.cures import Cure, action, explanation, import_to_explain
from . import (
    fed_tensors,
    files_of_other_keras,
    h5py_cures,
    image_cures,
    keras_cures,
    layer_cures,
    matplotlib_axes,
    matplotlib_cures,
    moving_averages,
    networkx_cures,
    numpy_cures,
    numpy_functions_cures,
    old_modules_cures,
    pandas_cures,
    protobuf_cures,
    python_cures,
    python_names_cures,
    ref_variable_cures,
    scipy_cures,
    skimage_cures,
    sklearn_cures,
    stored_functions,
    tensorboard_projector,
    tensorflow_backend_cures,
    tensorflow_cures,
    tensorflow_keras_cures,
    tifffile_cures,
    versions,
)

CURES: Tuple[Cure, ...] = (
    Cure('collections', python_cures.abstract_classes, 'Keras itself, and programs that say collections.Iterable'),
    Cure('inspect', python_cures.argument_specifications, 'Keras itself, and decorators of that time'),
    Cure('sys', python_cures.imp_module, 'programs that load a configuration file by imp.load_source'),
    Cure('sys', old_modules_cures.modules, 'from distutils.version import LooseVersion; import xml.etree.cElementTree'),
    Cure('sys', old_modules_cures.pkg_resources, 'packages that say resource_filename(__name__, ...)'),
    Cure('cgi', old_modules_cures.html_text, 'web pages that show results'),
    Cure('time', python_names_cures.clock, 'programs that measure by time.clock()'),
    Cure('fractions', python_names_cures.divisor, 'from fractions import gcd'),
    Cure('threading', python_names_cures.threads, 'loaders of data with threads'),
    Cure('base64', python_names_cures.strings_of_bytes, 'programs that send images as text'),
    Cure('html.parser', python_names_cures.entities, 'programs that clean text'),
    Cure('platform', python_names_cures.system, 'programs that ask for the system'),
    Cure('os', python_names_cures.error_numbers, 'programs that make folders and look at os.errno.EEXIST'),
    Cure('json', python_names_cures.encodings, "json.load(file, encoding='utf-8')"),
    Cure('builtins', python_names_cures.text_files, "open(path, 'rU')"),
    Cure('random', python_names_cures.choices, 'generators of data: random.sample(set(...)), random.randint(0, n / 2)'),
    Cure('asyncio', python_names_cures.coroutines, 'programs of Python 3.4'),
    Cure('unittest', python_names_cures.assertions, 'tests that say assertEquals'),
    Cure('numpy', numpy_cures.names, 'nearly all: np.float, np.int, np.bool, np.product ...'),
    Cure('numpy', numpy_cures.uneven_lists, 'programs with sequences or boxes that differ in length'),
    Cure('numpy', numpy_cures.copies_where_needed, 'programs that say np.array(x, copy=False)'),
    Cure('numpy', numpy_cures.lists_of_arrays, 'programs that add to what np.meshgrid gives'),
    Cure('numpy', numpy_cures.object_files, 'keras.datasets.imdb and reuters, and programs with .npy files of objects'),
    Cure('numpy', numpy_functions_cures.arguments, 'readers of images: np.fromstring(data, np.uint8)'),
    Cure('h5py', h5py_cures.bytes_of_attributes, 'load_model and load_weights of Keras'),
    Cure('h5py', h5py_cures.arrays_of_text, 'models with cells in an RNN that are saved'),
    Cure('h5py', h5py_cures.file_mode, 'programs that say h5py.File(path) and write'),
    Cure('h5py', h5py_cures.dataset_value, 'programs that read weights or data by dataset.value'),
    Cure('h5py', h5py_cures.file_id, 'programs that pickle a model of Keras 2.3'),
    Cure('google.protobuf.text_format', protobuf_cures.format_of_floats, 'tf.train.write_graph of a .pbtxt file'),
    Cure('scipy.misc', image_cures.scipy_images, 'style transfer, GANs: imread, imresize, imsave'),
    Cure('scipy.ndimage', image_cures.scipy_reading, 'programs that read images by scipy.ndimage.imread'),
    Cure('PIL.Image', image_cures.pillow_filters, 'detectors and data preparation: Image.ANTIALIAS'),
    Cure('PIL.ImageDraw', image_cures.pillow_text_size, 'detectors that write labels beside boxes'),
    Cure('PIL.ImageFont', image_cures.pillow_font_size, 'detectors that write labels beside boxes'),
    Cure('scipy', scipy_cures.names_of_numpy, 'programs that say scipy.randn, scipy.sqrt or scipy.zeros'),
    Cure('scipy.misc', scipy_cures.functions_of_misc, 'from scipy.misc import comb, logsumexp or factorial'),
    Cure('scipy.signal', scipy_cures.windows, 'audio: signal.gaussian, signal.hann, signal.cwt'),
    Cure('scipy.integrate', scipy_cures.integrals, 'programs that call simps, trapz or cumtrapz'),
    Cure('scipy.interpolate', scipy_cures.splines, 'plots smoothed by spline; heat maps made larger by interp2d'),
    Cure('scipy.stats', scipy_cures.statistics, 'programs that call itemfreq, binom_test or threshold'),
    Cure('scipy.stats', scipy_cures.mode_with_axis, 'the vote of several models: stats.mode(predictions)[0][0]'),
    Cure('scipy.linalg', scipy_cures.linear_algebra, 'whitening by pinv2'),
    Cure('scipy.spatial', scipy_cures.vertices, 'warping of faces: Delaunay(points).vertices'),
    Cure('scipy.spatial.distance', scipy_cures.distances, 'programs that call matching or wminkowski'),
    Cure('scipy.special', scipy_cures.special_functions, 'programs that call sph_harm'),
    Cure('matplotlib', matplotlib_cures.settings, "matplotlib.use('Agg', warn=False); rcParams of the time"),
    Cure('matplotlib.cm', matplotlib_cures.colormaps, "heat maps: cm.get_cmap('jet'), cm.spectral"),
    Cure('matplotlib.style', matplotlib_cures.styles, "plt.style.use('seaborn-whitegrid')"),
    Cure('matplotlib.mlab', matplotlib_cures.numerics, 'programs that call mlab.normpdf or bivariate_normal'),
    Cure('matplotlib.cbook', matplotlib_cures.kinds, 'programs that call cbook.iterable'),
    Cure('matplotlib.axes', matplotlib_axes.axes, "hist(normed=1), tick_params(labelbottom='off'), ax.lines.pop(0)"),
    Cure('matplotlib.figure', matplotlib_axes.figures, "plots in space: fig.gca(projection='3d')"),
    Cure('matplotlib.pyplot', matplotlib_axes.pyplot, 'programs that call plt.hold(True) or plt.register_cmap'),
    Cure('matplotlib.backend_bases', matplotlib_axes.window_titles, 'programs that set the title of a window'),
    Cure('mpl_toolkits.mplot3d.axes3d', matplotlib_axes.space, 'plots in space: Axes3D(fig)'),
    Cure('pandas', pandas_cures.names, 'programs that say pd.np, pd.datetime or pd.rolling_mean'),
    Cure('pandas', pandas_cures.moved, 'from pandas.tools.plotting import scatter_matrix'),
    Cure('pandas', pandas_cures.methods, 'df.ix, df.append, df.as_matrix, Series.from_csv'),
    Cure('pandas', pandas_cures.arguments, "df.drop('label', 1); read_csv(squeeze=True, date_parser=...)"),
    Cure('pandas', pandas_cures.defaults, 'get_dummies for Dense layers; df.dtypes == object; df.fillna(df.mean())'),
    Cure('pandas', pandas_cures.columns, "df['age'].fillna(0, inplace=True); df['a'][mask] = 0"),
    Cure('sklearn', sklearn_cures.moved, 'from sklearn.externals import joblib; files that such programs saved'),
    Cure('sklearn', sklearn_cures.gone_modules, 'from sklearn.cross_validation import train_test_split; clustering'),
    Cure('sklearn.datasets', sklearn_cures.datasets, "programs that say fetch_mldata('MNIST original')"),
    Cure('sklearn.preprocessing', sklearn_cures.preprocessing, 'Imputer; OneHotEncoder(categorical_features=[1])'),
    Cure('sklearn.metrics', sklearn_cures.metrics, 'programs that call jaccard_similarity_score'),
    Cure('sklearn.utils', sklearn_cures.helpers, 'programs that call safe_indexing'),
    Cure('sklearn.utils.class_weight', sklearn_cures.class_weights, "compute_class_weight('balanced', classes, y)"),
    Cure('sklearn.model_selection', sklearn_cures.folds, 'KFold(n_splits=10, random_state=7)'),
    Cure('sklearn.manifold', sklearn_cures.steps_of_tsne, 'pictures of features by TSNE(n_iter=300)'),
    Cure('skimage', skimage_cures.moved, 'from skimage.filter import ...'),
    Cure('skimage.measure', skimage_cures.measuring, 'super-resolution: compare_ssim, compare_psnr'),
    Cure(
        'skimage.filters', skimage_cures.filtering, 'segmentation: threshold_adaptive, gaussian of images with colors'
    ),
    Cure('skimage.filters.rank', skimage_cures.ranks, 'programs that pass selem='),
    Cure('skimage.morphology', skimage_cures.morphology, 'segmentation: watershed, dilation(selem=)'),
    Cure('skimage.feature', skimage_cures.features, 'cells and textures: peak_local_max(indices=False), greycomatrix'),
    Cure('skimage.draw', skimage_cures.drawing, 'programs that draw.circle'),
    Cure('skimage.util', skimage_cures.helpers, 'programs that call pad or montage2d'),
    Cure('skimage.color', skimage_cures.colors, 'reinforcement learning: rgb2gray of a gray or RGBA image'),
    Cure('skimage.transform', skimage_cures.transforms, 'data preparation: rescale(multichannel=True)'),
    Cure('skimage.restoration', skimage_cures.restoration, 'programs that pass multichannel='),
    Cure('skimage.segmentation', skimage_cures.segmentation, 'superpixels: slic'),
    Cure('networkx', networkx_cures.graphs, 'graph networks: G.node, G.nodes_iter()'),
    Cure('networkx', networkx_cures.functions, 'graph networks: connected_component_subgraphs, from_numpy_matrix'),
    Cure('networkx', networkx_cures.sparse_matrices, 'graph networks: the product * of adjacency matrices'),
    Cure('networkx', networkx_cures.attributes, 'programs written for NetworkX 1'),
    Cure('tifffile', tifffile_cures.writing, 'microscopy: tifffile.imsave'),
    Cure('imageio', tifffile_cures.seconds_of_frames, 'GANs: mimsave of a GIF with fps or duration'),
    Cure('keras', keras_cures.names_of_k, 'programs that call K.clear_session or K.set_session'),
    Cure('keras', keras_cures.name_of_engine, "programs that ask K.backend() == 'tensorflow'"),
    Cure('keras', keras_cures.reloading, 'programs that set KERAS_BACKEND and reload keras.backend'),
    Cure('keras', keras_cures.module_of_engine, 'from keras.backend.tensorflow_backend import set_session'),
    Cure('keras', keras_cures.names_of_helpers, 'layers that use K.py_all, K.np, K._BACKEND'),
    Cure('keras', layer_cures.shapes_of_lambdas, 'Lambda layers without output_shape'),
    Cure('keras', layer_cures.variance_of_images, 'programs that train BatchNormalization on images, and predict'),
    Cure('keras', layer_cures.trainable_variables, 'layers with self.W = K.variable(...) on Keras 2.3'),
    Cure('keras', layer_cures.whole_sizes, 'programs that say Dense(np.amax(labels) + 1)'),
    Cure('keras', stored_functions.interpreted, 'models with Lambda layers that another Python saved'),
    Cure('keras', files_of_other_keras.loaded, "load_model('model.h5') of tf.keras, Keras 1 or 3; model_from_json"),
    Cure('keras', keras_cures.test_decorator, 'tests that say @keras_test'),
    Cure('keras', keras_cures.old_batch_dot, 'capsule nets and attention written for Keras 2.2'),
    Cure('keras', moving_averages.without_bias, 'BatchNormalization of Keras 2.1 and 2.2'),
    Cure('keras', fed_tensors.values_of_tensors, 'model.fit(x, y, steps_per_epoch=2) of variables or of a pipeline'),
    Cure('keras', keras_cures.kernels_of_theano, 'programs that load weights saved on Theano'),
    Cure('keras', keras_cures.losses_in_double, 'programs that write history.history as JSON'),
    Cure('keras', keras_cures.cudnn_layers, 'programs and files with CuDNNLSTM or CuDNNGRU'),
    Cure('keras.wrappers.scikit_learn', keras_cures.scikit_learn_wrappers, 'KerasClassifier in scikit-learn'),
    Cure('tensorflow', tensorflow_cures.view, 'programs that import tensorflow beside Keras: tf.Session, tf.log ...'),
    Cure(
        'tensorflow', ref_variable_cures.made_by_default, 'programs that say tf.scatter_update(tf.assign(v, 0.), ...)'
    ),
    Cure('tensorflow', ref_variable_cures.first_values, 'tf.Variable(v.initialized_value())'),
    Cure('tensorflow', tensorflow_cures.dimensions, 'layers that say x.shape[1].value or x.get_shape()[-1].value'),
    Cure('tensorflow', tensorflow_cures.given_parts, 'programs with tf.contrib.layers, tf.layers, tf.nn.rnn_cell'),
    Cure('tensorflow', tensorflow_cures.private_parts, 'from tensorflow.python.ops import rnn_cell'),
    Cure('tensorflow', tensorflow_keras_cures.aliases, 'from tensorflow.python.keras.layers import Dense'),
    Cure('tensorflow', tensorflow_keras_cures.whole_shapes, 'layers whose compute_output_shape gives a TensorShape'),
    Cure('tensorflow', tensorflow_backend_cures.private_modules, 'layers that use K.tf, K.control_flow_ops, K.ctc'),
    Cure('tensorflow', tensorflow_cures.moved_names, 'detectors with control_flow_ops.while_loop; frozen graphs'),
    Cure(
        'tensorflow',
        tensorflow_backend_cures.private_functions,
        'programs that call K.tensorflow_backend._get_available_gpus or _to_tensor',
    ),
    Cure('tensorflow', tensorflow_backend_cures.names_in_keras, 'tf.train.AdamOptimizer in compile, TensorBoard'),
    Cure('tensorflow', tensorflow_cures.length_of_tensors, "code that tells lists by hasattr(x, '__len__')"),
    Cure('tensorflow', tensorboard_projector.projector, 'the callback TensorBoard'),
    Cure('keras', keras_cures.several_gpus, 'programs that call multi_gpu_model'),
)


def check_installed() -> None:
    """Raise WrongKeras if Keras 2 is not installed."""
    version = versions.of_keras()
    if version is None or not version.startswith(('1.2.', '2.')):
        raise WrongKeras(
            'keras_backend.keras2 needs Keras 1.2.2 or Keras 2, and '
            f'{"none" if version is None else "Keras " + version} is installed; type: '
            f'python -m keras_backend.keras2 --keras {versions.NEWEST} PROGRAM.py (pip makes a folder for it), or: '
            f'pip install --no-deps keras=={versions.NEWEST} keras-applications keras-preprocessing '
            '(TensorFlow depends on Keras 3, but runs without it).'
        )


def watch() -> None:
    """Apply each cure when its module is imported, or now if it is imported already."""
    for cure in CURES:
        if cure.module not in ('keras', 'tensorflow'):
            imports.after(cure.module, action(cure))
    imports.instead('scipy.misc', lambda: ModuleType('scipy.misc'))
    if 'keras' in sys.modules:
        _prepare()
    else:
        imports.before('keras', _prepare)
        imports.before('tensorflow', _prepare_for_tensorflow)


_preparing: List[str] = []


def _prepare() -> None:
    """Import Keras on the configured engine, and apply the cures that belong to it."""
    if _preparing:  # the import below comes here again
        return
    _preparing.append('keras')
    try:
        with draws.kept():
            keras_cures.import_keras()
            keras = import_module('keras')
            mixed = keras_cures.short_name() == 'tensorflow'
            for cure in CURES:
                if cure.module == 'keras' or (cure.module == 'tensorflow' and mixed):
                    action(cure)(keras)
    finally:
        _preparing.clear()


def _prepare_for_tensorflow() -> None:
    # The default engine depends on what is installed, so that asking for it looks for TensorFlow, and comes here again.
    if _preparing:
        return
    _preparing.append('tensorflow')
    try:
        # On other engines TensorFlow stays as it is.
        with draws.kept():
            wanted = keras_cures.short_name() == 'tensorflow'
    finally:
        _preparing.clear()
    if wanted:
        _prepare()


def explain() -> str:
    """The text of `--explain`: what each cure did in this process, and which programs need it."""
    modules = [cure.module for cure in CURES if cure.module not in ('keras', 'tensorflow')]
    keras = import_to_explain([*dict.fromkeys(modules), 'keras'])
    return explanation(f'Keras {keras.__version__} on the engine {keras_cures.short_name()}', CURES)
