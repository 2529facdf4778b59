"""Sizes on disk of what programs need, in words."""

import re
from typing import Sequence

from ..environments import distribution

# Megabytes with all that a package brings beyond NumPy, as pip installed them on Linux for Python 3.13 in November
# 2026. PyTorch from the index brings the libraries of CUDA.
MEGABYTES = {
    'numpy': 65,
    'scipy': 140,
    'h5py': 17,
    'pyyaml': 3,
    'pillow': 22,
    'matplotlib': 100,
    'pandas': 80,
    'tensorflow-cpu': 1500,
    'tensorflow': 1900,
    'fissix': 1,
    'tqdm': 1,
    'scikit-learn': 180,
    'seaborn': 185,
    'opencv-python-headless': 155,
    'tensorboard': 55,
    'ipython': 45,
    'torch': 4600,
    'jax': 520,
    'keras': 60,
}


def in_words(size: float) -> str:
    """A number of bytes as '1.5 GB' or '17 MB'."""
    return f'{size / 1e9:.1f} GB' if size >= 1e9 else f'{size / 1e6:.0f} MB'


def of_packages(packages: Sequence[str]) -> str:
    """The size of packages, each as pip takes it, as words; '' where it is known of none of them.

    An extra of this package counts as the library that it brings: 'keras_backend[jax]' as 'jax'.
    """
    known = [MEGABYTES[name] for name in map(_library, packages) if name in MEGABYTES]
    if not known:
        return ''
    return f'{"about" if len(known) == len(packages) else "more than"} {in_words(sum(known) * 1e6)}'


def _library(package: str) -> str:
    """The name of a package; the extra of one of ours."""
    extra = re.search(r'\[([\w-]+)\]', package)
    return extra.group(1) if extra is not None else distribution(package)
