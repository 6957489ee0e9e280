//! Tests of where the graph of a model is, and of its precision.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::super::folder::ModelFolder;
use super::{OnnxOptions, WORDS, assets, load, tiny_model, write};
use crate::{Embedder, LoadError, OnnxEmbedder, testing};

const INPUTS: [&str; 2] = ["input_ids", "token_type_ids"];

/// A model whose graph lies in these places, with other weights in each.
fn model_at(files: &[&str]) -> TempDir {
    let folder = tiny_model(&INPUTS);
    fs::remove_file(folder.path().join("model.onnx")).unwrap();
    for (file, number) in files.iter().zip(1..) {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let rows = vec![vec![number as f32, 1.0]; WORDS.len()];
        fs::write(path, testing::onnx_gather(&INPUTS, &rows)).unwrap();
    }
    folder
}

/// Which file is taken, below the folder, or the error.
fn taken(folder: &TempDir, path: &Path) -> Result<PathBuf, String> {
    let open = ModelFolder::open(path).map_err(|error| error.to_string())?;
    assert_eq!(open.tokenizer, folder.path().join("tokenizer.json"));
    Ok(open.model.strip_prefix(folder.path()).unwrap().to_owned())
}

#[test]
fn the_plain_graph_is_taken_or_else_the_only_one() {
    for (files, expected) in [
        (&["onnx/model.onnx"][..], "onnx/model.onnx"),
        (&["model.onnx", "onnx/model.onnx"], "model.onnx"),
        (&["onnx/model_quantized.onnx"], "onnx/model_quantized.onnx"),
        (&["model_O4.onnx"], "model_O4.onnx"),
        (&["encoder.onnx"], "encoder.onnx"),
        (&["onnx/model_q4.onnx", "onnx/._model_q4.onnx"], "onnx/model_q4.onnx"),
        (&["model_fp16.onnx", "onnx/model.onnx"], "onnx/model.onnx"),
        (&["onnx/model_qint8_avx512.onnx", "model.onnx"], "model.onnx"),
    ] {
        let folder = model_at(files);
        assert_eq!(taken(&folder, folder.path()).unwrap(), Path::new(expected), "{files:?}");
    }
}

#[test]
fn of_several_graphs_one_is_named_by_its_path() {
    let files = ["onnx/model_fp16.onnx", "onnx/model_int8.onnx", "model_O2.onnx"];
    let folder = model_at(&files);
    let error = taken(&folder, folder.path()).unwrap_err();
    let list = "model_O2.onnx, onnx/model_fp16.onnx, onnx/model_int8.onnx";
    assert!(error.contains(&format!("{} has several models, {list}", folder.path().display())));
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let mut ids = Vec::new();
    for (file, number) in files.iter().zip(1_u8..) {
        let path = folder.path().join(file);
        assert_eq!(taken(&folder, &path).unwrap(), Path::new(file));
        let id = ModelFolder::open(&path).unwrap().id;
        assert!(id.starts_with(&format!("{name}@")) && !ids.contains(&id), "{id}");
        ids.push(id);
        let Some(assets) = assets() else { return };
        let embedder = OnnxEmbedder::load(&OnnxOptions { model_dir: path, ..assets }).unwrap();
        let vector = embedder.embed("up").unwrap();
        assert!((vector[0] / vector[1] - f32::from(number)).abs() < 1e-5, "{file}: {vector:?}");
    }
}

#[test]
fn a_graph_that_is_named_may_be_a_link_or_have_its_own_tokenizer() {
    let folder = model_at(&["blob", "onnx/model_int8.onnx"]);
    let link = folder.path().join("model_O1.onnx");
    symlink("blob", &link).unwrap();
    assert_eq!(taken(&folder, &link).unwrap(), Path::new("model_O1.onnx"));
    let inside = folder.path().join("onnx");
    let (above, beside) = (folder.path().join("tokenizer.json"), inside.join("tokenizer.json"));
    fs::copy(&above, &beside).unwrap();
    let graph = inside.join("model_int8.onnx");
    assert_eq!(ModelFolder::open(&graph).unwrap().tokenizer, above, "as when the folder is named");
    fs::remove_file(&above).unwrap();
    assert_eq!(ModelFolder::open(&graph).unwrap().tokenizer, beside);
}

