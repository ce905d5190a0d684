//! What of a page is its article, by the classifier of single pages.

use goldminer_html::Page;

use super::confidence::Certainty;
use super::parts::{beside, once};
use super::{Cut, SourcePage, lengths, own, walls, whole_page};
use crate::classifier::{Classification, Classifier, Convention};
use crate::document::Method;
use crate::goldminer::Surroundings;
use crate::goldminer::trim::{NoCut, ParagraphReason, Trimmed};

/// What the probability that a page is an article and the score of its text must come to together, in thousandths, …
const MIN_ARTICLE: u16 = 1_100;
/// … and if its text has few paragraphs: a lower minimum, because the classifier judges the kind of a page by their number, but
/// an article may have only one.
const MIN_SHORT: u16 = 700;
/// Fewer paragraphs than this, the headline among them, are few.
const FEW_PARAGRAPHS: usize = 4;
/// A page is a list if more than this many tenths of its text are below linked titles.
const LISTED_OF_TEN: u32 = 7;

/// If nothing is certainly text, paragraphs are guessed to be text from this probability on, in thousandths, …
const GUESS: u16 = 200;
/// … in the innermost element that holds most of it, if it has at least this many characters of running text, …
const MIN_GUESS: u32 = 80;
/// … unless a page is surely something else, by the probability that it is an article.
const NO_ARTICLE: u16 = 100;

/// From this probability on, a page is an article although its domain has no template for it.
const CLEAR_ARTICLE: u16 = 750;

/// What the classifier takes for text.
pub(super) fn cut(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    let around = (classifier.convention() == Convention::Article).then(|| surroundings(page, source));
    of_classification(page, source, classifier.classify(page), around.as_ref())
}

/// The same of pages that are articles: of a list, a calendar, a form nothing is text, though something on them may be
/// prose. Where nothing is surely text, the best guess is, but for walls.
pub(super) fn article(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    let mut classification = classifier.classify(page);
    if classifier.convention() == Convention::Page {
        return of_classification(page, source, classification, None);
    }
    let is_own = |at: &usize| classification.headline != Some(*at) && page.paragraphs()[*at].is_running_text();
    let nothing = Cut::nothing(Method::Classifier, NoCut::NoText);
    if !classification.text.iter().any(is_own) {
        if walls::is_wall(page) {
            return nothing;
        }
        let may_be_article = classification.article >= NO_ARTICLE;
        if let Some(guess) = may_be_article.then(|| guess(page, &classification)).flatten() {
            // A guess is sure of nothing.
            (classification.text, classification.score) = (guess, 0);
        }
    }
    if classification.text.is_empty() {
        return nothing;
    }
    let is_declared = || is_declared(page, &classification);
    // Most lists are refused here, and need no page model.
    if !may_be_article(&classification) && !is_declared() {
        return nothing;
    }
    let around = surroundings(page, source);
    if !is_article(&classification, page, &around) && !is_declared() {
        return nothing;
    }
    of_classification(page, source, classification, Some(&around))
}

/// The surroundings of the text on a page, without knowledge of other pages.
fn surroundings(page: &Page, source: &SourcePage<'_>) -> Surroundings {
    Surroundings::of(page, source.url, |_| false)
}

/// Whether a text may be one article's by its kind. A guess has no score that says anything.
fn may_be_article(classification: &Classification) -> bool {
    classification.score == 0 || classification.article + classification.score >= MIN_SHORT
}

/// Whether a text is that of one article, and does not mostly announce other pages. A short text needs a lower score,
/// if it has running text and the page does not ask for a password.
fn is_article(classification: &Classification, page: &Page, around: &Surroundings) -> bool {
    let all = || classification.text.iter().copied().filter(|at| classification.headline != Some(*at));
    let own: Vec<usize> = all().filter(|at| !around.announces_another(*at) && !around.is_comment(*at)).collect();
    let is_told = own.iter().any(|at| page.paragraphs()[*at].is_running_text());
    let is_short = own.len() < FEW_PARAGRAPHS && is_told && !walls::asks_password(page);
    let least = if is_short { MIN_SHORT } else { MIN_ARTICLE };
    let chars = |at: usize| page.paragraphs()[at].chars;
    let listed: u32 = all().filter(|at| around.announces_another(*at)).map(chars).sum();
    let is_list = classification.article < CLEAR_ARTICLE && 10 * listed > LISTED_OF_TEN * all().map(chars).sum::<u32>();
    let is_by_kind = classification.score == 0 || classification.article + classification.score >= least;
    is_by_kind && (is_short || !is_list)
}

