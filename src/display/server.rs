//! Listening: connections, their limits, and an orderly end.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore};

/// Connections at a time: 200 people with a few each; more would only be an attack.
const CONNECTIONS: usize = 1024;
/// Who has not sent the head of his request by then is let go.
const HEAD: Duration = Duration::from_secs(10);
/// Rest after a connection that could not be taken (too many open files): no busy loop.
const BREATH: Duration = Duration::from_millis(50);

/// Takes `address`, so that a port in use is told at once. Port 0 takes any; the listener knows which.
///
/// # Errors
/// When the address cannot be had; the text names it.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address).await.map_err(|e: io::Error| {
        let hint = if e.kind() == io::ErrorKind::AddrInUse {
            ": another program listens there, give another port"
        } else {
            ""
        };
        format!("cannot listen on {address}: {e}{hint}")
    })
}

/// Serves until `ended` is ready. Open connections are dropped then: streams of events have no end of their own.
pub async fn serve(listener: TcpListener, routes: Router, ended: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(ended);
    loop {
        let accepted = tokio::select! {
            () = &mut ended => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        // No place: the connection is closed at once, and the others go on.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let service = TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            // A client that goes away, or speaks no HTTP, harms nobody but himself.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades()
                .await;
            drop(place);
        });
    }
}
