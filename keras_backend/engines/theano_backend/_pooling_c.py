"""Poolings in C++: the arrays are channels last in shape, and in memory whatever they are."""

SUPPORT = r"""
#include <vector>

namespace keras_pool {

// The windows over three spatial axes; what has two has a first one of size 1.
struct Windows {
    npy_intp out[3];
    std::vector<npy_intp> low[3], high[3];   // the real entries of each window
    bool fits;
};

static Windows windows(const npy_intp* size, const npy_intp* window, const npy_intp* stride, bool same) {
    Windows w;
    w.fits = true;
    for (int a = 0; a < 3; ++a) {
        npy_intp n = size[a], k = window[a], s = stride[a], before = 0, out;
        if (same) {
            out = (n + s - 1) / s;
            npy_intp total = (out - 1) * s + k - n;
            before = total > 0 ? total / 2 : 0;
        } else {
            out = n >= k ? (n - k) / s + 1 : 1 - (k - n + s - 1) / s;
        }
        if (out < 0) { w.fits = false; out = 0; }
        w.out[a] = out;
        w.low[a].resize(out);
        w.high[a].resize(out);
        for (npy_intp o = 0; o < out; ++o) {
            npy_intp start = o * s - before;
            w.low[a][o] = start > 0 ? start : 0;
            w.high[a][o] = start + k < n ? start + k : n;
        }
    }
    return w;
}

// One axis of an array: its size and the bytes between its entries. Axes: batch, three spatial ones, channels.
struct Array {
    char* data;
    npy_intp size[5], step[5];
    explicit Array(PyArrayObject* a) {
        int rank = PyArray_NDIM(a), missing = 5 - rank;
        data = (char*) PyArray_DATA(a);
        for (int i = 0; i < 5; ++i) {
            // Missing spatial axes stand behind the batch.
            int from = i == 0 ? 0 : i - missing;
            bool absent = i > 0 && i <= missing;
            size[i] = absent ? 1 : PyArray_DIM(a, from);
            step[i] = absent ? 0 : PyArray_STRIDE(a, from);
        }
    }
    char* at(npy_intp n, npy_intp c) const { return data + n * step[0] + c * step[4]; }
};

// Whether an image is stored channel by channel.
static bool channels_outside(PyArrayObject* a) {
    int last = PyArray_NDIM(a) - 1;
    return PyArray_DIM(a, last) > 1 && PyArray_STRIDE(a, last) > PyArray_STRIDE(a, last - 1);
}

// A new array of a shape with channels last, in the memory order that `like` has.
static PyArrayObject* create(PyArrayObject* like, int rank, const npy_intp* shape, int type, bool zeros) {
    npy_intp dims[5];
    for (int i = 0; i < rank; ++i) dims[i] = shape[i];
    bool outside = channels_outside(like);
    if (outside) {
        dims[1] = shape[rank - 1];
        for (int i = 2; i < rank; ++i) dims[i] = shape[i - 1];
    }
    PyArrayObject* made = (PyArrayObject*) (zeros ? PyArray_ZEROS(rank, dims, type, 0)
                                                  : PyArray_EMPTY(rank, dims, type, 0));
    if (!made || !outside) return made;
    npy_intp order[5];
    order[0] = 0;
    for (int i = 1; i < rank - 1; ++i) order[i] = i + 1;
    order[rank - 1] = 1;
    PyArray_Dims permute = {order, rank};
    PyArrayObject* view = (PyArrayObject*) PyArray_Transpose(made, &permute);
    Py_DECREF(made);
    return view;
}

// The entries of one window in one image and channel: from the first to behind the last along each axis.
struct Place {
    npy_intp low[3], high[3];
    npy_intp count() const { return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
    void set(const Windows& w, int axis, npy_intp o) { low[axis] = w.low[axis][o]; high[axis] = w.high[axis][o]; }
};

// Calls visit(image, entry of y, batch, channel, number of channels, place) for every window, in the order of memory.
template <typename Visit>
static void each(const Array& x, const Array& y, const Windows& w, bool outside, Visit& visit) {
    const npy_intp y1 = y.step[1], y2 = y.step[2], y3 = y.step[3];
    const npy_intp turns = outside ? x.size[4] : 1, together = outside ? 1 : x.size[4];
    for (npy_intp n = 0; n < x.size[0]; ++n)
        for (npy_intp turn = 0; turn < turns; ++turn) {
            char* image = x.at(n, turn);
            char* result = y.at(n, turn);
            Place place;
            for (npy_intp i = 0; i < w.out[0]; ++i) {
                place.set(w, 0, i);
                for (npy_intp j = 0; j < w.out[1]; ++j) {
                    place.set(w, 1, j);
                    for (npy_intp k = 0; k < w.out[2]; ++k) {
                        place.set(w, 2, k);
                        visit(image, result + i * y1 + j * y2 + k * y3, n, turn, together, place);
                    }
                }
            }
        }
}

// Calls visit(first entry of a line, entry of y, batch, channel, place) for every line of windows along the last
// spatial axis; of the place the first two axes count.
template <typename Visit>
static void each_line(const Array& x, const Array& y, const Windows& w, Visit& visit) {
    for (npy_intp n = 0; n < x.size[0]; ++n)
        for (npy_intp c = 0; c < x.size[4]; ++c) {
            Place place;
            for (npy_intp i = 0; i < w.out[0]; ++i) {
                place.set(w, 0, i);
                for (npy_intp j = 0; j < w.out[1]; ++j) {
                    place.set(w, 1, j);
                    visit(x.at(n, c), y.at(n, c) + i * y.step[1] + j * y.step[2], n, c, place);
                }
            }
        }
}

struct Steps {
    npy_intp a, b, c, channel;
    explicit Steps(const Array& x) : a(x.step[1]), b(x.step[2]), c(x.step[3]), channel(x.step[4]) {}
    npy_intp to(npy_intp i, npy_intp j, npy_intp k) const { return i * a + j * b + k * c; }
};

// A choice of values, not of ways: which entry is the larger one cannot be foretold. A NaN wins and stays.
template <typename T> static inline bool above(T value, T top) {
    return (value > top) | ((value != value) & (top == top));
}

template <typename T> static inline T larger_of(T value, T top) {
    return (value > top) | (value != value) ? value : top;
}

template <typename T> struct Max {
    const Steps step, result;
    const Windows& w;
    const npy_intp width;
    std::vector<T> line;
    Max(const Array& x, const Array& y, const Windows& w)
        : step(x), result(y), w(w), width(x.size[3]), line(x.size[3] + 1) {}
    void operator()(char* image, char* y, npy_intp, npy_intp, npy_intp count, const Place& p) {
        bool first = true;
        for (npy_intp i = p.low[0]; i < p.high[0]; ++i)
            for (npy_intp j = p.low[1]; j < p.high[1]; ++j)
                for (npy_intp k = p.low[2]; k < p.high[2]; ++k) {
                    const char* entry = image + step.to(i, j, k);
                    if (step.channel == sizeof(T) && result.channel == sizeof(T)) {
                        const T* __restrict__ from = (const T*) entry;
                        T* __restrict__ to = (T*) y;
                        if (first)
                            for (npy_intp c = 0; c < count; ++c) to[c] = from[c];
                        else
                            for (npy_intp c = 0; c < count; ++c) to[c] = larger_of(from[c], to[c]);
                    } else {
                        for (npy_intp c = 0; c < count; ++c) {
                            const T value = *(const T*) (entry + c * step.channel);
                            T& top = *(T*) (y + c * result.channel);
                            if (first || above(value, top)) top = value;
                        }
                    }
                    first = false;
                }
    }
    // First down the columns, which lie together in memory, then along the line.
    void operator()(char* image, char* y, npy_intp, npy_intp, const Place& p) {
        T* __restrict__ tops = line.data();
        bool first = true;
        for (npy_intp i = p.low[0]; i < p.high[0]; ++i)
            for (npy_intp j = p.low[1]; j < p.high[1]; ++j) {
                const T* __restrict__ row = (const T*) (image + i * step.a + j * step.b);
                if (first)
                    for (npy_intp k = 0; k < width; ++k) tops[k] = row[k];
                else
                    for (npy_intp k = 0; k < width; ++k) tops[k] = larger_of(row[k], tops[k]);
                first = false;
            }
        const npy_intp* low = w.low[2].data();
        const npy_intp* high = w.high[2].data();
        for (npy_intp o = 0; o < w.out[2]; ++o) {
            const T* __restrict__ entry = tops + low[o];
            const npy_intp count = high[o] - low[o];
            T top = entry[0];
            for (npy_intp k = 1; k < count; ++k) top = larger_of(entry[k], top);
            *(T*) (y + o * result.c) = top;
        }
    }
};

template <typename T> struct MaxGrad {
    const Steps step, given, target;
    const Array& made;
    const Windows& w;
    const npy_intp width;
    std::vector<T> tops;
    std::vector<npy_intp> places;
    MaxGrad(const Array& x, const Array& g, const Array& z, const Windows& w)
        : step(x), given(g), target(z), made(z), w(w), width(x.size[3]),
          tops(x.size[3] + x.size[4]), places(x.size[3] + x.size[4]) {}
    void operator()(char* image, char* g, npy_intp n, npy_intp channel, npy_intp count, const Place& p) {
        T* __restrict__ top = tops.data();
        npy_intp* __restrict__ best = places.data();
        bool first = true;
        for (npy_intp i = p.low[0]; i < p.high[0]; ++i)
            for (npy_intp j = p.low[1]; j < p.high[1]; ++j)
                for (npy_intp k = p.low[2]; k < p.high[2]; ++k) {
                    const char* entry = image + step.to(i, j, k);
                    const npy_intp here = target.to(i, j, k);
                    for (npy_intp c = 0; c < count; ++c) {
                        const T value = *(const T*) (entry + c * step.channel);
                        const bool larger = first | above(value, top[c]);
                        top[c] = larger ? value : top[c];
                        best[c] = larger ? here : best[c];
                    }
                    first = false;
                }
        char* image_made = made.at(n, channel);
        for (npy_intp c = 0; c < count; ++c)
            *(T*) (image_made + best[c] + c * target.channel) += *(const T*) (g + c * given.channel);
    }
    void operator()(char* image, char* g, npy_intp n, npy_intp channel, const Place& p) {
        T* __restrict__ top = tops.data();
        npy_intp* __restrict__ best = places.data();
        bool first = true;
        for (npy_intp i = p.low[0]; i < p.high[0]; ++i)
            for (npy_intp j = p.low[1]; j < p.high[1]; ++j) {
                const T* __restrict__ row = (const T*) (image + i * step.a + j * step.b);
                const npy_intp here = i * target.a + j * target.b;
                if (first)
                    for (npy_intp k = 0; k < width; ++k) { top[k] = row[k]; best[k] = here; }
                else
                    for (npy_intp k = 0; k < width; ++k) {
                        const bool larger = above(row[k], top[k]);
                        top[k] = larger ? row[k] : top[k];
                        best[k] = larger ? here : best[k];
                    }
                first = false;
            }
        char* image_made = made.at(n, channel);
        const npy_intp* low = w.low[2].data();
        const npy_intp* high = w.high[2].data();
        for (npy_intp o = 0; o < w.out[2]; ++o) {
            npy_intp chosen = low[o];
            for (npy_intp k = low[o] + 1; k < high[o]; ++k) {
                // Of equal ones (NaN among them) the one in the earlier row is first.
                const bool equal = (top[k] == top[chosen]) | ((top[k] != top[k]) & (top[chosen] != top[chosen]));
                chosen = above(top[k], top[chosen]) | (equal & (best[k] < best[chosen])) ? k : chosen;
            }
            *(T*) (image_made + best[chosen] + chosen * target.c) += *(const T*) (g + o * given.c);
        }
    }
};

template <typename T> struct Mean {
    const Steps step, result;
    Mean(const Array& x, const Array& y, const Windows&) : step(x), result(y) {}
    void operator()(char* image, char* y, npy_intp, npy_intp, npy_intp count, const Place& p) {
        const T entries = (T) p.count();
        for (npy_intp c = 0; c < count; ++c) {
            const char* first = image + c * step.channel;
            T total = T();
            for (npy_intp i = p.low[0]; i < p.high[0]; ++i)
                for (npy_intp j = p.low[1]; j < p.high[1]; ++j)
                    for (npy_intp k = p.low[2]; k < p.high[2]; ++k)
                        total += *(const T*) (first + step.to(i, j, k));
            *(T*) (y + c * result.channel) = total / entries;
        }
    }
};

// The image is that of the gradient by the input here.
template <typename T> struct MeanGrad {
    const Steps step, given;
    MeanGrad(const Array& x, const Array& g) : step(x), given(g) {}
    void operator()(char* image, char* g, npy_intp, npy_intp, npy_intp count, const Place& p) {
        const T entries = (T) p.count();
        for (npy_intp c = 0; c < count; ++c) {
            char* first = image + c * step.channel;
            const T share = *(const T*) (g + c * given.channel) / entries;
            for (npy_intp i = p.low[0]; i < p.high[0]; ++i)
                for (npy_intp j = p.low[1]; j < p.high[1]; ++j)
                    for (npy_intp k = p.low[2]; k < p.high[2]; ++k)
                        *(T*) (first + step.to(i, j, k)) += share;
        }
    }
};

}  // namespace keras_pool
"""

