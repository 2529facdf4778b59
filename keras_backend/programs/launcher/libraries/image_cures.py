"""Cures for the removals of SciPy 1.3, Pillow 10, tifffile 2022 and imageio 2.28: images and animations."""

from types import ModuleType
from typing import Any, Callable, Optional, Tuple

from ..cures import around
from .giving import joined, version, wrap

# -- SciPy and Pillow --------------------------------------------------------------------------------------------------
# Cures for the removals of SciPy 1.3 and Pillow 10: reading, resizing and writing images, and the size of a text.


def scipy_images(misc: ModuleType) -> str:
    """Give back `imread`, `imresize`, `imsave`, `toimage`, `fromimage` and `bytescale` of `scipy.misc`."""
    return _give(misc, imread, imresize, imsave, toimage, fromimage, bytescale)


def scipy_reading(ndimage: ModuleType) -> str:
    """Give back `imread` of `scipy.ndimage`."""
    return _give(ndimage, imread)


def _give(module: ModuleType, *functions: Callable[..., Any]) -> str:
    missing = [function for function in functions if not hasattr(module, function.__name__)]
    for function in missing:
        setattr(module, function.__name__, function)
    return ', '.join(f'{module.__name__}.{function.__name__}' for function in missing)


def bytescale(
    data: Any, cmin: Optional[float] = None, cmax: Optional[float] = None, high: int = 255, low: int = 0
) -> Any:
    """`scipy.misc.bytescale`: an array as bytes. The values from cmin to cmax are spread over low to high."""
    import numpy as np

    data = np.asarray(data)
    if data.dtype == np.uint8:
        return data
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    scale = float(high - low) / ((cmax - cmin) or 1)
    return (((data - cmin) * scale + low).clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: Any,
    high: int = 255,
    low: int = 0,
    cmin: Optional[float] = None,
    cmax: Optional[float] = None,
    pal: Any = None,
    mode: Optional[str] = None,
    channel_axis: Optional[int] = None,
) -> Any:
    """`scipy.misc.toimage`: an array (rows, columns), or one with 3 or 4 channels, as an image of Pillow."""
    import numpy as np
    from PIL import Image

    data = np.asarray(arr)
    if data.ndim == 2 and mode == 'F':
        return Image.fromarray(data.astype(np.float32))
    if data.ndim == 3:
        axis = (
            channel_axis if channel_axis is not None else next((i for i in (2, 1, 0) if data.shape[i] in (3, 4)), None)
        )
        if axis is None:
            raise ValueError(f'toimage takes an array with 3 or 4 channels, got the shape {data.shape}.')
        data = np.moveaxis(data, axis, 2)
    elif data.ndim != 2:
        raise ValueError(f'toimage takes an array of 2 or 3 axes, got the shape {data.shape}.')
    image = Image.fromarray(bytescale(data, cmin, cmax, high, low))
    return image if mode is None or image.mode == mode else image.convert(mode)


def fromimage(im: Any, flatten: bool = False, mode: Optional[str] = None) -> Any:
    """`scipy.misc.fromimage`: an image of Pillow as an array. `flatten` gives one channel of floats."""
    import numpy as np

    if mode is not None and mode != im.mode:
        im = im.convert(mode)
    elif im.mode == 'P':
        im = im.convert('RGBA' if 'transparency' in im.info else 'RGB')
    elif im.mode == '1':
        im = im.convert('L')
    return np.array(im.convert('F') if flatten else im)


def imread(name: Any, flatten: bool = False, mode: Optional[str] = None) -> Any:
    """`scipy.misc.imread`: the image in a file as an array (rows, columns, channels)."""
    from PIL import Image

    with Image.open(name) as image:
        return fromimage(image, flatten, mode)


def imsave(name: Any, arr: Any, format: Optional[str] = None) -> None:
    """`scipy.misc.imsave`: write an array as an image."""
    image = toimage(arr, channel_axis=2) if getattr(arr, 'ndim', 2) == 3 else toimage(arr)
    image.save(name) if format is None else image.save(name, format)


