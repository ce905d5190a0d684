//! Fetches single pages from the web as politely as a crawl: robots.txt first, one request at a time to a host, with
//! its delay.

use goldminer::commands::unanswered;
use goldminer_core::page::encoding;
use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::health::probe::{Probe, ProbeAnswer, page_of};
use goldminer_crawl::seeds::{Seeds, typed_url};
use goldminer_fetch::Accept;
use pyo3::prelude::*;
use tokio::runtime::Runtime;

use crate::arguments::text;
use crate::errors::{Kind, argument, detached, with_causes};

/// Fetches pages one by one, as politely as a crawl: robots.txt first, and a delay between two requests to a host.
///
/// Parameters
/// ----------
/// user_agent : str, optional
///     The name of your crawler with a web page or an e-mail address of yours; by default GOLDMINER_USER_AGENT.
/// allow_private, resolve : list of str
///     As in `Crawler`.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Fetcher {
    probe: Probe,
    runtime: Runtime,
}

#[pymethods]
impl Fetcher {
    #[new]
    #[pyo3(signature = (user_agent=None, *, allow_private=Vec::new(), resolve=Vec::new()))]
    fn new(
        py: Python<'_>,
        user_agent: Option<&Bound<'_, PyAny>>,
        allow_private: Vec<String>,
        resolve: Vec<String>,
    ) -> PyResult<Self> {
        let user_agent = text("user_agent", user_agent)?.or_else(|| std::env::var("GOLDMINER_USER_AGENT").ok());
        let overrides = Overrides { user_agent, allow_private, resolve, ..Overrides::default() };
        let made = || -> Result<Self, String> {
            let config = Config::effective(Seeds::default(), &overrides).map_err(|error| with_causes(&error))?;
            let runtime = Runtime::new().map_err(|e| format!("cannot start the asynchronous runtime: {e}"))?;
            Ok(Self { probe: Probe::new(&config).map_err(|error| with_causes(&error))?, runtime })
        };
        made().map_err(|what| Kind::Crawl.of(py, what))
    }

    /// Fetch a page.
    ///
    /// Returns
    /// -------
    /// tuple
    ///     The page as text and None, or None and the reason why it could not be fetched.
    fn get(&self, py: Python<'_>, url: &str) -> PyResult<(Option<String>, Option<String>)> {
        let url = typed_url(url).map_err(|what| argument(py, "url", what))?;
        let probed = detached(py, || self.runtime.block_on(self.probe.get(&url, Accept::Page)))?;
        let capture = match &probed.answer {
            ProbeAnswer::Response(capture) => capture,
            other => return Ok((None, Some(unanswered(other)))),
        };
        let page = detached(py, || {
            if !(200..300).contains(&capture.status) {
                return Err(format!("the response has status {}", capture.status));
            }
            let page = page_of(capture)?;
            Ok(encoding::decode(&page.bytes, page.content_type.as_deref()).text.into_owned())
        })?;
        Ok(match page {
            Ok(page) => (Some(page), None),
            Err(why) => (None, Some(why)),
        })
    }
}
