//! `--json-schema` and `response_format`: a model of random weights writes JSON of a schema.

use std::path::Path;

use fornax_tests::{Run, fornax};
use serde_json::{Map, Value, json};

use crate::generate::compiled;
use crate::serve::Server;

/// Words of JSON in the place of the model's own, as many.
const WORDS: [&str; 23] = [
    "a", "b", "{", "}", "\"", ":", ",", "1", "2", "3", "-", "[", "]", "true", "false", "null", "c", "d", "e", "f", "g",
    "h", "i",
];

fn model(folder: &Path) {
    compiled(folder);
    let words: Map<String, Value> = WORDS.iter().zip(0u32..).map(|(word, id)| (word.to_string(), id.into())).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": null, "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "model": {"type": "BPE", "vocab": words, "merges": []},
    });
    std::fs::write(folder.join("model/tokenizer.json"), tokenizer.to_string()).unwrap();
}

fn generate(folder: &Path, flags: &[&str]) -> Run {
    let model = ["generate", "--module=m.fnx", "--parameters=model", "--raw", "--prompt=a"];
    fornax(folder, &[&model, flags].concat())
}

fn schema() -> Value {
    json!({
        "type": "object", "properties": {"b": {"enum": [1, null]}}, "required": ["b"], "additionalProperties": false,
    })
}

/// Whether a text is JSON of the schema.
fn is_right(text: &str) -> bool {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    value.as_object().is_some_and(|fields| fields.len() == 1) && [json!(1), Value::Null].contains(&value["b"])
}

#[test]
fn texts_are_json_of_the_schema() {
    let dir = tempfile::tempdir().unwrap();
    model(dir.path());
    std::fs::write(dir.path().join("s.json"), schema().to_string()).unwrap();
    for seed in 0..4 {
        let flags = ["--json-schema=@s.json", &format!("--seed={seed}"), "--temperature=5", "--format=json"];
        let made: Value = serde_json::from_str(&generate(dir.path(), &flags).ok().stdout).unwrap();
        assert!(is_right(made["text"].as_str().unwrap()) && made["finish"] == "stop", "{made}");
    }
    let free = generate(dir.path(), &["--max-tokens=8"]).ok().stdout;
    let greedy = generate(dir.path(), &[&format!("--json-schema={}", schema())]).ok().stdout;
    assert!(is_right(&greedy) && free != greedy, "{free:?} {greedy:?}");
    // Each prompt has a text of its own.
    let two = generate(dir.path(), &["--prompt=b", "--json-schema=@s.json", "--format=json"]).ok().stdout;
    assert_eq!(two.lines().filter(|line| line.contains("\"stop\"")).count(), 2, "{two}");
}

#[test]
fn what_is_no_schema_is_said() {
    let dir = tempfile::tempdir().unwrap();
    model(dir.path());
    generate(dir.path(), &["--json-schema={"]).fails(1, "--json-schema is no JSON");
    generate(dir.path(), &["--json-schema=@nowhere.json"]).fails(1, "nowhere.json");
    generate(dir.path(), &["--json-schema=1"]).fails(1, "FX1113");
    let unknown = generate(dir.path(), &[r#"--json-schema={"type": "array", "uniqueItems": true}"#]);
    assert!(unknown.fails(1, "FX1113").stderr.contains("uniqueItems"));
    // No word of the model can stand in such a text.
    generate(dir.path(), &[r#"--json-schema={"const": "x"}"#]).fails(1, "FX1113");
}

#[test]
fn requests_name_a_schema() {
    let dir = tempfile::tempdir().unwrap();
    model(dir.path());
    let server = Server::start(dir.path(), &[]);
    let ask = |format: Value, more: Value| {
        let mut body = json!({"model": "m", "prompt": "a", "max_tokens": 14, "temperature": 2, "seed": 3});
        body["response_format"] = format;
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, reply) = server.post("/v1/completions", "", &body);
        (status, serde_json::from_str::<Value>(&reply).unwrap())
    };
    let named = json!({"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": schema()}});
    let (status, reply) = ask(named, json!({"n": 3}));
    let choices = reply["choices"].as_array().unwrap();
    assert_eq!((status, choices.len()), (200, 3), "{reply}");
    for choice in choices {
        assert!(is_right(choice["text"].as_str().unwrap()) && choice["finish_reason"] == "stop", "{reply}");
    }
    let unknown = json!({"type": "json_schema", "json_schema": {"schema": {"type": "array", "uniqueItems": true}}});
    let (status, reply) = ask(unknown, json!({}));
    assert_eq!((status, &reply["error"]["code"]), (400, &json!("FX1113")), "{reply}");
    assert_eq!(reply["error"]["param"], "response_format");
    assert_eq!(server.end("-TERM"), Some(0));
}
