//! `goldminer compare`: compares all methods on the same pages, with the same scores, in one table.
//!
//! - [`gold_pages`]: the pages and their gold texts, from folders or from the demo's portals
//! - [`compared_system`]: a method or tool, and how it is run on the pages

mod compared_system;
mod gold_pages;

use goldminer_lab::compare::Table;
use goldminer_lab::eval::Scorer;

use crate::cli::CompareArgs;
use crate::commands::{Bar, Exit, output};

use compared_system::ComparedSystem;
use gold_pages::GoldPages;

/// Up to this many domains have their own tables by default.
const FEW_DOMAINS: usize = 12;

/// Runs `goldminer compare`.
///
/// # Errors
/// When pages or gold texts cannot be read or do not match, or a method is unknown.
pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let systems = ComparedSystem::all(args)?;
    let gold_pages = GoldPages::of(args)?;
    let scorer = if args.verbatim { Scorer::verbatim() } else { Scorer::fair() };
    let mut rows = Vec::new();
    for system in &systems {
        tracing::info!("{}: {} pages", system.name, gold_pages.golds.len());
        let _bar = Bar::spin(&system.name);
        rows.push(system.run(&gold_pages, args, scorer)?);
    }
    let least = args.by_domain.or_else(|| (gold_pages.domains() <= FEW_DOMAINS).then_some(1));
    let (pages_of, pages) = (gold_pages.name.clone(), gold_pages.golds.len());
    let table = Table { pages_of, pages, verbatim: args.verbatim, least, rows };
    output::answer(args.json, &table.to_json(), || if args.markdown { table.to_markdown() } else { table.to_text() })
}
