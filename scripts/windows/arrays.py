"""Arrays in files: .npy written and read, with the elements as Python's own numbers."""

import ast
import pathlib
import struct

# The library's types: how .npy and Python's struct name them.
TYPES = {
    "f16": ("<f2", "e"), "f32": ("<f4", "f"), "f64": ("<f8", "d"), "bool": ("|b1", "?"),
    "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"), "i64": ("<i8", "q"),
    "u8": ("|u1", "B"), "u16": ("<u2", "H"), "u32": ("<u4", "I"), "u64": ("<u8", "Q"),
}
CODES = dict(TYPES.values())


def rounded(kind, items):
    """Numbers as a type holds them."""
    form = f"<{len(items)}{TYPES[kind][1]}"
    return list(struct.unpack(form, struct.pack(form, *items)))


def header(kind, shape):
    text = repr({"descr": TYPES[kind][0], "fortran_order": False, "shape": tuple(shape)})
    text += " " * (-(11 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def write(path, kind, shape, items):
    pathlib.Path(path).write_bytes(header(kind, shape) + struct.pack(f"<{len(items)}{TYPES[kind][1]}", *items))


def read(path):
    """The shape and the elements."""
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack_from("<H", data, 8)
    facts = ast.literal_eval(data[10:10 + size].decode())
    code = CODES[facts["descr"]]
    count = (len(data) - 10 - size) // struct.calcsize(code)
    return facts["shape"], list(struct.unpack_from(f"<{count}{code}", data, 10 + size))
