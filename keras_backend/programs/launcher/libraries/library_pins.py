"""The last versions of other libraries that work without a cure: two combinations, each of which installs together."""

from typing import Dict, NamedTuple, Tuple


class Pin(NamedTuple):
    """The last version of a library beside some Pythons that still has names of 2015 to 2019.

    Attributes
    ----------
    version : str
        The version.
    names : tuple of str
        Names in full that this version has, and that later versions have removed.
    """

    version: str
    names: Tuple[str, ...] = ()


def pin(version: str, names: str = '') -> Pin:
    """A pin whose names are said in one text."""
    return Pin(version, tuple(names.split()))


# Pythons -> name for pip -> pin.
PINS: Dict[str, Dict[str, Pin]] = {
    '3.10 and 3.11': {
        'numpy': pin('1.23.5', 'numpy.float numpy.bool numpy.product numpy.fromstring'),
        'scipy': pin(
            '1.10.1',
            'scipy.randn scipy.sqrt scipy.misc.derivative scipy.signal.gaussian scipy.integrate.simps '
            'scipy.stats.binom_test scipy.special.sph_harm',
        ),
        'pandas': pin('1.5.3', 'pandas.DataFrame.append pandas.DataFrame.iteritems pandas.DataFrame.mad'),
        'matplotlib': pin(
            '3.6.3',
            'matplotlib.cm.get_cmap matplotlib.cm.register_cmap matplotlib.pyplot.register_cmap '
            'matplotlib.pyplot.plot_date',
        ),
        'scikit-learn': pin('1.1.3', 'sklearn.datasets.load_boston sklearn.metrics.plot_confusion_matrix'),
        'scikit-image': pin('0.20.0', 'skimage.morphology.skeletonize_3d'),
        'networkx': pin(
            '2.8.8',
            'networkx.from_numpy_matrix networkx.to_numpy_matrix networkx.write_gpickle networkx.info '
            'networkx.OrderedGraph',
        ),
        'tifffile': pin('2021.11.2', 'tifffile.imsave'),
        'imageio': pin('2.27.0'),
        'pillow': pin('9.5.0', 'PIL.Image.ANTIALIAS PIL.ImageDraw.ImageDraw.textsize'),
        'setuptools': pin('80.10.2', 'pkg_resources.resource_filename'),
    },
    '3.7': {
        'numpy': pin('1.17.5', 'numpy.float numpy.asscalar numpy.loads numpy.ndarray.tostring'),
        'scipy': pin(
            '1.2.3',
            'scipy.misc.comb scipy.misc.logsumexp scipy.interpolate.spline scipy.linalg.pinv2 scipy.stats.itemfreq',
        ),
        'pandas': pin('0.25.3', 'pandas.DataFrame.ix pandas.DataFrame.as_matrix pandas.Panel pandas.np'),
        'matplotlib': pin('3.0.3', 'matplotlib.mlab.normpdf matplotlib.mlab.griddata matplotlib.cbook.iterable'),
        'scikit-learn': pin(
            '0.20.4',
            'sklearn.externals.joblib sklearn.preprocessing.Imputer sklearn.utils.linear_assignment_ '
            'sklearn.datasets.fetch_mldata',
        ),
        'scikit-image': pin('0.15.0', 'skimage.measure.compare_ssim skimage.morphology.watershed skimage.draw.circle'),
        'networkx': pin('2.3', 'networkx.Graph.node networkx.connected_component_subgraphs'),
        'tifffile': pin('2019.7.26.2', 'tifffile.imsave'),
        'imageio': pin('2.5.0'),
        'pillow': pin('6.2.2', 'PIL.Image.ANTIALIAS PIL.PILLOW_VERSION'),
        'h5py': pin('2.10.0', 'h5py.Dataset.value h5py.File.fid'),
        'setuptools': pin('59.8.0', 'pkg_resources.resource_filename distutils.version.LooseVersion'),
    },
}
