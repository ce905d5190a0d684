//! Catches panics of other libraries on input that they consider impossible. The panic becomes a result, and nothing
//! is printed.
//!
//! The first call installs a panic hook that passes all other panics to the previous hook.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Number of nested calls of [`caught`] in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `run` and returns its result, or the message of its panic. After a panic, values that `run` changes may be
/// inconsistent.
///
/// # Errors
/// The message of the panic.
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
    fn a_panic_is_an_answer() {
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(caught(|| panic!("no {}", "bytes")), Err::<(), _>("no bytes".to_owned()));
        assert_eq!(caught(|| panic!("none")), Err::<(), _>("none".to_owned()));
        assert!(caught(|| caught(|| panic!("inner")).map_or(0, |()| 1)).is_ok());
    }
}
