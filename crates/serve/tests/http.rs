//! The server over real sockets and a stand-in for the model.

mod stand_in;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use fornax_runtime::ErrorKind;
use fornax_serve::{Options, bind};
use serde_json::{Value, json};
use stand_in::http::{JSON, chat, options, read, start, until, usual};
use stand_in::{TEMPLATE, WORDS};

/// Status, and type and code of the error.
fn error(reply: &stand_in::http::Reply) -> (u16, String, String) {
    let error = reply.json()["error"].clone();
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_string();
    assert!(!text("message").is_empty() && error.as_object().unwrap().len() == 4, "{error}");
    (reply.status, text("type"), text("code"))
}

#[test]
fn a_chat_is_answered_whole_and_in_pieces() {
    let server = usual();
    let whole = server.chat(json!({ "max_tokens": 6 }));
    assert_eq!(whole.status, 200, "{}", whole.body);
    let reply = whole.json();
    assert_eq!((&reply["object"], &reply["model"]), (&json!("chat.completion"), &json!("m")));
    let choice = &reply["choices"][0];
    assert_eq!((&choice["finish_reason"], &choice["message"]["role"]), (&json!("length"), &json!("assistant")));
    let usage = &reply["usage"];
    assert_eq!((usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64()), (Some(4), Some(6)));
    assert_eq!(usage["total_tokens"], 10);
    let text = choice["message"]["content"].as_str().unwrap();
    assert_eq!(text.split(' ').count(), 6, "{text}");

    let options = json!({ "max_tokens": 6, "stream": true, "stream_options": { "include_usage": true } });
    let events = server.chat(options).events();
    let joined: String = events.iter().filter_map(|e| e["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(joined, text);
    assert_eq!(events[0]["choices"][0]["delta"]["role"], "assistant");
    let [.., end, usage] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&end["choices"][0]["finish_reason"], &end["choices"][0]["delta"]), (&json!("length"), &json!({})));
    assert_eq!((&usage["choices"], &usage["usage"]["completion_tokens"]), (&json!([]), &json!(6)));
    assert!(events.iter().all(|e| e["id"] == events[0]["id"] && e["object"] == "chat.completion.chunk"));
    let plain = server.chat(json!({ "max_tokens": 6, "stream": true })).events();
    assert_eq!(plain.len() + 1, events.len(), "no counts where nobody asked");
    server.end();
}

/// Each of several texts is that of the next seed, whole and in pieces.
#[test]
fn several_texts_behind_a_prompt() {
    let server = usual();
    let text = |choice: &Value| choice["message"]["content"].as_str().unwrap().to_string();
    let alone: Vec<String> =
        (1..=3).map(|seed| text(&server.chat(json!({ "max_tokens": 6, "seed": seed })).json()["choices"][0])).collect();
    let reply = server.chat(json!({ "max_tokens": 6, "n": 3 })).json();
    let choices = reply["choices"].as_array().unwrap();
    assert_eq!(choices.iter().map(text).collect::<Vec<String>>(), alone);
    assert_eq!(choices.iter().map(|choice| choice["index"].as_u64().unwrap()).collect::<Vec<u64>>(), [0, 1, 2]);
    assert_eq!((&reply["usage"]["prompt_tokens"], &reply["usage"]["completion_tokens"]), (&json!(4), &json!(18)));
    let body = json!({ "max_tokens": 6, "n": 3, "stream": true, "stream_options": { "include_usage": true } });
    let events = server.chat(body).events();
    for (at, wanted) in alone.iter().enumerate() {
        let own = || events.iter().map(|event| &event["choices"][0]).filter(|choice| choice["index"] == json!(at));
        let joined: String = own().filter_map(|choice| choice["delta"]["content"].as_str()).collect();
        assert_eq!((joined.as_str(), own().filter(|c| c["finish_reason"] == "length").count()), (wanted.as_str(), 1));
    }
    assert_eq!(events.last().unwrap()["usage"]["completion_tokens"], 18);
    server.end();
}

