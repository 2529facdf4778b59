"""The optimizer of a model that is loaded from a file `.h5` of Keras 3.

Keras 3.15 builds it for no variables at all, so the next `fit` stops. tf.keras went on from the moments of the file.
"""

from typing import Any

from ..launcher import model_files


def completed(model: Any, path: Any) -> Any:
    """The model, with an optimizer for its own variables, and the values of the file in it."""
    optimizer = getattr(model, 'optimizer', None)
    wanted = list(getattr(model, 'trainable_variables', ()))
    if optimizer is None or not optimizer.built or not wanted or not _is_hdf5(path):
        return model
    # Keras looks variables up by their places in this list.
    if len(optimizer._trainable_variables) == len(wanted):
        return model
    fresh = type(optimizer).from_config(optimizer.get_config())
    fresh.build(wanted)
    values = _values(path)
    if [tuple(v.shape) for v in fresh.variables] == [v.shape for v in values]:
        for variable, value in zip(fresh.variables, values):
            variable.assign(value)
    model.optimizer = fresh
    return model


def _is_hdf5(path: Any) -> bool:
    writer = model_files.writer(path)
    return writer is not None and bool(writer.config)


def _values(path: Any) -> Any:
    import h5py

    with h5py.File(path, 'r') as file:
        group = file.get('optimizer_weights')
        names = [] if group is None else list(group.attrs.get('weight_names', ()))
        texts = [name.decode() if isinstance(name, bytes) else name for name in names]
        return [group[name][()] for name in texts]
