//! `goldminer eval`: how near extracted text comes to a gold standard.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::bail;
use goldminer_core::eval::{Board, Measures, Scorer, Summary};
use rayon::prelude::*;
use serde_json::json;

use crate::cli::EvalArgs;
use crate::commands::inputs::text_files::{read, read_only, texts};
use crate::commands::terminal::bar::Bar;
use crate::commands::terminal::output;
use crate::commands::{Exit, counted};

/// Threads cost more than they save if all pages are scored sooner.
const ALONE: Duration = Duration::from_millis(30);

/// Runs the command.
///
/// # Errors
/// When a directory can't be read, or nothing pairs.
pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<Exit> {
    let (outputs, golds) = (texts(&args.out)?, texts(&args.gold)?);
    let only = args.only.as_deref().map(read_only).transpose()?;
    let scorer = if args.verbatim { Scorer::verbatim() } else { Scorer::fair() };
    // The papers' script passes pages without output over; on the fair scale they count as empty.
    let wanted = |key: &&String| {
        only.as_ref().is_none_or(|only| only.contains(*key)) && (!args.verbatim || outputs.contains_key(*key))
    };
    let keys: Vec<&String> = golds.keys().filter(wanted).collect();
    if !keys.iter().any(|key| outputs.contains_key(*key)) {
        bail!(
            "no page of {} has a gold text in {}: files pair by their paths, as in <domain>/<id>.txt (goldminer \
             extract --format cleaneval writes them so)",
            args.out.display(),
            args.gold.display()
        );
    }
    let score = |key: &&String| {
        let output = outputs.get(*key).map(|path| read(path)).transpose()?.unwrap_or_default();
        anyhow::Ok(scorer.score(&output, &read(&golds[*key])?))
    };
    let mut board = Board::default();
    #[allow(clippy::disallowed_methods)] // how long it takes, for people
    let (mut waiting, began) = (keys.iter(), Instant::now());
    while began.elapsed() < ALONE
        && let Some(key) = waiting.next()
    {
        board.add(key.as_str(), score(key)?);
    }
    if waiting.len() > 0 {
        let _bar = Bar::spin("scoring");
        let scored: Vec<_> = waiting.as_slice().par_iter().map(score).collect::<anyhow::Result<_>>()?;
        waiting.zip(scored).for_each(|(key, counts)| board.add(key.as_str(), counts));
    }
    let missing = keys.iter().filter(|key| !outputs.contains_key(**key)).count();
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
