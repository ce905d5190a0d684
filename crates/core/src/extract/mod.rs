//! The entry point of the library: turns a [`SourcePage`] into a [`Document`], or gives the reason why there is none.
//!
//! The page is decoded and parsed. The profile of its domain cuts out the article; without a profile, the classifier or
//! a [`PageSystem`] chooses the text. Then metadata, digests and provenance are added. The same input always gives the
//! same output: there is no clock, and no state except the configuration.

mod article_parts;
mod classified;
#[doc(hidden)]
pub mod confidence;
mod digest;
pub mod domain;
mod finish;
mod lengths;
mod no_article;
mod outcome;
mod page_data;
pub(crate) mod parts;
mod source_page;
mod walls;
mod whole_page;

use std::ops::Deref;
use std::sync::Arc;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Reading, encoding};
use smart_default::SmartDefault;

use crate::classifier::{Classifier, Convention};
use crate::document::{Access, Confidence, Document, DocumentParagraph, Method, ProfileUse};
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::rules::PageTooLarge;
use crate::goldminer::trim::{self, NoCut, ParagraphReason, Trimmed};
use crate::goldminer::{self, PageProfile, published};
use crate::justext::Thresholds;
use crate::metadata::DeclaredMetadata;
use crate::structure::{self, Settings, Structured};

use confidence::{Certainty, Features, Model};
use finish::{ChosenText, document, metadata_of};
use parts::{copies, credits, prose};
use walls::WallRemainder;

pub use outcome::{ExtractError, NoArticle};
pub use source_page::SourcePage;
pub use walls::mentions_consent;
pub use whole_page::{PageSystem, keep};

/// The algorithm that decides what is text.
///
/// ```
/// use goldminer_core::extract::{Algorithm, Extractor};
///
/// // To compare GoldMiner with another algorithm, change only this.
/// let justext = Extractor::default().with_algorithm(Algorithm::Justext(Box::default()));
/// assert!(!justext.uses_profiles() && Extractor::default().uses_profiles());
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// The profile of the domain. Without a profile, like `Fallback`.
    #[default]
    Goldminer,
    /// GoldMiner as published in 2013; jusText if there is no profile.
    Goldminer2013,
    /// The classifier, without a profile. Pages that are not articles give no text.
    Fallback,
    /// This classifier, without a profile. Pages that are not articles may give text, too.
    Classifier(Arc<Classifier>),
    /// jusText on the whole page.
    Justext(Box<Thresholds>),
    /// Another system, such as those of `goldminer-lab`.
    Other(Arc<dyn PageSystem>),
}

/// The part of a page that is extracted, paragraph by paragraph, with the reasons.
///
/// ```
/// use goldminer_core::DomainProfile;
/// use goldminer_core::address::Domain;
/// use goldminer_core::document::Method;
/// use goldminer_core::extract::{Extractor, SourcePage};
///
/// let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse()?;
/// let html = "<p>Home</p><div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>";
/// let domain = Domain::named("portal.example");
/// let source = SourcePage::new(html.as_bytes(), &domain);
/// let page = Extractor::read(&source).expect("it is HTML");
///
/// let cut = Extractor::default().cut(&page, &source, Some(&profile));
/// assert_eq!(cut.method, Method::Goldminer);
/// assert_eq!(cut.trimmed.expect("the template matches").paragraphs, [1], "the second paragraph of the page");
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// The method that made the cut.
    pub method: Method,
    /// The text that is left, or why nothing is left.
    pub trimmed: Result<Trimmed, NoCut>,
    /// The F-score that the classifier predicts for the text, in thousandths. None if the classifier was not used.
    pub score: Option<u16>,
    /// The classifier's probabilities for the page, if the classifier cut out the article.
    pub certainty: Option<Certainty>,
}

impl Cut {
    fn nothing(method: Method, why: NoCut) -> Self {
        Self { method, trimmed: Err(why), score: None, certainty: None }
    }

