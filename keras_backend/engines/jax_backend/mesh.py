"""Many devices: where the arrays of variables and inputs lie while a mesh is in force."""

from contextlib import ExitStack
from typing import Any, Mapping, Optional

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ...errors import ArgumentTypeError

Array = Any


class Layout:
    """A mesh, whose devices may belong to several processes, and how variables lie on it.

    The first axis of the mesh divides batches. A batch whose size it does not divide lies whole on every device.
    """

    def __init__(self, mesh: Mesh, variables: Mapping[str, PartitionSpec]) -> None:
        first = mesh.axis_names[0]
        self._parts = mesh.shape[first]
        self._whole, self._split = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec(first))
        self._of_variables = {name: NamedSharding(mesh, spec) for name, spec in variables.items()}

    def variable(self, name: str, data: Array) -> Array:
        """The array of a variable in its place."""
        return _placed(data, self._of_variables.get(name, self._whole))

    def fed(self, data: Array) -> Array:
        """A fed array in its place."""
        shape = np.shape(data)
        split = bool(shape) and shape[0] > 0 and shape[0] % self._parts == 0
        return _placed(data, self._split if split else self._whole)

    def settled(self, name: str, value: Array) -> Array:
        """The new value of a variable while it is traced: it is to lie where the variable lies."""
        return jax.lax.with_sharding_constraint(value, self._of_variables.get(name, self._whole))


def _placed(data: Array, sharding: NamedSharding) -> Array:
    """`data` in a place. If that spans processes, each keeps its own part."""
    if getattr(data, 'sharding', None) == sharding:
        return data
    if sharding.is_fully_addressable:
        return jax.device_put(data, sharding)
    host = on_host(data)
    return jax.make_array_from_callback(host.shape, sharding, lambda part: host[part])


def on_host(data: Any) -> np.ndarray:
    """The values of an array. If several processes have parts of it, all of them have to ask for it."""
    try:
        return np.asarray(data)
    except RuntimeError:
        return np.asarray(multihost_utils.process_allgather(data, tiled=True))


_state: 'list[Optional[Layout]]' = [None]


def current() -> Optional[Layout]:
    """The layout in force."""
    return _state[0]


def use_mesh(mesh: Optional[Mesh], variables: Optional[Mapping[str, PartitionSpec]] = None) -> ExitStack:
    """Run the functions of K on all devices of a mesh from now on.

    A fed array is split along its first axis over the first axis of the mesh, if this gives parts of one size. A
    variable is copied to every device, unless `variables` says how it is split. The code of K stays as it is. If
    `jax.distributed` connects processes, all run the same program. Each feeds the whole batch, or its part as an array
    of JAX that spans the processes.

    Parameters
    ----------
    mesh : jax.sharding.Mesh or None
        None: one device again.
    variables : dict of str to jax.sharding.PartitionSpec, optional
        How variables of these names are split.

    Returns
    -------
    A context manager, whose end brings back what was in force before. Without `with`, the mesh stays in force.

    Raises
    ------
    ArgumentTypeError
        If `mesh` is no mesh, or `variables` holds anything but specs.
    """
    variables = variables or {}
    if not isinstance(mesh, (Mesh, type(None))):
        raise ArgumentTypeError(f'use_mesh: mesh has to be a jax.sharding.Mesh or None, got {mesh!r}.')
    for name, spec in variables.items():
        if not isinstance(spec, PartitionSpec):
            raise ArgumentTypeError(f'use_mesh: variables[{name!r}] has to be a PartitionSpec of JAX, got {spec!r}.')
    use = ExitStack()
    use.callback(_state.__setitem__, 0, current())
    _state[0] = None if mesh is None else Layout(mesh, variables)
    return use