#[test]
fn how_likely_tokens_were() {
    let server = usual();
    let body = json!({ "max_tokens": 5, "logprobs": true, "top_logprobs": 3, "temperature": 0 });
    let reply = server.chat(body.clone()).json();
    let choice = &reply["choices"][0];
    let content = choice["logprobs"]["content"].as_array().unwrap();
    let joined: String = content.iter().map(|token| token["token"].as_str().unwrap()).collect();
    assert_eq!((content.len(), joined.trim()), (5, choice["message"]["content"].as_str().unwrap().trim()));
    for token in content {
        let top = token["top_logprobs"].as_array().unwrap();
        let logprobs: Vec<f64> = top.iter().map(|one| one["logprob"].as_f64().unwrap()).collect();
        assert!(logprobs.len() == 3 && logprobs.is_sorted_by(|a, b| a >= b) && logprobs[0] < 0.0, "{token}");
        // Greedy takes the likeliest.
        assert_eq!(
            (&token["token"], &token["logprob"], &token["bytes"]),
            (&top[0]["token"], &top[0]["logprob"], &top[0]["bytes"])
        );
        assert_eq!(token["bytes"].as_array().unwrap().len(), token["token"].as_str().unwrap().len());
    }
    let mut streamed = body;
    streamed["stream"] = json!(true);
    let events = server.chat(streamed).events();
    let pieces = events.iter().filter_map(|event| event["choices"][0]["logprobs"]["content"].as_array()).flatten();
    assert_eq!(pieces.collect::<Vec<_>>(), content.iter().collect::<Vec<_>>());
    // What temperature and filters do to the draw does not change what the model said.
    let none = server.chat(json!({ "max_tokens": 5 })).json();
    assert!(none["choices"][0]["logprobs"].is_null());
    let body = json!({ "model": "m", "prompt": "w4 w5", "max_tokens": 4, "logprobs": 2, "top_k": 1, "temperature": 2 });
    let reply = server.post("/v1/completions", &body).json();
    let found = &reply["choices"][0]["logprobs"];
    for name in ["tokens", "token_logprobs", "top_logprobs", "text_offset"] {
        assert_eq!(found[name].as_array().unwrap().len(), 4, "{found}");
    }
    for at in 0..4 {
        let (token, top) = (found["tokens"][at].as_str().unwrap(), found["top_logprobs"][at].as_object().unwrap());
        assert_eq!((top.len(), &top[token]), (2, &found["token_logprobs"][at]));
    }
    let offset = found["tokens"][0].as_str().unwrap().chars().count();
    assert_eq!((&found["text_offset"][0], &found["text_offset"][1]), (&json!(0), &json!(offset)));
    server.end();
}

