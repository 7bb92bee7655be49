//! A reply piece by piece, as server-sent events: `data: {…}` and an empty line each, `data: [DONE]` at the end.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use futures_core::Stream;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::api::ApiError;
use crate::api::reply::Head;
use crate::engine::{Event, Refused};

/// The body of a streamed reply. The engine's events end where it is dropped, so that the engine sees that nobody
/// listens.
pub struct Events {
    head: Head,
    events: UnboundedReceiver<Event>,
    include_usage: bool,
    /// Text that is not sent yet.
    ready: VecDeque<String>,
    is_over: bool,
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

impl Events {
    /// A stream that begins with an event that came already.
    pub fn new(head: Head, events: UnboundedReceiver<Event>, include_usage: bool, first: Event) -> Events {
        let ready = head.first().iter().map(data).collect();
        let mut stream = Events { head, events, include_usage, ready, is_over: false };
        stream.take(Some(first));
        stream
    }

    fn take(&mut self, event: Option<Event>) {
        match event {
            Some(Event::Text(text)) => self.ready.push_back(data(&self.head.text(&text))),
            Some(Event::End { end, usage }) => {
                self.ready.push_back(data(&self.head.end(end)));
                if self.include_usage {
                    self.ready.push_back(data(&self.head.usage(usage)));
                }
                self.finish();
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
            let event = ready!(self.events.poll_recv(context));
            self.take(event);
        }
    }
}
