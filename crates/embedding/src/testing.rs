//! Models of some hundred bytes, for tests: ONNX files, spelled in the protocol-buffer fields of onnx.proto.

use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

/// Element types of tensors.
const FLOAT: u8 = 1;
/// That of 64-bit integers.
pub const INT64: u8 = 7;
/// That of 16-bit floats.
pub const FLOAT16: u8 = 10;

/// Words that the model of colors knows, and the color of each: an unknown one is less than black, so that
/// it is like no picture.
const COLOR_WORDS: [(&str, [f32; 3]); 5] = [
    ("[UNK]", [-0.1, -0.1, -0.1]),
    ("red", [1.0, 0.0, 0.0]),
    ("green", [0.0, 1.0, 0.0]),
    ("blue", [0.0, 0.0, 1.0]),
    ("white", [1.0, 1.0, 1.0]),
];

/// Writes a model of pictures of 32 x 32 pixels into a folder: the vector of a picture is its mean color,
/// that of a text the mean of the colors that it names.
///
/// # Errors
/// When a file cannot be written.
pub fn write_color_model(folder: &Path) -> io::Result<()> {
    let words = COLOR_WORDS.map(|(word, _)| word);
    let rows: Vec<Vec<f32>> = COLOR_WORDS.iter().map(|(_, color)| color.to_vec()).collect();
    let card = json!({"name": "colors", "size": 32, "mean": [0, 0, 0], "std": [1, 1, 1]});
    for (file, bytes) in [
        ("image.onnx", onnx_mean_color(32)),
        ("text.onnx", onnx_mean_of_rows(&rows)),
        ("tokenizer.json", tokenizer(&words).into_bytes()),
        ("model.json", card.to_string().into_bytes()),
    ] {
        std::fs::write(folder.join(file), bytes)?;
    }
    Ok(())
}

/// A tokenizer that knows these words, the first of which stands for all others.
pub fn tokenizer(words: &[&str]) -> String {
    let vocabulary: Map<String, Value> =
        words.iter().zip(0..).map(|(word, id)| ((*word).to_owned(), id.into())).collect();
    json!({
        "version": "1.0", "added_tokens": [], "normalizer": null, "post_processor": null,
        "decoder": null, "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": words[0]},
    })
    .to_string()
}

/// Row `input_ids + last input` of a table, for each token: a model of the BERT kind. Its first output is the
/// numbers of the rows, the second one, `last_hidden_state`, the rows.
pub fn onnx_gather(inputs: &[&str], rows: &[Vec<f32>]) -> Vec<u8> {
    gather(inputs, table(rows), FLOAT)
}

/// The same, whose output has another element type.
pub fn onnx_gather_as(element_type: u8, inputs: &[&str], rows: &[Vec<f32>]) -> Vec<u8> {
    gather(inputs, table(rows), element_type)
}

/// The same, whose table is in a file beside it; and the content of that file.
pub fn onnx_gather_beside(file: &str, inputs: &[&str], rows: &[Vec<f32>]) -> [Vec<u8>; 2] {
    let place = message(13, [message(1, "location"), message(2, file)].concat());
    let table = [table_shape(rows), place, number(14, 1)].concat();
    [gather(inputs, table, FLOAT), table_bytes(rows)]
}

fn gather(inputs: &[&str], table: Vec<u8>, element_type: u8) -> Vec<u8> {
    let last = inputs.last().copied().unwrap_or("input_ids");
    let to = [message(1, "to"), number(3, element_type), attribute_type(2)].concat();
    let cast = node("Cast", &["rows"], "last_hidden_state", &[]);
    let nodes = [
        node("Add", &["input_ids", last], "sum", &[]),
        node("Gather", &["table", "sum"], "rows", &[]),
        [cast, message(5, to)].concat(),
    ];
    let inputs = inputs.iter().map(|name| tensor_info(name, INT64, &[None, None]));
    let sum = tensor_info("sum", INT64, &[None, None]);
    let output = tensor_info("last_hidden_state", element_type, &[None, None, None]);
    model(&nodes, Some(table), inputs.collect(), &[sum, output])
}

