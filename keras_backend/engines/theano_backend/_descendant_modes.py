"""How functions are compiled by PyTensor."""
from ._library import Mode, T, theano

# NumPy computes with no more arrays at a time.
MOST = 30


@theano.gof.local_optimizer([T.Elemwise])
def in_parts(node):
    """A sum or product of more arrays than NumPy takes, as one of sums or products."""
    if len(node.inputs) <= MOST or node.op.scalar_op.__class__.__name__ not in ('Add', 'Mul'):
        return False
    parts = [node.inputs[i:i + MOST] for i in range(0, len(node.inputs), MOST)]
    return [node.op(*[node.op(*part) if len(part) > 1 else part[0] for part in parts])]


# After sums and products have been joined, and before anything is computed in place.
theano.compile.mode.optdb.register('keras_in_parts', theano.gof.opt.in2out(in_parts, name='keras_in_parts'),
                                   'keras_python', position=49.2)


def default_mode():
    """The mode that PyTensor is configured for; where nothing is said, C, which is there at once, and not Numba."""
    settings = theano.config
    if settings.mode != 'Mode' or settings.linker != 'auto':
        return theano.compile.get_default_mode()
    if settings.cxx:
        return Mode('cvm', 'fast_run')
    # What is fused for C would be taken apart again in Python.
    return Mode('vm', 'fast_run').excluding('fusion').including('keras_python')
