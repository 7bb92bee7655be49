//! An encoder over real sockets, and a stand-in for it.

mod stand_in;

use std::time::Duration;

use fornax_runtime::ErrorKind;
use fornax_serve::Options;
use serde_json::{Value, json};
use stand_in::http::{JSON, Server, options, read, start_encoder, until};

fn body(input: &Value) -> Value {
    json!({ "model": "m", "input": input })
}

fn ask(server: &Server, input: &Value) -> (u16, Value) {
    let reply = server.post("/v1/embeddings", &body(input));
    (reply.status, reply.json())
}

/// Status, field and code.
fn error(server: &Server, body: &Value) -> (u16, String, String) {
    let reply = server.post("/v1/embeddings", body);
    let error = reply.json()["error"].clone();
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_string();
    (reply.status, text("param"), text("code"))
}

/// As the stand-in makes them, with length 1.
fn unit(count: f64, first: f64, last: f64) -> Vec<f64> {
    let length = (count * count + first * first + last * last).sqrt();
    vec![count / length, first / length, last / length]
}

fn is_near(found: &Value, wanted: &[f64]) -> bool {
    let found: Vec<f64> = found.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6)
}

#[test]
fn vectors_have_the_form_of_the_api() {
    let server = start_encoder(options());
    let (status, reply) = ask(&server, &json!(["w5 w6", "w7"]));
    assert_eq!((status, &reply["object"], &reply["model"]), (200, &json!("list"), &json!("m")));
    assert_eq!(reply["usage"], json!({ "prompt_tokens": 3, "total_tokens": 3 }));
    for (at, wanted) in [unit(2.0, 5.0, 6.0), unit(1.0, 7.0, 7.0)].iter().enumerate() {
        let item = &reply["data"][at];
        assert_eq!((&item["object"], &item["index"]), (&json!("embedding"), &json!(at)));
        assert!(is_near(&item["embedding"], wanted), "{item}");
    }
    let ids = ask(&server, &json!([[5, 6], [7]])).1;
    assert_eq!(ids["data"], reply["data"]);
    assert_eq!(ask(&server, &json!("w7")).1["data"][0]["embedding"], reply["data"][1]["embedding"]);
    let mut bytes = body(&json!([1, 2, 2]));
    bytes["encoding_format"] = json!("base64");
    // 3, 1 and 2 divided by √14, as three f32.
    let text = server.post("/v1/embeddings", &bytes).json()["data"][0]["embedding"].clone();
    assert_eq!(text, json!("s0FNP3fWiD531gg/"), "{text}");
    assert_eq!(server.metric("fornax_prompt_tokens_total"), 10.0);
    server.end();
}

#[test]
fn what_is_asked_wrongly_is_said() {
    let server = start_encoder(Options { body_max: 300, ..options() });
    let of = |input: Value| error(&server, &body(&input));
    let wrong = |code: &str| (400, "input".to_string(), code.to_string());
    assert_eq!(of(json!("w1 ".repeat(7))), wrong("context_length_exceeded"));
    assert_eq!(of(json!([[1], [1, 2, 3, 4, 5, 6, 7]])), wrong("context_length_exceeded"));
    assert_eq!(of(json!([[42]])), wrong("FX1107"));
    assert_eq!(of(json!(" ")), wrong("invalid_value"));
    assert_eq!(of(json!("")), wrong("invalid_value"));
    let dimensions = json!({ "model": "m", "input": "w1", "dimensions": 2 });
    assert_eq!(error(&server, &dimensions), (400, "dimensions".into(), "unsupported_parameter".into()));
    let other = json!({ "model": "n", "input": "w1" });
    assert_eq!(error(&server, &other), (404, "model".into(), "model_not_found".into()));
    assert_eq!(of(json!("w1 ".repeat(200))).0, 413);
    assert_eq!(server.ask("POST /v1/embeddings", "", "{}").status, 415);
    assert_eq!(server.ask("POST /v1/embeddings", JSON, "{").status, 400);
    assert_eq!(server.get("/v1/embeddings").status, 405);
    for path in ["/v1/chat/completions", "/v1/completions"] {
        let reply = server.post(path, &json!({ "model": "m", "prompt": "w1" }));
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!("unsupported_endpoint")));
    }
    assert_eq!(server.get("/v1/models").json()["data"][0]["max_model_len"], stand_in::TEXT);
    assert_eq!(server.control.count(), 0, "nothing of it was computed");
    server.end();
}