def imresize(arr: Any, size: Any, interp: str = 'bilinear', mode: Optional[str] = None) -> Any:
    """`scipy.misc.imresize`: an image in another size, given as percent (int), fraction (float) or (rows, columns)."""
    import numpy as np
    from PIL import Image

    image = toimage(arr, mode=mode)
    columns, rows = image.size
    if isinstance(size, (int, np.integer)):
        new_size: Tuple[int, int] = (int(columns * size / 100.0), int(rows * size / 100.0))
    elif isinstance(size, (float, np.floating)):
        new_size = (int(columns * size), int(rows * size))
    else:
        new_size = (int(size[1]), int(size[0]))
    methods = {
        'nearest': Image.NEAREST,
        'lanczos': Image.LANCZOS,
        'bilinear': Image.BILINEAR,
        'bicubic': Image.BICUBIC,
        'cubic': Image.BICUBIC,
    }
    return fromimage(image.resize(new_size, methods[interp]))


def pillow_filters(image: ModuleType) -> str:
    """Give back `Image.ANTIALIAS`, `Image.LINEAR` and `Image.CUBIC`. Pillow 10 removed them."""
    pairs = (('ANTIALIAS', 'LANCZOS'), ('LINEAR', 'BILINEAR'), ('CUBIC', 'BICUBIC'))
    missing = [pair for pair in pairs if not hasattr(image, pair[0])]
    for name, meaning in missing:
        setattr(image, name, getattr(image, meaning))
    return ', '.join(f'Image.{name}' for name, _ in missing)


def nearest_pixels(module: ModuleType) -> str:
    """Let `image.resize(size)` and `ImageOps.fit` take the nearest pixel, as before Pillow 7. Today they are smooth."""
    import PIL

    if version(PIL) < (7, 0):
        return ''
    if module.__name__ == 'PIL.Image':
        return wrap(module.Image, 'resize', _nearest_at(2))
    return wrap(module, 'fit', _nearest_at(2, 'method')) and 'ImageOps.fit'


def _nearest_at(position: int, name: str = 'resample') -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    @around
    def resized(resize: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) <= position and kwargs.get(name) is None:
            kwargs[name] = 0  # NEAREST
        return resize(*args, **kwargs)

    return resized


def pillow_text_size(draw: ModuleType) -> str:
    """Give back `ImageDraw.textsize`. Pillow 10 removed it."""

    def textsize(self: Any, text: Any, font: Any = None, spacing: float = 4, **kwargs: Any) -> Tuple[int, int]:
        box = self.textbbox((0, 0), text, font=font, spacing=spacing, **kwargs)
        return round(box[2]), round(box[3])

    if hasattr(draw.ImageDraw, 'textsize'):
        return ''
    draw.ImageDraw.textsize = textsize
    return 'ImageDraw.textsize'


def pillow_font_size(fonts: ModuleType) -> str:
    """Give back `getsize` of fonts. Pillow 10 removed it."""

    def getsize(self: Any, text: Any, *args: Any, **kwargs: Any) -> Tuple[int, int]:
        box = self.getbbox(text, *args, **kwargs)
        return round(box[2]), round(box[3])

    missing = [
        name
        for name in ('ImageFont', 'FreeTypeFont', 'TransposedFont')
        if hasattr(fonts, name) and not hasattr(getattr(fonts, name), 'getsize')
    ]
    for name in missing:
        getattr(fonts, name).getsize = getsize
    return ', '.join(f'ImageFont.{name}.getsize' for name in missing)


# -- tifffile and imageio ----------------------------------------------------------------------------------------------
# Cures for the removals of tifffile 2022 and imageio 2.28: writing of images and animations.


