//! `goldminer train classifier`: trains weights for the page classifier, and measures their quality on domains that
//! were not used for training.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use goldminer_batch::sources::{PageRef, Sources};
use goldminer_console::words::table;
use goldminer_core::classifier::{Classifier, Convention, WeightsError};
use goldminer_core::{Algorithm, Extractor, SourcePage};
use goldminer_html::Page;
use goldminer_lab::eval::{Board, Measures, Scorer};
use goldminer_lab::train::{FOLDS, Kind, Trainer, fold};
use goldminer_warc::OpenFiles;
use serde_json::json;

use crate::cli::TrainClassifierArgs;
use crate::commands::{Bar, Exit, counted, methods, misuse, output, single_file, texts, thousands};

/// The random seeds of cross-validation. The scores are means over them.
const SEEDS: [u64; 3] = [1, 2, 3];
const WIDTHS: [i8; 6] = [-24, -14, 6, 7, 7, 7];
/// The kind of pages from which the article convention is trained.
pub(super) const ARTICLE: &str = "article";
/// The kinds of pages that are not articles. Pages of other kinds are debatable, and not used for training.
const NO_ARTICLES: [&str; 3] = ["collection", "listing", "product"];

/// Runs `goldminer train classifier`.
///
/// # Errors
/// When sets cannot be read, contain no pages with gold texts, or the weights cannot be written.
pub(crate) fn run(args: &TrainClassifierArgs) -> anyhow::Result<Exit> {
    let convention = methods::convention(args.convention);
    if let Some(out) = &args.out {
        let is_weights = |bytes: &[u8]| {
            str::from_utf8(bytes).is_ok_and(|text| !matches!(text.parse::<Classifier>(), Err(WeightsError::Kind)))
        };
        single_file::refuse_other_content(out, "a file of classifier weights", is_weights)?;
    }
    let sets = args.sets.iter().map(|path| Set::find(path, convention)).collect::<anyhow::Result<Vec<_>>>()?;
    let bar = Bar::spin("reading");
    let trainer = trainer(&sets)?;
    drop(bar);
    match &args.out {
        Some(out) => write(args, &trainer, convention, out),
        None => cross_validate(args, &trainer, convention, &sets),
    }
}

/// Returns a trainer to which the pages of some sets have been added.
///
/// # Errors
/// When the sets cannot be read, or have no gold texts.
pub(super) fn trainer(sets: &[Set]) -> anyhow::Result<Trainer> {
    let mut trainer = Trainer::default();
    let mut too_long = 0;
    for training_page in training_pages(sets) {
        let (training_page, page) = training_page?;
        let domain = training_page.found.domain().as_str();
        match training_page.used_as {
            Some(Kind::Other) => trainer.add_other(&page, domain),
            Some(kind) if !trainer.add(&page, training_page.gold, domain, kind) => too_long += 1,
            _ => {}
        }
    }
    if trainer.pages() == 0 {
        bail!("no page of these sets has a gold text: name them pages/<domain>/<id>.html and gold/<domain>/<id>.txt");
    }
    if too_long > 0 {
        let pages = counted(too_long, "page was", "pages were");
        tracing::warn!("{pages} left out: the page or its gold text is too long to compare");
    }
    Ok(trainer)
}

fn write(args: &TrainClassifierArgs, trainer: &Trainer, convention: Convention, out: &Path) -> anyhow::Result<Exit> {
    let bar = Bar::spin("training");
    let weights = trainer.train(convention, args.without, args.seed).to_string();
    drop(bar);
    std::fs::write(out, &weights).map_err(|cause| single_file::unwritable(out, &cause))?;
    let (path, pages, bytes) = (out.display(), trainer.pages(), weights.len() as u64);
    let written = json!({ "weights": path.to_string(), "pages": pages, "bytes": bytes });
    output::answer(args.json, &written, || {
        let (pages, bytes, convention) = (counted(pages, "page", "pages"), thousands(bytes), convention.as_str());
        format!(
            "{pages} → {path} ({bytes} bytes)\nuse them with `goldminer extract --method classifier --convention \
             {convention} --model {path}`"
        )
    })
}