    /// The confidence of the document from this cut. None if no text is left of the page, or if neither a template nor
    /// the classifier's probabilities are known. `page` and `profile` must be those from which the cut was made.
    pub fn confidence(&self, page: &Page, profile: Option<&DomainProfile>) -> Option<Confidence> {
        Features::of(page, self, profile).map(|features| Model::shipped().confidence(&features))
    }
}

/// Extracts documents: by default with the profile of the page's domain, or with the classifier of articles if there is
/// no profile. [`ProfileSet`](domain::ProfileSet) is shorter to use if the default is enough.
///
/// ```
/// use goldminer_core::address::CrawlUrl;
/// use goldminer_core::extract::{Extractor, SourcePage};
///
/// let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
/// let html = format!("<nav><a href=/sport>Sport</a></nav><h1>Rain</h1>{story}");
/// let url = CrawlUrl::parse("http://portal.example/rain")?;
/// let domain = url.domain();
/// let source = SourcePage::new(html.as_bytes(), &domain).with_url(&url);
///
/// // Parse the page once, for its article and its links.
/// let page = Extractor::read(&source).expect("it is HTML");
/// let document = Extractor::default().extract_read(&page, &source, None).expect("it is an article");
/// assert!(document.text.starts_with("Rain\n\nIt rained all day"));
/// assert_eq!(page.links(&url).links[0].url.as_str(), "http://portal.example/sport");
/// # Ok::<(), goldminer_core::address::AddressError>(())
/// ```
#[derive(Debug, Clone, SmartDefault)]
pub struct Extractor {
    algorithm: Algorithm,
    /// The classifier for pages that no profile matches.
    #[default(Classifier::of(Convention::Article))]
    classifier: Arc<Classifier>,
    /// Whether documents contain their structure, not only kinds and texts.
    #[default = true]
    structure: bool,
}

impl Extractor {
    /// Sets another algorithm.
    #[must_use]
    pub fn with_algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Sets another classifier for pages that no profile matches.
    #[must_use]
    pub fn with_classifier(self, classifier: Arc<Classifier>) -> Self {
        Self { classifier, ..self }
    }

    /// Sets whether documents contain their structure (such as lists and links; the default), or only kinds and texts.
    ///
    /// ```
    /// use goldminer_core::address::Domain;
    /// use goldminer_core::extract::{Extractor, SourcePage};
    ///
    /// let html = format!("<h1>Rain</h1><p>{}", "It <b>rained</b> all day in the town, and nobody came. ".repeat(9));
    /// let domain = Domain::named("portal.example");
    /// let document = Extractor::default().with_structure(false).extract(&SourcePage::new(html.as_bytes(), &domain), None)?;
    /// assert!(document.structure.is_none() && document.paragraphs[1].marks.is_empty());
    /// # Ok::<(), goldminer_core::NoArticle>(())
    /// ```
    #[must_use]
    pub fn with_structure(self, structure: bool) -> Self {
        Self { structure, ..self }
    }

    /// Parses a page as [`Learner::add`](crate::Learner::add) and `extract` do. None if it is not HTML.
    pub fn read(source: &SourcePage<'_>) -> Option<Page> {
        Self::read_as(source, Reading::Article)
    }

    fn read_as(source: &SourcePage<'_>, reading: Reading) -> Option<Page> {
        goldminer_html::can_be_page(source.bytes).then(|| Self::parse(source, reading))
    }

    fn parse(source: &SourcePage<'_>, reading: Reading) -> Page {
        let decoded = encoding::decode_from(source.bytes, source.content_type, source.url.map(CrawlUrl::host_name));
        Page::parse_as(decoded.text.into_owned(), reading).in_encoding(decoded.encoding)
    }

    /// Whether this extractor uses profiles.
    pub fn uses_profiles(&self) -> bool {
        matches!(self.algorithm, Algorithm::Goldminer | Algorithm::Goldminer2013)
    }

