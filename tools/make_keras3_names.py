"""Write the table of names in docs/coming-from-tf-keras.md: each K name, what it is in Keras 3, and what differs.

python tools/make_keras3_names.py            writes the table
python tools/make_keras3_names.py --check    exits with 1 if the page has another table
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'coming-from-tf-keras.md')
START = '<!-- The table of names: tools/make_keras3_names.py writes it. -->\n'

sys.path.insert(0, ROOT)
from keras_backend.contract import CONTRACT  # noqa: E402

# K name: what Keras 3 calls it, and what differs. `=` stands for the same name in keras.ops, `-` for nothing like it.
TABLE = """
variable | keras.Variable | a number is stored as floatx
constant | keras.ops.convert_to_tensor | K gives floatx unless a dtype is given
placeholder | keras.Input(batch_shape=...) | inside Keras 3, it is an input of `K.function`, too
is_keras_tensor | keras.backend.is_keras_tensor |
is_tensor | keras.ops.is_tensor | inside Keras 3, K says True for KerasTensors, too
is_variable | isinstance(x, keras.Variable) |
is_placeholder | - |
is_symbolic | isinstance(x, keras.KerasTensor) |
is_sparse | - |
to_dense | keras.ops.convert_to_tensor(x, sparse=False) |
shape | = | inside Keras 3, K gives a tensor of sizes for a KerasTensor
int_shape | x.shape |
get_variable_shape | x.shape |
ndim | = |
size | = |
dtype | x.dtype | K always gives the name of the dtype
count_params | math.prod(x.shape) |
eval | keras.ops.convert_to_numpy |
zeros | keras.Variable(keras.ops.zeros(...)) | K gives a variable
ones | keras.Variable(keras.ops.ones(...)) | K gives a variable
eye | keras.Variable(keras.ops.eye(...)) | K gives a variable
zeros_like | = |
ones_like | = |
identity | keras.layers.Identity()(x) | keras.ops.identity is the identity matrix
arange | = | K gives int32 by default
cast | = |
random_uniform_variable | keras.Variable(keras.random.uniform(...)) |
random_normal_variable | keras.Variable(keras.random.normal(...)) |
get_value | keras.ops.convert_to_numpy |
batch_get_value | [keras.ops.convert_to_numpy(v) for v in ...] |
set_value | v.assign |
batch_set_value | `v.assign` for each |
update | v.assign | inside Keras 3, K gives a pair for `K.function(updates=...)` if the new value is a KerasTensor
update_add | v.assign_add | inside Keras 3, K gives a pair for `K.function(updates=...)` if the change is a KerasTensor
update_sub | v.assign_sub | inside Keras 3, K gives a pair for `K.function(updates=...)` if the change is a KerasTensor
moving_average_update | v.assign(v * m + x * (1 - m)) |
print_tensor | - | K prints when the value is computed
function | keras.Function, keras.Model | K compiles it; K has updates and the learning phase
gradients | - | inside Keras 3, K takes a loss of KerasTensors, or a function
stop_gradient | = |
switch | keras.ops.where, keras.ops.cond | one name for both
in_train_phase | the argument `training` of `call` |
in_test_phase | the argument `training` of `call` |
rnn | keras.layers.RNN, keras.ops.scan |
map_fn | keras.ops.map, keras.ops.vectorized_map |
foldl | keras.ops.scan |
foldr | keras.ops.scan |
dot | keras.ops.dot, keras.ops.matmul | more than two axes: K does what keras.ops.dot does
batch_dot | keras.ops.einsum, keras.layers.Dot |
transpose | = |
gather | keras.ops.take(x, i, axis=0) |
max | = |
min | = |
sum | = |
prod | = |
cumsum | = |
cumprod | = |
var | = |
std | = |
mean | = | K gives floatx for bools and integers
any | = |
all | = |
argmax | = | K gives int64 where the backend has it
argmin | = | K gives int64 where the backend has it
logsumexp | = |
square | = |
abs | = |
sqrt | = | K gives 0 for negative numbers
exp | = |
log | = |
round | = | K rounds halves to the even neighbour
sign | = |
pow | keras.ops.power |
clip | = |
equal | = |
not_equal | = |
greater | = |
greater_equal | = |
less | = |
less_equal | = |
maximum | = |
minimum | = |
sin | = |
cos | = |
concatenate | = | K takes the last axis by default, keras.ops the first
reshape | = |
permute_dimensions | keras.ops.transpose(x, axes) |
resize_images | keras.ops.image.resize | K takes factors, not sizes
resize_volumes | keras.layers.UpSampling3D |
repeat_elements | keras.ops.repeat |
repeat | keras.layers.RepeatVector |
tile | = |
flatten | keras.ops.reshape(x, (-1,)) |
batch_flatten | keras.layers.Flatten |
expand_dims | = | K takes the last axis by default
squeeze | = |
temporal_padding | keras.layers.ZeroPadding1D |
spatial_2d_padding | keras.layers.ZeroPadding2D |
spatial_3d_padding | keras.layers.ZeroPadding3D |
stack | = |
one_hot | = |
reverse | keras.ops.flip |
slice | = |
relu | = | K also takes alpha, max_value and threshold
elu | = |
softmax | = |
softplus | = |
softsign | = |
sigmoid | = |
hard_sigmoid | = | K has 0.2 x + 0.5, Keras 3 has x / 6 + 0.5
tanh | = |
dropout | keras.random.dropout |
l2_normalize | keras.ops.normalize |
in_top_k | = |
categorical_crossentropy | = | one number per sample in both
sparse_categorical_crossentropy | = |
binary_crossentropy | = |
normalize_batch_in_training | keras.ops.moments, keras.ops.batch_normalization |
batch_normalization | = |
bias_add | x + bias |
conv1d | keras.ops.conv |
conv2d | keras.ops.conv |
conv2d_transpose | keras.ops.conv_transpose | K takes the output shape
separable_conv1d | keras.ops.separable_conv |
separable_conv2d | keras.ops.separable_conv |
depthwise_conv2d | keras.ops.depthwise_conv |
conv3d | keras.ops.conv |
conv3d_transpose | keras.ops.conv_transpose | K takes the output shape
pool2d | keras.ops.max_pool, keras.ops.average_pool |
pool3d | keras.ops.max_pool, keras.ops.average_pool |
local_conv1d | - |
local_conv2d | - |
random_normal | keras.random.normal |
random_uniform | keras.random.uniform |
random_binomial | keras.random.binomial |
truncated_normal | keras.random.truncated_normal |
ctc_label_dense_to_sparse | - |
ctc_batch_cost | keras.ops.ctc_loss | K takes probabilities, Keras 3 takes logits
ctc_decode | = | K takes probabilities, Keras 3 takes logits
backend | keras.config.backend |
epsilon | keras.config.epsilon | inside Keras 3, the setting belongs to Keras
set_epsilon | keras.config.set_epsilon | inside Keras 3, the setting belongs to Keras
floatx | keras.config.floatx | inside Keras 3, the setting belongs to Keras
set_floatx | keras.config.set_floatx | inside Keras 3, the setting belongs to Keras
cast_to_floatx | keras.ops.cast(x, keras.config.floatx()) |
image_data_format | keras.config.image_data_format | inside Keras 3, the setting belongs to Keras
set_image_data_format | keras.config.set_image_data_format | inside Keras 3, the setting belongs to Keras
image_dim_ordering | keras.config.image_data_format | K says 'tf' or 'th'
set_image_dim_ordering | keras.config.set_image_data_format | K takes 'tf' or 'th'
normalize_data_format | - |
get_uid | keras.backend.get_uid |
reset_uids | keras.backend.clear_session |
clear_session | keras.backend.clear_session |
get_session | - | inside Keras 3, K raises an error: there is no session
set_session | - | inside Keras 3, a session of TensorFlow, and None, change nothing
manual_variable_initialization | - |
learning_phase | the argument `training` of `call` | inside Keras 3, it is an input of `K.function`
set_learning_phase | - | inside Keras 3, it counts in `K.function` alone
name_scope | keras.name_scope |
control_dependencies | - | inside Keras 3, K raises an error: there is no graph of operations
symbolic | - |
eager | - |
"""


def rows():
    """(K name, Keras 3, what differs) in the order of the contract; every name once."""
    found = {}
    for line in TABLE.strip().splitlines():
        name, there, differs = [part.strip() for part in line.split('|')]
        assert name not in found, name
        found[name] = (there, differs)
    wrong = sorted(set(found) ^ set(CONTRACT))
    if wrong:
        raise SystemExit(f'{", ".join(wrong)}: the names of TABLE in {__file__} are not those of the contract.')
    return [(name, *found[name]) for name in CONTRACT]


def cell(name, there):
    """What Keras 3 has for a K function, in Markdown."""
    there = f'keras.ops.{name}' if there == '=' else there
    return 'nothing like it' if there == '-' else there if '`' in there else f'`{there}`'


def table():
    """The table in Markdown."""
    lines = ['| K | Keras 3 | what differs |', '|---|---|---|']
    for name, there, differs in rows():
        lines.append(f'| `K.{name}` | {cell(name, there)} | {differs} |')
    return '\n'.join(lines) + '\n'


def page():
    """The page with the table of now."""
    with open(PAGE, encoding='utf-8') as stream:
        text = stream.read()
    return text.partition(START)[0] + START + '\n' + table()


def main(arguments):
    with open(PAGE, encoding='utf-8') as stream:
        text = stream.read()
    if arguments == ['--check']:
        if text != page():
            sys.exit('docs/coming-from-tf-keras.md has another table: type python tools/make_keras3_names.py')
        return
    written = page()
    with open(PAGE, 'w', encoding='utf-8') as stream:
        stream.write(written)


if __name__ == '__main__':
    main(sys.argv[1:])