/// The mean over the pixels of a picture of so many pixels a side.
pub fn onnx_mean_color(size: u8) -> Vec<u8> {
    let node = node("ReduceMean", &["pixel_values"], "image_embeds", &[2, 3]);
    let input = tensor_info("pixel_values", FLOAT, &[Some(1), Some(3), Some(size), Some(size)]);
    model(&[node], None, vec![input], &[tensor_info("image_embeds", FLOAT, &[Some(1), Some(3)])])
}

/// The mean of the rows of a table that the tokens name.
pub fn onnx_mean_of_rows(rows: &[Vec<f32>]) -> Vec<u8> {
    let nodes = [
        node("Gather", &["table", "input_ids"], "of_tokens", &[]),
        node("ReduceMean", &["of_tokens"], "text_embeds", &[1]),
    ];
    let inputs =
        ["input_ids", "attention_mask"].map(|name| tensor_info(name, INT64, &[None, None]));
    let output = tensor_info("text_embeds", FLOAT, &[None, None]);
    model(&nodes, Some(table(rows)), inputs.to_vec(), &[output])
}

fn message(number: u8, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    let length = [bytes.len() as u8 & 0x7f | 0x80, (bytes.len() >> 7) as u8];
    assert!(bytes.len() < 1 << 14, "two bytes tell the length");
    [&[number << 3 | 2][..], &length, bytes].concat()
}

fn number(number: u8, value: u8) -> Vec<u8> {
    vec![number << 3, value]
}

/// A tensor of a name, with the lengths of its axes as far as they are fixed.
fn tensor_info(name: &str, element_type: u8, axes: &[Option<u8>]) -> Vec<u8> {
    let axis = |axis: &Option<u8>| match axis {
        Some(length) => message(1, number(1, *length)),
        None => message(1, message(2, "n")),
    };
    let shape: Vec<u8> = axes.iter().flat_map(axis).collect();
    let tensor = [number(1, element_type), message(2, shape)].concat();
    [message(1, name), message(2, message(1, tensor))].concat()
}

/// An operator, which reduces these axes when there are some.
fn node(operator: &str, inputs: &[&str], output: &str, axes: &[u8]) -> Vec<u8> {
    let mut node: Vec<u8> = inputs.iter().flat_map(|input| message(1, input)).collect();
    node.extend([message(2, output), message(4, operator)].concat());
    if !axes.is_empty() {
        let axes: Vec<u8> = axes.iter().flat_map(|axis| number(8, *axis)).collect();
        node.extend(message(5, [message(1, "axes"), axes, attribute_type(7)].concat()));
        node.extend(message(5, [message(1, "keepdims"), number(3, 0), attribute_type(2)].concat()));
    }
    node
}

/// Field 20, whose number takes two bytes.
fn attribute_type(of: u8) -> Vec<u8> {
    vec![0xa0, 0x01, of]
}

fn table(rows: &[Vec<f32>]) -> Vec<u8> {
    [table_shape(rows), message(9, table_bytes(rows))].concat()
}

fn table_bytes(rows: &[Vec<f32>]) -> Vec<u8> {
    rows.iter().flatten().flat_map(|value| value.to_le_bytes()).collect()
}

/// A tensor without its numbers.
fn table_shape(rows: &[Vec<f32>]) -> Vec<u8> {
    let width = rows.first().map_or(0, Vec::len) as u8;
    let shape = [number(1, rows.len() as u8), number(1, width)].concat();
    [shape, number(2, FLOAT), message(8, "table")].concat()
}

fn model(
    nodes: &[Vec<u8>],
    table: Option<Vec<u8>>,
    inputs: Vec<Vec<u8>>,
    outputs: &[Vec<u8>],
) -> Vec<u8> {
    let nodes: Vec<u8> = nodes.iter().flat_map(|node| message(1, node)).collect();
    let table: Vec<u8> = table.map(|table| message(5, table)).unwrap_or_default();
    let inputs: Vec<u8> = inputs.iter().flat_map(|input| message(11, input)).collect();
    let outputs: Vec<u8> = outputs.iter().flat_map(|output| message(12, output)).collect();
    let graph = [nodes, message(2, "tiny"), table, inputs, outputs].concat();
    [number(1, 8), message(7, graph), message(8, number(2, 17))].concat()
}
