"""ONNX models that hand out what they compute on the way.

The files are protocol buffers; only the few fields that matter are looked at, so no further package is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def with_output(model: bytes, value: str, *, alone: bool = False) -> bytes:
    """An ONNX model that hands out a float `value` of its graph too, or `alone`, without the nodes it does not need.

    ModelProto.graph is field 7, GraphProto.node 1 and output 12: ValueInfoProto(name (1), type (2) . tensor_type (1) .
    elem_type (1) = float).
    """

    def field(number: int, content: bytes) -> bytes:
        size, length = len(content), bytearray()
        while size > 127:
            length.append(size & 127 | 128)
            size >>= 7
        return bytes([number << 3 | 2, *length, size]) + content

    output = field(12, field(1, value.encode()) + field(2, field(1, bytes([1 << 3, 1]))))
    whole = bytearray()
    for number, content, raw in _fields(model):
        if number == 7:
            parts = [*_fields(content)]
            if alone:
                nodes = _before(value.encode(), [part for number, part, _ in parts if number == 1])
                parts = [part for part in parts if part[0] not in (1, 12) or (part[0] == 1 and part[1] in nodes)]
            raw = field(7, b"".join(part for *_, part in parts) + output)
        whole += raw
    return bytes(whole)


def _before(value: bytes, nodes: Sequence[bytes]) -> set[bytes]:
    """The nodes that `value` is made by (NodeProto.input 1 and output 2)."""
    maker: dict[bytes, bytes] = {}
    inputs: dict[bytes, list[bytes]] = {}
    for node in nodes:
        parts = [*_fields(node)]
        inputs[node] = [part for number, part, _ in parts if number == 1]
        maker |= {part: node for number, part, _ in parts if number == 2}
    wanted, found = [value], set[bytes]()
    while wanted:
        made_by = maker.get(wanted.pop())
        if made_by is not None and made_by not in found:
            found.add(made_by)
            wanted += inputs[made_by]
    return found


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """The fields of a protocol buffer: number, content, and how both are written."""

    def varint(at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (message[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if message[at - 1] < 128:
                return value, at

    at = 0
    while at < len(message):
        begin = at
        tag, at = varint(at)
        kind = tag & 7
        if kind == 2:
            size, at = varint(at)
        elif kind == 0:
            _, at = varint(at)
            size = 0
        else:
            size = 8 if kind == 1 else 4
        yield tag >> 3, message[at : at + size], message[begin : at + size]
        at += size
