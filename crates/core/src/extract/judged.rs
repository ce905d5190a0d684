//! What of a page is its article, by the classifier of single pages.

use goldminer_html::{Page, Paragraph};

use super::parts::{announcements, once, polls};
use super::{Cut, SourcePage, own, whole_page};
use crate::classifier::{Classification, Classifier, Convention};
use crate::document::Method;
use crate::goldminer;
use crate::goldminer::trim::{NoCut, ParagraphReason, Trimmed};

/// What the probability that a page is an article and the score of its text must come to together, in thousandths. Four of
/// a hundred articles have less, and three of four lists.
const MIN_ARTICLE: u16 = 1_200;

/// In how many paragraphs at most a text stands that is an article whatever the page's kind says, and how many characters
/// of running text it has at least: the kind is told by how many paragraphs there are, and an article may be one.
/// Of 91 collections two are such texts, of the listings none.
const FEW_PARAGRAPHS: usize = 4;
/// See [`FEW_PARAGRAPHS`].
const MIN_ONE_TEXT: usize = 800;

/// From this probability on a page that a learned domain has no template for is an article all the same.
const CLEAR_ARTICLE: u16 = 750;

/// What the classifier takes for text.
pub(super) fn cut(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    of_classification(page, source, classifier.convention(), classifier.classify(page))
}

/// The same of pages that are articles: of a list, a calendar, a form nothing is text, though something on them may be
/// prose.
pub(super) fn article(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    let classification = classifier.classify(page);
    let is_article = || {
        classification.article + classification.score >= MIN_ARTICLE
            || is_one_text(page.paragraphs(), &classification.text)
            || is_declared(page, &classification)
    };
    if classifier.convention() == Convention::Article && !is_article() {
        return Cut { method: Method::Classifier, trimmed: Err(NoCut::NoText), score: None };
    }
    of_classification(page, source, classifier.convention(), classification)
}

/// Whether the text is a long one in few paragraphs.
fn is_one_text(paragraphs: &[Paragraph], text: &[usize]) -> bool {
    let running = text.iter().map(|at| &paragraphs[*at]).filter(|paragraph| paragraph.is_running_text());
    text.len() <= FEW_PARAGRAPHS && running.map(|paragraph| paragraph.chars as usize).sum::<usize>() >= MIN_ONE_TEXT
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
    mut classification: Classification,
) -> Cut {
    if convention == Convention::Article {
        own::add(page, &mut classification.text);
        own::add_references(page, source.url, &mut classification.text);
    }
    let score = Some(classification.score).filter(|_| !classification.text.is_empty());
    if classification.text.is_empty() {
        return Cut { method: Method::Classifier, trimmed: Err(NoCut::NoText), score };
    }
    let mut trimmed = Ok(trimmed(page, source, classification));
    if convention == Convention::Article {
        trimmed.iter_mut().for_each(|cut| {
            once::first_article(page, cut);
            drop_comments(page, source, cut);
            polls::drop_from(page, cut);
            announcements::drop_from(page, source.url, cut);
        });
    }
    Cut { method: Method::Classifier, trimmed, score }
}

/// Takes out what stands below a title above readers' comments, or among rows that are made as comments are: the classifier sees
/// sentences. As much as an article has must be left.
fn drop_comments(page: &Page, source: &SourcePage<'_>, cut: &mut Trimmed) {
    let comments = goldminer::comments(page, source.url, None);
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
