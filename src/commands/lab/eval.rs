//! `goldminer eval`: scores extracted text against a gold standard.

use std::collections::BTreeMap;

use anyhow::bail;
use goldminer_console::words::table::row;
use goldminer_lab::eval::{Board, Measures, Scorer, Summary};
use serde_json::{Value, json};

use crate::cli::EvalArgs;
use crate::commands::{Bar, Exit, counted, output, texts};

const WIDTHS: [i8; 4] = [-24, 7, 7, 7];

/// Runs `goldminer eval`.
///
/// # Errors
/// When a folder cannot be read, or no text has a gold text.
pub(crate) fn run(args: &EvalArgs) -> anyhow::Result<Exit> {
    let (outputs, golds) = (texts(&args.out, None)?, texts(&args.gold, args.only.as_deref())?);
    let missing = golds.keys().filter(|key| !outputs.contains_key(*key)).count();
    if missing == golds.len() {
        bail!(
            "no page of {} has a gold text in {}: both must have the same path, as in <domain>/<id>.txt (goldminer \
             extract --format cleaneval writes such paths)",
            args.out.display(),
            args.gold.display()
        );
    }
    let is_empty = |key: &&String| outputs.get(*key).is_some_and(|text| text.trim_ascii().is_empty());
    let empty = golds.keys().filter(is_empty).count();
    let bar = Bar::spin("scoring");
    // The script of the papers skips pages without output.
    let (scorer, missing) = if args.verbatim { (Scorer::verbatim(), 0) } else { (Scorer::fair(), missing) };
    let board = scorer.score_all(&golds, &outputs);
    drop(bar);
    output::answer(args.json, &as_json(&board, missing, empty), || in_words(args, &board, missing, empty))
}

fn in_words(args: &EvalArgs, board: &Board, missing: usize, empty: usize) -> String {
    let all = board.summary();
    let scale = if args.verbatim { "as the papers score" } else { "words, entities decoded, typography folded" };
    let pages = counted(all.pages as u64, "page", "pages");
    let mut text = format!("{pages}, {missing} of them without output, {empty} with an empty one ({scale})\n");
    text += &row(WIDTHS, [&"", &"F", &"P", &"R"]);
    let line = |name: &str, m: &Measures| {
        let [f, p, r] = [m.f, m.precision, m.recall].map(|share| format!("{:.2}", 100.0 * share));
        row(WIDTHS, [&name, &f, &p, &r])
    };
    text += &(line("words, micro", &all.micro) + &line("words, macro", &all.macro_mean));
    if args.verbatim {
        text += &line("segments, micro", &all.segments_micro);
        text += &line("segments, macro", &all.segments_macro_mean);
    }
    let Some(least) = args.by_domain else { return text };
    text.push('\n');
    for (domain, summary) in board.by_domain().iter().filter(|(_, s)| s.pages >= least) {
        text += &line(&format!("{domain} ({})", summary.pages), &summary.micro);
    }
    text
}

fn as_json(board: &Board, missing: usize, empty: usize) -> Value {
    let measures = |m: &Measures| json!({ "f": m.f, "p": m.precision, "r": m.recall });
    let summary = |s: &Summary| {
        json!({
            "pages": s.pages,
            "words": { "micro": measures(&s.micro), "macro": measures(&s.macro_mean) },
            "segments": { "micro": measures(&s.segments_micro), "macro": measures(&s.segments_macro_mean) },
        })
    };
    let domains: BTreeMap<&str, _> = board.by_domain().into_iter().map(|(d, s)| (d, summary(&s))).collect();
    json!({ "all": summary(&board.summary()), "missing": missing, "empty": empty, "domains": domains })
}
