"""Convolutions over very few frames as products of matrices.

Mimi decodes two positions at a time. There torch's own convolutions with large weights take two to three times as
long as the same product, because they are made for long inputs.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from app.speech.weights import WithoutValues

#: Weights below this many values gain nothing.
_LARGE = 1_000_000


class RowsConv1d(nn.Conv1d):
    """A convolution without stride, dilation, padding or groups."""

    def forward(self, input: Tensor) -> Tensor:
        """[1, C, T] → [1, out, T − kernel + 1]."""
        rows = input[0].unfold(1, self.kernel_size[0], 1).transpose(0, 1).flatten(1)
        return F.linear(rows, self.weight.flatten(1), self.bias).T[None]


class RowsConvTranspose1d(nn.ConvTranspose1d):
    """A transposed convolution whose kernel is twice its stride, without dilation, padding or groups."""

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """[1, C, T] → [1, out, (T + 1) · stride]."""
        steps = input.shape[2]
        columns = (input[0].T @ self.weight.flatten(1)).unflatten(1, (self.out_channels, 2, -1)).transpose(0, 1)
        out = columns.new_zeros(self.out_channels, steps + 1, self.stride[0])
        out[:, :steps] = columns[:, :, 0]
        out[:, 1:] += columns[:, :, 1]
        if self.bias is not None:
            out += self.bias[:, None, None]
        return out.flatten(1)[None]


def use_products(module: nn.Module) -> None:
    """Compute the large convolutions inside `module` so, those of the kinds above. For batches of one."""
    for part in module.modules():
        for name, child in part.named_children():
            rows = _as_rows(child)
            if rows is not None:
                setattr(part, name, rows)


def _as_rows(conv: nn.Module) -> nn.Module | None:
    if not isinstance(conv, nn.Conv1d | nn.ConvTranspose1d) or conv.weight.numel() < _LARGE:
        return None
    kernel, stride = conv.kernel_size[0], conv.stride[0]
    plain = conv.groups == 1 and conv.dilation == (1,) and conv.padding == (0,)
    rows: nn.Module
    with WithoutValues():
        if plain and isinstance(conv, nn.ConvTranspose1d) and kernel == 2 * stride:
            rows = RowsConvTranspose1d(conv.in_channels, conv.out_channels, kernel, stride, bias=conv.bias is not None)
        elif plain and isinstance(conv, nn.Conv1d) and stride == 1:
            rows = RowsConv1d(conv.in_channels, conv.out_channels, kernel, bias=conv.bias is not None)
        else:
            return None
    rows.load_state_dict(conv.state_dict(), assign=True)
    return rows.requires_grad_(False)
