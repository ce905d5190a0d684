//! Stops a process from sending requests after a deadline. In a cluster, a process holds a lease on its jobs, and
//! another machine takes the jobs over when the lease ends. A web server cannot check who holds the lease, so time
//! decides: no request leaves after the lease may have ended. This is checked when a request begins, before a
//! connection is made, and before the connection is used, because the process may be suspended in between.
//!
//! A single request can also be recalled before it has left, for example when an operator pauses its host.
//!
//! Time is counted from the machine's start. Setting the clock does not change it, and it continues while the machine
//! sleeps or the process is suspended. Without a lease there is no deadline.

use std::error::Error;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::watch;
use tokio::time::timeout;
use tower_service::Service;

/// The deadline of a process, which decides whether a request may leave.
#[derive(Debug)]
pub struct LeaseDeadline {
    /// The deadline, in milliseconds since the machine's start.
    closes: AtomicU64,
    /// How much longer requests that are in flight at the deadline may take.
    grace: Duration,
}

impl LeaseDeadline {
    /// Creates a deadline that has passed already; [`LeaseDeadline::open_until`] sets a later one. Requests that are
    /// in flight at a deadline are cut off after the time `grace`.
    pub fn closed(grace: Duration) -> Self {
        Self { closes: AtomicU64::new(0), grace }
    }

    /// Allows requests until this time since the machine's start ([`since_start`]).
    pub fn open_until(&self, closes: Duration) {
        self.closes.store(millis(closes), Ordering::Release);
    }

    /// Stops all requests now.
    pub fn close(&self) {
        self.closes.store(0, Ordering::Release);
    }

    /// Whether a request may leave now.
    pub fn is_open(&self) -> bool {
        self.is_open_at(since_start())
    }

    /// The time left until the deadline.
    pub fn remaining(&self) -> Duration {
        Duration::from_millis(self.closes.load(Ordering::Acquire)).saturating_sub(since_start())
    }

    /// The longest time that a request that leaves now may take.
    pub fn patience(&self) -> Duration {
        let closes = Duration::from_millis(self.closes.load(Ordering::Acquire));
        (closes + self.grace).saturating_sub(since_start())
    }

    /// Runs a request until it ends or the deadline passes, which may be extended meanwhile. None if it was cut off.
    pub(super) async fn limit<F: Future>(&self, request: F) -> Option<F::Output> {
        let mut request = pin!(request);
        loop {
            match timeout(self.patience(), &mut request).await {
                Ok(done) => return Some(done),
                Err(_) if self.patience().is_zero() => return None,
                Err(_) => {}
            }
        }
    }

    fn is_open_at(&self, now: Duration) -> bool {
        millis(now) < self.closes.load(Ordering::Acquire)
    }
}