/// For each seed, trains without each fold of the domains in turn, and scores the pages of that fold.
fn cross_validate(
    args: &TrainClassifierArgs,
    trainer: &Trainer,
    convention: Convention,
    sets: &[Set],
) -> anyhow::Result<Exit> {
    let mut boards: BTreeMap<(&str, &str), [Board; SEEDS.len()]> = BTreeMap::new();
    for (nth, seed) in SEEDS.into_iter().enumerate() {
        let bar = Bar::spin("cross-validating");
        let classifiers = (0..FOLDS).map(|part| Arc::new(trainer.train(convention, Some(part), seed)));
        let extractors: Vec<Extractor> = classifiers
            .map(|classifier| Extractor::default().with_algorithm(Algorithm::Classifier(classifier)))
            .collect();
        for training_page in training_pages(sets) {
            let (training_page, page) = training_page?;
            let found = training_page.found;
            let text = text(&extractors[usize::from(fold(found.domain().as_str()))], &page, found);
            let key = format!("{}/{}", found.domain(), found.id());
            let board = boards.entry((training_page.set, training_page.kind)).or_default();
            board[nth].add(key, Scorer::fair().score(text.as_bytes(), training_page.gold));
        }
        drop(bar);
    }
    let mut rows = Vec::new();
    for ((set, kind), boards) in boards {
        let sums = boards.map(|board| board.summary());
        let mean = |part: fn(&Measures) -> f64| {
            100.0 * sums.iter().map(|sum| part(&sum.micro)).sum::<f64>() / SEEDS.len() as f64
        };
        rows.push((set, kind, sums[0].pages as u64, [mean(|m| m.f), mean(|m| m.precision), mean(|m| m.recall)]));
    }
    let row = |(set, kind, pages, [f, p, r]): &(&str, &str, u64, [f64; 3])| json!({ "set": set, "kind": kind, "pages": pages, "f": f, "precision": p, "recall": r });
    output::answer(args.json, &rows.iter().map(row).collect::<Vec<_>>(), || {
        let mut text = table::row(WIDTHS, [&"set", &"kind", &"pages", &"F", &"P", &"R"]);
        for (set, kind, pages, measures) in &rows {
            let [f, precision, recall] = measures.map(|measure| format!("{measure:.2}"));
            text += &table::row(WIDTHS, [set, kind, &thousands(*pages), &f, &precision, &recall]);
        }
        text
    })
}

/// The text of a page by `extract --method classifier`.
fn text(extractor: &Extractor, page: &Page, found: &PageRef) -> String {
    let source = SourcePage { url: found.url(), path: Some(found.id()), ..SourcePage::new(&[], found.domain()) };
    let document = extractor.extract_read(page, &source, None).unwrap_or_default();
    document.paragraphs.iter().map(|paragraph| format!("<p>{}\n", paragraph.text)).collect()
}

/// A folder of pages with gold texts.
pub(super) struct Set {
    name: String,
    pub(super) pages: Vec<(PageRef, Vec<u8>, String)>,
    /// Whether only pages of some kinds are used for training. `false` if the set does not state kinds.
    only_articles: bool,
}

impl Set {
    pub(super) fn find(path: &Path, convention: Convention) -> anyhow::Result<Self> {
        let ok = path.join("ok.txt");
        let gold = path.join("gold");
        let mut golds = if gold.is_dir() { texts(&gold, ok.is_file().then_some(&*ok))? } else { BTreeMap::new() };
        let mut pages = Vec::new();
        for found in Sources::find(&[path.to_owned()])?.domains.into_values().flatten() {
            let key = format!("{}/{}", found.domain(), found.id());
            if let Some(gold) = golds.remove(&key) {
                let kind = found.note.as_deref().unwrap_or_default().to_owned();
                pages.push((found, gold, kind));
            }
        }
        if pages.is_empty() {
            return misuse(format!(
                "no page in {} has a gold text: name them pages/<domain>/<id>.html and gold/<domain>/<id>.txt",
                path.display()
            ));
        }
        let has_kinds = pages.iter().any(|(_, _, kind)| kind == ARTICLE);
        if !has_kinds {
            pages.iter_mut().for_each(|(_, _, kind)| kind.clear());
        }
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name, pages, only_articles: has_kinds && convention == Convention::Article })
    }

    /// What a page of this kind is used for in training; None if it is not used.
    pub(super) fn used_as(&self, kind: &str) -> Option<Kind> {
        match kind {
            _ if !self.only_articles => Some(Kind::Article),
            ARTICLE => Some(Kind::AmongOthers),
            _ => NO_ARTICLES.contains(&kind).then_some(Kind::Other),
        }
    }
}

/// One page with its gold text.
struct TrainingPage<'s> {
    set: &'s str,
    kind: &'s str,
    found: &'s PageRef,
    used_as: Option<Kind>,
    gold: &'s [u8],
}

/// All pages with their gold texts, always in the same order.
fn training_pages(sets: &[Set]) -> impl Iterator<Item = anyhow::Result<(TrainingPage<'_>, Page)>> {
    let files = OpenFiles::default();
    let pages = sets.iter().flat_map(|set| set.pages.iter().map(move |page| (set, page)));
    pages.map(move |(set, (found, gold, kind))| {
        let page = found.read(&files)?.with_context(|| format!("{}/{} is not a page", found.domain(), found.id()))?;
        let training_page = TrainingPage { set: &set.name, kind, found, used_as: set.used_as(kind), gold };
        Ok((training_page, page.parse()))
    })
}
