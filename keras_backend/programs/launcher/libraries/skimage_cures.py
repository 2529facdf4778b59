"""Cures for the removals of scikit-image 0.16 to 0.26."""

from types import ModuleType
from typing import Any, Callable, Dict, Optional

from .giving import give, joined, moved_modules, of_functions, old_arguments, version, wrap_lazily

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


def _today() -> bool:
    """Whether scikit-image takes `channel_axis` and `footprint` in the place of `multichannel` and `selem`."""
    import skimage

    return version(skimage) >= (0, 19)


def moved(skimage: ModuleType) -> str:
    """Give modules of `skimage` their old names (`skimage.filter`, `skimage.future.graph`, `skimage.util.montage`)."""
    table = {'skimage.filter': 'skimage.filters', 'skimage.future.graph': 'skimage.graph'}
    table['skimage.util.montage'] = 'skimage.util'
    table.update({f'skimage.measure.{old}': 'skimage.measure' for old in ('simple_metrics', '_structural_similarity')})
    return moved_modules(skimage, table)


def _multichannel(
    guess: bool = False, renamed: Optional[Dict[str, str]] = None, from_zero: bool = False, any_number: bool = False
) -> Wrapper:
    """Take `multichannel`. With `guess`, an image of 3 axes has 3 channels by default, or any number of them."""

    import numpy

    def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(image: Any, *args: Any, **kwargs: Any) -> Any:
            for old, new in (renamed or {}).items():
                if old in kwargs:
                    kwargs[new] = kwargs.pop(old)
            if 'channel_axis' not in kwargs:
                multichannel = kwargs.pop('multichannel', None)
                if multichannel is None and guess:
                    multichannel = numpy.ndim(image) == 3 and (any_number or numpy.shape(image)[-1] == 3)
                if multichannel is not None:
                    kwargs['channel_axis'] = -1 if multichannel else None
            if from_zero:
                kwargs.setdefault('start_label', 0)
            return function(image, *args, **kwargs)

        return called

    return wrapper


def measuring(measure: ModuleType) -> str:
    """Give back `compare_ssim`, `compare_psnr`, `compare_mse`, `compare_nrmse`, and `neighbors=` of `measure.label`."""
    names = of_functions(compare_ssim, compare_psnr, compare_mse, compare_nrmse)
    if _today():
        names['marching_cubes_lewiner'] = _lewiner
        return joined(give(measure, names), wrap_lazily(measure, {'label': _neighbors}))
    return '' if hasattr(measure, 'compare_ssim') else give(measure, names)


def compare_ssim(
    X: Any,
    Y: Any,
    win_size: Optional[int] = None,
    gradient: bool = False,
    data_range: Optional[float] = None,
    multichannel: bool = False,
    gaussian_weights: bool = False,
    full: bool = False,
    **kwargs: Any,
) -> Any:
    """`compare_ssim`: the structural similarity of two images. The range of floats is 2 if none is given."""
    import numpy
    from skimage.metrics import structural_similarity

    X, Y = numpy.asarray(X), numpy.asarray(Y)
    if data_range is None:
        data_range = _range(X.dtype, True)
    kwargs.update({'channel_axis': -1 if multichannel else None} if _today() else {'multichannel': multichannel})
    kwargs.update(win_size=win_size, gradient=gradient, gaussian_weights=gaussian_weights, full=full)
    return structural_similarity(X, Y, data_range=data_range, **kwargs)


def _range(dtype: Any, signed: bool) -> float:
    import numpy

    if dtype.kind in 'iu':
        limits = numpy.iinfo(dtype)
        return float(limits.max) - (float(limits.min) if signed else 0.0)
    return 2.0 if signed and dtype.kind == 'f' else 1.0


def compare_psnr(im_true: Any, im_test: Any, data_range: Optional[float] = None) -> Any:
    """`compare_psnr`: the peak signal to noise ratio in dB. The range of floats is 1, or 2 where some are negative."""
    import numpy
    from skimage.metrics import peak_signal_noise_ratio

    im_true, im_test = numpy.asarray(im_true), numpy.asarray(im_test)
    if data_range is None:
        data_range = _range(im_true.dtype, im_true.min() < 0)
    return peak_signal_noise_ratio(im_true, im_test, data_range=data_range)


def compare_mse(im1: Any, im2: Any) -> Any:
    """`compare_mse`: the mean of the squared differences."""
    from skimage.metrics import mean_squared_error

    return mean_squared_error(im1, im2)


def compare_nrmse(im_true: Any, im_test: Any, norm_type: str = 'Euclidean') -> Any:
    """`compare_nrmse`: the root of the mean squared difference, divided as `norm_type` says."""
    from skimage.metrics import normalized_root_mse

    return normalized_root_mse(im_true, im_test, normalization=norm_type.lower())


