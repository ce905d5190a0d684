//! Converts Rust's errors to the exceptions of `goldminer.errors`, in one place. Panics become exceptions as well.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The exception classes of `goldminer/errors.py`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Base,
    Argument,
    Profile,
    Archive,
    Corpus,
    Crawl,
}

impl Kind {
    fn name(self) -> String {
        if let Self::Base = self { "Error".to_owned() } else { format!("{self:?}Error") }
    }

    /// An exception of this class with a message.
    pub(crate) fn of(self, py: Python<'_>, message: impl Display) -> PyErr {
        static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let module = MODULE.get_or_try_init(py, || py.import("goldminer.errors").map(Bound::unbind));
        let made = module.and_then(|module| module.bind(py).getattr(self.name())?.call1((message.to_string(),)));
        made.map_or_else(|error| error, PyErr::from_value)
    }
}

/// The exception for a wrong argument. The message begins with the argument's name.
pub(crate) fn argument(py: Python<'_>, name: &str, what: impl Display) -> PyErr {
    Kind::Argument.of(py, format_args!("{name} {what}"))
}

/// Returns an error and its causes as one line, separated by colons.
pub(crate) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let cause_text = error.to_string();
        // Many messages contain their cause already.
        if !message.contains(&cause_text) {
            message = format!("{message}: {cause_text}");
        }
        cause = error.source();
    }
    message
}

/// Runs work without the GIL, so that other threads can use the interpreter. A panic is a bug, and becomes an
/// exception like any other error.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|defect| Kind::Base.of(py, defect))
}

/// Runs work and returns its result. If it panics, returns a message that asks the user to report the bug.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    goldminer_warc::caught::caught(work)
        .map_err(|message| format!("a bug in goldminer, please report it with the page: {message}"))
}
