//! The two sources of knowledge together: where few pages of a domain taught its profile, what the profile's template
//! leaves of a page is weighed against what the classifier says of the page alone.
//!
//! The other pages tell what repeats and where articles end; on few of them chance has a say in that. The page alone tells
//! prose from captions and boxes, but neither comments nor teasers in whole sentences. So paragraphs inside of the cut go
//! where the classifier is against them, the more readily the fewer pages taught the cut; others come in where the classifier is for
//! them and they stand before its end, like a lead. What stands behind the end, or on other pages, stays out whatever it
//! reads like. A person's word stands above both. Profiles of many pages are not asked twice: their cut is better than
//! what a page alone can say, and costs less.
//!
//! What the classifier says of the sample page after page, the profile has already (`goldminer::learner`); where that leaves
//! hardly a doubt, no page is asked either. The classifier looks at all of a page, which costs more than the cut. It is asked
//! where enough of the cut is made unlike the rest of the article, or something outside reads like prose: elsewhere it
//! hardly ever changes a paragraph.

use goldminer_html::{Element, ElementId, Page, Paragraph, Tag};
use rustc_hash::FxHashSet;

use super::{Cut, SourcePage, judged, own};
use crate::classifier::{Classifier, Convention, Prediction};
use crate::document::Method;
use crate::goldminer::thresholds::{SOME_PAGES, SURE, doubted};
use crate::goldminer::trim::{self, NoCut, ParagraphReason, Trimmed};
use crate::goldminer::{self, PageProfile, text_key};

/// A paragraph of an article has so many bytes at least, unless it is made like others of it.
const LONG: usize = 120;
/// Where less of a page's text is doubtful, in bytes, the classifier is not asked.
const LEAST_DOUBT: usize = 200;
/// A shorter paragraph outside of the cut is not asked about, in bytes.
const MIN_LEAD: usize = 40;

/// Weighs a cut of a page against the classifier's word, where few pages taught it and something about the cut is doubtful: how
/// good the classifier expects what is left to be, in thousandths, if it was asked.
pub(super) fn weigh(page: &Page, profile: &PageProfile<'_>, classifier: &Classifier, cut: &mut Trimmed) -> Option<u16> {
    let pages = profile.doubtful_sample().filter(|_| classifier.convention() == Convention::Article)?;
    if profile.templates.get(cut.template).is_none_or(|template| template.hand_made) {
        return None;
    }
    let mut fates = vec![ParagraphReason::Outside; page.paragraphs().len()];
    fates[cut.scope.clone()].copy_from_slice(&cut.fates);
    let end = fates.iter().rposition(|fate| *fate == ParagraphReason::Kept).unwrap_or_default();
    let may_come_in = |at: usize| {
        let is_outside = fates[at] == ParagraphReason::Outside && cut.headline != Some(at);
        is_outside && may_be_lead(page, profile, at, cut.headline.is_some())
    };
    let mut is_asked: Vec<bool> = (0..end).map(may_come_in).collect();
    let article = Article::of(page, cut, &fates, pages);
    let length = |at: usize| page.paragraphs()[at].text.len();
    let leads: usize = (0..end).filter(|at| is_asked[*at]).map(length).sum();
    if leads + article.doubtful().map(length).sum::<usize>() < LEAST_DOUBT {
        return None;
    }
    is_asked.resize(fates.len(), false);
    article.paragraphs.iter().for_each(|at| is_asked[*at] = true);
    let prediction = classifier.prediction(page, |at| is_asked[at]);
    let is_headline = |at: usize| cut.headline == Some(at) || prediction.headline == Some(at);
    let doubted = doubted(pages);
    for (at, fate) in fates.iter_mut().enumerate().filter(|(at, _)| !is_headline(*at)) {
        let Some(probability) = prediction.probabilities[at] else { continue };
        *fate = match *fate {
            ParagraphReason::Kept if probability < doubted => ParagraphReason::Doubted,
            ParagraphReason::Outside if probability >= SURE => ParagraphReason::Judged,
            fate => fate,
        };
    }
    keep_own(page, &mut fates);
    let is_kept = |at: &usize| fates[*at].is_kept() && cut.headline != Some(*at);
    let mut kept: Vec<usize> = (0..fates.len()).filter(is_kept).collect();
    if !kept.iter().any(|at| page.paragraphs()[*at].is_running_text()) {
        return None;
    }
    if let Some(headline) = cut.headline {
        let is_first = cut.paragraphs.first() == Some(&headline);
        kept.insert(if is_first { 0 } else { kept.partition_point(|at| *at < headline) }, headline);
    }
    (cut.paragraphs, cut.scope, cut.fates) = (kept, 0..fates.len(), fates);
    trim::corrected::correct(page, profile, cut);
    Some(score(page, &prediction, cut))
}

