//! The extension module `goldminer._goldminer`: extractor, crawler and command line for Python.
//!
//! Each file is a part of the surface that `goldminer/__init__.py` shows; `arguments` is the way in, `errors` the way out when
//! something fails. Work is done with the interpreter detached, on pages that are not copied. Nothing here decides what is
//! text.

use pyo3::prelude::*;

mod arguments;
mod command;
mod corpus;
mod crawler;
mod errors;
mod extract_many;
mod extractor;
mod fetcher;
mod justext;
mod learner;
mod logging;
mod profiles;
mod warc;
mod yielded;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule(gil_used = false)]
mod _goldminer {
    #[pymodule_export]
    use super::{
        command::main,
        corpus::document::{Document, NoText, Paragraph},
        corpus::{CorpusDocuments, read_corpus, write_corpus},
        crawler::CrawlRun,
        extract_many::ExtractMany,
        extractor::{Block, Extractor},
        fetcher::Fetcher,
        justext::{JustextParagraph, Stoplist, justext},
        learner::{Learner, learn},
        profiles::{Profile, Profiles},
        warc::{Page, WarcPages, read_warc},
    };
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const _version: &str = env!("CARGO_PKG_VERSION");
}
