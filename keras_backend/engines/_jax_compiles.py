"""Words for `python -m keras_backend` on code that the JAX engine compiles or not. JAX itself is not imported."""


def provide() -> str:
    """JAX needs nothing of the operating system; how functions run, in words."""
    return (
        'each function is one jax.jit; not compiled are masks as indices, sizes that depend on values, sparse tensors '
        'and K.ctc_decode; draws in loops and K.print_tensor call back'
    )
