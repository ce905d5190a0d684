//! The extension module `goldminer._goldminer`: extractor, crawler and command line for Python.
//!
//! Each file is a part of the surface that `goldminer/__init__.py` shows; `arguments` is the way in, `errors` the way out when
//! something fails. Work is done with the interpreter detached, on pages that are not copied. Nothing here decides what is
//! text.

use std::ffi::OsString;

use pyo3::prelude::*;

mod arguments;
mod corpus;
mod crawler;
mod errors;
mod extract_many;
mod extractor;
mod fetcher;
mod justext;
mod logging;
mod profiles;
mod warc;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs a command line, the program's name first, and gives its exit code. Ctrl-C is the program's own meanwhile: the caller
/// has given SIGINT its default handler.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    errors::detached(py, || goldminer::commands::main(arguments).code())
}

#[pymodule(gil_used = false)]
mod _goldminer {
    #[pymodule_export]
    use super::{
        corpus::{CorpusDocuments, Document, NoText, Paragraph, read_corpus, write_corpus},
        crawler::CrawlRun,
        extract_many::ExtractMany,
        extractor::{Block, Extractor},
        fetcher::Fetcher,
        justext::{JustextParagraph, Stoplist, justext},
        main,
        profiles::{Learner, Profile, Profiles, learn},
        warc::{Page, WarcPages, read_warc},
    };
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const _version: &str = env!("CARGO_PKG_VERSION");
}
