"""How functions are compiled: Theano's own way, but for what costs seconds and saves none."""

from . import _headers
from ._library import Mode, T, VM_Linker, theano
from ._lowering import on_matrices
from ._order import OverwritesLast
from ._row_updates import ByRows, in_place

optdb = theano.compile.mode.optdb
sigm = theano.tensor.nnet.sigm


@theano.gof.local_optimizer(None)
def folded(node):
    """The value of an operation on constants, computed in Python: Theano compiles C code for each, to run it once."""
    if not all([isinstance(i, theano.gof.Constant) for i in node.inputs]) or not node.op.do_constant_folding(node):
        return False
    storage = {i: [i.data] for i in node.inputs}
    computed = {i: [True] for i in node.inputs}
    for x in node.outputs:
        storage[x], computed[x] = [None], [False]
    try:
        thunk = node.op.make_thunk(node, storage, computed, no_recycling=[], impl='py')
        thunk()
    except (NotImplementedError, theano.gof.utils.MethodNotDefined):
        return False  # it runs in C only, so in the function
    return [getattr(x.type, 'Constant', theano.gof.Constant)(x.type, storage[x][0]) for x in node.outputs]


@theano.gof.local_optimizer([T.Elemwise])
def in_whole_arrays(node):
    """Functions that run number by number where there is no C, said in others that do not."""
    kind = type(node.op.scalar_op) if isinstance(node.op, T.Elemwise) else None
    if kind is sigm.ScalarSigmoid:
        (x,) = node.inputs
        one = T.constant(1, dtype=x.dtype)
        return [T.true_div(one, one + T.exp(-x))]
    if kind is sigm.ScalarSoftplus:
        (x,) = node.inputs
        return [T.maximum(x, T.constant(0, dtype=x.dtype)) + T.log1p(T.exp(-abs(x)))]
    return False


def _register():
    fold = theano.gof.opt.in2out(folded, ignore_newtrees=True, name='keras_constant_folding')
    for stage in ('canonicalize', 'uncanonicalize', 'stabilize', 'specialize'):
        optdb[stage].register('keras_constant_folding', fold, 'keras', final_opt=True)
    # Early, so that transpositions that meet cancel out.
    optdb['canonicalize'].register('keras_on_matrices', on_matrices, 'fast_run', 'keras_c')
    # First of all, on the graph as it was written; and with Theano's own operations on rows, which is before the end.
    optdb.register('keras_by_rows', ByRows(), 0.5, 'keras')
    optdb.register(
        'keras_rows_in_place',
        theano.gof.opt.TopoOptimizer(in_place, failure_callback=theano.gof.opt.TopoOptimizer.warn_inplace),
        60,
        'fast_run',
        'inplace',
    )
    optdb.register('keras_overwrites_last', OverwritesLast(), 1000, 'keras_c')
    optdb.register(
        'keras_in_whole_arrays',
        theano.gof.opt.in2out(in_whole_arrays, name='keras_in_whole_arrays'),
        47.9,
        'keras_python',
    )


_register()
_headers.install(theano)
_made = {}


def _kept(key, make):
    """The mode of this key, made once: loops with equal modes can be merged."""
    if key not in _made:
        _made[key] = make()
    return _made[key]


def _ours(mode):
    # What makes a formula exact where numbers are large or small is never left out: modes differ in time alone.
    return mode.excluding('topo_constant_folding').including('keras', 'stabilize')


def python_mode():
    """A mode that compiles nothing: every operation runs in Python, after the rewriting that is quick to do."""
    return _kept(
        'python',
        lambda: _ours(Mode(VM_Linker(use_cloop=False, c_thunks=False), 'fast_compile')).including('keras_python'),
    )


def default_mode():
    """The mode that Theano is configured for."""
    settings = theano.config
    if settings.mode == 'FAST_COMPILE' or not settings.cxx:
        return python_mode()
    mode = theano.compile.mode.get_default_mode()
    if type(mode) is not Mode:
        return mode
    return _kept((settings.mode, settings.linker, settings.optimizer), lambda: _ours(mode).including('keras_c'))


def mode_to_run_once():
    """The mode for what may never run again: compiling takes longer than running in Python, but to look for bugs."""
    mode = default_mode()
    return python_mode() if type(mode) is Mode else mode
