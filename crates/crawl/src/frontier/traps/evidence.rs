//! What a page that came says of the place that it stands in: a trap, another name of the site, a visit in its links. It
//! is shown to those who count it; what they close is closed here.

use goldminer_html::address::CrawlUrl;

use super::walks::{Came, Links};
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::hosts::host_aliases::is_under_other_name;
use crate::frontier::queue::add::closed_by;
use crate::frontier::queue::discovery::Discovery;
use crate::frontier::queue::outcome::{Fetched, Outcome, PageYield};
use crate::frontier::queue::work::PageWork;
use crate::store::StoreError;
use crate::store::frontier::{NO_PREFIX, RowKey};

impl Frontier {
    /// Looks at what came as a trap would look: which patterns it falls into, and what it brought. True when it is of an
    /// archive by date, and of use though all that it lists may be known.
    #[allow(clippy::too_many_arguments)] // everything that is known of a page that came, once
    pub(crate) fn note_came(
        &mut self,
        changes: &mut Changes,
        key: RowKey,
        work: &PageWork,
        outcome: &Outcome,
        original: Option<&CrawlUrl>,
        (found, news): (&[Discovery], &[bool]),
        bytes: u64,
    ) -> Result<bool, StoreError> {
        let is_of_alias = original.is_some_and(|original| is_under_other_name(original, &work.url));
        let repeats = original.is_some() && !is_of_alias;
        let domain = work.url.domain();
        if repeats && self.extracted.contains(&domain) {
            let (url, leads_from) = (work.url.clone(), NO_PREFIX);
            changes.repeated.push(PageYield { url, bytes, clean_bytes: 0, leads_from });
        }
        self.note_names(changes, work, outcome, original, found);
        // Hosts end before the first slash of a canonical URL's path.
        let host = work.url.as_str().strip_suffix(work.url.path_and_query()).unwrap_or_default();
        let is_of_host = |url: &&CrawlUrl| {
            url.query().is_some() && url.as_str().strip_prefix(host).is_some_and(|rest| rest.starts_with('/'))
        };
        let of_host = found.iter().map(|found| &found.url).filter(is_of_host);
        for closing in self.visits.note(key.host(), of_host) {
            self.close(changes, key.host(), closing);
        }
        let window = self.window_of(&domain)?;
        let (article, text) = match outcome {
            Outcome::Fetched(Fetched { page: Some(facts), text, .. }) => {
                ((facts.judged || facts.teaches).then_some(facts.teaches), *text)
            }
            Outcome::Fetched(Fetched { page: None, text, .. }) => (Some(false), *text),
            Outcome::Gone | Outcome::Redirect { .. } => (Some(false), None),
            _ => return Ok(false),
        };
        let verdicts = self.hosts.get(&key.host()).map_or(&[][..], |host| &host.verdicts);
        let is_open = |url: &CrawlUrl| url.domain() == domain && closed_by(verdicts, url.path_and_query()).is_none();
        let links = || -> Links<'_> {
            let followed = found.iter().zip(news).filter(|(found, _)| !found.nofollow && is_open(&found.url));
            followed.map(|(found, is_new)| (&found.url, *is_new)).collect()
        };
        let came = Came {
            key,
            url: &work.url,
            article: if is_of_alias { Some(true) } else { article },
            text: text.filter(|_| !is_of_alias),
            repeats: repeats && !self.extracted.contains(&domain),
        };
        let noted = self.walks.note(key.host(), &came, window, links);
        if noted.is_new_article && !is_of_alias {
            self.articles(&domain)?.judged += 1;
            changes.articles.insert(domain);
        }
        for closing in noted.closings {
            self.close(changes, key.host(), closing);
        }
        Ok(noted.is_of_archive)
    }
}

/// Whether a page that is another one byte for byte lies below it, or repeats its path at the end of a longer one: a
/// server that answers whatever stands before or behind, to links that are relative.
pub(crate) fn goes_in_a_circle(original: &CrawlUrl, page: &CrawlUrl) -> bool {
    let (shorter, longer) = (original.path(), page.path());
    let folder = &shorter[..=shorter.rfind('/').unwrap_or(0)];
    original.host() == page.host()
        && longer.len() > shorter.len()
        && (longer.starts_with(folder) || longer.ends_with(shorter))
}