#[test]
fn a_key_is_asked_for() {
    let server = start_encoder(Options { api_key: Some("k".to_string()), ..options() });
    assert_eq!(ask(&server, &json!("w1")).0, 401);
    let key = format!("{JSON}Authorization: Bearer k\r\n");
    assert_eq!(server.ask("POST /v1/embeddings", &key, &body(&json!("w1")).to_string()).status, 200);
    server.end();
}

#[test]
fn a_call_that_fails_is_an_error_of_the_server() {
    let server = start_encoder(options());
    assert_eq!(error(&server, &body(&json!([[1], [stand_in::FAILS]]))).0, 500);
    assert_eq!(ask(&server, &json!("w1")).0, 200);
    assert_eq!(error(&server, &body(&json!([stand_in::LOSES]))).0, 503);
    assert_eq!(server.join().unwrap_err().kind(), ErrorKind::DeviceLost);
}

#[test]
fn places_are_few() {
    let server = start_encoder(options());
    server.control.allow(Some(0));
    let first = server.start_post("/v1/embeddings", &body(&json!([[1], [1]])));
    server.wait_for_calls(1);
    let second = server.start_post("/v1/embeddings", &body(&json!([1, 2])));
    server.wait_for("fornax_queue_length", 1.0);
    let reply = server.post("/v1/embeddings", &body(&json!("w1")));
    assert_eq!((reply.status, reply.head.contains("retry-after: 1")), (429, true), "{}", reply.head);
    server.control.allow(None);
    assert_eq!((read(first).status, read(second).status), (200, 200));
    server.end();
}

#[test]
fn who_hangs_up_is_not_served() {
    let server = start_encoder(options());
    server.control.allow(Some(0));
    let left = server.start_post("/v1/embeddings", &body(&json!([[1], [1], [1], [1]])));
    server.wait_for_calls(1);
    drop(left);
    until(|| server.metric("fornax_queue_length") == 0.0 && ask_is_free(&server));
    server.control.allow(None);
    assert_eq!(ask(&server, &json!([1, 2])).0, 200);
    server.wait_for("fornax_cancelled_total", 1.0);
    assert_eq!(server.control.count(), 2, "one text of the one who left, and the other's");
    server.end();
}

/// Whether both places are free: a request with a wrong body takes one and gives it back.
fn ask_is_free(server: &Server) -> bool {
    server.post("/v1/embeddings", &json!({})).status == 400
}

#[test]
fn stopping_has_a_limit() {
    let mut server = start_encoder(Options { grace: Duration::from_millis(50), ..options() });
    server.control.allow(Some(0));
    let left = server.start_post("/v1/embeddings", &body(&json!([[1], [1]])));
    server.wait_for_calls(1);
    server.begin_stop();
    // The limit passes while a text is being computed: the others are left out.
    std::thread::sleep(Duration::from_millis(200));
    let control = server.control.clone();
    control.allow(None);
    server.join().unwrap();
    assert_eq!(control.count(), 1);
    drop(left);
}

#[test]
fn stopping_lets_requests_end() {
    let mut server = start_encoder(options());
    server.control.allow(Some(0));
    let asked = server.start_post("/v1/embeddings", &body(&json!([[1], [1]])));
    server.wait_for_calls(1);
    server.begin_stop();
    server.control.allow(None);
    assert_eq!(read(asked).status, 200);
    server.join().unwrap();
}
