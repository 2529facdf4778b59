"""Cures for the removals of tifffile 2022 and imageio 2.28: writing of images and animations."""

from types import ModuleType
from typing import Any, Callable

from .giving import joined, version, wrap


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


def _with_compress(write: Callable[..., Any]) -> Callable[..., Any]:
    def save(*args: Any, **kwargs: Any) -> Any:
        if 'compress' in kwargs:
            level = int(kwargs.pop('compress') or 0)
            if level:
                kwargs.update(compression='zlib', compressionargs={'level': level})
        return write(*args, **kwargs)

    return save


def seconds_of_frames(imageio: ModuleType) -> str:
    """Take `fps`, and `duration` in seconds, for GIF files; imageio 2.28 takes milliseconds alone."""
    if version(imageio) < (2, 28):
        return ''
    return joined(*[wrap(imageio, name, _in_seconds) for name in ('mimsave', 'mimwrite', 'get_writer')])


def _in_seconds(write: Callable[..., Any]) -> Callable[..., Any]:
    def written(uri: Any, *args: Any, **kwargs: Any) -> Any:
        kind = kwargs.get('format') or next((arg for arg in args if isinstance(arg, str)), None) or str(uri)
        if str(kind).lower().endswith('gif'):
            # imageio 2.5 shows a frame for 0.1 seconds where neither is given.
            seconds = kwargs.pop('duration', None)
            fps = kwargs.pop('fps', None)
            if seconds is None:
                seconds = 1.0 / fps if fps else 0.1
            kwargs['duration'] = [1000 * s for s in seconds] if isinstance(seconds, (list, tuple)) else 1000 * seconds
        return write(uri, *args, **kwargs)

    return written