/// The time since the machine's start, including suspended time where the system counts it.
pub fn since_start() -> Duration {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let clock = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let clock = ClockId::Monotonic;
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// Tells a request that has not left yet whether it is recalled.
#[derive(Debug, Clone)]
pub struct Recall(watch::Receiver<bool>);

tokio::task_local! {
    /// The recall of the request that a connection is made for.
    static RECALL: Recall;
}

impl Recall {
    /// Returns a sender, and the recall of one request that it controls: sending `true` recalls the request.
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (recall, recalled) = watch::channel(false);
        (recall, Self(recalled))
    }

    /// Whether the request is recalled.
    pub fn is_called(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the request is recalled.
    pub async fn called(mut self) {
        if self.0.wait_for(|is_called| *is_called).await.is_err() {
            // The sender was dropped, so nothing can recall the request any more.
            std::future::pending::<()>().await;
        }
    }

    /// Runs a request, which can be recalled while its connection is made.
    pub(super) async fn around<F: Future>(self, request: F) -> F::Output {
        RECALL.scope(self, request).await
    }
}

/// The error of a connector: the request was recalled or the deadline passed, before its connection was made or right
/// after.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("this worker's lease on the portal has expired, so the request was not sent")]
pub(super) struct LeaseEnded;

/// A connector that makes connections only before the deadline, and not for recalled requests.
#[derive(Debug, Clone)]
pub(super) struct FencedConnector<S> {
    pub inner: S,
    /// None if there is no deadline.
    pub deadline: Option<Arc<LeaseDeadline>>,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl<S, R> Service<R> for FencedConnector<S>
where
    S: Service<R, Error = BoxError>,
    S::Response: Send + 'static,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        // Outside of [`Recall::around`], the request cannot be recalled.
        let recall = RECALL.try_with(Recall::clone).unwrap_or_else(|_| Recall::new().1);
        let deadline = self.deadline.clone();
        let may_leave =
            move |recall: &Recall| !recall.is_called() && deadline.as_ref().is_none_or(|deadline| deadline.is_open());
        if !may_leave(&recall) {
            return Box::pin(std::future::ready(Err(LeaseEnded.into())));
        }
        let connecting = self.inner.call(request);
        Box::pin(async move {
            let connection = tokio::select! {
                connection = connecting => connection?,
                () = recall.clone().called() => return Err(LeaseEnded.into()),
            };
            if may_leave(&recall) { Ok(connection) } else { Err(LeaseEnded.into()) }
        })
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_may_leave_only_until_the_deadline() {
        let deadline = LeaseDeadline::closed(Duration::from_secs(5));
        assert!(!deadline.is_open(), "before the first heartbeat");
        let now = since_start();
        deadline.open_until(now + Duration::from_secs(60));
        assert!(deadline.is_open() && deadline.patience() > Duration::from_secs(60));
        assert!(deadline.is_open_at(now + Duration::from_secs(59)));
        assert!(!deadline.is_open_at(now + Duration::from_secs(60)), "no heartbeat came for a minute");
        deadline.close();
        assert!(!deadline.is_open() && deadline.patience().is_zero());
    }

    #[tokio::test]
    async fn a_slow_request_can_finish_if_its_lease_is_extended() {
        let until = since_start() + Duration::from_millis(20);
        let deadline = LeaseDeadline::closed(Duration::ZERO);
        deadline.open_until(until);
        let slow = async {
            deadline.open_until(until + Duration::from_secs(60));
            while since_start() < until + Duration::from_millis(20) {
                tokio::task::yield_now().await;
            }
        };
        assert!(deadline.limit(slow).await.is_some());
        deadline.close();
        assert!(deadline.limit(std::future::pending::<()>()).await.is_none(), "it is cut off");
    }

    /// A connector that calls a function while it connects.
    struct Slow(Arc<dyn Fn() + Send + Sync>);

    impl Service<()> for Slow {
        type Response = &'static str;
        type Error = BoxError;
        type Future = Pin<Box<dyn Future<Output = Result<&'static str, BoxError>> + Send>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, (): ()) -> Self::Future {
            let happens = Arc::clone(&self.0);
            Box::pin(async move {
                happens();
                Ok("connected")
            })
        }
    }

    #[tokio::test]
    async fn no_connection_is_made_or_used_after_the_deadline() {
        let deadline = Arc::new(LeaseDeadline::closed(Duration::from_secs(5)));
        let fenced = |happens| FencedConnector { inner: Slow(happens), deadline: Some(Arc::clone(&deadline)) };
        let mut calm = fenced(Arc::new(|| {}));
        assert!(calm.call(()).await.unwrap_err().is::<LeaseEnded>(), "there is no lease");
        deadline.open_until(since_start() + Duration::from_secs(60));
        assert_eq!(calm.call(()).await.unwrap(), "connected");
        // The process is suspended while it connects, for longer than its lease.
        let closing = Arc::clone(&deadline);
        let mut stopped = fenced(Arc::new(move || closing.close()));
        assert!(stopped.call(()).await.unwrap_err().is::<LeaseEnded>());
    }

    #[tokio::test]
    async fn a_request_recalled_while_it_connects_does_not_leave() {
        let (recall, recalled) = Recall::new();
        let recall = Arc::new(recall);
        let connect =
            |happens: Arc<dyn Fn() + Send + Sync>| FencedConnector { inner: Slow(happens), deadline: None }.call(());
        assert_eq!(connect(Arc::new(|| {})).await.unwrap(), "connected", "nobody can recall it");
        assert_eq!(recalled.clone().around(async { connect(Arc::new(|| {})).await }).await.unwrap(), "connected");
        let recalling = Arc::clone(&recall);
        let pausing = recalled.clone().around(async move {
            connect(Arc::new(move || {
                recalling.send_replace(true);
            }))
            .await
        });
        assert!(pausing.await.unwrap_err().is::<LeaseEnded>());
        assert!(recalled.is_called());
    }
}
