//! The command line, from the same shared library.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::errors::detached;

/// Runs a command line, the program's name first, and gives its exit code. Ctrl-C is the program's own meanwhile: the caller
/// has given SIGINT its default handler.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    detached(py, || goldminer::commands::main(arguments).code())
}
