//! `goldminer compare`: all methods over the same pages, on one scale, in one table.
//!
//! - [`field`]: the pages and their gold, from directories or from the demo's portals
//! - [`contestant`]: a method by its name, and its run over the field
//! - [`table`] and [`plot`]: what came out, to read and to look at

mod contestant;
mod field;
mod plot;
mod table;

use anyhow::Context;
use goldminer_core::eval::Scorer;

use crate::cli::CompareArgs;
use crate::commands::Exit;
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;

use contestant::Contestant;
use field::Field;
use table::{ScoreRow, Table};

/// Up to so many domains have tables of their own without being asked for.
const FEW_DOMAINS: usize = 12;

/// Runs the command.
///
/// # Errors
/// When pages or gold can't be read or don't pair, a method is not known, or the plot can't be written.
pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let contestants = Contestant::all(args)?;
    let field = Field::of(args)?;
    let scorer = if args.verbatim { Scorer::verbatim() } else { Scorer::fair() };
    let mut rows = Vec::new();
    for contestant in &contestants {
        tracing::info!("{}: {} pages", contestant.name, field.golds.len());
        let _bar = Bar::spin(&contestant.name);
        let outcome = contestant.run(&field, args)?;
        rows.push(ScoreRow::of(&contestant.name, &outcome, &field, scorer, args.verbatim));
    }
    let least = args.by_domain.or_else(|| (field.domains() <= FEW_DOMAINS).then_some(1));
    let table = Table { field: field.name.clone(), pages: field.golds.len(), verbatim: args.verbatim, least, rows };
    if args.json {
        output::json(&table.to_json())?;
    } else if args.markdown {
        output::text(table.to_markdown())?;
    } else {
        output::text(table.to_text())?;
    }
    if let Some(path) = &args.plot {
        std::fs::write(path, plot::svg(&table)).with_context(|| format!("cannot write the plot {}", path.display()))?;
    }
    Ok(Exit::Done)
}
