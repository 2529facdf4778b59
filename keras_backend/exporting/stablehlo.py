"""The format StableHLO, by `jax.export`.

A file .stablehlo is what `jax.export.deserialize` reads: `deserialize(data).call(x=...)` gives a dict of outputs. A
file .mlir is the same program as text. Its first line, a comment, says what its inputs and outputs are.
"""

import dataclasses
import json
import os
from itertools import product
from typing import Any, Dict, List, Tuple

import jax
import numpy as np

from ..engines.jax_backend.interop import Stateless
from ..errors import ExportError, FeedError
from ..graph.nodes.base import known, ranked
from .request import Exported, Options, Run, Sizes, names_of_sizes

try:
    from jax import export as jax_export
except ImportError as error:
    # JAX 0.4.30 uses a package that it does not ask for
    raise ImportError(
        f'keras_backend.export: jax.export needs another package ({error}); type: pip install absl-py'
    ) from error

_PLATFORMS = ('cpu', 'cuda', 'rocm', 'tpu')
# JAX has to know of some sizes that they are not less than what a window spans. The least that is enough is taken.
_LEAST = (0, 2, 3, 4, 5, 8, 16, 32)
_SEED = 'seed'
_HEAD = '// keras_backend: '

Fed = List[Tuple[str, Any]]


def write(exported: Exported, path: str, options: Options) -> List[str]:
    """Write the file; returns what its reader has to know."""
    is_text = path.endswith('.mlir')
    program, constraints, notes = _exported(exported, ('cpu',) if is_text else _PLATFORMS)
    if is_text:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(_HEAD + json.dumps(_described(program, constraints)) + '\n' + program.mlir_module())
    else:
        with open(path, 'wb') as file:
            file.write(program.serialize())
    return notes


def load(path: str) -> Run:
    """The function that runs a file many times."""
    if path.endswith('.mlir'):
        program = _of_text(path)
    else:
        with open(path, 'rb') as file:
            program = jax_export.deserialize(bytearray(file.read()))
    names = _names_of(program)
    input_names = set(program.in_tree.unflatten(range(len(program.in_avals)))[1])
    call = jax.jit(program.call)

    def run_once(values: Dict[str, np.ndarray]) -> List[np.ndarray]:
        fed = {name: value for name, value in values.items() if name in input_names}
        if _SEED in input_names:
            fed.setdefault(_SEED, np.zeros((), np.uint32))
        try:
            results = call(**fed)
        except ValueError as error:
            raise FeedError(
                f'{os.path.basename(path)} does not take these sizes: {str(error).splitlines()[0]}'
            ) from error
        return [np.asarray(results[name]) for name in names]

    return run_once


# -- from a program to StableHLO ---------------------------------------------------------------------------------------
def _exported(exported: Exported, platforms: Tuple[str, ...]) -> Tuple[Any, List[str], List[str]]:
    for t in [*exported.inputs, *exported.variables]:
        if t.sparse or not ranked(t):
            what = 'is sparse' if t.sparse else 'has no shape'
            raise ExportError(f'K.function: {t.name} {what}, and StableHLO needs arrays of a known number of axes.')
    program = Stateless(exported.program, exported.array)
    function, fed, specs_of = _as_function(exported, program)
    errors: List[Exception] = []
    for (sizes, note), least in product(names_of_sizes(exported), _LEAST):
        constraints = _constraints(fed, sizes, least)
        try:
            lowered = _lowered(function, specs_of(sizes, constraints), platforms)
        except Exception as error:  # noqa: BLE001
            # ours, or one of JAX, whose classes have changed between its versions
            errors.append(error)
        else:
            notes = [note] if note else []
            if exported.prints:
                notes.append('K.print_tensor prints nothing in the file; the tensor passes through.')
            if least:
                notes.append(f'Its free sizes are at least {least}, but for those of first axes.')
            if program.draws:
                notes.append(f'It draws at random from the input {_SEED}: the same number gives the same draws.')
            return lowered, constraints, notes
    first = errors[0]
    if isinstance(first, ExportError):
        raise first
    raise ExportError(
        f'K.function: {exported.name} cannot become StableHLO with free sizes: {str(first).splitlines()[0]} Give '
        'placeholders the sizes that are known, or export as ONNX.'
    ) from first


