//! A port on loopback with few places: whoever runs on this machine can connect, so strangers must not take the descriptors
//! of the crawl, nor keep its operator waiting.
//!
//! A connection has a place for as long as it is served. When all are taken, the newcomer gets the place of the one that
//! has waited longest without saying what it came for; who has is served to the end.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Connections that are open at a time.
const PLACES: usize = 16;
/// Until the guest has said what it came for, and until it has its answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// A listener that fails (no descriptors left, a connection that was gone already) is tried again after so long.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// Set by whoever serves a connection once the guest has said what it came for.
#[derive(Debug, Clone, Default)]
pub(super) struct Announced(Arc<AtomicBool>);

impl Announced {
    /// From here on it is served to the end.
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Serves until it is aborted.
pub(super) async fn serve<F>(listener: TcpListener, answer: impl Fn(TcpStream, Announced) -> F)
where
    F: Future<Output = std::io::Result<()>> + Send + 'static,
{
    // The longest waiting first.
    let mut guests: Vec<(Announced, JoinHandle<()>)> = Vec::with_capacity(PLACES);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AFTER_FAILURE).await;
            continue;
        };
        guests.retain(|(_, task)| !task.is_finished());
        if guests.len() >= PLACES {
            // All places with guests who are being served: then the newcomer goes.
            let Some(silent) = guests.iter().position(|(announced, _)| !announced.is_set()) else { continue };
            guests.remove(silent).1.abort();
        }
        let announced = Announced::default();
        let served = answer(stream, announced.clone());
        let task = tokio::spawn(async move {
            let _ = timeout(PATIENCE, served).await;
        });
        guests.push((announced, task));
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn echo(mut stream: TcpStream, announced: Announced) -> std::io::Result<()> {
        let word = stream.read_u8().await?;
        announced.set();
        stream.write_u8(word).await
    }

    #[tokio::test]
    async fn a_thousand_silent_guests_do_not_keep_one_with_a_question_waiting() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(serve(listener, echo));
        let mut strangers = Vec::new();
        for _ in 0..300 {
            strangers.push(TcpStream::connect(address).await.unwrap());
        }
        let mut guest = TcpStream::connect(address).await.unwrap();
        guest.write_u8(7).await.unwrap();
        let answer = timeout(Duration::from_secs(20), guest.read_u8()).await.expect("no answer in time");
        assert_eq!(answer.unwrap(), 7);
        let mut still_open = 0;
        for stranger in &mut strangers {
            let mut byte = [0];
            still_open += usize::from(timeout(Duration::from_millis(1), stranger.read(&mut byte)).await.is_err());
        }
        assert!(still_open <= PLACES, "{still_open} strangers are held");
        served.abort();
    }
}
