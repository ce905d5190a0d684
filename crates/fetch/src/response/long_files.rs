//! Limits how many long robots.txt files are in memory. Hundreds of hosts may send half a megabyte each at the same
//! moment, and a file stays in memory until it has been parsed. So each long file needs one of a few slots, and no
//! registrable domain takes all slots.

use std::sync::{Arc, Mutex, OnceLock};

use tokio::sync::Notify;

use crate::share::{PlacesByGroup, lock};

/// The longest robots.txt that needs no slot, in bytes.
pub(crate) const SHORT_BYTES: usize = 32 << 10;
/// The most long files in memory at a time.
const MOST: usize = 8;

/// All slots of a fetcher.
#[derive(Debug, Default)]
pub(crate) struct LongFileSlots {
    /// Number of slots that each domain holds.
    held: Mutex<PlacesByGroup>,
    /// Wakes all waiting tasks whenever a slot becomes free, because their domains decide which of them may take it.
    freed: Notify,
}

/// A slot that is taken; dropping it frees the slot.
#[derive(Debug)]
struct Slot {
    files: Arc<LongFileSlots>,
    domain: [u8; 8],
}

/// The slot of a request, if its response needed one. Dropping the request and its clones frees the slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestSlot(Arc<OnceLock<Slot>>);

impl RequestSlot {
    /// Waits for a slot, unless the request has one already.
    pub(crate) async fn take(&self, files: &Arc<LongFileSlots>, domain: [u8; 8]) {
        if self.0.get().is_none() {
            // Only one task receives the answer to a request.
            let _ = self.0.set(files.enter(domain).await);
        }
    }
}

impl LongFileSlots {
    async fn enter(self: &Arc<Self>, domain: [u8; 8]) -> Slot {
        loop {
            // Registered before the check, so that a slot freed right after it is noticed.
            let freed = self.freed.notified();
            // One share stays free for a domain that is not waiting yet.
            if lock(&self.held).take(domain, MOST, 1) {
                return Slot { files: Arc::clone(self), domain };
            }
            freed.await;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        lock(&self.files.held).give_back(self.domain);
        self.files.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_domain_whose_files_are_slow_leaves_slots_for_others() {
        let files = Arc::<LongFileSlots>::default();
        let slow: Vec<RequestSlot> = (0..100).map(|_| RequestSlot::default()).collect();
        let mut waiting: Vec<_> = slow.iter().map(|slot| Box::pin(slot.take(&files, [1; 8]))).collect();
        for wait in &mut waiting {
            let _ = poll_once(wait.as_mut());
        }
        drop(waiting);
        let taken = slow.iter().filter(|slot| slot.0.get().is_some()).count();
        assert!((MOST / 2..MOST).contains(&taken), "{taken}");
        let other = RequestSlot::default();
        other.take(&files, [2; 8]).await;
        other.take(&files, [2; 8]).await;
        assert!(other.0.get().is_some());
        drop((slow, other));
        assert!(lock(&files.held).is_empty());
    }

    fn poll_once(future: std::pin::Pin<&mut impl Future<Output = ()>>) -> std::task::Poll<()> {
        future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    }

    #[tokio::test]
    async fn a_request_that_waits_gets_a_slot_when_another_is_freed() {
        let files = Arc::<LongFileSlots>::default();
        let slots: Vec<RequestSlot> = (0..MOST).map(|_| RequestSlot::default()).collect();
        for (slot, domain) in slots.iter().zip(0..) {
            slot.take(&files, [domain; 8]).await;
        }
        let late = RequestSlot::default();
        let arrives = async {
            tokio::task::yield_now().await;
            assert!(late.0.get().is_none());
            drop(slots);
        };
        tokio::join!(late.take(&files, [99; 8]), arrives);
        assert!(late.0.get().is_some());
    }
}