_WINDOWS = r"""
    keras_pool::Array large(%(large)s);
    npy_intp window[3] = {%(window)s}, stride[3] = {%(stride)s};
    keras_pool::Windows w = keras_pool::windows(large.size + 1, window, stride, %(same)s);
    if (!w.fits) {
        PyErr_SetString(PyExc_ValueError, "The window of a pooling spans more places than its input has.");
        %(fail)s
    }
"""

_SMALLER = (
    _WINDOWS
    + r"""
    npy_intp shape[5];
    shape[0] = large.size[0];
    for (int i = 0; i < %(rank)s; ++i) shape[i + 1] = w.out[3 - %(rank)s + i];
    shape[%(rank)s + 1] = large.size[4];
    Py_XDECREF(%(z)s);
    %(z)s = keras_pool::create(%(large)s, %(rank)s + 2, shape, %(number)s, false);
    if (!%(z)s) { %(fail)s }
    keras_pool::Array small(%(z)s);
    keras_pool::%(visitor)s<%(type)s> visit(large, small, w);
    %(run)s
"""
)

_MAX_GRAD = (
    _WINDOWS
    + r"""
    Py_XDECREF(%(z)s);
    %(z)s = keras_pool::create(%(large)s, %(rank)s + 2, PyArray_DIMS(%(large)s), %(number)s, true);
    if (!%(z)s) { %(fail)s }
    keras_pool::Array small(%(g)s), made(%(z)s);
    keras_pool::MaxGrad<%(type)s> visit(large, small, made, w);
    %(run)s
"""
)

