//! The extension module `goldminer._goldminer`: extractor, crawler and command line for Python.
//!
//! Each file is a part of the interface in `goldminer/__init__.py`; `arguments` reads arguments, and `errors`
//! converts errors. Work is done without the GIL, on pages that are not copied. Nothing here decides which paragraphs
//! are text.

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

/// Runs a command line, whose first argument is the program's name, and returns its exit code. The program handles
/// Ctrl-C itself: the caller has restored the default handler of SIGINT.
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
