"""A plugin of pytest that lets the PyTorch engine compute on a GPU: see docs/gpu.md.

PYTHONPATH=tests/tools PYTEST_ADDOPTS="-p on_gpu" python -m keras_backend check torch
"""

import torch

torch.set_default_device('cuda')
