"""How often models in models are called: a few lines can say more calls than a computer does in a year."""

from ..structure import Layer, Model


def repeated_calls(model: Model) -> int:
    """The calls of layers beyond those that the file says one by one, found without doing one."""
    return _calls(model) - _said(model)


def _calls(model: Model) -> int:
    """All calls of layers in one call of a model."""
    return sum([len(layer.calls) * _in_one_call(layer) for layer in model.layers])


def _in_one_call(layer: Layer) -> int:
    inside = _calls(layer.model) if layer.model is not None else sum(map(_in_one_call, layer.inner))
    return 1 + inside


def _said(model: Model) -> int:
    """The calls of layers that the file says."""
    return sum([len(layer.calls) + (min(len(layer.calls), 1) * _in_layer(layer)) for layer in model.layers])


def _in_layer(layer: Layer) -> int:
    if layer.model is not None:
        return _said(layer.model)
    return sum([1 + _in_layer(inner) for inner in layer.inner])