/// The headline, and what may be text in the element that holds most of it; nothing where too little is running text.
fn guess(page: &Page, classification: &Classification) -> Option<Vec<usize>> {
    let all = 0..page.paragraphs().len();
    let mut guess: Vec<usize> = all.clone().filter(|at| classification.probabilities[*at] >= GUESS).collect();
    let inside = lengths::around_most(page, &guess).map_or(all, |holder| page.paragraphs_in(holder));
    guess.retain(|at| inside.contains(at) && classification.headline != Some(*at));
    guess.extend(classification.headline);
    guess.sort_unstable();
    let running = guess.iter().map(|at| &page.paragraphs()[*at]).filter(|paragraph| paragraph.is_running_text());
    (running.map(|paragraph| paragraph.chars).sum::<u32>() >= MIN_GUESS).then_some(guess)
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
    is_clear.then(|| of_classification(page, source, classification, Some(&surroundings(page, source))))
}

/// The cut of the classified text; if it is to be an article, its surroundings are considered.
fn of_classification(
    page: &Page,
    source: &SourcePage<'_>,
    mut classification: Classification,
    around: Option<&Surroundings>,
) -> Cut {
    if let Some(around) = around {
        if classification.headline.is_none() {
            classification.headline = around.headline_before(&classification.text);
            classification.text.splice(0..0, classification.headline);
        }
        around.add_siblings(&mut classification.text, &classification.probabilities);
        own::add(page, source.url, &mut classification.text);
    }
    if classification.text.is_empty() {
        return Cut::nothing(Method::Classifier, NoCut::NoText);
    }
    let score = Some(classification.score);
    let probabilities = std::mem::take(&mut classification.probabilities);
    let certainty = around.map(|_| Certainty { article: classification.article, probabilities });
    let mut trimmed = trimmed(page, source, classification);
    if let Some(around) = around {
        once::first_article(page, &mut trimmed);
        beside::take_out(page, around, &mut trimmed);
    }
    Cut { method: Method::Classifier, trimmed: Ok(trimmed), score, certainty }
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
    use crate::extract::Extractor;
    use goldminer_html::address::Domain;

    /// A page that is hardly more than its menu, with a text of `sentences` sentences.
    fn page(sentences: usize) -> Page {
        let menu: String = (1..60).map(|n| format!("<li><a href=/{n}>Matters of the town {n}</a></li>")).collect();
        let text: Vec<String> = (1..=sentences)
            .map(|n| {
                format!("In week {n} the council met, and asked what they thought of the bridge and of the {n} boats.")
            })
            .collect();
        Page::parse(format!("<title>Portal</title><ul>{menu}</ul><div>{}</div><ul>{menu}</ul>", text.join(" ")))
    }

    #[test]
    fn a_text_in_one_paragraph_is_an_article_though_its_page_is_hardly_more_than_a_menu() {
        let classifier = Classifier::of(Convention::Article);
        let domain = Domain::named("portal.example");
        let source = SourcePage::new(b"", &domain);
        for sentences in [5, 12] {
            let page = page(sentences);
            let classification = classifier.classify(&page);
            assert!(classification.article + classification.score < MIN_ARTICLE, "{classification:?}");
            assert!(article(&page, &source, &classifier).trimmed.is_ok(), "{sentences}");
        }
    }

    #[test]
    fn a_guess_keeps_the_headline() {
        let told = "In week one the council met, and asked what they thought of the bridge and of the boats there.";
        let page = Page::parse(format!("<h1>Rain</h1><div><p>{told}</p></div><p>Menu</p>"));
        let (text, headline, score, article) = (vec![0], Some(0), 400, 500);
        let classification = Classification { probabilities: vec![100, 300, 0], text, headline, score, article };
        assert_eq!(guess(&page, &classification), Some(vec![0, 1]));
    }

    #[test]
    fn an_article_that_no_template_of_few_pages_cuts_is_judged() {
        // jusText counts characters, of which Chinese needs few: it sees no article here.
        let told = |n: usize| {
            format!(
                "<p>第{n}天，市议会说，桥在四月重新开放。\
                 修桥用了两年时间，花费了四百万，比计划的多了三分之一。</p>"
            )
        };
        let title = "老桥春天重新开放";
        let story = format!("<title>{title}</title><h1>{title}</h1>{}", (1..10).map(told).collect::<String>());
        let cut = |html: &str, distinct: usize| {
            let profile = format!(
                "key = 'portal.example'\n[evidence]\ndistinct = {distinct}\n[[template]]\nstart = 'div.story'\n"
            );
            let domain = Domain::named("portal.example");
            let source = SourcePage::new(html.as_bytes(), &domain);
            let page = Extractor::read(&source).unwrap();
            Extractor::default().cut(&page, &source, Some(&profile.parse().unwrap()))
        };
        assert_eq!(cut(&story, 6).method, Method::Classifier);
        for (html, distinct) in [(&*story, 60), ("<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>", 6)] {
            let cut = cut(html, distinct);
            assert_eq!((cut.method, cut.trimmed), (Method::Goldminer, Err(NoCut::NoMatch)), "{distinct}");
        }
    }
}
