//! The options that select documents.

use clap::Args;
use goldminer_core::document::Confidence;
use goldminer_corpus::{Filter, RightsCondition};
use jiff::civil::Date;

use super::language::language_code;

/// The options that select documents, such as `--language` and `--since`. A document must meet all that are given.
#[derive(Debug, Clone, Default, Args)]
pub struct FilterArgs {
    /// Only documents in these languages, separated by commas (en,hu)
    #[arg(long, value_delimiter = ',', value_name = "CODE", value_parser = language_code, help_heading = "Filters")]
    pub language: Vec<String>,
    /// Only documents published on this day or later; documents without a date are left out
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day, help_heading = "Filters")]
    pub since: Option<Date>,
    /// Only documents published on this day or earlier; documents without a date are left out
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day, help_heading = "Filters")]
    pub until: Option<Date>,
    /// Only documents of these domains or hosts, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "DOMAIN", help_heading = "Filters")]
    pub domain: Vec<String>,
    /// Only documents that meet all of these conditions, separated by commas: licensed, cc, open, unrestricted; a restriction
    /// (noindex, noarchive, nosnippet, noai, noimageai, no-ai-input, no-search, tdm, paywall) for documents that state
    /// it; not:noindex and so on for documents that do not
    #[arg(long, value_delimiter = ',', value_name = "CONDITION", help_heading = "Filters")]
    pub rights: Vec<RightsCondition>,
    /// Only documents with at least this many characters of text
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "Filters", hide_short_help = true)]
    pub min_chars: usize,
    /// Only documents that are whole and clean with a probability of at least X, from 0 to 1
    #[arg(long, value_name = "X", help_heading = "Filters")]
    pub min_confidence: Option<Confidence>,
    /// With --min-confidence: also keep documents that have no confidence, such as those of older versions
    #[arg(long, requires = "min_confidence", help_heading = "Filters", hide_short_help = true)]
    pub keep_unjudged: bool,
}

impl FilterArgs {
    /// Refuses a `--since` after `--until`, because no document could meet both.
    ///
    /// # Errors
    /// When `--since` is later than `--until`. The message says what to write.
    pub fn refuse_no_day(&self) -> Result<(), String> {
        match (self.since, self.until) {
            (Some(since), Some(until)) if since > until => {
                Err(format!("--since {since} is after --until {until}: give the earlier day to --since"))
            }
            _ => Ok(()),
        }
    }
}

impl From<&FilterArgs> for Filter {
    fn from(args: &FilterArgs) -> Self {
        let FilterArgs { language, since, until, domain, rights, min_chars, min_confidence, keep_unjudged } =
            args.clone();
        Self {
            languages: language,
            domains: domain,
            since,
            until,
            rights,
            min_chars,
            min_confidence,
            keeps_unjudged: keep_unjudged,
        }
    }
}

/// Parses a date, as in 2026-01-31.
fn day(typed: &str) -> Result<Date, String> {
    typed.parse().map_err(|_| format!("{typed:?} is not a day; write it as in 2026-01-31"))
}