    /// Whether profiles are learned and used as published in 2013.
    pub fn is_published(&self) -> bool {
        matches!(self.algorithm, Algorithm::Goldminer2013)
    }

    /// Extracts a page's article. If there is none, the error says why.
    pub fn extract(
        &self,
        source: &SourcePage<'_>,
        profile: Option<&DomainProfile>,
    ) -> Result<Box<Document>, NoArticle> {
        match &self.algorithm {
            Algorithm::Other(system) => return whole_page::by_system(source, &**system),
            Algorithm::Justext(thresholds) => return whole_page::by_justext(source, thresholds),
            Algorithm::Goldminer2013 if profile.is_none() => {
                return whole_page::by_justext(source, &Thresholds::default());
            }
            _ => {}
        }
        self.extract_read(&Self::read(source).ok_or(NoArticle::NotHtml)?, source, profile)
    }

    /// Like [`Extractor::extract`], for a page that [`Extractor::read`] has already parsed, for example because its
    /// links are needed. jusText and other methods that parse pages in their own way need [`Extractor::extract`].
    pub fn extract_read(
        &self,
        page: &Page,
        source: &SourcePage<'_>,
        profile: Option<&DomainProfile>,
    ) -> Result<Box<Document>, NoArticle> {
        let profile = with_rules(page, profile).map_err(|PageTooLarge| NoArticle::TooLarge)?;
        let profile = profile.as_ref();
        if let (Algorithm::Goldminer2013, Some(profile)) = (&self.algorithm, profile) {
            return self.published(page, source, profile);
        }
        let (mut whole, declared) = self.cut_with_metadata(page, source, profile);
        let (method, score) = (whole.method, whole.score);
        let Ok(cut) = &mut whole.trimmed else {
            // With a profile, the JSON in the page's scripts is used only if a template matches but gives no text.
            let may_hold = match profile.filter(|_| self.uses_profiles()) {
                Some(_) => method == Method::Goldminer && whole.trimmed == Err(NoCut::NoText),
                None => matches!(self.algorithm, Algorithm::Goldminer | Algorithm::Fallback),
            };
            let why = if method == Method::Goldminer { NoArticle::NoTemplate } else { NoArticle::NoText };
            let why = no_article::of_page(page, why);
            // The JSON of lists and galleries is not used.
            let is_empty = matches!(why, NoArticle::NoTemplate | NoArticle::NoText);
            let of_data =
                (may_hold && is_empty).then(|| page_data::extract(page, source, profile, self.structure)).flatten();
            return match of_data {
                Some(mut document) => {
                    document.provenance.confidence = Some(Model::shipped().of_page_data());
                    Ok(Box::new(document))
                }
                None if why == NoArticle::NoText && walls::only_asks_consent(page) => Err(NoArticle::Wall),
                None => Err(why),
            };
        };
        let (rest, structured) = self.remove_other_text(page, source, profile, method, cut)?;
        let declared = declared.unwrap_or_else(|| metadata_of(page, source, profile, cut.language.as_deref()));
        let mut document = self.document_of(page, source, profile, (cut, structured), (method, score), declared);
        document.metadata.access = (rest == WallRemainder::Beginning).then_some(Access::Partial);
        document.provenance.confidence = whole.confidence(page, profile.map(Deref::deref));
        Ok(Box::new(document))
    }

    /// GoldMiner as published: a page without the start pattern of any template has no text.
    fn published(
        &self,
        page: &Page,
        source: &SourcePage<'_>,
        profile: &PageProfile<'_>,
    ) -> Result<Box<Document>, NoArticle> {
        let cut = published::trim(page, source.declared_language, profile).ok_or(NoArticle::NoTemplate)?;
        if cut.paragraphs.is_empty() {
            return Err(NoArticle::NoText);
        }
        let paragraphs = cut.paragraphs.iter().map(|at| &page.paragraphs()[*at]);
        let paragraphs = paragraphs.map(|paragraph| DocumentParagraph::new(page.kind(paragraph), &*paragraph.text));
        let structured = Structured { paragraphs: paragraphs.collect(), objects: Vec::new() };
        let (made, declared) = ((&cut, structured), metadata_of(page, source, Some(profile), cut.language.as_deref()));
        Ok(Box::new(self.document_of(page, source, Some(profile), made, (Method::Goldminer2013, None), declared)))
    }

