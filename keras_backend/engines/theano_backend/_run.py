"""A compiled function of Theano called for what it computes: no profile, no default values, no keywords."""

import numpy as np

from ._library import Op, raise_with_op


def runner(compiled):
    """A function of a list of arrays, one for each input, that returns the list of the outputs of `compiled`."""
    run = _direct(compiled) or _trusted(compiled)
    return _silent(run) if any(map(_may_warn, compiled.maker.fgraph.apply_nodes)) else run


def _trusted(compiled):
    """The call of Theano, without a look at the arrays."""
    compiled.trust_input = True
    return lambda arrays: compiled(*arrays)


def _direct(compiled):
    """The call of the virtual machine under the function, if it is one that updates the variables itself."""
    # PyTensor has none: it hands its virtual machine the arrays itself.
    vm, inputs = getattr(compiled, 'fn', None), [c.storage for c in compiled.input_storage]
    if vm is None or getattr(vm, 'need_update_inputs', True) or compiled.profile:
        return None
    if any([refeed for _, refeed, _ in compiled.defaults]):
        return None
    count = compiled.n_returned_outputs
    outputs = [c.storage for c in compiled.output_storage[:count]]
    # What stays in the cells of computed outputs would be overwritten by the next run, which hands out the memory.
    cells = (
        [c.storage for c, x in zip(compiled.output_storage, compiled.maker.fgraph.outputs) if x.owner is not None]
        if getattr(vm, 'allow_gc', False)
        else []
    )

    def run(arrays):
        for cell, array in zip(inputs, arrays):
            cell[0] = array
        try:
            results = vm()
        except Exception:
            if not hasattr(vm, 'position_of_error'):
                raise
            place = vm.position_of_error
            raise_with_op(
                vm.nodes[place],
                vm.thunks[place] if hasattr(vm, 'thunks') else None,
                storage_map=getattr(vm, 'storage_map', None),
            )
        finally:
            for cell, _array in zip(inputs, arrays):
                cell[0] = None
        # The cell of an output that is a variable holds the new value by now, what the machine returns is the old one.
        results = [cell[0] for cell in outputs] if results is None else results[:count]
        for cell in cells:
            cell[0] = None
        return results

    return run


def _may_warn(node):
    """Whether NumPy may have something to say when an operation runs."""
    if getattr(node.op, 'silent', False):
        return False
    return getattr(type(node.op), 'c_code', Op.c_code) is Op.c_code or any(
        [getattr(x.type, 'dtype', '') == 'float16' for x in node.inputs + node.outputs]
    )


def _silent(run):
    # IEEE 754 answers division by zero and overflow, in silence; C code does not know better.
    def quiet(arrays):
        with np.errstate(all='ignore'):
            return run(arrays)

    return quiet
