"""The works in PyTorch, eager."""

import os

import torch
from torch.nn import functional as F

from . import data

DEVICE = os.environ.get('PEERS_DEVICE', 'cpu')
# As K has it: a convolution on a GPU is computed in float32.
torch.backends.cudnn.allow_tf32 = False


def library(who):
    # The first optimizer imports it. benchmarks/memory.py leaves out what is imported here.
    import torch._dynamo

    return torch, f'PyTorch {torch.__version__}'


def fed(array):
    return torch.from_numpy(array).to(DEVICE)


def work(name, who):
    if who == 'torch_loop':
        return trained(name, *LOOPS[name](name)) if name in LOOPS else None
    if name == 'call':
        values = data.values(name)
        return lambda: torch.matmul(*[fed(v) for v in values]).cpu().numpy()
    if name in ('elementwise', 'reductions'):
        return arithmetic(name)
    if name == 'product_update':
        return product_update(name)
    makers = {'mlp': mlp, 'conv': conv, 'lstm': lstm, 'gru': gru, 'bn_conv': bn_conv, 'transformer': transformer}
    maker = makers.get(name)
    if maker is None and not name.startswith('embedding'):
        return None
    return trained(name, *(maker or embedding)(name))


def trained(name, loss, weights):
    if name == 'embedding_adam':
        optimizer = torch.optim.Adam(
            weights, data.ADAM['rate'], (data.ADAM['beta_1'], data.ADAM['beta_2']), data.ADAM['epsilon']
        )
    else:
        optimizer = torch.optim.SGD(weights, data.RATE)
    values = data.values(name)

    def step():
        optimizer.zero_grad()
        value = loss(*[fed(v) for v in values])
        value.backward()
        optimizer.step()
        return value.item()

    return step


def parameters(name):
    return [torch.nn.Parameter(torch.tensor(w)) for w in data.start(name)]


def classified(target, scores):
    return F.cross_entropy(scores, target)


def mlp(name):
    weights = parameters(name)

    def loss(x, target):
        for i in (0, 2, 4):
            x = torch.addmm(weights[i + 1], x, weights[i])
            x = F.relu(x) if i < 4 else x
        return classified(target, x)

    return loss, weights


def first_channel(kernel):
    """A kernel in the layout of PyTorch."""
    return torch.nn.Parameter(torch.tensor(kernel.transpose(3, 2, 0, 1).copy()))


def conv(name):
    start, weights = data.start(name), parameters(name)
    weights[0], weights[2] = first_channel(start[0]), first_channel(start[2])
    # The images are flattened with the channels first.
    rows = start[4].reshape(12, 12, 64, 10).transpose(2, 0, 1, 3).reshape(9216, 10)
    weights[4] = torch.nn.Parameter(torch.tensor(rows))

    def loss(x, target):
        x = F.relu(F.conv2d(x.permute(0, 3, 1, 2).contiguous(), weights[0], weights[1]))
        x = F.relu(F.conv2d(x, weights[2], weights[3]))
        return classified(target, torch.addmm(weights[5], F.max_pool2d(x, 2).flatten(1), weights[4]))

    return loss, weights


def lstm(name):
    size, (kernel, recurrent, bias) = data.LSTM, data.start(name)
    module = torch.nn.LSTM(size['inputs'], size['units'], batch_first=True)
    with torch.no_grad():
        for parameter, value in zip(module.parameters(), (kernel.T, recurrent.T, bias, bias)):
            parameter.copy_(torch.tensor(value))
    # Two biases that are added: one alone learns, as there is one in the other libraries.
    module.bias_hh_l0.requires_grad = False
    return lambda x, target: F.mse_loss(module(x)[0][:, -1], target), [
        p for p in module.parameters() if p.requires_grad
    ]


def gru(name):
    size, (kernel, recurrent, bias) = data.GRU, data.start(name)
    n = size['units']
    module = torch.nn.GRU(size['inputs'], n, batch_first=True)

    def ordered(w):
        return torch.tensor(w.T.reshape(3, n, -1)[[1, 0, 2]].reshape((3 * n,) + w.T.shape[1:]))

    with torch.no_grad():
        for parameter, value in zip(module.parameters(), (kernel, recurrent, bias[0], bias[1])):
            parameter.copy_(ordered(value))

    def loss(x, target):
        # All steps run, as with the other libraries. The state after the last known step is picked afterwards.
        known = (x != 0).any(dim=-1).sum(dim=1) - 1
        return F.mse_loss(module(x)[0][torch.arange(x.shape[0]), known], target)

    return loss, list(module.parameters())


