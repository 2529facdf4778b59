"""The primitives of `keras_backend.library`, in operations of Theano."""