def writing(tifffile: ModuleType) -> str:
    """Give back `tifffile.imsave`, `TiffWriter.save` and the argument `compress` of both."""
    done = []
    pairs = (tifffile, 'imsave', 'imwrite'), (tifffile.TiffWriter, 'save', 'write')
    for owner, old, new in pairs:
        if hasattr(owner, new) and not hasattr(owner, old):
            setattr(owner, old, getattr(owner, new))
            wrap(owner, old, _with_compress)
            done.append(f'{owner.__name__}.{old}')
    return ', '.join(done)


@around
def _with_compress(write: Any, *args: Any, **kwargs: Any) -> Any:
    if 'compress' in kwargs:
        level = int(kwargs.pop('compress') or 0)
        if level:
            kwargs.update(compression='zlib', compressionargs={'level': level})
    return write(*args, **kwargs)


def seconds_of_frames(imageio: ModuleType) -> str:
    """Take `fps`, and `duration` in seconds, for GIF files; imageio 2.28 takes milliseconds alone."""
    if version(imageio) < (2, 28):
        return ''
    return joined(*[wrap(imageio, name, _in_seconds) for name in ('mimsave', 'mimwrite', 'get_writer')])


@around
def _in_seconds(write: Any, uri: Any, *args: Any, **kwargs: Any) -> Any:
    if _format(uri, args, kwargs).endswith('gif'):
        # imageio 2.5 shows a frame for 0.1 seconds where neither is given.
        seconds = kwargs.pop('duration', None)
        fps = kwargs.pop('fps', None)
        if seconds is None:
            seconds = 1.0 / fps if fps else 0.1
        kwargs['duration'] = [1000 * s for s in seconds] if isinstance(seconds, (list, tuple)) else 1000 * seconds
    return write(uri, *args, **kwargs)


# Formats of files that hold bytes, no floats.
BYTES_ALONE = 'png', 'jpg', 'jpeg', 'bmp', 'gif', 'ppm'


def images_of_floats(imageio: ModuleType) -> str:
    """Let `imwrite` and `mimsave` turn floats and integers into bytes, as before imageio 2.28: 0 to 1, or all of it."""
    if version(imageio) < (2, 28):
        return ''
    names = ('imwrite', _in_bytes), ('imsave', _in_bytes), ('mimwrite', _each_in_bytes), ('mimsave', _each_in_bytes)
    return joined(*[wrap(imageio, name, wrapper) for name, wrapper in names])


@around
def _in_bytes(write: Any, uri: Any, im: Any, *args: Any, **kwargs: Any) -> Any:
    return write(uri, _of_bytes(im) if _takes_bytes(uri, args, kwargs) else im, *args, **kwargs)


@around
def _each_in_bytes(write: Any, uri: Any, ims: Any, *args: Any, **kwargs: Any) -> Any:
    return write(uri, [_of_bytes(im) for im in ims] if _takes_bytes(uri, args, kwargs) else ims, *args, **kwargs)


def _takes_bytes(uri: Any, args: Any, kwargs: Any) -> bool:
    return _format(uri, args, kwargs).rpartition('.')[2] in BYTES_ALONE


def _format(uri: Any, args: Any, kwargs: Any) -> str:
    """The format that a call names, or else the path. It is in small letters."""
    named = kwargs.get('format') or next((arg for arg in args if isinstance(arg, str)), None)
    return str(named or uri).lower()


def _of_bytes(im: Any) -> Any:
    import numpy

    im = numpy.asanyarray(im)
    if im.ndim == 3 and im.shape[2] == 1:
        im = im[:, :, 0]
    if im.dtype == numpy.uint16:
        return im if im.ndim == 2 else (im >> 8).astype(numpy.uint8)
    if im.dtype.kind not in 'fiu' or im.dtype == numpy.uint8 or not im.size:
        return im
    least, most = numpy.nanmin(im), numpy.nanmax(im)
    if im.dtype.kind != 'f' or least < 0 or most > 1:
        if least == most:
            return im.astype(numpy.uint8)
        im = (im.astype('float64') - least) / (float(most) - float(least))
    return (im * 255 + 0.499999999).astype(numpy.uint8)