def _lewiner(volume: Any, level: Any = None, spacing: Any = (1.0, 1.0, 1.0), *args: Any, **kwargs: Any) -> Any:
    from skimage.measure import marching_cubes

    kwargs.pop('use_classic', None)
    kwargs.update(zip(('gradient_direction', 'step_size', 'allow_degenerate'), args))
    return marching_cubes(volume, level, spacing=spacing, **kwargs)


def _neighbors(label: Callable[..., Any]) -> Callable[..., Any]:
    import numpy

    def called(
        image: Any, neighbors: Any = None, background: Any = None, return_num: bool = False, connectivity: Any = None
    ) -> Any:
        if neighbors not in (None, 4, 8):
            raise ValueError(f'measure.label takes neighbors=4 or neighbors=8, got {neighbors!r}; pass one of these.')
        if neighbors is not None and connectivity is None:
            connectivity = 1 if neighbors == 4 else numpy.ndim(image)
        return label(image, background=background, return_num=return_num, connectivity=connectivity)

    return called


def filtering(filters: ModuleType) -> str:
    """Give back `threshold_adaptive`, `gaussian_filter` and `canny` of `skimage.filters`, and `multichannel=`."""
    restored = give(filters, of_functions(threshold_adaptive, canny))
    if not _today():
        return restored
    wrappers = {'gaussian': _multichannel(True), 'unsharp_mask': _multichannel()}
    wrappers['median'] = old_arguments(renamed={'selem': 'footprint'})

    def gaussian_filter(*args: Any, **kwargs: Any) -> Any:
        """`gaussian_filter`: the filter `gaussian`."""
        return filters.gaussian(*args, **kwargs)

    return joined(restored, give(filters, of_functions(gaussian_filter)), wrap_lazily(filters, wrappers))


def threshold_adaptive(
    image: Any, block_size: int, method: str = 'gaussian', offset: float = 0, mode: str = 'reflect', param: Any = None
) -> Any:
    """`threshold_adaptive`: whether each pixel is brighter than its neighbourhood."""
    from skimage.filters import threshold_local

    return image > threshold_local(image, block_size, method, offset, mode, param)


def canny(*args: Any, **kwargs: Any) -> Any:
    """`skimage.filters.canny`: `skimage.feature.canny`."""
    from skimage.feature import canny as today

    return today(*args, **kwargs)


def ranks(rank: ModuleType) -> str:
    """Take `selem=` in `skimage.filters.rank`."""
    if not _today():
        return ''
    names = [name for name, value in vars(rank).items() if callable(value) and name[0] != '_']
    return joined(*[wrap_lazily(rank, {name: old_arguments(renamed={'selem': 'footprint'})}) for name in names])


def morphology(morphology: ModuleType) -> str:
    """Give back `morphology.watershed` and `skeletonize_3d`, and `selem=` in dilations and the like."""
    if not _today():
        return ''
    names = 'erosion dilation opening closing white_tophat black_tophat reconstruction'
    names += ' binary_erosion binary_dilation binary_opening binary_closing flood_fill local_maxima local_minima'
    selem = old_arguments(renamed={'selem': 'footprint'})
    restored = give(morphology, of_functions(watershed, skeletonize_3d))
    return joined(restored, wrap_lazily(morphology, dict.fromkeys(names.split(), selem)))


def watershed(*args: Any, **kwargs: Any) -> Any:
    """`skimage.morphology.watershed`: `skimage.segmentation.watershed`."""
    from skimage.segmentation import watershed as today

    return today(*args, **kwargs)


def skeletonize_3d(image: Any) -> Any:
    """`skeletonize_3d`: the skeleton by the method of Lee, in bytes."""
    import numpy
    from skimage.morphology import skeletonize

    image = numpy.asarray(image)
    skeleton = skeletonize(image, method='lee').astype(bool)
    return numpy.where(skeleton, image.max() if image.dtype == numpy.uint8 else 255, 0).astype(numpy.uint8)


def features(feature: ModuleType) -> str:
    """Give back `greycomatrix`, `register_translation`, `peak_local_max(indices=False)` and `hog(visualise=)`."""
    if not _today():
        return ''

    def greycomatrix(*args: Any, **kwargs: Any) -> Any:
        """`greycomatrix`: `graycomatrix`."""
        return feature.graycomatrix(*args, **kwargs)

    def greycoprops(*args: Any, **kwargs: Any) -> Any:
        """`greycoprops`: `graycoprops`."""
        return feature.graycoprops(*args, **kwargs)

    restored = give(feature, of_functions(greycomatrix, greycoprops, register_translation))
    wrappers = {'peak_local_max': _peaks, 'hog': _multichannel(True, {'visualise': 'visualize'}, any_number=True)}
    return joined(restored, wrap_lazily(feature, wrappers))