/// What a cut holds, and how its long paragraphs are made.
struct Article<'p> {
    page: &'p Page,
    /// How many pages taught it.
    pages: usize,
    /// Its paragraphs without the headline.
    paragraphs: Vec<usize>,
    long: FxHashSet<Made>,
}

/// What holds a paragraph: the element around it, its name, and whether it has marks.
type Made = Option<(Option<ElementId>, Tag, bool)>;

impl<'p> Article<'p> {
    fn of(page: &'p Page, cut: &Trimmed, fates: &[ParagraphReason], pages: usize) -> Self {
        let is_text = |at: &usize| fates[*at] == ParagraphReason::Kept && cut.headline != Some(*at);
        let paragraphs = cut.paragraphs.iter().copied().filter(is_text).collect();
        let article = Self { page, pages, paragraphs, long: FxHashSet::default() };
        let long = article.paragraphs().filter(|paragraph| is_long(paragraph));
        let long = long.map(|paragraph| article.made(paragraph)).collect();
        Self { long, ..article }
    }

    fn paragraphs(&self) -> impl Iterator<Item = &'p Paragraph> + '_ {
        self.paragraphs.iter().map(|at| &self.page.paragraphs()[*at])
    }

    /// What is bold as a whole is made like what is not, as far as more than a few pages know.
    fn made(&self, paragraph: &Paragraph) -> Made {
        let is_passed = |element: &Element| self.pages >= SOME_PAGES && !element.tag.is_block() && !element.is_marked;
        let mut around = self.page.ancestors_and_self(paragraph.element?).map(|id| self.page.element(id));
        let holder = around.find(|element| !is_passed(element))?;
        Some((holder.parent, holder.tag, holder.is_marked))
    }

    /// What of it may be none of the article's. A few pages know no credits at its end, made like the rest.
    fn doubtful(&self) -> impl Iterator<Item = usize> + '_ {
        let last = self.paragraphs.last().filter(|_| self.pages < SOME_PAGES);
        let is_credit = move |at: usize| last == Some(&at) && !is_long(&self.page.paragraphs()[at]);
        let paragraphs = self.paragraphs.iter().copied();
        paragraphs.filter(move |at| is_credit(*at) || self.is_doubtful(&self.page.paragraphs()[*at]))
    }

    /// Whether a paragraph may be none of the article's: something short, unless it is a subhead or a long one is made like
    /// it; or something with many links. A few pages know no subheads.
    fn is_doubtful(&self, paragraph: &Paragraph) -> bool {
        let is_subhead = self.pages >= SOME_PAGES && paragraph.heading.is_some();
        has_links(paragraph) || !is_subhead && !is_long(paragraph) && !self.long.contains(&self.made(paragraph))
    }
}

fn has_links(paragraph: &Paragraph) -> bool {
    3 * paragraph.link_chars > paragraph.chars
}

fn is_long(paragraph: &Paragraph) -> bool {
    paragraph.text.len() >= LONG && !has_links(paragraph)
}