#[test]
fn a_graph_that_is_not_there_is_an_error_that_says_what_is() {
    let folder = model_at(&["onnx/model_int8.onnx"]);
    let named = folder.path().join("onnx/model_uint8.onnx");
    let error = taken(&folder, &named).unwrap_err();
    assert!(error.contains(&format!("no model {}, but onnx/model_int8.onnx:", named.display())));

    let unexported = model_at(&[]);
    write(&unexported, "model.safetensors", "weights");
    fs::create_dir(unexported.path().join("model_O1.onnx")).unwrap();
    let error = taken(&unexported, unexported.path()).unwrap_err();
    let plain = unexported.path().join("model.onnx");
    let files = "model.safetensors, tokenizer.json";
    assert!(error.contains(&format!("no model {}, but {files}:", plain.display())), "{error}");
    for number in 0..20 {
        write(&unexported, &format!("onnx/part{number:02}.bin"), "");
    }
    let error = taken(&unexported, unexported.path()).unwrap_err();
    assert!(error.contains("onnx/part14.bin and 6 more:"), "{error}");
    let other = unexported.path().join("nowhere/model.onnx");
    assert!(
        matches!(ModelFolder::open(&other), Err(LoadError::NoFolder { path }) if path == other)
    );
    let file = unexported.path().join("model.safetensors");
    assert!(matches!(ModelFolder::open(&file), Err(LoadError::NoFolder { path }) if path == file));
}

#[test]
fn weights_beside_a_graph_are_part_of_the_id() {
    for file in ["model.onnx_data", "model.onnx.data"] {
        let folder = tiny_model(&INPUTS);
        let whole = ModelFolder::open(folder.path()).unwrap().id;
        let rows: Vec<Vec<f32>> = WORDS.iter().map(|(_, row)| row.to_vec()).collect();
        let [graph, weights] = testing::onnx_gather_beside(file, &INPUTS, &rows);
        fs::write(folder.path().join("model.onnx"), graph).unwrap();
        fs::write(folder.path().join(file), &weights).unwrap();
        let first = ModelFolder::open(folder.path()).unwrap().id;
        assert_ne!(first, whole);
        if let Some(embedder) = load(&folder) {
            assert_eq!(embedder.unwrap().embed("up").unwrap(), [0.0, 1.0]);
        }
        let turned: Vec<u8> = weights.chunks(4).rev().flatten().copied().collect();
        fs::write(folder.path().join(file), turned).unwrap();
        assert_ne!(ModelFolder::open(folder.path()).unwrap().id, first, "{file}");
    }
}

#[test]
fn vectors_may_be_of_16_bit_floats_and_of_nothing_else() {
    let rows: Vec<Vec<f32>> = WORDS.iter().map(|(_, row)| row.to_vec()).collect();
    let folder = tiny_model(&INPUTS);
    let graph = |element_type| testing::onnx_gather_as(element_type, &INPUTS, &rows);
    fs::write(folder.path().join("model.onnx"), graph(testing::FLOAT16)).unwrap();
    let Some(embedder) = load(&folder) else { return };
    let embedder = embedder.unwrap();
    assert_eq!(embedder.embed("up up down").unwrap(), [0.0, 1.0]);
    let expected = [1.0 / 5f32.sqrt(), 2.0 / 5f32.sqrt()];
    assert_eq!(embedder.embed("what up down up").unwrap(), expected);
    assert!(embedder.embed("up broken").is_err(), "what is no number stays none");
    fs::write(folder.path().join("model.onnx"), graph(testing::INT64)).unwrap();
    let error = load(&folder).unwrap().unwrap_err().to_string();
    assert!(error.contains("last_hidden_state is not of 32-bit or 16-bit floats"), "{error}");
}

#[test]
fn an_output_of_another_name_is_the_first_one_of_floats() {
    let folder = tiny_model(&INPUTS);
    let path = folder.path().join("model.onnx");
    let mut graph = fs::read(&path).unwrap();
    let name = b"last_hidden_state";
    while let Some(at) = graph.windows(name.len()).position(|part| part == name) {
        graph[at] = b'1';
    }
    fs::write(&path, graph).unwrap();
    let Some(embedder) = load(&folder) else { return };
    assert_eq!(embedder.unwrap().embed("up").unwrap(), [0.0, 1.0]);
}
