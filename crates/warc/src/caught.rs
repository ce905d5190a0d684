//! Catches panics of other libraries, which some unusual inputs cause. The panic becomes an error, and nothing is
//! printed.
//!
//! The first call installs a panic hook. It passes all panics that are not caught here to the previous hook.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// The number of calls of [`caught`] that are running in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `run` and returns its result, or the message of its panic. After a panic, do not use values that `run` changes:
/// they may be inconsistent.
///
/// # Errors
/// Returns the message of the panic if `run` panics.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if DEPTH.get() == 0 {
                before(panic);
            }
        }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let ran = catch_unwind(AssertUnwindSafe(run));
    DEPTH.set(DEPTH.get() - 1);
    ran.map_err(|panic| match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast::<&str>().map_or_else(|_| String::new(), |message| (*message).to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(caught(|| panic!("no {}", "bytes")), Err::<(), _>("no bytes".to_owned()));
        assert_eq!(caught(|| panic!("none")), Err::<(), _>("none".to_owned()));
        assert!(caught(|| caught(|| panic!("inner")).map_or(0, |()| 1)).is_ok());
    }
}
