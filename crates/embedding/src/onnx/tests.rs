//! Tests of the embedder as a whole.
//!
//! Some need what `scripts/assets` fetches. Without it they pass without having looked, unless
//! the variable `ROBOT_MEMORY_REQUIRE_MODEL` is 1.

mod graphs;
mod pictures;

use std::fs;
use std::sync::OnceLock;
use std::thread;

use tempfile::TempDir;

use super::*;
use crate::{locate, testing};

/// The fetched model and library, if they are there.
#[expect(clippy::disallowed_methods, reason = "where the model is")]
fn assets() -> Option<OnnxOptions> {
    let cache = locate::cache_dir(|name| std::env::var_os(name))?;
    let options = OnnxOptions {
        model_dir: cache.join("model"),
        onnxruntime: cache.join("onnxruntime/libonnxruntime.so"),
        threads: 1,
        parallel: 2,
    };
    let present = options.model_dir.join("model.onnx").is_file() && options.onnxruntime.is_file();
    let required = std::env::var("ROBOT_MEMORY_REQUIRE_MODEL").is_ok_and(|value| value == "1");
    assert!(
        present || !required,
        "no model and library in {}: run scripts/assets",
        cache.display()
    );
    present.then_some(options)
}

/// The default model, loaded once for all tests.
fn default_model() -> Option<&'static OnnxEmbedder> {
    static EMBEDDER: OnceLock<Option<OnnxEmbedder>> = OnceLock::new();
    EMBEDDER.get_or_init(|| Some(OnnxEmbedder::load(&assets()?).unwrap())).as_ref()
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

#[test]
fn the_default_model_is_the_known_one() {
    let Some(embedder) = default_model() else { return };
    assert_eq!(embedder.model_id(), "use-multilingual-v3@6612bee0f6b5");
    assert_eq!(embedder.dimension(), 512);
}

#[test]
fn finds_what_is_meant_alike_in_both_languages() {
    let Some(embedder) = default_model() else { return };
    let embed = |text| embedder.embed(text).unwrap();
    let [english, chinese] = ["grip the red cup", "抓取红色杯子"].map(embed);
    let alike = cosine(&english, &chinese);
    for unrelated in ["the battery is charged in the night", "电池在夜里充电"].map(embed) {
        for vector in [&english, &chinese] {
            assert!(alike > cosine(vector, &unrelated) + 0.3);
        }
    }
    assert!(alike > 0.6, "{alike}");
}

#[test]
fn every_text_gets_a_unit_vector_and_always_the_same() {
    let Some(embedder) = default_model() else { return };
    let long = "The gripper closes slowly. 抓取红色杯子。".repeat(400);
    let of_chars = |count| long.chars().take(count).collect::<String>();
    for text in ["robot", "", " \n\t", "\u{0}", "🤖", "e\u{301}", &of_chars(300), &of_chars(10_000)]
    {
        let vector = embedder.embed(text).unwrap();
        let length = cosine(&vector, &vector).sqrt();
        assert_eq!(vector.len(), 512);
        assert!((length - 1.0).abs() < 1e-5, "{text:?}: {length}");
        assert_eq!(vector, embedder.embed(text).unwrap(), "{text:?}");
    }
    // Both are longer than what the model reads.
    assert_eq!(
        embedder.embed(&of_chars(9_000)).unwrap(),
        embedder.embed(&of_chars(10_000)).unwrap()
    );
}

#[test]
fn threads_get_what_one_thread_gets() {
    let Some(embedder) = default_model() else { return };
    let texts: Vec<_> = (0..40).map(|n| format!("shelf {n} holds {} cups", n * n)).collect();
    let embed_all = || texts.iter().map(|text| embedder.embed(text).unwrap()).collect::<Vec<_>>();
    let serial = embed_all();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(embed_all)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), serial);
        }
    });
}

/// Words that the tiny model knows, and the vector of each.
const WORDS: [(&str, [f32; 2]); 5] = [
    ("[UNK]", [1.0, 0.0]),
    ("up", [0.0, 2.0]),
    ("down", [0.0, -2.0]),
    ("nothing", [0.0, 0.0]),
    ("broken", [f32::NAN, 1.0]),
];