def register_translation(
    src_image: Any, target_image: Any, upsample_factor: int = 1, space: str = 'real', return_error: bool = True
) -> Any:
    """`register_translation`: (the shift between two images, the error, the difference of phase)."""
    from skimage.registration import phase_cross_correlation

    registration = phase_cross_correlation(
        src_image, target_image, upsample_factor=upsample_factor, space=space, normalization=None
    )
    return registration if return_error else registration[0]


def _peaks(peak_local_max: Callable[..., Any]) -> Callable[..., Any]:
    import numpy

    def called(image: Any, *args: Any, **kwargs: Any) -> Any:
        indices = kwargs.pop('indices', True)
        peaks = peak_local_max(image, *args, **kwargs)
        if indices:
            return peaks
        mask = numpy.zeros(numpy.shape(image), bool)
        mask[tuple(peaks.T)] = True
        return mask

    return called


def drawing(draw: ModuleType) -> str:
    """Give back `skimage.draw.circle`."""

    def circle(r: float, c: float, radius: float, shape: Any = None) -> Any:
        """`draw.circle`: (rows, columns) of the pixels in a circle."""
        return draw.disk((r, c), radius, shape=shape)

    return give(draw, of_functions(circle)) if hasattr(draw, 'disk') else ''


def helpers(util: ModuleType) -> str:
    """Give back `skimage.util.pad` and `montage2d`."""

    import numpy

    def montage2d(arr_in: Any, *args: Any, **kwargs: Any) -> Any:
        """`montage2d`: images of one channel as one image."""
        return util.montage(arr_in, *args, **kwargs)

    if not _today():
        return give(util, of_functions(montage2d))
    restored = give(util, dict(of_functions(montage2d), pad=numpy.pad))
    return joined(restored, wrap_lazily(util, {'montage': _multichannel()}))


def colors(color: ModuleType) -> str:
    """Give back `grey2rgb` and `rgb2grey`, and let `rgb2gray` take a gray image, or one with an alpha channel."""
    if not _today():
        return ''

    def grey2rgb(image: Any) -> Any:
        """`grey2rgb`: `gray2rgb`."""
        return color.gray2rgb(image)

    def rgb2grey(rgb: Any) -> Any:
        """`rgb2grey`: `rgb2gray`."""
        return color.rgb2gray(rgb)

    return joined(give(color, of_functions(grey2rgb, rgb2grey)), wrap_lazily(color, {'rgb2gray': _also_gray}))


def _also_gray(rgb2gray: Callable[..., Any]) -> Callable[..., Any]:
    import numpy

    def called(rgb: Any, **kwargs: Any) -> Any:
        image = numpy.asanyarray(rgb)
        if image.ndim == 2:
            return numpy.ascontiguousarray(image)
        return rgb2gray(image[..., :3] if image.shape[-1] == 4 and not kwargs else image, **kwargs)

    return called


def transforms(module: ModuleType) -> str:
    """Take `multichannel=` in `skimage.transform`."""
    return _channels(module)


def restoration(module: ModuleType) -> str:
    """Take `multichannel=` and `n_iter_max=` in `skimage.restoration`."""
    return _channels(module)


def segmentation(module: ModuleType) -> str:
    """Take `multichannel=` in `skimage.segmentation`, and let `slic` count from 0."""
    return _channels(module)


def _channels(module: ModuleType) -> str:
    if not _today():
        return ''
    guessing = 'rescale', 'pyramid_reduce', 'pyramid_expand', 'pyramid_gaussian', 'pyramid_laplacian'
    iterations = {'n_iter_max': 'max_num_iter', 'max_iter': 'max_num_iter'}
    plain = 'denoise_nl_means denoise_bilateral denoise_wavelet felzenszwalb random_walker estimate_sigma'
    tables: Dict[str, Dict[str, Wrapper]] = {
        'skimage.transform': {name: _multichannel(True, any_number=True) for name in guessing},
        'skimage.restoration': {name: _multichannel() for name in plain.split()},
        'skimage.segmentation': {name: _multichannel() for name in plain.split()},
    }
    tables['skimage.restoration']['denoise_tv_chambolle'] = _multichannel(renamed=iterations)
    tables['skimage.segmentation']['slic'] = _multichannel(renamed=iterations, from_zero=True)
    there = dir(module)
    return wrap_lazily(module, {name: wrapper for name, wrapper in tables[module.__name__].items() if name in there})
