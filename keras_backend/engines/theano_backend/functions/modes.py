"""How functions are compiled: Theano's own way, without the work that costs seconds and saves none."""

from functools import lru_cache
from typing import Any, List, Union

import numpy as np
from theano.tensor.nnet.corr import CorrMM_gradInputs

from ....basics import shapes
from ....basics.shapes import known
from ..graph.static import dims_of, value_of
from ..primitives.kernel import Kernel
from ..vendor import Constant, Elemwise, Mode, SharedVariable, T, VM_Linker, in2out, local_optimizer, theano
from ..vendor.compiler import use_compiled_headers
from . import NOT_OF_NAN
from .rewritings import ByRows, KeepsOrder, in_place

optdb = theano.compile.mode.optdb
sigm = theano.tensor.nnet.sigm


@local_optimizer(None)
def folded(node: Any) -> Union[List[Any], bool]:
    """The value of an operation on constants, computed in Python: Theano compiles C code for each, to run it once."""
    if not all([isinstance(i, Constant) for i in node.inputs]) or not node.op.do_constant_folding(node):
        return False
    storage, computed = {i: [i.data] for i in node.inputs}, {i: [True] for i in node.inputs}
    for x in node.outputs:
        storage[x], computed[x] = [None], [False]
    try:
        with np.errstate(all='ignore'):  # IEEE 754 answers divisions by zero, and NumPy would warn of them
            node.op.make_thunk(node, storage, computed, no_recycling=[], impl='py')()
    except (NotImplementedError, theano.gof.utils.MethodNotDefined):
        return False  # it runs in C only, so in the function
    return [getattr(x.type, 'Constant', Constant)(x.type, storage[x][0]) for x in node.outputs]


@local_optimizer([Elemwise])
def in_whole_arrays(node: Any) -> Union[List[Any], bool]:
    """Functions that run number by number where there is no C, said in others that do not: 600 times as fast."""
    kind = type(node.op.scalar_op) if isinstance(node.op, Elemwise) else None
    if kind is sigm.ScalarSigmoid:
        (x,) = node.inputs
        one = T.constant(1, dtype=x.dtype)
        return [T.true_div(one, one + T.exp(-x))]
    if kind is sigm.ScalarSoftplus:
        (x,) = node.inputs
        return [T.maximum(x, T.constant(0, dtype=x.dtype)) + T.log1p(T.exp(-abs(x)))]
    return False


@local_optimizer([Kernel])
def transposed(node: Any) -> Union[List[Any], bool]:
    """A transposed convolution with strides by Theano's product in C: in 0.4 of the time, 0.8 with gradients."""
    options = dict(node.op.attributes)
    if node.op.primitive != 'conv_input_grad' or node.inputs[0].type.ndim != 4 or options['strides'] == (1, 1):
        return False
    g, kernel = node.inputs[:2]
    sizes = options['shape'] if 'shape' in options else value_of(node.inputs[2])
    window = kernel.container.storage[0].shape if isinstance(kernel, SharedVariable) else dims_of(kernel)
    if g.dtype not in ('float32', 'float64') or not isinstance(sizes, (list, tuple)):
        return False
    if not all([known(n) and n for n in [*sizes[1:3], *window]]):
        return False
    geometry = zip(sizes[1:3], window, options['strides'], options['dilation'])
    pads = tuple([shapes.pads(options['padding'], n, k, s, d) for n, k, s, d in geometry])
    make = CorrMM_gradInputs(border_mode=pads, subsample=options['strides'], filter_dilation=options['dilation'])
    images = make(kernel.dimshuffle(3, 2, 0, 1), g.dimshuffle(0, 3, 1, 2), [T.constant(n) for n in sizes[1:3]])
    return [T.patternbroadcast(images.dimshuffle(0, 2, 3, 1), node.outputs[0].type.broadcastable)]


def _register() -> None:
    fold = in2out(folded, ignore_newtrees=True, name='keras_constant_folding')
    for stage in ('canonicalize', 'uncanonicalize', 'stabilize', 'specialize'):
        optdb[stage].register('keras_constant_folding', fold, 'keras', final_opt=True)
    # Early, so that transpositions that meet cancel out.
    optdb['canonicalize'].register('keras_transposed', transposed, 'fast_run', 'keras_c')
    # First of all, on the graph as it was written; and with Theano's own operations on rows, which is before the end.
    optdb.register('keras_by_rows', ByRows(), 0.5, 'keras')
    optdb.register(
        'keras_rows_in_place',
        theano.gof.opt.TopoOptimizer(in_place, failure_callback=theano.gof.opt.TopoOptimizer.warn_inplace),
        60,
        'fast_run',
        'inplace',
    )
    optdb.register('keras_overwrites_last', KeepsOrder(), 1000, 'keras_c')
    optdb.register('keras_in_whole_arrays', in2out(in_whole_arrays, name='keras_in_whole_arrays'), 47.9, 'keras_python')


_register()
use_compiled_headers(theano)


def _ours(mode: Any) -> Any:
    # Rewriting that makes a formula exact for large or small numbers is never left out: modes differ in time alone.
    return mode.excluding('topo_constant_folding', *NOT_OF_NAN).including('keras', 'stabilize')


# Each is made once: loops with equal modes can be merged.
@lru_cache(maxsize=None)
def python_mode() -> Any:
    """A mode that compiles nothing: every operation runs in Python, after the rewriting that is quick to do."""
    return _ours(Mode(VM_Linker(use_cloop=False, c_thunks=False), 'fast_compile')).including('keras_python')


@lru_cache(maxsize=None)
def _configured(*_settings: Any) -> Any:
    mode = theano.compile.mode.get_default_mode()
    return _ours(mode).including('keras_c') if type(mode) is Mode else mode


def default_mode() -> Any:
    """The mode that Theano is configured for."""
    settings = theano.config
    if settings.mode == 'FAST_COMPILE' or not settings.cxx:
        return python_mode()
    return _configured(settings.mode, settings.linker, settings.optimizer)


def mode_to_run_once() -> Any:
    """The mode for what may never run again: compiling takes longer than running in Python, but to look for bugs."""
    mode = default_mode()
    return python_mode() if type(mode) is Mode else mode
