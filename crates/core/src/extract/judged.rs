//! What of a page is its article, by the classifier of single pages.

use goldminer_html::{ElementId, Page};

use super::parts::once;
use super::{Cut, SourcePage, lengths, own, whole_page};
use crate::classifier::{Classification, Classifier, Convention};
use crate::document::Method;
use crate::goldminer::trim::{NoCut, ParagraphReason, Trimmed};
use crate::goldminer::{self, Site, Surroundings};

/// Below this probability, in thousandths, a page with a list is no article.
const MIN_ARTICLE: u16 = 250;
/// A page is a list, too, where so many of ten characters of its text announce other pages.
const ANNOUNCED_OF_TEN: u32 = 9;
/// So many links that read like the titles of other pages make a list.
const LIST: usize = 3;
/// A title that is no heading has so many characters.
const MIN_TITLE: u32 = 25;

/// Where nothing is surely text, what may be is guessed from this probability on, in thousandths, …
const GUESS: u16 = 200;
/// … in the innermost element that holds so many of ten of its characters.
const GUESSED_OF_TEN: u64 = 7;

/// From this probability on a page that a learned domain has no template for is an article all the same.
const CLEAR_ARTICLE: u16 = 750;

/// What the classifier takes for text.
pub(super) fn cut(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    of_classification(page, source, classifier.convention(), classifier.classify(page))
}

/// The same of pages that are articles: of a list, a calendar, a form nothing is text, though something on them may be
/// prose. Where nothing is surely text, the best guess is.
pub(super) fn article(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    let mut classification = classifier.classify(page);
    if classifier.convention() == Convention::Page {
        return cut_of(page, source, classification, None);
    }
    let is_own = |at: &usize| classification.headline != Some(*at) && page.paragraphs()[*at].is_running_text();
    if !classification.text.iter().any(is_own)
        && let Some(guess) = guess(page, &classification.probabilities)
    {
        classification.text = guess;
    }
    let nothing = Cut { method: Method::Classifier, trimmed: Err(NoCut::NoText), score: None };
    let may_be_list = classification.article < MIN_ARTICLE && has_titles(page, source);
    if classification.text.is_empty() || may_be_list && !is_declared(page, &classification) {
        return nothing;
    }
    let surroundings = Surroundings::of(page, source.url, None);
    if announces_others(page, &classification, &surroundings) && !is_declared(page, &classification) {
        return nothing;
    }
    cut_of(page, source, classification, Some(&surroundings))
}

/// Whether what is taken for text announces other pages.
fn announces_others(page: &Page, classification: &Classification, surroundings: &Surroundings) -> bool {
    let own = classification.text.iter().copied().filter(|at| classification.headline != Some(*at));
    let (mut all, mut teasers) = (0, 0);
    for at in own {
        let chars = page.paragraphs()[at].chars;
        all += chars;
        teasers += if surroundings.teasers[at] { chars } else { 0 };
    }
    10 * teasers > ANNOUNCED_OF_TEN * all
}

/// Whether a page has several links that read like the titles of other pages.
fn has_titles(page: &Page, source: &SourcePage<'_>) -> bool {
    let (paragraphs, site) = (page.paragraphs(), Site::of(page, source.url));
    let leads_elsewhere = |link| page.attribute(link, "href").is_some_and(|href| site.target(&href).is_some());
    let is_title = |at: usize| {
        let (paragraph, density) = (&paragraphs[at], paragraphs[at].link_density());
        if paragraph.heading.is_some() { density >= 0.4 } else { density >= 0.9 && paragraph.chars >= MIN_TITLE }
    };
    let links = page.links_in(paragraphs).filter(|(_, at)| is_title(*at));
    let mut titles: Vec<usize> = links.filter(|(link, _)| leads_elsewhere(*link)).map(|(_, at)| at).collect();
    titles.dedup();
    titles.len() >= LIST
}

/// What may be text, in the element that holds most of it; nothing where none of it is running text.
fn guess(page: &Page, probabilities: &[u16]) -> Option<Vec<usize>> {
    let mut guess: Vec<usize> = (0..probabilities.len()).filter(|at| probabilities[*at] >= GUESS).collect();
    let is_running = |at: &usize| page.paragraphs()[*at].is_running_text();
    if !guess.iter().any(is_running) {
        return None;
    }
    let lengths = lengths::of(page, &guess, |_| true);
    let within = |id| u64::from(lengths.within(&page.paragraphs_in(id)));
    let holds_most = |id: &ElementId| 10 * within(*id) >= GUESSED_OF_TEN * u64::from(lengths.all());
    if let Some(holder) = page.ids().rev().find(holds_most) {
        let inside = page.paragraphs_in(holder);
        guess.retain(|at| inside.contains(at));
    }
    guess.iter().any(is_running).then_some(guess)
}

/// Whether a page with a text says that it is one article: a report of two sentences has less text than what is announced
/// below.
fn is_declared(page: &Page, classification: &Classification) -> bool {
    let Some(headline) = classification.headline else { return false };
    let is_told = classification.text.iter().any(|at| *at > headline && page.paragraphs()[*at].is_running_text());
    is_told && crate::metadata::declares_article(page, &page.paragraphs()[headline])
}

