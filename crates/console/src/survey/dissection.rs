//! The analysis of one page, block by block: the text of each block, its jusText class, why it was kept or cut, and
//! where the article starts and ends by the profile's template.
//!
//! It uses the same steps as the extraction of documents (`extract`), so it shows what is in the corpus. The functions
//! in `pages` choose colours and words. Only a [`Survey`](super::Survey) knows which texts repeat on other pages.

use std::ops::Range;

use goldminer_core::classifier::{Classifier, Reason};
use goldminer_core::document::{Confidence, Method};
use goldminer_core::extract::Cut;
use goldminer_core::goldminer::trim::{NoCut, ParagraphReason, Trimmed};
use goldminer_core::goldminer::{page_classes, text_key, trim};
use goldminer_core::justext::{Class, Stoplist};
use goldminer_core::{DomainProfile, Extractor, NoArticle, PageOutcome, SourcePage, goldminer, metadata};
use goldminer_html::{CrawlUrl, Page};
use jiff::Timestamp;

use crate::words::url::no_document;

/// A page, with the results of its extraction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dissection {
    /// The URL of the page, or its path in its source.
    pub name: String,
    /// Whether [`Dissection::name`] is a URL.
    pub is_url: bool,
    /// The title of the page, if it has one.
    pub title: Option<String>,
    /// When the page was fetched.
    pub fetched: Option<Timestamp>,
    /// The bytes of its HTML.
    pub html_bytes: u64,
    /// The outcome of its extraction.
    pub outcome: Outcome,
    /// The probability that its document is complete and clean, if it has one.
    pub confidence: Option<Confidence>,
    /// What the page classifier says about the whole page, if it decided and gave no text or is not sure.
    pub doubt: Option<String>,
    /// The stoplist with which jusText classified the paragraphs.
    pub stoplist: &'static str,
    /// The ranges of blocks that the template cuts out as the article; empty without a template.
    pub cuts: Vec<Range<usize>>,
    /// The text blocks, in page order.
    pub blocks: Vec<Block>,
}

/// The outcome of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Outcome {
    /// A template of a profile has cut out an article.
    Cut {
        /// The key of the profile.
        key: String,
        /// The version of the profile.
        version: u32,
        /// Number of the template, from 0.
        template: usize,
    },
    /// An article that was extracted without the profile, because no template matches.
    Abstained,
    /// An article that was extracted without a profile, because there is none.
    Alone,
    /// No template cuts out an article, and the page does not look like one.
    NoTemplate,
    /// A template matches, but what it cuts out is boilerplate, or links to other pages.
    NothingLeft,
    /// The page has no date of publication, but all articles of the domain have one.
    NoDate,
    /// The page is too large for the rules of the profile.
    TooLarge,
    /// There is no profile, and no good text.
    #[default]
    NoText,
}

impl Outcome {
    /// The outcome of a parsed page, and why the classifier is in doubt, if it is. They are equal to those that
    /// [`Dissection::of`] returns, but the blocks of text are not listed, which is faster.
    pub fn of(page: &Page, source: &SourcePage<'_>, profiles: &[&DomainProfile]) -> (Self, Option<String>) {
        let extractor = Extractor::default();
        let (profile, cut) = cut(&extractor, page, source, profiles);
        (outcome(profile, &cut), doubt(extractor.classifier(), page, &cut))
    }

    /// Whether the page gave the text of an article.
    pub fn is_article(&self) -> bool {
        matches!(self, Self::Cut { .. } | Self::Abstained | Self::Alone)
    }

    /// The outcome in words.
    pub fn in_words(&self) -> String {
        let words = match self {
            Self::Cut { key, version, template } => {
                return format!("template {template} of {key}, version {version}, cuts the page down to its article");
            }
            Self::Abstained => "no template matches, so the page classifier decides what is text",
            Self::Alone => "there is no profile for the page, so it is classified by itself",
            Self::NoTemplate => no_document(PageOutcome::NoTemplate),
            Self::NothingLeft => "a template matches, but no text is left inside it: the page gives no text",
            Self::NoDate => "all articles of this template have a date, and this page has none: it gives no text",
            Self::TooLarge => no_document(PageOutcome::TooLarge),
            Self::NoText => no_document(PageOutcome::NoText),
        };
        words.to_owned()
    }