def _as_function(exported: Exported, program: Stateless) -> Tuple[Any, Fed, Any]:
    """The function of JAX from names to names, its inputs, and what makes their shapes of the names of sizes."""
    names = list(exported.input_names)
    fed = [*zip(names, exported.inputs), *zip(exported.fed_names, exported.fed)]
    values = zip(exported.variable_names, exported.values)
    constants = {name: value for name, value in values if name not in exported.fed_names}
    order = {variable.id: name for name, variable in zip(exported.variable_names, exported.variables)}
    read = [order[variable.id] for variable in program.lowering.variables.values()]

    def function(**given: Any) -> Dict[str, Any]:
        variables = [constants[name] if name in constants else given[name] for name in read]
        results = program([given[name] for name in names], variables, given.get(_SEED, 0))
        return dict(zip(exported.output_names, results))

    def specs_of(sizes: Sizes, constraints: List[str]) -> Dict[str, Any]:
        scope = jax_export.SymbolicScope(constraints)
        specs = {}
        for name, t in fed:
            text = ', '.join([str(d) if known(d) else sizes[d] for d in t.dims])
            shape = jax_export.symbolic_shape(text, scope=scope) if text else ()
            specs[name] = jax.ShapeDtypeStruct(shape, t.dtype)
        if program.draws:
            specs[_SEED] = jax.ShapeDtypeStruct((), np.uint32)
        return specs

    # The outputs of `call` are a dict, which forgets their order. The name keeps it.
    function.__name__ = 'K -> ' + ', '.join(exported.output_names)
    return function, fed, specs_of


def _constraints(fed: Fed, sizes: Sizes, least: int) -> List[str]:
    """That free sizes are no less than `least`, but for those of first axes."""
    first = {sizes[t.dims[0]] for _name, t in fed if t.dims and not known(t.dims[0])}
    return [f'{size} >= {least}' for size in sorted(set(sizes.values()) - first)] if least else []


def _lowered(function: Any, specs: Dict[str, Any], platforms: Tuple[str, ...]) -> Any:
    jitted = jax.jit(function, keep_unused=True)
    try:
        return jax_export.export(jitted, platforms=platforms)(**specs)
    except NotImplementedError:
        # an operation that some platform lacks
        return jax_export.export(jitted, platforms=('cpu',))(**specs)


# -- the file as text --------------------------------------------------------------------------------------------------
def _described(made: Any, constraints: List[str]) -> Dict[str, Any]:
    inputs = made.in_tree.unflatten(made.in_avals)[1]
    results = made.out_tree.unflatten(made.out_avals)
    return {
        'inputs': [[name, str(a.dtype), [str(d) for d in a.shape]] for name, a in inputs.items()],
        'constraints': constraints,
        'outputs': [
            [name, str(results[name].dtype), [str(d) for d in results[name].shape]] for name in _names_of(made)
        ],
    }


def _names_of(made: Any) -> List[str]:
    """The names of the outputs in their order."""
    listed: List[str] = made.fun_name.split(' -> ')[1].split(', ')
    names = made.out_tree.unflatten(range(len(made.out_avals)))
    return listed if sorted(listed) == sorted(names) else list(names)


def _of_text(path: str) -> Any:
    """The program of a text, with what `jax.export` has to know about it."""
    with open(path, encoding='utf-8') as file:
        head, text = file.read().split('\n', 1)
    if not head.startswith(_HEAD):
        raise ExportError(f'{os.path.basename(path)} has lost its first line, which says what its inputs are.')
    signature = json.loads(head[len(_HEAD) :])
    scope = jax_export.SymbolicScope(signature['constraints'])

    def shape(sizes: List[str]) -> Any:
        return jax_export.symbolic_shape(', '.join(sizes), scope=scope) if sizes else ()

    def like(**_given: Any) -> Dict[str, Any]:
        return {name: jax.numpy.zeros(shape(sizes), dtype) for name, dtype, sizes in signature['outputs']}

    like.__name__ = 'K -> ' + ', '.join([name for name, _dtype, _sizes in signature['outputs']])
    specs = {name: jax.ShapeDtypeStruct(shape(sizes), dtype) for name, dtype, sizes in signature['inputs']}
    program = jax_export.export(jax.jit(like, keep_unused=True), platforms=('cpu',))(**specs)
    return dataclasses.replace(program, mlir_module_serialized=_serialized(text))


def _serialized(text: str) -> bytes:
    """A module of StableHLO as JAX keeps it."""
    from jaxlib.mlir.dialects import stablehlo

    write_text = getattr(stablehlo, 'serialize_portable_artifact_str', stablehlo.serialize_portable_artifact)
    artifact: bytes = write_text(text, stablehlo.get_current_version())
    return artifact