/// What the classifier takes for text of a page that it surely takes for an article.
pub(super) fn clear_article(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Option<Cut> {
    let classification = classifier.classify(page);
    let is_clear = classifier.convention() == Convention::Article && classification.article >= CLEAR_ARTICLE;
    is_clear.then(|| of_classification(page, source, classifier.convention(), classification))
}

fn of_classification(
    page: &Page,
    source: &SourcePage<'_>,
    convention: Convention,
    classification: Classification,
) -> Cut {
    let surroundings = (convention == Convention::Article).then(|| Surroundings::of(page, source.url, None));
    cut_of(page, source, classification, surroundings.as_ref())
}

/// The cut of what is taken for text; where that is to be an article, without what surrounds it.
fn cut_of(
    page: &Page,
    source: &SourcePage<'_>,
    mut classification: Classification,
    surroundings: Option<&Surroundings>,
) -> Cut {
    if surroundings.is_some() {
        own::add(page, &mut classification.text);
    }
    let score = Some(classification.score).filter(|_| !classification.text.is_empty());
    if classification.text.is_empty() {
        return Cut { method: Method::Classifier, trimmed: Err(NoCut::NoText), score };
    }
    let mut trimmed = trimmed(page, source, classification);
    if let Some(surroundings) = surroundings {
        once::first_article(page, &mut trimmed);
        drop_comments(page, &surroundings.comments, &mut trimmed);
    }
    Cut { method: Method::Classifier, trimmed: Ok(trimmed), score }
}

/// Takes out what stands below a title above readers' comments: the classifier sees sentences. As much as an article has must
/// be left.
fn drop_comments(page: &Page, comments: &[bool], cut: &mut Trimmed) {
    let chars = |at: &usize| page.paragraphs()[*at].chars;
    let left: u32 = cut.paragraphs.iter().filter(|at| !comments[**at]).map(chars).sum();
    if left >= goldminer::MIN_ARTICLE {
        cut.drop_kept(ParagraphReason::Comment, |at| comments[at]);
    }
}

fn trimmed(page: &Page, source: &SourcePage<'_>, classification: Classification) -> Trimmed {
    let mut fates = vec![ParagraphReason::Outside; page.paragraphs().len()];
    classification.text.iter().for_each(|at| fates[*at] = ParagraphReason::Kept);
    let texts = classification.text.iter().map(|at| &*page.paragraphs()[*at].text);
    let language = whole_page::language_of(page, source, texts);
    Trimmed {
        template: 0,
        paragraphs: classification.text,
        headline: classification.headline,
        stoplist: "none",
        language,
        scope: 0..fates.len(),
        fates,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::address::Domain;

    /// A page that is hardly more than its menu, with a text in so many sentences.
    fn page(sentences: usize) -> Page {
        let menu: String = (1..60).map(|n| format!("<li><a href=/{n}>Matters of the town {n}</a></li>")).collect();
        let text: Vec<String> = (1..=sentences)
            .map(|n| {
                format!("In week {n} the council met, and asked what they thought of the bridge and of the {n} boats.")
            })
            .collect();
        Page::parse(format!("<title>Portal</title><ul>{menu}</ul><div>{}</div><ul>{menu}</ul>", text.join(" ")))
    }

    fn texts(html: &str) -> Vec<String> {
        let (page, domain) = (Page::parse(html.to_owned()), Domain::named("portal.example"));
        let cut = article(&page, &SourcePage::new(b"", &domain), &Classifier::of(Convention::Article));
        cut.trimmed.unwrap().paragraphs.iter().map(|at| page.paragraphs()[*at].text.to_string()).collect()
    }

    #[test]
    fn readers_comments_below_their_title_are_no_text_of_a_page_that_is_judged_alone() {
        let told = |n: usize| {
            let sentence =
                format!("In week {n} the council met, and asked what they thought of the bridge and the {n} boats. ");
            format!("<p>{}</p>", sentence.repeat(3))
        };
        let article: String = (1..9).map(told).collect();
        let page = |title: &str| {
            let said =
                "<p>I was there that night, and it was nothing like what you write of the council and its boats.</p>";
            format!("<title>Rain in Rome</title><body><h1>Rain in Rome</h1>{article}<h3>{title}</h3>{}", said.repeat(2))
        };
        assert_eq!(texts(&page("ความคิดเห็น")).len(), 9);
        assert!(texts(&page("What was said there")).len() > 9, "a title of another kind");
    }

    #[test]
    fn a_long_text_in_one_paragraph_is_an_article_though_the_page_looks_like_a_list() {
        let classifier = Classifier::of(Convention::Article);
        let domain = Domain::named("portal.example");
        let source = SourcePage::new(b"", &domain);
        for (sentences, is_article) in [(12, true), (5, false)] {
            let page = page(sentences);
            let classification = classifier.classify(&page);
            assert!(
                classification.article + classification.score < MIN_ARTICLE,
                "{} {}",
                classification.article,
                classification.score
            );
            assert_eq!(article(&page, &source, &classifier).trimmed.is_ok(), is_article, "{sentences}");
        }
    }
}