/// Writes a model of the BERT kind that answers with the vector of each word.
fn tiny_model(inputs: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<Vec<f32>> = WORDS.iter().map(|(_, row)| row.to_vec()).collect();
    fs::write(folder.path().join("model.onnx"), testing::onnx_gather(inputs, &rows)).unwrap();
    let tokenizer = testing::tokenizer(&WORDS.map(|(word, _)| word));
    fs::write(folder.path().join("tokenizer.json"), tokenizer).unwrap();
    folder
}

/// Loads the tiny model; `None` without the library.
fn load(folder: &TempDir) -> Option<Result<OnnxEmbedder, LoadError>> {
    let options = OnnxOptions { model_dir: folder.path().into(), ..assets()? };
    Some(OnnxEmbedder::load(&options))
}

#[test]
fn takes_the_mean_over_tokens() {
    let folder = tiny_model(&["input_ids", "attention_mask", "token_type_ids"]);
    let Some(embedder) = load(&folder) else { return };
    let embedder = embedder.unwrap();
    assert_eq!(embedder.dimension(), 2);
    for (text, expected) in [
        ("up", [0.0, 1.0]),
        ("down down", [0.0, -1.0]),
        ("up up down", [0.0, 1.0]),
        ("what up down up", [1.0 / 5f32.sqrt(), 2.0 / 5f32.sqrt()]),
    ] {
        assert_eq!(embedder.embed(text).unwrap(), expected, "{text}");
    }
    for text in ["", "nothing", "up down", "up broken"] {
        assert!(embedder.embed(text).is_err(), "{text}");
    }
}

