"""A program imports Theano before Keras: the engine has made NumPy ready for it by then."""

# engines: theano
# needs: theano
import keras_backend.keras2  # noqa: F401  # isort: skip
import theano
import theano.tensor as T
from keras import backend as K

x = T.matrix('x')
assert theano.function([x], T.nnet.softmax(x))([[0.0, 0.0]]).tolist() == [[0.5, 0.5]]
assert K.eval(T.sqr(K.variable([3.0]))).tolist() == [9.0]
print('cured')
