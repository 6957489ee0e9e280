//! Tests of a model of texts and pictures, on a tiny one that knows colors.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::picture_card::PictureFolder;
use super::{OnnxOptions, assets};
use crate::{LoadError, MatchRange, OnnxPictureModel, testing};

fn colors() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    testing::write_color_model(folder.path()).unwrap();
    folder
}

/// Changes the card; `null` takes a field out.
fn set(folder: &TempDir, field: &str, value: Value) {
    let path = folder.path().join("model.json");
    let mut card: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    match value {
        Value::Null => drop(card.as_object_mut().unwrap().remove(field)),
        value => card[field] = value,
    }
    fs::write(path, card.to_string()).unwrap();
}

/// Loads a model; `None` without the library.
fn load(folder: &TempDir) -> Option<Result<OnnxPictureModel, LoadError>> {
    let options = OnnxOptions { model_dir: folder.path().into(), ..assets()? };
    Some(OnnxPictureModel::load(&options))
}

fn plain(color: [u8; 3]) -> Vec<u8> {
    color.repeat(32 * 32)
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

#[test]
fn a_picture_is_like_the_text_that_says_what_it_shows() {
    let folder = colors();
    let Some(model) = load(&folder) else { return };
    let model = model.unwrap();
    assert_eq!((model.dimension(), model.size(), model.is_cropping()), (3, 32, true));
    assert_eq!(model.match_range(), MatchRange { from: 0.22, sure: 0.32 });
    let pictures = [[255, 0, 0], [0, 255, 0], [0, 0, 255]].map(|it| model.picture(&plain(it)));
    let pictures = pictures.map(Result::unwrap);
    for (text, own) in [("red", 0), ("something green", 1), ("blue blue", 2)] {
        let vector = model.text(text).unwrap();
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
        for (index, picture) in pictures.iter().enumerate() {
            let similarity = cosine(&vector, picture);
            assert_eq!(similarity > 0.95, index == own, "{text} {index}: {similarity}");
        }
    }
    // Half red, half blue; rows of pixels, each red, green and blue.
    let halves: Vec<u8> =
        (0..32 * 32).flat_map(|i| if i < 512 { [200, 0, 0] } else { [0, 0, 200] }).collect();
    let expected = 0.5_f32.sqrt();
    for (component, expected) in
        model.picture(&halves).unwrap().iter().zip([expected, 0.0, expected])
    {
        assert!((component - expected).abs() < 1e-5);
    }
    assert!(model.picture(&[0; 12]).is_err());
    // The model cannot tell where black is.
    assert!(model.picture(&plain([0, 0, 0])).is_err());
}

#[test]
fn colors_are_normalized_as_the_card_says() {
    let folder = colors();
    set(&folder, "mean", json!([0.5, 0.5, 0.5]));
    set(&folder, "std", json!([0.5, 0.25, 0.5]));
    let Some(model) = load(&folder) else { return };
    let vector = model.unwrap().picture(&plain([255, 0, 255])).unwrap();
    // 1, -2, 1.
    for (component, expected) in vector.iter().zip([1.0, -2.0, 1.0]) {
        assert!((component - expected / 6.0_f32.sqrt()).abs() < 1e-5, "{vector:?}");
    }
}

#[test]
fn texts_are_filled_up_when_the_card_says_so() {
    let folder = colors();
    set(&folder, "tokens_max", json!(4));
    set(&folder, "pad_to_tokens_max", json!(true));
    set(&folder, "pad_id", json!(3));
    let Some(model) = load(&folder) else { return };
    let model = model.unwrap();
    // Three more tokens are blue.
    let expected = [1.0_f32, 0.0, 3.0].map(|it| it / 10.0_f32.sqrt());
    for (component, expected) in model.text("red").unwrap().iter().zip(expected) {
        assert!((component - expected).abs() < 1e-5);
    }
    let long = model.text("red red red red blue blue").unwrap();
    assert!((long[0] - 1.0).abs() < 1e-5, "{long:?}");
}

#[test]
fn the_id_changes_with_all_that_changes_vectors() {
    let folder = colors();
    let id = || PictureFolder::open(folder.path()).unwrap().id;
    let first = id();
    assert!(first.starts_with("colors@") && first.len() == "colors@".len() + 12, "{first}");
    for (field, value) in [("match_from", json!(0.1)), ("license", json!("MIT"))] {
        set(&folder, field, value);
        assert_eq!(id(), first, "{field}");
    }
    let mut known = vec![first];
    for (field, value) in [
        ("size", json!(64)),
        ("mean", json!([0.1, 0.2, 0.3])),
        ("std", json!([0.1, 0.2, 0.3])),
        ("resize", json!("stretch")),
        ("tokens_max", json!(5)),
        ("pad_to_tokens_max", json!(true)),
        ("pad_id", json!(7)),
    ] {
        set(&folder, field, value);
        assert!(!known.contains(&id()), "{field}");
        known.push(id());
    }
    for file in ["image.onnx", "text.onnx", "tokenizer.json"] {
        let path = folder.path().join(file);
        fs::write(&path, [fs::read(&path).unwrap().as_slice(), b" "].concat()).unwrap();
        assert!(!known.contains(&id()), "{file}");
        known.push(id());
    }
}

#[test]
fn says_what_is_wrong_with_the_card() {
    for (field, value, expected) in [
        ("size", Value::Null, "missing field `size`"),
        ("size", json!(31), "size: must be 32 to 1024 pixels, is 31"),
        ("mean", json!([0.1, 1.5, 0.1]), "mean: must be 0 to 1, is 1.5"),
        ("mean", json!([0.1]), "invalid length 1"),
        ("std", json!([0.1, 0.0, 0.1]), "std: must be 0.001 to 1, is 0"),
        ("resize", json!("pad"), "unknown variant `pad`"),
        ("tokens_max", json!(0), "tokens_max: must be 1 to 8192, is 0"),
        ("match_sure", json!(0.2), "match_from and match_sure: must be -1 to 1"),
        ("name", json!(" "), "name: is empty"),
    ] {
        let folder = colors();
        set(&folder, field, value);
        let error = PictureFolder::open(folder.path()).unwrap_err();
        assert!(matches!(error, LoadError::Description { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{field}: {error}");
    }
}

#[test]
fn says_what_is_missing_or_damaged() {
    for file in ["image.onnx", "text.onnx", "tokenizer.json", "model.json"] {
        let folder = colors();
        fs::remove_file(folder.path().join(file)).unwrap();
        let error = PictureFolder::open(folder.path()).unwrap_err();
        assert!(matches!(&error, LoadError::NoPictureFile { path } if path.ends_with(file)));
        assert!(error.to_string().contains("docs/pictures.md"), "{error}");
    }
    let folder = colors();
    set(&folder, "sha256", json!({"text.onnx": "00"}));
    let error = PictureFolder::open(folder.path()).unwrap_err();
    assert!(matches!(error, LoadError::Damaged { path } if path.ends_with("text.onnx")));
    let elsewhere = folder.path().join("elsewhere");
    let error = PictureFolder::open(&elsewhere).unwrap_err();
    assert!(matches!(error, LoadError::NoPictureFolder { path } if path == elsewhere));
}

#[test]
fn says_which_side_does_not_fit() {
    let rows = vec![vec![1.0, 0.0]; 5];
    for (file, bytes, expected) in [
        ("image.onnx", b"not a model".to_vec(), "image.onnx"),
        (
            "image.onnx",
            testing::onnx_mean_color(33),
            "[1, 3, 33, 33], model.json says [1, 3, 32, 32]",
        ),
        ("image.onnx", testing::onnx_mean_of_rows(&rows), "it has 2 inputs, must have one"),
        ("text.onnx", testing::onnx_mean_color(32), "input pixel_values, which is not known"),
        ("text.onnx", testing::onnx_mean_of_rows(&rows), "3 components, and those of text.onnx 2"),
    ] {
        let folder = colors();
        fs::write(folder.path().join(file), bytes).unwrap();
        let Some(result) = load(&folder) else { return };
        let error = result.unwrap_err();
        assert!(matches!(error, LoadError::Model { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{file}: {error}");
    }
}