    /// Removes text that belongs to no article from a cut (the part of a page that is extracted): a paywall's call to
    /// subscribe, and text that is not prose. Returns how much of the article a paywall has left, and the document's
    /// paragraphs.
    fn remove_other_text(
        &self,
        page: &Page,
        source: &SourcePage<'_>,
        profile: Option<&PageProfile<'_>>,
        method: Method,
        cut: &mut Trimmed,
    ) -> Result<(WallRemainder, Structured), NoArticle> {
        let is_page = self.takes_whole_page(method);
        let is_repeated = |text| profile.is_some_and(|profile| profile.is_repeated(text));
        let rest = if is_page { WallRemainder::Whole } else { walls::remove(page, cut, is_repeated, source.signals) };
        if rest == WallRemainder::Nothing {
            return Err(NoArticle::Wall);
        }
        // If most of an article's table is text, the whole table is. In a forum's table, the other cells are names and
        // dates.
        let least_thirds = if is_page { 3 } else { 2 };
        let structured = |cut: &Trimmed| {
            let (headline, address, structure) = (cut.headline, source.url, self.structure);
            structure::of(page, &cut.paragraphs, Settings { headline, least_thirds, address, structure })
        };
        let is_none = |made: &Structured| prose::is_none(&Document::join(&made.paragraphs));
        let mut text = structured(cut);
        if is_none(&text) {
            // A data dump inside an article is a single paragraph, which can be dropped alone.
            cut.drop_kept(ParagraphReason::Outside, |at| prose::is_none(&page.paragraphs()[at].text));
            text = structured(cut);
            if !cut.paragraphs.iter().any(|at| page.paragraphs()[*at].is_running_text()) || is_none(&text) {
                return Err(NoArticle::NoProse);
            }
        }
        Ok((rest, text))
    }

    fn document_of(
        &self,
        page: &Page,
        source: &SourcePage<'_>,
        profile: Option<&PageProfile<'_>>,
        (cut, structured): (&Trimmed, Structured),
        (method, score): (Method, Option<u16>),
        declared: DeclaredMetadata,
    ) -> Document {
        let convention = self.classifier().convention();
        let is_cut = matches!(method, Method::Goldminer | Method::Goldminer2013);
        let used = profile.filter(|_| is_cut).map(|profile| ProfileUse {
            key: profile.key.clone(),
            version: profile.version,
            template: cut.template as u32,
        });
        let Structured { paragraphs, objects } = structured;
        let text = ChosenText {
            paragraphs,
            objects,
            structure: self.structure && method != Method::Goldminer2013,
            headline: cut.headline.map(|at| page.paragraphs()[at].text.to_string()),
            language: cut.language.clone(),
            method,
            profile: used,
            stoplist: cut.stoplist.to_owned(),
            thresholds: if method == Method::Classifier { convention.as_str() } else { "inside" }.to_owned(),
            score,
        };
        document(source, declared, text)
    }

    /// Finds the part of a page that is its article, with the reasons. This is the step of [`Extractor::extract`] whose
    /// result people inspect. `page` must be the result of [`Extractor::read`] for this source.
    pub fn cut(&self, page: &Page, source: &SourcePage<'_>, profile: Option<&DomainProfile>) -> Cut {
        let Ok(profile) = with_rules(page, profile) else {
            return Cut::nothing(Method::Goldminer, NoCut::TooLarge);
        };
        let profile = profile.as_ref();
        let mut cut = self.cut_with_metadata(page, source, profile).0;
        if let Ok(trimmed) = &mut cut.trimmed
            && self.remove_other_text(page, source, profile, cut.method, trimmed).is_err()
        {
            cut.trimmed = Err(NoCut::NoText);
        }
        cut
    }