/// Whether a profile rests on so few pages that layouts of the portal may be missing in it.
pub(super) fn may_miss_layouts(profile: &PageProfile<'_>) -> bool {
    profile.low_data().is_some_and(|pages| pages < SOME_PAGES)
}

/// What of a page that no template cuts is its article, where layouts may be missing: the classifier decides, if it is sure that
/// the page is one.
pub(super) fn without_cut(
    page: &Page,
    source: &SourcePage<'_>,
    profile: &PageProfile<'_>,
    classifier: &Classifier,
    why: NoCut,
) -> Cut {
    let Some(mut cut) = judged::clear_article(page, source, classifier) else {
        return Cut { method: Method::Goldminer, trimmed: Err(why), score: None };
    };
    cut.trimmed.iter_mut().for_each(|trimmed| trim::corrected::correct(page, profile, trimmed));
    cut
}

/// Whether nothing speaks against a paragraph but its place outside of the cut.
fn may_be_lead(page: &Page, profile: &PageProfile<'_>, at: usize, has_headline: bool) -> bool {
    let paragraph = &page.paragraphs()[at];
    let may_be_headline = || paragraph.heading.is_some() && !has_headline;
    (paragraph.text.len() >= MIN_LEAD || may_be_headline())
        && 2 * paragraph.link_chars < paragraph.chars
        && !profile.is_repeated(text_key(&paragraph.text))
        && !goldminer::stands_aside(page, at)
}

/// Keeps what the article has of listings, tables and quotes: the classifier knows prose.
fn keep_own(page: &Page, fates: &mut [ParagraphReason]) {
    if !fates.contains(&ParagraphReason::Doubted) {
        return;
    }
    let mut text: Vec<usize> = (0..fates.len()).filter(|at| fates[*at].is_kept()).collect();
    own::add(page, &mut text);
    text.retain(|at| fates[*at] == ParagraphReason::Doubted);
    text.into_iter().for_each(|at| fates[at] = ParagraphReason::Kept);
}

