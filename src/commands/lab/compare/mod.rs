//! `goldminer compare`: compares all methods on the same pages, with the same scores, in one table.
//!
//! - [`field`]: the pages and their gold texts, from folders or from the demo's portals
//! - [`contestant`]: a method or tool, and how it is run on the pages

mod contestant;
mod field;

use goldminer_lab::compare::Table;
use goldminer_lab::eval::Scorer;

use crate::cli::CompareArgs;
use crate::commands::{Bar, Exit, output};

use contestant::Contestant;
use field::Field;

/// Up to this many domains have their own tables by default.
const FEW_DOMAINS: usize = 12;

/// Runs `goldminer compare`.
///
/// # Errors
/// When pages or gold texts cannot be read or do not match, or a method is unknown.
pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let contestants = Contestant::all(args)?;
    let field = Field::of(args)?;
    let scorer = if args.verbatim { Scorer::verbatim() } else { Scorer::fair() };
    let mut rows = Vec::new();
    for contestant in &contestants {
        tracing::info!("{}: {} pages", contestant.name, field.golds.len());
        let _bar = Bar::spin(&contestant.name);
        rows.push(contestant.run(&field, args, scorer)?);
    }
    let least = args.by_domain.or_else(|| (field.domains() <= FEW_DOMAINS).then_some(1));
    let (pages_of, pages) = (field.name.clone(), field.golds.len());
    let table = Table { pages_of, pages, verbatim: args.verbatim, least, rows };
    output::answer(args.json, &table.to_json(), || if args.markdown { table.to_markdown() } else { table.to_text() })
}