    /// Cuts a page and, if it has an article, reads its metadata. The cut leaves out lines that only repeat the
    /// metadata.
    fn cut_with_metadata(
        &self,
        page: &Page,
        source: &SourcePage<'_>,
        profile: Option<&PageProfile<'_>>,
    ) -> (Cut, Option<DeclaredMetadata>) {
        let mut cut = self.cut_by(page, source, profile);
        let is_page = self.takes_whole_page(cut.method);
        let declared = cut.trimmed.as_mut().ok().map(|trimmed| {
            let declared = metadata_of(page, source, profile, trimmed.language.as_deref());
            if !is_page {
                credits::drop_from(page, source.url, profile, trimmed, &declared.metadata);
            }
            declared
        });
        (cut, declared)
    }

    fn cut_by(&self, page: &Page, source: &SourcePage<'_>, profile: Option<&PageProfile<'_>>) -> Cut {
        let Some(profile) = profile.filter(|_| self.uses_profiles()) else { return self.cut_alone(page, source) };
        let corrected = |mut cut: Cut| {
            cut.trimmed.iter_mut().for_each(|trimmed| trim::corrected::correct(page, profile, trimmed));
            cut
        };
        let nothing = |why| Cut::nothing(Method::Goldminer, why);
        let looks_like_article =
            || profile.templates.is_empty() || goldminer::looks_like_article(page, source.url, profile);
        let is_article = || trim::has_required_date(page, profile) && looks_like_article();
        match trim::trim_on(page, source.url, source.declared_language, profile) {
            Err(NoCut::NoMatch | NoCut::NoText) if is_article() => corrected(self.cut_alone(page, source)),
            // The profile was learned from so few pages that a layout of the portal may be missing. So the classifier
            // decides, if it is certain.
            Err(why @ (NoCut::NoMatch | NoCut::NoText))
                if profile.may_miss_layouts() && trim::has_required_date(page, profile) =>
            {
                classified::clear_article(page, source, &self.classifier).map_or_else(|| nothing(why), corrected)
            }
            Ok(mut trimmed) => {
                if profile.templates.get(trimmed.template).is_some_and(|template| !template.hand_made) {
                    article_parts::restore(page, source.url, &mut trimmed);
                }
                copies::keep_first_article(page, &mut trimmed);
                Cut { method: Method::Goldminer, trimmed: Ok(trimmed), score: None, certainty: None }
            }
            Err(why) => nothing(why),
        }
    }

    /// Cuts a page without a profile.
    fn cut_alone(&self, page: &Page, source: &SourcePage<'_>) -> Cut {
        match &self.algorithm {
            Algorithm::Classifier(classifier) => classified::cut(page, source, classifier),
            _ => classified::article(page, source, &self.classifier),
        }
    }

    /// Whether a method extracts all text of the page, not only the article.
    fn takes_whole_page(&self, method: Method) -> bool {
        method == Method::Classifier && self.classifier().convention() == Convention::Page
    }

    /// The classifier for pages that no profile matches.
    ///
    /// ```
    /// use goldminer_core::extract::Extractor;
    /// use goldminer_core::classifier::Convention;
    ///
    /// assert_eq!(Extractor::default().classifier().convention(), Convention::Article);
    /// ```
    pub fn classifier(&self) -> &Classifier {
        match &self.algorithm {
            Algorithm::Classifier(classifier) => classifier,
            _ => &self.classifier,
        }
    }
}

/// Applies the manual rules of a profile to a page. Fails if the page is too large for them.
fn with_rules<'p>(page: &Page, profile: Option<&'p DomainProfile>) -> Result<Option<PageProfile<'p>>, PageTooLarge> {
    profile.map(|profile| PageProfile::of(page, profile)).transpose()
}
