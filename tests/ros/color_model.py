"""A model of pictures of some hundred bytes: ONNX files, spelled in the fields of onnx.proto."""

import json
import struct

FLOAT, INT64 = 1, 7
# An unknown word is less than black, so that it is like no picture.
WORDS = {
    '[UNK]': (-0.1, -0.1, -0.1),
    'red': (1.0, 0.0, 0.0),
    'green': (0.0, 1.0, 0.0),
    'blue': (0.0, 0.0, 1.0),
}


def varint(value):
    """A number in seven bits a byte."""
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded + bytes([value]))


def number(field, value):
    """A field that is a number."""
    return varint(field << 3) + varint(value)


def message(field, content):
    """A field that is a text, bytes or a message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor_info(name, element_type, axes):
    """An input or output; an axis of a name has any length."""
    shape = b''.join(
        message(1, message(2, axis) if isinstance(axis, str) else number(1, axis)) for axis in axes
    )
    tensor = number(1, element_type) + message(2, shape)
    return message(1, name) + message(2, message(1, tensor))


def node(operator, inputs, output, axes=()):
    """An operator, which takes the mean over these axes when there are some."""
    content = b''.join(message(1, name) for name in inputs)
    content += message(2, output) + message(4, operator)
    if axes:
        content += message(
            5, message(1, 'axes') + b''.join(number(8, axis) for axis in axes) + number(20, 7)
        )
        content += message(5, message(1, 'keepdims') + number(3, 0) + number(20, 2))
    return content


def model(nodes, inputs, output, table=None):
    """A file."""
    graph = b''.join(message(1, each) for each in nodes) + message(2, 'tiny')
    if table:
        values = [value for row in table for value in row]
        graph += message(
            5,
            number(1, len(table))
            + number(1, 3)
            + number(2, FLOAT)
            + message(8, 'table')
            + message(9, struct.pack(f'<{len(values)}f', *values)),
        )
    graph += b''.join(message(11, each) for each in inputs) + message(12, output)
    return number(1, 8) + message(7, graph) + message(8, number(2, 17))


def write_color_model(folder):
    """Write a model: a picture's vector is its mean color, a text's that of the colors it names."""
    folder.mkdir()
    mean = node('ReduceMean', ['pixel_values'], 'image_embeds', (2, 3))
    pixels = tensor_info('pixel_values', FLOAT, [1, 3, 32, 32])
    image = model([mean], [pixels], tensor_info('image_embeds', FLOAT, [1, 3]))
    nodes = [
        node('Gather', ['table', 'input_ids'], 'of_tokens'),
        node('ReduceMean', ['of_tokens'], 'text_embeds', (1,)),
    ]
    tokens = tensor_info('input_ids', INT64, ['batch', 'tokens'])
    text = model(nodes, [tokens], tensor_info('text_embeds', FLOAT, [1, 3]), list(WORDS.values()))
    tokenizer = {
        'version': '1.0',
        'added_tokens': [],
        'normalizer': None,
        'post_processor': None,
        'decoder': None,
        'pre_tokenizer': {'type': 'WhitespaceSplit'},
        'model': {
            'type': 'WordLevel',
            'vocab': {word: index for index, word in enumerate(WORDS)},
            'unk_token': '[UNK]',
        },
    }
    card = {'name': 'colors', 'size': 32, 'mean': [0, 0, 0], 'std': [1, 1, 1]}
    (folder / 'image.onnx').write_bytes(image)
    (folder / 'text.onnx').write_bytes(text)
    (folder / 'tokenizer.json').write_text(json.dumps(tokenizer))
    (folder / 'model.json').write_text(json.dumps(card))
    return folder
