"""The primitives of `keras_backend.basics.library`, in operations of Theano."""
