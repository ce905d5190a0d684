//! Which documents are asked for, by the arguments.

use goldminer_corpus::Filter;

use crate::cli::FilterArgs;

/// The documents that the arguments ask for.
#[must_use]
pub(crate) fn filter(args: &FilterArgs) -> Filter {
    Filter {
        languages: args.language.clone(),
        domains: args.domain.clone(),
        since: args.since,
        until: args.until,
        rights: args.rights.clone(),
        min_chars: args.min_chars,
    }
}
