"""Kernels that rearrange elements, make them from sizes, and read and write at places.

`keras_backend.kernels.rows` says what (places, sums) of `rows` are.
"""

from operator import itemgetter
from typing import Any, Dict, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ....graph.run.kernels import Kernel
from ....kernels.rows import SMALL, Places, checked_places, onto
from ...pytorch_on_gpu import check_index, check_places
from ..arrays import DTYPES, Attrs, Ints, Sizes, numpy, sizes, through_numpy

Spec = Tuple[Any, ...]


def squeeze(x: Tensor, axis: int) -> Tensor:
    """Without `axis`, whose size is 1."""
    if x.shape[axis] != 1:
        # PyTorch would keep the axis
        raise ValueError(f'Axis {axis} of shape {tuple(x.shape)} cannot be squeezed: its size is not 1.')
    return x.squeeze(axis)


def pad(x: Tensor, widths: Tuple[Tuple[int, int], ...], value: float) -> Tensor:
    """`value` before and after, widths[i] = (before, after) for axis i."""
    if not x.numel():
        # PyTorch 2.2 refuses it
        return x.new_full([n + sum(pair) for n, pair in zip(x.shape, widths)], value)
    listed = [n for pair in reversed(widths) for n in pair]
    return F.pad(x, listed, value=value) if any(listed) else x.clone()


def _is_odd(spec: Spec) -> bool:
    """Whether PyTorch reads it otherwise than NumPy: with steps backwards, and integers beside arrays."""
    specs = [s for s in spec if s.__class__ is tuple]
    beside = len(specs) < len(spec) and any([s[0] == 'tensor' for s in specs])
    return any([s[0] == 'slice' and (s[3] or 1) < 0 for s in specs]) or (beside and any([type(s) is int for s in spec]))


def _index(spec: Spec, indices: Tuple[Tensor, ...] = ()) -> Tuple[Any, ...]:
    # read as bytes, an index would be a mask
    pairs = [s if type(s) is tuple else (None, s) for s in spec]
    return tuple([slice(*s[1:]) if s[0] == 'slice' else indices[s[1]].long() if s[0] else s[1] for s in pairs])


def getitem(x: Tensor, *indices: Tensor, spec: Spec) -> Tensor:
    """x[spec], basic and with integer tensors as NumPy has it."""
    key = _index(spec, indices)
    if indices and not x.is_cpu:
        check_index(x, key)
    if not _is_odd(spec):
        return x[key]
    # NumPy tells which entries these are, counted through
    return x.reshape(-1)[through_numpy('getitem')(torch.arange(x.numel()).reshape(x.shape), *indices, spec=spec)]


def getitem_grad(g: Tensor, *indices: Any, spec: Spec, shape: Sizes = None) -> Tensor:
    """Zeros of `shape`, which may come before the indices, with `g` added at the places that `spec` reads."""
    if shape is None:
        shape, indices = sizes(indices[0]), indices[1:]
    out = g.new_zeros(shape)
    if not any([i.dim() for i in indices]) and not _is_odd(spec):
        out[_index(spec, indices)] = g
        return out
    # counted through, the places that are read become one axis of scattering, whatever the index
    positions = getitem(torch.arange(out.numel(), device=g.device).reshape(shape), *indices, spec=spec)
    return _added(positions.reshape(-1), g.reshape(-1), out.numel()).reshape(shape)


def item_of(ranks: Ints, attrs: Attrs, dtypes: Tuple[str, ...]) -> Optional[Kernel]:
    """The faster function for a `getitem` without tensors."""
    return itemgetter(_index(attrs['spec'])) if len(ranks) == 1 and not _is_odd(attrs['spec']) else None


