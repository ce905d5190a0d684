//! `goldminer train`: trains a model for NCleaner on pages that people have cleaned. `train_classifier` trains the
//! weights of the classifier.

use std::collections::BTreeMap;

use anyhow::bail;
use goldminer_batch::sources::{PageRef, Sources};
use goldminer_lab::ncleaner::{Alphabet, Model, ModelError, Parameters, Trainer};
use goldminer_warc::OpenFiles;
use serde_json::json;

use super::{train_classifier, train_confidence};
use crate::cli::{AlphabetArg, TrainArgs, TrainCommand, TrainNcleanerArgs};
use crate::commands::{Bar, Exit, UsageError, counted, output, single_file, texts};

/// Runs `goldminer train`.
///
/// # Errors
/// When pages or gold texts cannot be read or do not match, or the model cannot be written.
pub(crate) fn run(args: &TrainArgs) -> anyhow::Result<Exit> {
    match args {
        TrainArgs { other: Some(TrainCommand::Classifier(args)), .. } => train_classifier::run(args),
        TrainArgs { other: Some(TrainCommand::Confidence(args)), .. } => train_confidence::run(args),
        TrainArgs { ncleaner: Some(args), .. } => ncleaner(args),
        TrainArgs { .. } => Err(UsageError::of("say what to train; see `goldminer train --help`").into()),
    }
}

fn ncleaner(args: &TrainNcleanerArgs) -> anyhow::Result<Exit> {
    let parameters = parameters(args)?;
    let is_model = |bytes: &[u8]| Model::from_bytes(bytes) != Err(ModelError::NotAModel);
    single_file::refuse_other_content(&args.out, "a model for NCleaner", is_model)?;
    let (sources, golds) = (Sources::find(std::slice::from_ref(&args.pages))?, texts(&args.gold, None)?);
    let pages: Vec<&PageRef> = sources.domains.values().flatten().collect();
    let mut trainer = Trainer::new(parameters);
    let bar = Bar::spin("learning");
    let learned = add_pages(&mut trainer, &pages, &golds)?;
    drop(bar);
    if learned == 0 {
        bail!(
            "no page in {} has a gold text in {}: the gold text of <domain>/<id>.html must be <domain>/<id>.txt",
            args.pages.display(),
            args.gold.display()
        );
    }
    let model = trainer.train();
    std::fs::write(&args.out, model.to_bytes()).map_err(|cause| single_file::unwritable(&args.out, &cause))?;
    let path = args.out.display();
    let trained = json!({ "model": path.to_string(), "pages": learned, "parameters": parameters });
    output::answer(args.json, &trained, || {
        format!(
            "{} → {path} ({model})\nuse it with `goldminer extract --method ncleaner --model {path}`; score it \
             with `goldminer compare --methods all-text,ncleaner`",
            counted(learned, "page", "pages")
        )
    })
}

/// Passes pages with their gold texts to a trainer. Returns how many pages have a gold text.
///
/// # Errors
/// When a page cannot be read.
pub(crate) fn add_pages(
    trainer: &mut Trainer,
    pages: &[&PageRef],
    golds: &BTreeMap<String, Vec<u8>>,
) -> anyhow::Result<u64> {
    let (mut learned, files) = (0, OpenFiles::default());
    for found in pages {
        let Some(gold) = golds.get(&format!("{}/{}", found.domain(), found.id())) else { continue };
        let Some(page) = found.read(&files)? else { continue };
        trainer.add(&page.parse(), &String::from_utf8_lossy(gold));
        learned += 1;
    }
    Ok(learned)
}

fn parameters(args: &TrainNcleanerArgs) -> anyhow::Result<Parameters> {
    let mut parameters = match args.alphabet {
        AlphabetArg::Bytes | AlphabetArg::Ascii => Parameters::standard(),
        AlphabetArg::LettersDigits => Parameters::simplified(),
    };
    if args.alphabet == AlphabetArg::Bytes {
        parameters.alphabet = Alphabet::Bytes;
    }
    parameters.n = args.n.unwrap_or(parameters.n);
    parameters.q = args.q.unwrap_or(parameters.q);
    if parameters.are_valid() {
        Ok(parameters)
    } else {
        Err(UsageError::of("--q is a weight between 0 and 1, both excluded").into())
    }
}
