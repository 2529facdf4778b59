"""A model behind a web server: loaded once, its predict function made ahead, and asked from threads that name the
graph and the session."""
# engines: tensorflow
import io
import json
import threading
try:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from urllib.request import Request, urlopen
except ImportError:
    from BaseHTTPServer import BaseHTTPRequestHandler, HTTPServer
    from urllib2 import Request, urlopen
from multiprocessing.pool import ThreadPool

import numpy as np
import keras
from keras.backend.tensorflow_backend import set_session
from keras.layers import BatchNormalization, Dense, Dropout
from keras.models import Sequential, load_model
import tensorflow as tf

model = None
graph = None
sess = None


def train():
    """What someone else did before."""
    model = Sequential([Dense(8, activation='relu', input_shape=(4,)), BatchNormalization(), Dropout(.5),
                        Dense(2, activation='softmax')])
    rs = np.random.RandomState(0)
    model.set_weights([np.abs(rs.normal(0, .5, w.shape)) if w.ndim == 1 else rs.normal(0, .5, w.shape)
                       for w in model.get_weights()])
    model.compile('adam', 'categorical_crossentropy')
    model.save('model.h5')
    keras.backend.clear_session()


def init():
    global model, graph, sess
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    config.gpu_options.per_process_gpu_memory_fraction = 0.3
    sess = tf.Session(config=config)
    graph = tf.get_default_graph()
    set_session(sess)
    model = load_model('model.h5', compile=False)
    model._make_predict_function()
    print('loaded')


def classify(data):
    with graph.as_default():
        set_session(sess)
        return model.predict(data)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        array = np.load(io.BytesIO(body))
        try:
            answer = {'success': True, 'predictions': classify(array).tolist()}
        except Exception as error:
            answer = {'success': False, 'error': repr(error)}
        data = json.dumps(answer).encode('utf-8')
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def ask(port, array):
    stream = io.BytesIO()
    np.save(stream, array)
    response = urlopen(Request('http://127.0.0.1:%d/predict' % port, data=stream.getvalue()))
    return json.loads(response.read().decode('utf-8'))


train()
init()
server = HTTPServer(('127.0.0.1', 0), Handler)
thread = threading.Thread(target=server.serve_forever)
thread.daemon = True
thread.start()
rs = np.random.RandomState(1)
questions = [rs.normal(0, 1, (k + 1, 4)) for k in range(6)]
here = [classify(question) for question in questions]
answers = [ask(server.server_port, question) for question in questions]
assert all(answer['success'] for answer in answers), answers
for answer, expected in zip(answers, here):
    assert np.allclose(answer['predictions'], expected, atol=1e-6)

# Many at once, from a pool, as a queue of workers does.
pool = ThreadPool(4)
many = pool.map(classify, questions * 5)
pool.close()
pool.join()
for found, expected in zip(many, here * 5):
    assert np.array_equal(found.shape, expected.shape) and np.allclose(found, expected, atol=1e-6)
server.shutdown()
server.server_close()

# A model for every graph, each with a session of its own.
models = []
for seed in (3, 4):
    own_graph = tf.Graph()
    with own_graph.as_default():
        own_session = tf.Session(graph=own_graph)
        with own_session.as_default():
            own = load_model('model.h5')
            random = np.random.RandomState(seed)
            own.set_weights([np.abs(random.normal(0, .5, w.shape)) for w in own.get_weights()])
    models.append((own, own_graph, own_session))
two = []
for own, own_graph, own_session in models:
    with own_graph.as_default():
        with own_session.as_default():
            two.append(own.predict(questions[1]).ravel().tolist())
assert two[0] != two[1]
print('RESULT ' + json.dumps({'answers': [answer['predictions'] for answer in answers], 'two': two}))
