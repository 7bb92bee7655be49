//! Connections: so many at a time, each ended where a request's head does not come in time.

use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::server::Options;

/// The system has no room for a connection: the next one is taken so much later.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves connections until `end` is over; then those that are open may finish the request that they are at.
pub async fn serve(listener: TcpListener, routes: &Router, options: &Options, end: impl Future<Output = ()>) {
    let mut end = pin!(end);
    let (close, closed) = watch::channel(false);
    let mut open = JoinSet::new();
    loop {
        let has_room = open.len() < options.connections.max(1);
        tokio::select! {
            () = &mut end => break,
            Some(_) = open.join_next() => {}
            accepted = listener.accept(), if has_room => match accepted {
                Ok((stream, _)) => {
                    open.spawn(one(stream, routes.clone(), options.header_time, closed.clone()));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    // Nobody else is let in.
    drop(listener);
    let _ = close.send(true);
    while open.join_next().await.is_some() {}
}

async fn one(stream: TcpStream, routes: Router, header_time: Duration, mut closed: watch::Receiver<bool>) {
    // A token is a packet: it must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(header_time);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes)));
    // A client that is gone, or says what is no HTTP, is nobody's error.
    let is_over = tokio::select! {
        _ = connection.as_mut() => true,
        // It changes once.
        _ = closed.changed() => false,
    };
    if !is_over {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
