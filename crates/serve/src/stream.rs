//! A reply piece by piece, as server-sent events: `data: {…}` and an empty line each, `data: [DONE]` at the end. Pieces
//! of several texts come as they are made, each with the number of its text.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use fornax_text::Chosen;
use futures_core::Stream;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::api::ApiError;
use crate::api::reply::{Choice, Head};
use crate::engine::{Event, Refused, Usage};

/// The body of a streamed reply. The engine's events end where it is dropped, so that the engine sees that nobody
/// listens.
pub struct Events {
    head: Head,
    texts: Vec<Text>,
    include_usage: bool,
    /// Of texts that are over.
    usage: Usage,
    /// Text that is not sent yet.
    ready: VecDeque<String>,
    is_over: bool,
}

/// One text of the reply.
struct Text {
    events: UnboundedReceiver<Event>,
    /// Of tokens whose text is not whole yet.
    chosen: Vec<Chosen>,
    /// Characters so far.
    offset: usize,
    is_over: bool,
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

impl Events {
    /// A stream that begins with an event of the first text that came already.
    pub fn new(head: Head, events: Vec<UnboundedReceiver<Event>>, include_usage: bool, first: Option<Event>) -> Events {
        let ready = (0..events.len()).filter_map(|index| head.first(index)).map(|value| data(&value)).collect();
        let text = |events| Text { events, chosen: Vec::new(), offset: 0, is_over: false };
        let texts = events.into_iter().map(text).collect();
        let mut stream = Events { head, texts, include_usage, usage: Usage::default(), ready, is_over: false };
        stream.take(0, first);
        stream
    }

    fn take(&mut self, index: usize, event: Option<Event>) {
        let Some(text) = self.texts.get_mut(index) else { return };
        match event {
            Some(Event::Chosen(chosen)) => text.chosen.extend(chosen),
            Some(Event::Text(piece)) => {
                let part = Choice { text: piece, end: None, chosen: std::mem::take(&mut text.chosen) };
                self.ready.push_back(data(&self.head.part(index, &part, &mut text.offset)));
            }
            Some(Event::End { end, usage }) => {
                let part = Choice { end: Some(end), chosen: std::mem::take(&mut text.chosen), ..Choice::default() };
                self.ready.push_back(data(&self.head.part(index, &part, &mut text.offset)));
                text.is_over = true;
                self.usage = self.usage.with(usage);
                if self.texts.iter().all(|text| text.is_over) {
                    if self.include_usage {
                        self.ready.push_back(data(&self.head.usage(self.usage)));
                    }
                    self.finish();
                }
            }
            Some(Event::Failed(error)) => self.fail(&ApiError::from(&error)),
            None => self.fail(&ApiError::from(Refused::Closed)),
        }
    }

    /// The status is sent already: the error is an event.
    fn fail(&mut self, error: &ApiError) {
        self.ready.push_back(data(&error.json()));
        self.finish();
    }

    fn finish(&mut self) {
        self.ready.push_back("data: [DONE]\n\n".to_string());
        self.is_over = true;
    }
}

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(text) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(Bytes::from(text))));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            let mut found = None;
            for (index, text) in self.texts.iter_mut().enumerate().filter(|(_, text)| !text.is_over) {
                if let Poll::Ready(event) = text.events.poll_recv(context) {
                    found = Some((index, event));
                    break;
                }
            }
            let Some((index, event)) = found else { return Poll::Pending };
            self.take(index, event);
        }
    }
}