_MEAN_GRAD = (
    r"""
    npy_intp shape[5];
    for (int i = 0; i < %(rank)s + 2; ++i)
        shape[i] = (npy_intp) *(npy_int64*) PyArray_GETPTR1(%(shape)s, i);
    Py_XDECREF(%(z)s);
    %(z)s = keras_pool::create(%(g)s, %(rank)s + 2, shape, %(number)s, true);
    if (!%(z)s) { %(fail)s }
"""
    + _WINDOWS.replace('%(large)s', '%(z)s')
    + r"""
    keras_pool::Array small(%(g)s);
    keras_pool::MeanGrad<%(type)s> visit(large, small);
    keras_pool::each(large, small, w, keras_pool::channels_outside(%(z)s), visit);
"""
)

_EACH = 'keras_pool::each(large, small, w, keras_pool::channels_outside(%(large)s), visit);'
_LINES = (
    'if (large.step[3] == sizeof(%(type)s) && keras_pool::channels_outside(%(large)s))\n'
    '        keras_pool::each_line(large, small, w, visit);\n    else\n        ' + _EACH
)

_TYPES = {'float32': ('npy_float32', 'NPY_FLOAT32'), 'float64': ('npy_float64', 'NPY_FLOAT64')}

_BODIES = {
    'max_pool': (_SMALLER, ('large',), {'visitor': 'Max', 'run': _LINES}),
    'avg_pool': (_SMALLER, ('large',), {'visitor': 'Mean', 'run': _EACH}),
    'max_pool_grad': (_MAX_GRAD, ('large', 'g'), {'run': _LINES}),
    'avg_pool_grad': (_MEAN_GRAD, ('g', 'shape'), {}),
}


def code(op, node, inputs, output, fail):
    """The C++ code of a pooling, None where there is none for its dtype."""
    dtype = node.outputs[0].dtype
    if (
        op.primitive not in _BODIES
        or dtype not in _TYPES
        or len(op.window) > 3
        or any([x.dtype not in (dtype, 'int64') for x in node.inputs])
    ):
        return None
    body, names, more = _BODIES[op.primitive]
    missing = (1,) * (3 - len(op.window))
    values = dict(
        zip(names, inputs),
        z=output,
        fail=fail,
        rank=len(op.window),
        same='true' if op.padding == 'same' else 'false',
        type=_TYPES[dtype][0],
        number=_TYPES[dtype][1],
        **more,
    )
    values['window'], values['stride'] = [', '.join(map(str, missing + tuple(v))) for v in (op.window, op.strides)]
    values['run'] = more.get('run', '') % values
    return '{' + body % values + '}'
