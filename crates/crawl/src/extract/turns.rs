//! Learning takes turns: a sample takes up to 64 MB of memory, and all that are being learned from at once in a process
//! are to stay within 256 MB, however many cores it has.

use std::sync::{Condvar, Mutex, PoisonError};

/// So many domains learn at once.
const LEARNERS: usize = 4;

/// Memory belongs to the process, so its turns do, too.
static TURNS: Turns = Turns { taken: Mutex::new(0), given_back: Condvar::new() };

struct Turns {
    taken: Mutex<usize>,
    given_back: Condvar,
}

/// A turn; given back when dropped.
pub(super) struct Turn;

impl Turn {
    /// Waits for one.
    pub(super) fn take() -> Self {
        let taken = TURNS.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken =
            TURNS.given_back.wait_while(taken, |taken| *taken >= LEARNERS).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TURNS.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        TURNS.given_back.notify_one();
    }
}