    /// The outcome in words; for a page without a document, the reason that the extraction gave, in the words of
    /// `goldminer why`.
    pub fn in_words_with(&self, no_article: Option<NoArticle>) -> String {
        match no_article {
            // The outcome says which template failed, and why.
            None | Some(NoArticle::NoTemplate) => self.in_words(),
            Some(reason) => no_document(reason.into()).to_owned(),
        }
    }
}

/// A text block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The text of the block.
    pub text: Box<str>,
    /// Number of characters of the text.
    pub chars: u32,
    /// The level of a heading, 1 to 6.
    pub heading: Option<u8>,
    /// The jusText class on the whole page, with jusText's default thresholds.
    pub class: Class,
    /// The share of the block's characters that are in links, from 0 to 1.
    pub link_density: f64,
    /// The share of the block's words that are stopwords, from 0 to 1; None without a stoplist.
    pub stopword_density: Option<f64>,
    /// A hash of the text, to find equal texts on other pages.
    pub key: u64,
    /// Whether the block is in the document, and if not, why.
    pub reason: ParagraphReason,
    /// Whether the block is the document's headline.
    pub is_headline: bool,
    /// If the page classifier decided: the probability that the block is text, in thousandths, and the reasons.
    pub classified: Option<(u16, String)>,
}

impl Dissection {
    /// Analyses a page with the default extractor; None if it is not HTML. `profiles` are the profiles for the page,
    /// the first choice first.
    pub fn of(source: &SourcePage<'_>, profiles: &[&DomainProfile]) -> Option<Self> {
        Self::by(&Extractor::default(), source, profiles)
    }

    /// Analyses a page with the given extractor.
    pub fn by(extractor: &Extractor, source: &SourcePage<'_>, profiles: &[&DomainProfile]) -> Option<Self> {
        let page = Extractor::read(source)?;
        let classifier = extractor.classifier();
        let (profile, cut) = cut(extractor, &page, source, profiles);
        let outcome = outcome(profile, &cut);
        let cut_by = cut.method;
        let confidence = cut.confidence(&page, profile);
        let doubt = doubt(classifier, &page, &cut);
        let trimmed = cut.trimmed.ok();
        let template = trimmed.as_ref().filter(|_| cut_by == Method::Goldminer).zip(profile);
        let template = template.and_then(|(trimmed, profile)| profile.templates.get(trimmed.template));
        let cuts = template.map_or_else(Vec::new, |template| trim::cut_ranges(&page, template));
        let classes = page_classes::classify(&page, source.declared_language);
        let stoplist = Stoplist::named(classes.stoplist).unwrap_or(Stoplist::none());
        let reasons = reasons(&page, source.url, profile, trimmed.as_ref());
        let headline = trimmed.as_ref().and_then(|trimmed| trimmed.headline);
        let mut classified =
            if cut_by == Method::Classifier { classifier_says(classifier, &page) } else { Vec::new() }.into_iter();
        let blocks = page.paragraphs().iter().zip(classes.classes).zip(reasons).enumerate();
        let blocks = blocks.map(|(at, ((paragraph, class), reason))| Block {
            text: paragraph.text.clone(),
            chars: paragraph.chars,
            heading: paragraph.heading,
            class,
            link_density: paragraph.link_density().min(1.0),
            stopword_density: stoplist.share(&paragraph.text),
            key: text_key(&paragraph.text),
            reason,
            is_headline: headline == Some(at),
            classified: classified.next(),
        });
        Some(Self {
            name: source.url.map_or_else(|| source.path.unwrap_or_default().to_owned(), |url| url.as_str().to_owned()),
            is_url: source.url.is_some(),
            title: metadata::of_page(&page, source.url).title,
            fetched: source.fetched,
            html_bytes: source.bytes.len() as u64,
            outcome,
            confidence,
            doubt,
            stoplist: classes.stoplist,
            cuts,
            blocks: blocks.collect(),
        })
    }

    /// The bytes of the kept text.
    pub fn kept_bytes(&self) -> u64 {
        self.blocks.iter().filter(|block| block.reason.is_kept()).map(|block| block.text.len() as u64).sum()
    }
}

