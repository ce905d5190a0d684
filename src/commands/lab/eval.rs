//! `goldminer eval`: how near extracted text comes to a gold standard.

use std::collections::BTreeMap;

use anyhow::bail;
use goldminer_lab::eval::{Board, Measures, Scorer, Summary};
use serde_json::json;

use crate::cli::EvalArgs;
use crate::commands::{Bar, Exit, counted, output, texts};

/// Runs the command.
///
/// # Errors
/// When a directory can't be read, or nothing pairs.
pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<Exit> {
    let (outputs, golds) = (texts(&args.out, None)?, texts(&args.gold, args.only.as_deref())?);
    let missing = golds.keys().filter(|key| !outputs.contains_key(*key)).count();
    if missing == golds.len() {
        bail!(
            "no page of {} has a gold text in {}: files pair by their paths, as in <domain>/<id>.txt (goldminer \
             extract --format cleaneval writes them so)",
            args.out.display(),
            args.gold.display()
        );
    }
    let bar = Bar::spin("scoring");
    // The papers' script passes pages without output over.
    let (scorer, missing) = if args.verbatim { (Scorer::verbatim(), 0) } else { (Scorer::fair(), missing) };
    let board = scorer.score_all(&golds, &outputs);
    drop(bar);
    if args.json {
        print_json(&board, missing)?
    } else {
        print(args, &board, missing)?
    }
    Ok(Exit::Done)
}

fn print(args: &EvalArgs, board: &Board, missing: usize) -> anyhow::Result<()> {
    let all = board.summary();
    let scale = if args.verbatim { "as the papers score" } else { "words, entities decoded, typography folded" };
    output::line(format_args!(
        "{}, {missing} of them without output ({scale})",
        counted(all.pages as u64, "page", "pages")
    ))?;
    output::line(format_args!("{:<24} {:>7} {:>7} {:>7}", "", "F", "P", "R"))?;
    let row = |name: &str, m: &Measures| {
        output::line(format_args!(
            "{name:<24} {:>7.2} {:>7.2} {:>7.2}",
            100.0 * m.f,
            100.0 * m.precision,
            100.0 * m.recall
        ))
    };
    row("words, micro", &all.micro)?;
    row("words, macro", &all.macro_mean)?;
    if args.verbatim {
        row("segments, micro", &all.segments_micro)?;
        row("segments, macro", &all.segments_macro_mean)?;
    }
    let Some(least) = args.by_domain else { return Ok(()) };
    output::line("")?;
    for (domain, summary) in board.by_domain().iter().filter(|(_, s)| s.pages >= least) {
        row(&format!("{domain} ({})", summary.pages), &summary.micro)?;
    }
    Ok(())
}

fn print_json(board: &Board, missing: usize) -> anyhow::Result<()> {
    let measures = |m: &Measures| json!({ "f": m.f, "p": m.precision, "r": m.recall });
    let summary = |s: &Summary| {
        json!({
            "pages": s.pages,
            "words": { "micro": measures(&s.micro), "macro": measures(&s.macro_mean) },
            "segments": { "micro": measures(&s.segments_micro), "macro": measures(&s.segments_macro_mean) },
        })
    };
    let domains: BTreeMap<&str, _> = board.by_domain().into_iter().map(|(d, s)| (d, summary(&s))).collect();
    output::line(json!({ "all": summary(&board.summary()), "missing": missing, "domains": domains }))
}