/// The F that the classifier's probabilities promise, by characters; the headline is sure, and what nobody asked about.
fn score(page: &Page, prediction: &Prediction, cut: &Trimmed) -> u16 {
    let length = |at: usize| u64::from(page.paragraphs()[at].chars);
    let promised = |at: usize| length(at) * prediction.probabilities[at].map_or(0, u64::from);
    let sure = |at: &usize| cut.headline == Some(*at) || prediction.probabilities[*at].is_none();
    let promised_of = |at: usize| if sure(&at) { 1_000 * length(at) } else { promised(at) };
    let taken: u64 = cut.paragraphs.iter().map(|at| length(*at) * 1_000).sum();
    let right: u64 = cut.paragraphs.iter().map(|at| promised_of(*at)).sum();
    let left: u64 = (0..prediction.probabilities.len()).filter(|at| !cut.paragraphs.contains(at)).map(promised).sum();
    (2 * right * 1_000 / (right + left + taken).max(1)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extractor;
    use crate::goldminer::profile::DomainProfile;
    use goldminer_html::address::Domain;

    /// A page with a lead, an article with a listing and a notice of rights, and a comment behind it.
    fn html() -> String {
        let told = |n: usize| {
            format!(
                "It rained all day in the town of number {n}, and nobody who had an umbrella lent it to the others there. "
            )
        };
        format!(
            "<title>Rain in the town</title><nav><a href=/a>News</a></nav><h1>Rain in the town</h1><p>{}</p>\
             <div class=story><p>{}</p><p>{}</p><pre><code>let rain = 1;</code></pre><p>{}</p><p>© 2012 <a href=/>The Portal</a> | All rights reserved | <a href=/p>Privacy</a></p></div>\
             <div><p>I was there, said a reader. {}</p></div>",
            told(1).repeat(2),
            told(2).repeat(3),
            told(3).repeat(3),
            told(4).repeat(3),
            told(5).repeat(3)
        )
    }

    fn profile(distinct: usize, more: &str) -> DomainProfile {
        let text = format!(
            "key = 'portal.example'\n{more}\n[evidence]\ndistinct = {distinct}\n[[template]]\nstart = 'div.story'\n"
        );
        text.parse().unwrap()
    }

    fn cut(html: &str, profile: &DomainProfile) -> (Page, Cut) {
        let domain = Domain::named("portal.example");
        let source = SourcePage::new(html.as_bytes(), &domain);
        let page = Extractor::read(&source).unwrap();
        let cut = Extractor::default().cut(&page, &source, Some(profile));
        (page, cut)
    }

    fn texts(html: &str, profile: &DomainProfile) -> Vec<String> {
        let (page, cut) = cut(html, profile);
        cut.trimmed.unwrap().paragraphs.iter().map(|at| page.paragraphs()[*at].text.to_string()).collect()
    }

    #[test]
    fn the_cut_of_few_pages_is_weighed_against_the_page_itself() {
        let has = |texts: &[String], begin: &str| texts.iter().any(|text| text.contains(begin));
        let few = texts(&html(), &profile(6, ""));
        assert!(has(&few, "number 1"), "the lead stands before the cut: {few:?}");
        assert!(!has(&few, "rights reserved"), "the notice stands inside of it: {few:?}");
        assert!(has(&few, "let rain"), "a listing is the article's own: {few:?}");
        assert!(!has(&few, "said a reader"), "what stands behind the end stays out: {few:?}");
        let many = texts(&html(), &profile(60, ""));
        assert!(!has(&many, "number 1") && has(&many, "rights reserved"), "{many:?}");
    }

    #[test]
    fn what_other_pages_have_as_well_does_not_come_in() {
        let lead =
            "It rained all day in the town of number 1, and nobody who had an umbrella lent it to the others there. ";
        let again = format!("repeated = ['{:016x}']", text_key(lead.repeat(2).trim()));
        assert!(!texts(&html(), &profile(6, &again)).iter().any(|text| text.contains("number 1")));
    }

    #[test]
    fn only_where_the_classifier_was_asked_there_is_a_score() {
        assert!(cut(&html(), &profile(6, "")).1.score.is_some_and(|score| score > 500));
        assert_eq!(cut(&html(), &profile(60, "")).1.score, None);
        let by_a_person = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().unwrap();
        assert_eq!(cut(&html(), &by_a_person).1.score, None);
    }

    #[test]
    fn for_a_line_the_classifier_is_not_asked() {
        let html = html();
        let (before, behind) = (html.find("<p>It rained").unwrap(), html.find("<div class=story>").unwrap());
        let without_lead = format!("{}{}", &html[..before], &html[behind..]);
        let short = without_lead.replace(" | All rights reserved | <a href=/p>Privacy</a>", "");
        assert_eq!(cut(&short, &profile(6, "")).1.score, None);
        let long = short.replace("The Portal</a>", &format!("{}</a>", "The Portal, ".repeat(20)));
        assert!(cut(&long, &profile(6, "")).1.score.is_some());
    }

    #[test]
    fn what_the_classifier_has_said_of_the_whole_sample_it_is_not_asked_again() {
        let text =
            "key = 'portal.example'\n[evidence]\ndistinct = 9\ndoubted = 0.001\n[[template]]\nstart = 'div.story'\n";
        assert_eq!(cut(&html(), &text.parse().unwrap()).1.score, None);
    }

    #[test]
    fn an_article_that_no_template_of_few_pages_cuts_is_judged() {
        let html = html().replace("class=story", "class=report");
        assert_eq!(cut(&html, &profile(6, "")).1.method, Method::Classifier);
        let (_, list) = cut("<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>", &profile(6, ""));
        assert_eq!((list.method, list.trimmed), (Method::Goldminer, Err(NoCut::NoMatch)));
    }
}
