//! Output on the command line: lines, bars, colours, logs.

pub(crate) mod bar;
pub mod logging;
pub(crate) mod output;
pub(crate) mod printable;
pub(crate) mod progress;
pub(crate) mod screen;
pub(crate) mod shell;
pub(crate) mod style;
