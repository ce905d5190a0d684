//! From what serde writes to Python's objects: the fields of a `dict` are those of the JSON, in its order.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use serde::Serialize;

use crate::errors::Kind;

/// A value as Python's `json` reads it.
pub(crate) fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let text = serde_json::to_string(value).map_err(|e| Kind::Base.of(py, e))?;
    LOADS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr("loads")?.unbind()))?.bind(py).call1((text,))
}