/// The result of the first profile that cuts the page; or else of the first with which the classifier finds text; or else
/// of the last.
fn cut<'p>(
    extractor: &Extractor,
    page: &Page,
    source: &SourcePage<'_>,
    profiles: &[&'p DomainProfile],
) -> (Option<&'p DomainProfile>, Cut) {
    let mut by_page: Option<(Option<&'p DomainProfile>, Cut)> = None;
    for profile in profiles.iter().copied() {
        let cut = extractor.cut(page, source, Some(profile));
        if cut.trimmed.is_ok() && cut.method == Method::Goldminer {
            return (Some(profile), cut);
        }
        if by_page.as_ref().is_none_or(|(_, kept)| kept.trimmed.is_err()) {
            by_page = Some((Some(profile), cut));
        }
    }
    by_page.unwrap_or_else(|| (None, extractor.cut(page, source, None)))
}

/// The most reasons of the classifier that are listed.
const REASONS: usize = 3;

/// The classifier is sure of a text if its expected F and the probability of an article are at least this, in
/// thousandths.
const SURE: u16 = 800;

/// Why the classifier gives no text, or is not sure of it, in words; None if it is sure.
fn doubt(classifier: &Classifier, page: &Page, cut: &Cut) -> Option<String> {
    let gives_text = cut.trimmed.is_ok();
    let is_sure = |score: u16, article: u16| gives_text && score >= SURE && article >= SURE;
    let certainty = cut.score.zip(cut.certainty.as_ref());
    if cut.method != Method::Classifier || certainty.is_some_and(|(score, certain)| is_sure(score, certain.article)) {
        return None;
    }
    let classification = classifier.classify(page);
    let percent = |thousandths: u16| (thousandths + 5) / 10;
    if !gives_text && classification.text.is_empty() {
        let most = (0..classification.probabilities.len()).rev().max_by_key(|at| classification.probabilities[*at]);
        return Some(most.map_or_else(
            || "the page has no text".to_owned(),
            |at| {
                let likely = percent(classification.probabilities[at]);
                let why = against(&classifier.explain(page).swap_remove(at));
                format!("the classifier takes no paragraph for article text; the best probability is {likely} %{why}")
            },
        ));
    }
    if is_sure(classification.score, classification.article) {
        return None;
    }
    let says = if gives_text { "the classifier is not sure" } else { "the classifier says this is not an article" };
    let why = against(&classifier.explain_page(page));
    let (article, score) = (percent(classification.article), percent(classification.score));
    Some(format!("{says}: probability of an article {article} %, expected F-score of the text {score} %{why}"))
}

fn first<'r>(reasons: impl Iterator<Item = &'r Reason>) -> String {
    reasons.take(REASONS).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The first reasons against a text, as the end of a sentence; empty if there are none.
fn against(reasons: &[Reason]) -> String {
    let first = first(reasons.iter().filter(|reason| !reason.is_for()));
    if first.is_empty() { first } else { format!("; against it: {first}") }
}

/// The classifier's probability and reasons for each paragraph.
fn classifier_says(classifier: &Classifier, page: &Page) -> Vec<(u16, String)> {
    let reasons = classifier.explain(page).into_iter().map(|reasons| first(reasons.iter()));
    classifier.classify(page).probabilities.into_iter().zip(reasons).collect()
}

fn outcome(profile: Option<&DomainProfile>, cut: &Cut) -> Outcome {
    match (&cut.trimmed, profile) {
        (Ok(trimmed), Some(profile)) if cut.method == Method::Goldminer => {
            Outcome::Cut { key: profile.key.clone(), version: profile.version, template: trimmed.template }
        }
        (Ok(_), Some(_)) => Outcome::Abstained,
        (Ok(_), None) => Outcome::Alone,
        (Err(_), None) => Outcome::NoText,
        (Err(NoCut::NoMatch), Some(_)) => Outcome::NoTemplate,
        (Err(NoCut::NoDate), Some(_)) => Outcome::NoDate,
        (Err(NoCut::TooLarge), Some(_)) => Outcome::TooLarge,
        // No template gave text, nor did the classifier, which was used next.
        (Err(_), Some(_)) if cut.method == Method::Classifier => Outcome::NoTemplate,
        (Err(_), Some(_)) => Outcome::NothingLeft,
    }
}

/// The reason for each block. Comments are reported as such even outside the article, because people look for them.
fn reasons(
    page: &Page,
    url: Option<&CrawlUrl>,
    profile: Option<&DomainProfile>,
    trimmed: Option<&Trimmed>,
) -> Vec<ParagraphReason> {
    let reason = |is_comment| if is_comment { ParagraphReason::Comment } else { ParagraphReason::Outside };
    let mut reasons: Vec<ParagraphReason> = goldminer::comments(page, url, profile).into_iter().map(reason).collect();
    let Some(trimmed) = trimmed else { return reasons };
    for (reason, known) in reasons[trimmed.scope.clone()].iter_mut().zip(&trimmed.reasons) {
        if *known != ParagraphReason::Outside {
            *reason = *known;
        }
    }
    for at in &trimmed.paragraphs {
        if !reasons[*at].is_kept() {
            reasons[*at] = ParagraphReason::Kept;
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::super::block_reason::testing::{article_source, profile};
    use super::*;
    use goldminer_html::address::Domain;

    fn dissect(html: &str, profiles: &[&DomainProfile]) -> Dissection {
        let domain = Domain::named("portal.example");
        Dissection::of(&article_source(html, &domain), profiles).unwrap()
    }

    const PAGE: &str = "<html lang=en><title>Rain</title><body>\
        <ul class=nav><li><a href=/a>Politics</a><li><a href=/b>Sports</a></ul>\
        <div class=story><h1>Rain</h1><p>It rained all day in the town, and nobody who had an umbrella was willing to \
        lend it to the others, because it was clear to them that the rain would not end before the night.</p></div>\
        <div class=foot>Copyright of the portal</div>";

    #[test]
    fn a_cut_page_has_its_cuts_and_a_reason_per_block() {
        let dissection = dissect(PAGE, &[&profile("div.story")]);
        assert_eq!(
            dissection.outcome,
            Outcome::Cut { key: "portal.example".to_owned(), version: 1, template: 0 },
            "{dissection:?}"
        );
        let texts: Vec<(&str, bool)> =
            dissection.blocks.iter().map(|block| (&block.text[..4], block.reason.is_kept())).collect();
        assert_eq!(texts, [("Poli", false), ("Spor", false), ("Rain", true), ("It r", true), ("Copy", false)]);
        assert_eq!(dissection.cuts, vec![std::ops::Range { start: 2, end: 4 }]);
        assert!(dissection.blocks[2].is_headline);
        assert_eq!(dissection.blocks[0].link_density, 1.0);
        assert!(dissection.blocks[3].stopword_density > Some(0.3), "{:?}", dissection.blocks[3]);
    }

    #[test]
    fn without_a_profile_the_classifier_decides_without_cuts() {
        let dissection = dissect(PAGE, &[]);
        assert_eq!(dissection.outcome, Outcome::Alone);
        assert!(dissection.cuts.is_empty());
        assert!(dissection.kept_bytes() > 100);
        let (probability, why) = dissection.blocks[3].classified.as_ref().unwrap();
        assert!(*probability > 500 && why.contains("(+"), "{probability} {why}");
    }

    #[test]
    fn the_classifier_says_why_it_gives_no_text() {
        let teaser =
            "<li class=card><h3><a href=/a>Rain in Rome</a></h3><p>It rained again. <a href=/a>Read more</a></li>";
        let list = dissect(&format!("<title>News</title><ul class=list>{}</ul>", teaser.repeat(20)), &[]);
        assert_eq!(list.outcome, Outcome::NoText);
        let doubt = list.doubt.unwrap();
        assert!(
            doubt.starts_with("the classifier takes no paragraph for article text") || doubt.contains("not an article"),
            "{doubt}"
        );
        assert!(doubt.contains("; against it: ") && doubt.contains("(-"), "{doubt}");
    }

    #[test]
    fn a_list_that_no_template_matches_has_its_own_outcome() {
        let list = "<body><ul><li><a href=/a>One story</a><li><a href=/b>Another story</a></ul>";
        assert_eq!(dissect(list, &[&profile("div.story")]).outcome, Outcome::NoTemplate);
    }
}