#[test]
fn reads_no_more_tokens_than_the_model() {
    for (file, text) in [
        ("model.json", r#"{"tokens_max": 2}"#),
        ("sentence_bert_config.json", r#"{"max_seq_length": 2}"#),
        ("config.json", r#"{"max_position_embeddings": 2}"#),
    ] {
        let folder = tiny_model(&["input_ids", "token_type_ids"]);
        write(&folder, file, text);
        let Some(embedder) = load(&folder) else { return };
        let vector = embedder.unwrap().embed("up up down down down").unwrap();
        assert_eq!(vector, [0.0, 1.0], "{file}");
    }
}

/// Writes a file beside a model.
fn write(folder: &TempDir, file: &str, text: &str) {
    let path = folder.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn one_vector_is_made_of_those_of_the_tokens_as_the_folder_says() {
    for (mode, expected) in [
        (r#"{"pooling_mode_mean_tokens": true}"#, [1.0 / 2f32.sqrt(), -1.0 / 2f32.sqrt()]),
        (r#"{"pooling_mode_cls_token": true}"#, [1.0, 0.0]),
        (r#"{"pooling_mode_max_tokens": true}"#, [1.0 / 5f32.sqrt(), 2.0 / 5f32.sqrt()]),
    ] {
        // (1, 0), (1, 0), (0, 2), (0, -2), (0, -2)
        let folder = tiny_model(&["input_ids", "attention_mask", "token_type_ids"]);
        write(&folder, "1_Pooling/config.json", mode);
        let Some(embedder) = load(&folder) else { return };
        let vector = embedder.unwrap().embed("what what up down down").unwrap();
        let is_near = vector.iter().zip(expected).all(|(got, wanted)| (got - wanted).abs() < 1e-6);
        assert!(is_near, "{mode}: {vector:?}");
    }
}

#[test]
fn what_is_not_a_number_is_refused_however_one_vector_is_made() {
    for mode in ["mean", "cls", "max"] {
        let folder = tiny_model(&["input_ids", "attention_mask", "token_type_ids"]);
        write(&folder, "model.json", &format!(r#"{{"pooling": "{mode}"}}"#));
        let Some(embedder) = load(&folder) else { return };
        let embedder = embedder.unwrap();
        assert!(embedder.embed("broken up").is_err(), "{mode}");
        // Of the first token alone nothing is broken.
        assert_eq!(embedder.embed("up broken").is_err(), mode != "cls", "{mode}");
    }
}

#[test]
fn a_file_that_ends_anywhere_is_an_error() {
    for file in ["model.onnx", "tokenizer.json"] {
        let folder = tiny_model(&["input_ids", "token_type_ids"]);
        let path = folder.path().join(file);
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let Some(result) = load(&folder) else { return };
            let error = result.err().unwrap_or_else(|| panic!("{file} of {end} bytes is taken"));
            assert!(error.to_string().contains(file), "{end}: {error}");
        }
    }
}

#[test]
fn a_tokenizer_that_contradicts_itself_is_an_error() {
    let special = r#"[{"SpecialToken": {"id": "[CLS]", "type_id": 0}}]"#;
    let adds = format!(
        r#""post_processor":{{"type":"TemplateProcessing","single":{special},"pair":[],"special_tokens":{{}}}}"#
    );
    let reads = r#""normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}"#;
    for (usual, odd) in
        [(r#""post_processor":null"#, adds.as_str()), (r#""normalizer":null"#, reads)]
    {
        let folder = tiny_model(&["input_ids", "token_type_ids"]);
        let path = folder.path().join("tokenizer.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(usual));
        fs::write(&path, text.replace(usual, odd)).unwrap();
        let Some(result) = load(&folder) else { return };
        assert!(result.unwrap_err().to_string().contains("tokenizer"), "{odd}");
    }
}

#[test]
fn a_query_and_a_text_have_what_the_folder_puts_before_them() {
    let folder = tiny_model(&["input_ids", "token_type_ids"]);
    let prompts = r#"{"prompts": {"query": "down down ", "document": "up up "}}"#;
    write(&folder, "config_sentence_transformers.json", prompts);
    let Some(embedder) = load(&folder) else { return };
    let embedder = embedder.unwrap();
    assert_eq!(embedder.embed("down").unwrap(), [0.0, 1.0]);
    // The direction of a language is taken out of a query: half of it is left here.
    let is_down = |query: &str| embedder.embed_query(query).unwrap()[1] < -0.5;
    assert!(is_down("up") && is_down("what"));
    // What the owner of the folder writes goes before it.
    write(&folder, "model.json", r#"{"text_prefix": "", "query_prefix": "up "}"#);
    let embedder = load(&folder).unwrap().unwrap();
    assert_eq!(embedder.embed("down").unwrap(), [0.0, -1.0]);
    assert!(embedder.embed_query("down").is_err(), "they cancel each other");
}

#[test]
fn the_id_changes_with_what_changes_the_vectors() {
    let id_with = |text: &str| {
        let folder = tiny_model(&["input_ids", "token_type_ids"]);
        write(&folder, "model.json", text);
        ModelFolder::open(folder.path()).unwrap().id
    };
    let usual = id_with(r#"{"name": "tiny"}"#);
    assert_eq!(id_with(r#"{"name": "tiny", "pooling": "mean", "query_prefix": ""}"#), usual);
    let others = [
        id_with(r#"{"name": "tiny", "pooling": "cls"}"#),
        id_with(r#"{"name": "tiny", "pooling": "max"}"#),
        id_with(r#"{"name": "tiny", "query_prefix": "a"}"#),
        id_with(r#"{"name": "tiny", "text_prefix": "a"}"#),
    ];
    let all: std::collections::BTreeSet<&String> = others.iter().chain([&usual]).collect();
    assert_eq!(all.len(), 5, "{all:?}");
}

#[test]
fn the_id_changes_with_name_and_bytes() {
    let folder = tiny_model(&["input_ids", "token_type_ids"]);
    let id = || ModelFolder::open(folder.path()).unwrap().id;
    let unnamed = id();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let digits = unnamed.strip_prefix(&format!("{name}@")).unwrap().to_owned();
    assert_eq!(digits.len(), 12);
    fs::write(folder.path().join("model.json"), r#"{"name": "tiny", "license": "MIT"}"#).unwrap();
    assert_eq!(id(), format!("tiny@{digits}"));
    for file in ["model.onnx", "tokenizer.json"] {
        let path = folder.path().join(file);
        let before = id();
        fs::write(&path, [fs::read(&path).unwrap().as_slice(), b" "].concat()).unwrap();
        assert_ne!(id(), before, "{file}");
    }
}

#[test]
fn says_what_is_wrong_with_a_folder() {
    type Expected = fn(&LoadError) -> bool;
    let wrong_sum = r#"{"sha256": {"tokenizer.json": "00"}}"#;
    let long = format!(r#"{{"text_prefix": "{}"}}"#, "x".repeat(1025));
    let cases: [(&str, &str, Expected); 10] = [
        ("model.json", &long, |error| matches!(error, LoadError::Description { .. })),
        ("model.json", r#"{"pooling": "last"}"#, |error| {
            matches!(error, LoadError::Description { .. })
        }),
        ("model.json", "{", |error| matches!(error, LoadError::Description { .. })),
        ("model.json", r#"{"name": " "}"#, |error| matches!(error, LoadError::Description { .. })),
        ("model.json", r#"{"tokens_max": 0}"#, |error| {
            matches!(error, LoadError::Description { .. })
        }),
        ("model.json", wrong_sum, |error| matches!(error, LoadError::Damaged { .. })),
        ("tokenizer.json", "{}", |error| matches!(error, LoadError::Tokenizer { .. })),
        ("tokenizer.json", "", |error| matches!(error, LoadError::Tokenizer { .. })),
        ("model.onnx", "not a model", |error| matches!(error, LoadError::Model { .. })),
        ("model.json", r#"{"dimension": 3}"#, |error| matches!(error, LoadError::Model { .. })),
    ];
    for (file, content, expected) in cases {
        let folder = tiny_model(&["input_ids", "token_type_ids"]);
        let path = folder.path().join(file);
        fs::write(&path, content).unwrap();
        let Some(result) = load(&folder) else { return };
        let error = result.unwrap_err();
        assert!(expected(&error), "{file} {content}: {error:?}");
        assert!(error.to_string().contains(folder.path().to_str().unwrap()), "{error}");
    }
}

#[test]
fn says_which_input_it_does_not_know() {
    let folder = tiny_model(&["input_ids", "position_ids"]);
    let Some(result) = load(&folder) else { return };
    let error = result.unwrap_err().to_string();
    assert!(error.contains("position_ids"), "{error}");
}

#[test]
fn says_what_is_missing() {
    let folder = tiny_model(&["input_ids", "token_type_ids"]);
    let library = folder.path().join("libonnxruntime.so");
    let mut options = OnnxOptions {
        model_dir: folder.path().into(),
        onnxruntime: library.clone(),
        threads: 1,
        parallel: 1,
    };
    let load = |options: &OnnxOptions| OnnxEmbedder::load(options).unwrap_err();

    assert!(matches!(load(&options), LoadError::NoLibrary { path } if path == library));
    fs::write(&library, "not a library").unwrap();
    // Which of the two depends on whether another test has loaded the library before.
    assert!(matches!(load(&options), LoadError::Library { .. } | LoadError::OtherLibrary { .. }));

    let tokenizer = folder.path().join("tokenizer.json");
    fs::remove_file(&tokenizer).unwrap();
    assert!(matches!(load(&options), LoadError::NoFile { path } if path == tokenizer));
    options.model_dir = folder.path().join("elsewhere");
    assert!(matches!(load(&options), LoadError::NoFolder { path } if path == options.model_dir));
}

#[test]
fn a_query_hardly_tells_its_language() {
    let Some(embedder) = default_model() else { return };
    let pairs = [
        ["What is the top speed on the ramp?", "坡道上的最高速度是多少?"],
        ["The lights in the storeroom were off.", "仓库的灯关着。"],
        ["Two screws are missing.", "少了两颗螺丝。"],
        ["Never touch the hot plate.", "绝对不要碰加热板。"],
        ["The parcel is under the bench.", "包裹在长凳下面。"],
        ["Who cleaned the lens?", "谁擦了镜头?"],
    ];
    // How much more similar other sentences of its own language are to a query, on average.
    let lead = |embed_query: &dyn Fn(&str) -> Vec<f32>| {
        let mut sum = 0.0;
        for (index, pair) in pairs.iter().enumerate() {
            for (own, query) in pair.iter().enumerate() {
                let query = embed_query(query);
                for (_, other) in pairs.iter().enumerate().filter(|(place, _)| *place != index) {
                    let of =
                        |language: usize| cosine(&query, &embedder.embed(other[language]).unwrap());
                    sum += of(own) - of(1 - own);
                }
            }
        }
        sum / (pairs.len() * (pairs.len() - 1) * 2) as f32
    };
    let plain = lead(&|query| embedder.embed(query).unwrap());
    let neutral = lead(&|query| embedder.embed_query(query).unwrap());
    assert!(plain > 0.02 && neutral < plain / 2.0, "{plain}, then {neutral}");
    let query = embedder.embed_query(pairs[0][0]).unwrap();
    assert!((cosine(&query, &query) - 1.0).abs() < 1e-5);
}
