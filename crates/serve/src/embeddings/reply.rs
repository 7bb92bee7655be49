//! The reply to a request for vectors.

use serde::Serialize;

#[derive(Serialize)]
struct Reply<'a> {
    object: &'static str,
    data: Vec<Item<'a>>,
    model: &'a str,
    usage: Usage,
}

#[derive(Serialize)]
struct Item<'a> {
    object: &'static str,
    index: usize,
    embedding: Embedding<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Embedding<'a> {
    Numbers(&'a [f32]),
    Base64(String),
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: usize,
    total_tokens: usize,
}

/// The reply as JSON; `tokens` are those of all texts.
pub fn json(vectors: &[Vec<f32>], model: &str, tokens: usize, is_base64: bool) -> String {
    let base64 = |vector: &Vec<f32>| {
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        base64::encode(bytes)
    };
    let item = |(index, vector)| Item {
        object: "embedding",
        index,
        embedding: if is_base64 { Embedding::Base64(base64(vector)) } else { Embedding::Numbers(vector) },
    };
    let data = vectors.iter().enumerate().map(item);
    let usage = Usage { prompt_tokens: tokens, total_tokens: tokens };
    let reply = Reply { object: "list", data: data.collect(), model, usage };
    // Structs of strings and numbers have a JSON form.
    serde_json::to_string(&reply).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_those_of_the_api() {
        let vectors = [vec![0.1, -2.0], vec![1.0, 0.5]];
        assert_eq!(
            json(&vectors, "m", 7, false),
            r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1,-2.0]},"#.to_string()
                + r#"{"object":"embedding","index":1,"embedding":[1.0,0.5]}],"#
                + r#""model":"m","usage":{"prompt_tokens":7,"total_tokens":7}}"#
        );
        // 1.0 is 0x3f800000.
        assert!(json(&[vec![1.0]], "m", 1, true).contains(r#""embedding":"AACAPw==""#));
    }
}