def slice_axis(x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
    """x[start:stop] along `axis`; a piece that sticks out is an error."""
    start, stop = int(start), int(stop)
    if not 0 <= start <= stop <= x.shape[axis]:
        raise IndexError(f'The slice from {start} to {stop} does not fit axis {axis} of size {x.shape[axis]}.')
    return x.narrow(axis, start, stop - start)


def slice_axis_grad(g: Tensor, shape: Sizes, start: Any, axis: int) -> Tensor:
    """Zeros of `shape` with `g` at `start` along `axis`."""
    out = g.new_zeros(sizes(shape))
    out.narrow(axis, int(start), g.shape[axis]).copy_(g)
    return out


def one_hot(indices: Tensor, num_classes: int, dtype: str) -> Tensor:
    """1 at the index of the last axis, else 0; an index out of range gives zeros."""
    return (indices.unsqueeze(-1) == torch.arange(num_classes, device=indices.device)).to(DTYPES[dtype])


def gather(x: Tensor, indices: Tensor) -> Tensor:
    """The entries of `x` along its first axis at `indices`."""
    positions = indices.reshape(-1).long()
    if not x.is_cpu:
        check_places(indices, x.shape[0])
    try:
        taken = x.index_select(0, positions)
    except (IndexError, RuntimeError):
        checked_places(numpy(indices), x.shape[0])
        raise
    return taken if indices.dim() == 1 else taken.reshape(indices.shape + x.shape[1:])


def scatter_add(indices: Tensor, updates: Tensor, size: Any) -> Tensor:
    """Zeros of (size,) + tail with `updates` added at `indices`."""
    # index_add_ would read on from the end
    return _added(_checked(indices.reshape(-1).long(), int(size)), updates, int(size), indices.dim())


def _checked(places: Tensor, size: int) -> Tensor:
    if places.is_cpu:
        checked_places(numpy(places), size)
    else:
        check_places(places, size)
    return places


def _added(places: Tensor, updates: Tensor, size: int, rank: int = 1) -> Tensor:
    """The same of a vector of places that exist; the first `rank` axes of `updates` are theirs."""
    tail = updates.shape[rank:]
    wide = torch.float32 if updates.dtype == torch.float16 else updates.dtype
    zeros = updates.new_zeros((size,) + tail, dtype=wide)
    return zeros.index_add_(0, places, updates.reshape(places.shape + tail).to(wide)).to(updates.dtype)


def _joined(parts: Any) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def rows(size: Any, *given: Tensor) -> Tuple[Places, Tensor]:
    """The sum of what `scatter_add` makes of indices, updates, indices, updates ... as (places, sums)."""
    size, tail = int(size), given[1].shape[given[0].dim() :]
    positions = _joined([indices.reshape(-1).long() for indices in given[::2]])
    updates = _joined([update.reshape((i.numel(), *tail)) for i, update in zip(given[::2], given[1::2])])
    if size <= len(positions) or size * tail.numel() <= SMALL:
        return None, scatter_add(positions, updates, size)
    distinct, inverse = torch.unique(_checked(positions, size), return_inverse=True)
    return distinct, _added(inverse, updates, len(distinct) + 1)


def _taken(x: Tensor, places: Tensor) -> Tensor:
    return x.index_select(0, places)


def put_rows(x: Tensor, places: Tensor, rows: Tensor) -> None:
    """Write rows into `x`. NumPy takes a third of the time of PyTorch for it."""
    if x.device.type == 'cpu':
        x.numpy()[places.numpy()] = rows.numpy()
    else:
        x[places] = rows


PRIMITIVES: Dict[str, Kernel] = {
    # on the CPU, wherever x lies
    'shape': lambda x: torch.tensor(x.shape, dtype=torch.int32, device='cpu'),
    'reshape': lambda x, shape: x.reshape(sizes(shape)),
    'broadcast_to': lambda x, shape: x.expand(sizes(shape)),
    'tile': lambda x, reps: x.repeat(sizes(reps)),
    'transpose': lambda x, perm: x.permute(perm),
    'expand_dims': lambda x, axis: x.unsqueeze(axis),
    'concatenate': lambda *xs, axis: torch.cat(xs, axis),
    'stack': lambda *xs, axis: torch.stack(xs, axis),
    'repeat': lambda x, repeats, axis: x.repeat_interleave(repeats, axis),
    'reverse': lambda x, axes: x.flip(axes),
    'nonzero': lambda x: torch.nonzero(x).reshape(-1),
}
for _kernel in (squeeze, pad, getitem, getitem_grad, slice_axis, slice_axis_grad, one_hot, gather, scatter_add, rows):
    PRIMITIVES[_kernel.__name__] = _kernel
CHANGES: Dict[str, Kernel] = {}
for _name, _function in (('add_rows', torch.add), ('sub_rows', torch.sub)):
    CHANGES[_name], PRIMITIVES[_name] = onto(_function, _taken, torch.clone)
