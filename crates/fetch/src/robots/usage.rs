//! The statements of a robots.txt on the use of its pages: `Content-Usage` (AI Preferences, draft-ietf-aipref-attach,
//! section 3), `Content-Signal` (contentsignals.org) and `License` (RSL 1.0). They forbid no request; the operator
//! chooses their consequences.

use goldminer_rights::{RightsSource, Signal};

use super::rule::{Rule, allocated};
use super::text::UrlPath;

/// The most usage lines that are kept for one group of a file.
const MAX_LINES: usize = 1_000;
/// The most `License` lines that are kept from a file.
const MAX_TERMS: usize = 16;

/// A usage line of a group, for the paths that begin with a prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsageLine {
    key: Key,
    path: String,
    signals: Vec<Signal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    ContentSignal,
    ContentUsage,
}

impl UsageLine {
    /// Parses a line. Returns None if its key is neither `Content-Signal` nor `Content-Usage`, or it says nothing.
    pub(super) fn read(key: &str, value: &str) -> Option<Self> {
        let key = match () {
            () if key.eq_ignore_ascii_case("content-signal") => Key::ContentSignal,
            () if key.eq_ignore_ascii_case("content-usage") => Key::ContentUsage,
            () => return None,
        };
        // Drafts before attach-01 had no path. Content Signals never had one, but some sites write one.
        let (path, list) = match value.split_once([' ', '\t']) {
            Some((path, list)) if path.starts_with('/') => (path, list),
            _ => ("/", value),
        };
        let signals = match key {
            Key::ContentSignal => Signal::of_content_signal(RightsSource::RobotsTxt, list),
            Key::ContentUsage => Signal::of_content_usage(RightsSource::RobotsTxt, list),
        };
        (!signals.is_empty()).then(|| Self { key, path: path.to_owned(), signals })
    }
}

/// Approximate memory of signals in bytes.
pub(super) fn bytes_of(signals: &[Signal]) -> usize {
    let text = |signal: &Signal| allocated(signal.name.len()) + allocated(signal.value.len());
    signals.iter().map(|signal| size_of::<Signal>() + text(signal)).sum()
}

/// The statements of a file on usage for one crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) lines: Vec<UsageLine>,
    terms: Vec<Signal>,
}

impl Usage {
    /// Notes a `License` line with an absolute URL. It applies to all crawlers, wherever it is in the file.
    pub(super) fn note_terms(&mut self, url: &str) {
        if (url.starts_with("https://") || url.starts_with("http://")) && self.terms.len() < MAX_TERMS {
            self.terms.push(Signal::new(RightsSource::RobotsTxt, "rsl", url));
        }
    }

    pub(super) fn note(lines: &mut Vec<UsageLine>, line: UsageLine) {
        if lines.len() < MAX_LINES {
            lines.push(line);
        }
    }

    /// Approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let line = |line: &UsageLine| size_of::<UsageLine>() + allocated(line.path.len()) + bytes_of(&line.signals);
        self.lines.iter().map(line).sum::<usize>() + bytes_of(&self.terms)
    }

    /// The statements for a path: the `License` terms, which apply to all paths, and the lines with the longest
    /// matching path, separately for `Content-Usage` and `Content-Signal`.
    pub(super) fn of(&self, path_and_query: &str) -> Vec<Signal> {
        let mut signals = self.terms.clone();
        if self.lines.is_empty() {
            return signals;
        }
        let path = UrlPath::of(path_and_query);
        for key in [Key::ContentSignal, Key::ContentUsage] {
            let applies = |line: &&UsageLine| line.key == key && Rule::new(true, &line.path).matches(&path);
            let matching = || self.lines.iter().filter(applies);
            let longest = matching().map(|line| line.path.len()).max();
            let deciding = matching().filter(|line| Some(line.path.len()) == longest);
            signals.extend(deciding.flat_map(|line| line.signals.iter().cloned()));
        }
        signals
    }
}