def lstm_loop(name):
    size, weights = data.LSTM, parameters(name)

    def loss(x, target):
        h = c = torch.zeros(x.shape[0], size['units'])
        for step in x.unbind(1):
            i, f, g, o = torch.addmm(weights[2], step, weights[0]).addmm(h, weights[1]).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return F.mse_loss(h, target)

    return loss, weights


def gru_loop(name):
    size, weights = data.GRU, parameters(name)

    def loss(x, target):
        h = torch.zeros(x.shape[0], size['units'])
        for step, known in zip(x.unbind(1), (x != 0).any(-1).unbind(1)):
            a = torch.addmm(weights[2][0], step, weights[0]).chunk(3, 1)
            b = torch.addmm(weights[2][1], h, weights[1]).chunk(3, 1)
            z, r = torch.sigmoid(a[0] + b[0]), torch.sigmoid(a[1] + b[1])
            h = torch.where(known[:, None], z * h + (1 - z) * torch.tanh(a[2] + r * b[2]), h)
        return F.mse_loss(h, target)

    return loss, weights


LOOPS = {'lstm': lstm_loop, 'gru': gru_loop}


def embedding(name):
    weights = parameters(name)
    sparse = name != 'embedding_adam'  # torch.optim.SparseAdam gives other numbers
    return lambda x, target: (F.embedding(x, weights[0], sparse=sparse) - target).square().sum(), weights


def bn_conv(name):
    size, start, weights = data.NORMALISED, data.start(name), parameters(name)
    weights[0], weights[3] = first_channel(start[0]), first_channel(start[3])
    averages = [(torch.zeros(size['channels']), torch.ones(size['channels'])) for _ in range(2)]

    def loss(x, target):
        x = x.permute(0, 3, 1, 2).contiguous()
        for i, (mean, variance) in zip((0, 3), averages):
            x = F.batch_norm(
                F.conv2d(x, weights[i]),
                mean,
                variance,
                weights[i + 1],
                weights[i + 2],
                training=True,
                momentum=1 - size['momentum'],
                eps=size['epsilon'],
            )
            x = F.relu(x)
        return classified(target, torch.addmm(weights[7], x.mean((2, 3)), weights[6]))

    return loss, weights


def product_update(name):
    (w,), (x,) = [torch.tensor(w) for w in data.start(name)], data.values(name)

    def step():
        nonlocal w
        y = torch.mm(fed(x), w)
        w = torch.mul(w, 0.999)
        return y.cpu().numpy()

    return step


def transformer(name):
    size, weights = data.TRANSFORMER, parameters(name)
    n, heads = size['width'], size['heads']

    def linear(x, kernel, bias):
        return torch.addmm(bias, x.reshape(-1, kernel.shape[0]), kernel).reshape(*x.shape[:-1], -1)

    def loss(x, target):
        batch, steps, _ = x.shape
        q, k, v = [
            part.reshape(batch, steps, heads, -1).transpose(1, 2)
            for part in linear(x, weights[0], weights[1]).split(n, -1)
        ]
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, steps, n)
        h = F.layer_norm(x + linear(mixed, weights[2], weights[3]), (n,), weights[4], weights[5], size['epsilon'])
        inner = F.relu(linear(h, weights[6], weights[7]))
        y = F.layer_norm(h + linear(inner, weights[8], weights[9]), (n,), weights[10], weights[11], size['epsilon'])
        return F.mse_loss(y, target)

    return loss, weights


def arithmetic(name):
    x = torch.tensor(data.floats(*data.FLOATS) + (0.2 if name == 'reductions' else 0.0), dtype=torch.float32)

    def reductions():
        return [v.item() for v in (x.mean(), x.sum(), x.max(), x.std(unbiased=False))]

    def elementwise():
        y = torch.square(F.relu(x * 1.5 + 0.5)) - x
        return (torch.exp(torch.tanh(torch.sqrt(torch.abs(y)))) + x).cpu().numpy()

    return reductions if name == 'reductions' else elementwise