#[test]
fn connections_that_say_nothing_end() {
    let limits = Options { connections: 2, header_time: Duration::from_millis(300), ..options() };
    let server = start(limits, Some(TEMPLATE));
    let (mut silent, mut slow) = (server.connect(), server.connect());
    slow.write_all(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\n").unwrap();
    // Both are taken: a third waits until they have had their time, and is served then.
    let began = Instant::now();
    assert_eq!(server.get("/health").status, 200);
    assert!(began.elapsed() >= Duration::from_millis(200), "{:?}", began.elapsed());
    for stream in [&mut silent, &mut slow] {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        assert!(!rest.starts_with(b"HTTP/1.1 2"), "{rest:?}");
    }
    // A client that goes on in time keeps its connection.
    let mut kept = server.connect();
    for _ in 0..3 {
        kept.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut head = [0; 12];
        kept.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
        std::thread::sleep(Duration::from_millis(20));
        kept.set_nonblocking(true).unwrap();
        let mut rest = [0; 4096];
        let _ = kept.read(&mut rest);
        kept.set_nonblocking(false).unwrap();
    }
    drop(kept);
    server.end();
}

#[test]
fn a_text_is_continued() {
    let server = usual();
    let ask = |more: Value| {
        let mut body = json!({ "model": "m", "prompt": "w4 w5", "seed": 3 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.post("/v1/completions", &body)
    };
    let reply = ask(json!({})).json();
    assert_eq!((&reply["object"], &reply["usage"]["completion_tokens"]), (&json!("text_completion"), &json!(16)));
    let text = reply["choices"][0]["text"].as_str().unwrap();
    assert_eq!(ask(json!({ "prompt": [4, 5] })).json()["choices"][0]["text"], text);
    let pieces = ask(json!({ "stream": true })).events();
    let joined: String = pieces.iter().filter_map(|e| e["choices"][0]["text"].as_str()).collect();
    assert_eq!(joined, text);

    // The third word ends it; a text of as many tokens as fit ends by itself.
    let word = text.split(' ').nth(2).unwrap();
    let stopped = ask(json!({ "stop": word })).json();
    assert_eq!(stopped["choices"][0]["finish_reason"], "stop");
    assert!(text.starts_with(stopped["choices"][0]["text"].as_str().unwrap()));
    let long = ask(json!({ "max_tokens": 1_000_000_000_000u64 })).json();
    assert_eq!(
        (&long["usage"]["completion_tokens"], &long["choices"][0]["finish_reason"]),
        (&json!(63), &json!("length"))
    );
    // Greedy draws nothing: seeds do not matter. Without a seed a draw differs.
    let texts = |more: Value| {
        let texts = (0..6).map(|_| ask(more.clone()).json()["choices"][0]["text"].as_str().unwrap().to_string());
        texts.collect::<std::collections::BTreeSet<String>>().len()
    };
    assert_eq!(texts(json!({ "temperature": 0, "seed": null })), 1);
    assert!(texts(json!({ "seed": null })) > 1);
    server.end();
}

#[test]
fn what_is_asked_wrongly_is_said() {
    let server = usual();
    let invalid = |status: u16, code: &str| (status, "invalid_request_error".to_string(), code.to_string());
    assert_eq!(error(&server.chat(json!({ "tools": [{}] }))), invalid(400, "unsupported_parameter"));
    assert_eq!(error(&server.chat(json!({ "n": 4 }))), invalid(400, "invalid_value"));
    assert_eq!(error(&server.chat(json!({ "model": "gpt" }))), invalid(404, "model_not_found"));
    assert_eq!(error(&server.chat(json!({ "temperature": "hot" }))), invalid(400, "invalid_type"));
    let chats = "POST /v1/chat/completions";
    assert_eq!(error(&server.ask(chats, JSON, "{")), invalid(400, "invalid_json"));
    assert_eq!(error(&server.ask(chats, "", "{}")), invalid(415, "unsupported_media_type"));
    assert_eq!(error(&server.get("/v1/nothing")), invalid(404, "unknown_url"));
    assert_eq!(error(&server.get("/")), invalid(404, "unknown_url"));
    assert_eq!(error(&server.get("/v1/completions")), invalid(405, "method_not_allowed"));
    assert_eq!(error(&server.ask("DELETE /health", "", "")), invalid(405, "method_not_allowed"));
    let embeddings = server.post("/v1/embeddings", &json!({ "model": "m", "input": "a" }));
    assert_eq!(error(&embeddings), invalid(400, "unsupported_endpoint"));
    assert!(embeddings.body.contains("no embeddings"), "{}", embeddings.body);
    let long = "w1 ".repeat(65);
    let prompt = json!({ "model": "m", "prompt": long });
    assert_eq!(error(&server.post("/v1/completions", &prompt)), invalid(400, "context_length_exceeded"));
    let other = json!({ "model": "m", "prompt": [WORDS] });
    assert_eq!(error(&server.post("/v1/completions", &other)), invalid(400, "FX1107"));
    let empty = json!({ "model": "m", "prompt": "" });
    assert_eq!(error(&server.post("/v1/completions", &empty)), invalid(400, "invalid_value"));
    // By its header, and where only the bytes tell.
    let large = format!("{{\"model\": \"{}\"}}", "m".repeat(10_000));
    assert_eq!(error(&server.ask(chats, JSON, &large)), invalid(413, "request_too_large"));
    let mut stream = server.connect();
    let head = format!("{chats} HTTP/1.1\r\nHost: x\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n");
    stream.write_all(format!("{head}{:x}\r\n{large}", large.len()).as_bytes()).unwrap();
    assert_eq!(error(&read(stream)), invalid(413, "request_too_large"));
    // Nothing of this reached the model, and the server still serves.
    assert_eq!(server.control.count(), 0);
    assert_eq!(server.chat(json!({ "max_tokens": 1 })).status, 200);
    server.end();
}

#[test]
fn a_checkpoint_without_a_template_only_continues() {
    let server = start(options(), None);
    assert_eq!(error(&server.chat(json!({}))).2, "FX1108");
    assert_eq!(server.post("/v1/completions", &json!({ "model": "m", "prompt": "w1" })).status, 200);
    server.end();
}

#[test]
fn a_call_that_fails_is_an_error_of_the_server() {
    let server = usual();
    let body = |stream: bool| json!({ "model": "m", "prompt": "w40", "stream": stream });
    for stream in [false, true] {
        let reply = server.post("/v1/completions", &body(stream));
        assert_eq!(error(&reply), (500, "server_error".to_string(), "FX0715".to_string()));
    }
    assert_eq!(server.chat(json!({ "max_tokens": 1 })).status, 200);
    let lost = server.post("/v1/completions", &json!({ "model": "m", "prompt": "w41" }));
    assert_eq!(lost.status, 503, "{}", lost.body);
    // Nothing can be served any more: the server ends by itself, with the device's error.
    assert_eq!(server.join().unwrap_err().kind(), ErrorKind::DeviceLost);
}

#[test]
fn a_key_is_asked_for() {
    let server = start(Options { api_key: Some("secret".to_string()), ..options() }, Some(TEMPLATE));
    let body = chat(json!({ "max_tokens": 1 })).to_string();
    let ask = |key: &str| server.ask("POST /v1/chat/completions", &format!("{JSON}{key}"), &body);
    for key in ["", "Authorization: Bearer secre\r\n", "Authorization: Bearer secretx\r\n", "Authorization: secret\r\n"]
    {
        let reply = ask(key);
        assert_eq!(error(&reply), (401, "authentication_error".to_string(), "invalid_api_key".to_string()), "{key}");
        assert!(reply.head.contains("www-authenticate: bearer"), "{}", reply.head);
    }
    assert_eq!(server.get("/v1/models").status, 401);
    assert_eq!(server.get("/v1/nothing").status, 401);
    assert_eq!(server.get("/health").status, 200);
    assert_eq!(ask("Authorization: Bearer secret\r\n").status, 200);
    assert_eq!(ask("authorization: bearer secret\r\n").status, 200);
    server.end();
}

#[test]
fn the_model_is_listed_and_counted() {
    let server = usual();
    assert_eq!(server.get("/health").json(), json!({ "status": "ok" }));
    let list = server.get("/v1/models").json();
    assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!("m")));
    assert_eq!(server.get("/v1/models/m").json(), list["data"][0]);
    assert_eq!(error(&server.get("/v1/models/a/b")).2, "model_not_found");
    server.chat(json!({ "max_tokens": 5 }));
    server.chat(json!({ "n": 7 }));
    assert_eq!(server.metric("fornax_generated_tokens_total"), 5.0);
    assert_eq!(server.metric("fornax_prompt_tokens_total"), 4.0);
    let requests = |status: u16| format!("fornax_requests_total{{path=\"/v1/chat/completions\",status=\"{status}\"}}");
    assert_eq!((server.metric(&requests(200)), server.metric(&requests(400))), (1.0, 1.0));
    assert_eq!(server.metric("fornax_time_to_first_token_seconds_count"), 1.0);
    assert_eq!(server.metric("fornax_time_to_first_token_seconds_bucket{le=\"+Inf\"}"), 1.0);
    assert_eq!((server.metric("fornax_active_sequences"), server.metric("fornax_queue_length")), (0.0, 0.0));
    server.end();
}

#[test]
fn a_full_queue_refuses() {
    let server = usual();
    server.control.allow(Some(0));
    let body = chat(json!({ "max_tokens": 3 }));
    let post = || server.start_post("/v1/chat/completions", &body);
    // Two run, one waits.
    let first = post();
    server.wait_for_calls(1);
    let mut open = vec![first, post(), post()];
    server.wait_for("fornax_queue_length", 2.0);
    let reply = server.chat(json!({}));
    assert_eq!(error(&reply), (429, "rate_limit_error".to_string(), "queue_full".to_string()));
    assert!(reply.head.contains("retry-after: 1"), "{}", reply.head);
    // Who gives up makes room.
    drop(open.pop());
    server.wait_for("fornax_queue_length", 1.0);
    open.push(post());
    server.wait_for("fornax_queue_length", 2.0);
    server.control.allow(None);
    for stream in open {
        assert_eq!(read(stream).status, 200);
    }
    server.end();
}

#[test]
fn who_hangs_up_is_not_served() {
    let server = usual();
    for stream in [true, false] {
        let calls = server.control.count();
        server.control.allow(Some(3));
        let body = json!({ "model": "m", "prompt": "w1 w2", "max_tokens": 60, "stream": stream });
        let mut connection = server.start_post("/v1/completions", &body);
        if stream {
            // The first piece comes before the text is over.
            let mut piece = [0; 16];
            connection.read_exact(&mut piece).unwrap();
        }
        server.wait_for_calls(calls + 4);
        drop(connection);
        // The model goes on slowly, until the server has heard of it.
        until(|| {
            server.control.allow(Some(1));
            server.metric("fornax_cancelled_total") == if stream { 1.0 } else { 2.0 }
        });
        assert!(server.control.count() < calls + 50, "{:?}", server.control.calls.lock().unwrap());
        server.control.allow(None);
    }
    assert_eq!(server.chat(json!({ "max_tokens": 1 })).status, 200);
    server.end();
}

#[test]
fn stopping_lets_texts_end() {
    let mut server = usual();
    server.control.allow(Some(0));
    let body = |stream: bool| chat(json!({ "max_tokens": 9, "stream": stream }));
    let whole = server.start_post("/v1/chat/completions", &body(false));
    server.wait_for_calls(1);
    let pieces = server.start_post("/v1/chat/completions", &body(true));
    server.wait_for("fornax_queue_length", 1.0);
    // A step of the first, then both prompts are read and the first step of both waits.
    server.control.allow(Some(3));
    server.wait_for_calls(4);
    server.wait_for("fornax_active_sequences", 2.0);
    let idle = server.connect();
    server.begin_stop();
    // Nobody is let in once that is known.
    until(|| std::net::TcpStream::connect(server.address).is_err());
    server.control.allow(None);
    assert_eq!(read(whole).json()["usage"]["completion_tokens"], 9);
    let events = read(pieces).events();
    assert_eq!(events.last().unwrap()["choices"][0]["finish_reason"], "length");
    let began = Instant::now();
    server.join().unwrap();
    assert!(began.elapsed() < Duration::from_secs(10), "a connection without a request keeps the server");
    drop(idle);
}

#[test]
fn stopping_has_a_limit() {
    let mut server = start(Options { grace: Duration::from_millis(200), ..options() }, Some(TEMPLATE));
    server.control.allow(Some(0));
    let body = |stream: bool| chat(json!({ "max_tokens": 60, "stream": stream }));
    let pieces = server.start_post("/v1/chat/completions", &body(true));
    server.wait_for_calls(1);
    let whole = server.start_post("/v1/chat/completions", &body(false));
    server.wait_for("fornax_queue_length", 1.0);
    server.control.allow(Some(3));
    server.wait_for_calls(4);
    pieces.peek(&mut [0]).unwrap();
    server.begin_stop();
    // The model takes a second and more for the texts: longer than the limit.
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(20));
        server.control.allow(Some(1));
    }
    server.control.allow(None);
    let events = read(pieces).events();
    assert_eq!(events.last().unwrap()["error"]["code"], "shutting_down", "{events:?}");
    assert_eq!(error(&read(whole)), (503, "server_error".to_string(), "shutting_down".to_string()));
    server.join().unwrap();
}

#[test]
fn a_port_that_is_taken_is_said() {
    let (_listener, address) = bind("127.0.0.1", 0).unwrap();
    assert_eq!(bind("127.0.0.1", address.port()).unwrap_err().code(), "FX1201");
    assert_eq!(bind("no.such.host.invalid", 0).unwrap_err().code(), "FX1201");
}
