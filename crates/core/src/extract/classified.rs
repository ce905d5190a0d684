//! Finds the article of a page with the classifier of single pages.

use goldminer_html::Page;

use super::confidence::Certainty;
use super::parts::{beside, copies};
use super::{Cut, SourcePage, article_parts, lengths, walls, whole_page};
use crate::classifier::{Classification, Classifier, Convention};
use crate::document::Method;
use crate::goldminer::trim::{NoCut, ParagraphReason, Trimmed};
use crate::goldminer::{LONG_TEXT, Surroundings};

/// A page is an article if its probability to be one and the predicted F-score of its text add up to at least this,
/// both in thousandths.
const MIN_ARTICLE: u16 = 1_100;
/// The least sum (see `MIN_ARTICLE`) for a text with few paragraphs. It is lower, because the classifier recognises
/// articles by their number of paragraphs, but an article may have only one.
const MIN_SHORT: u16 = 700;
/// Texts with fewer paragraphs than this have few. The headline, comments and announcements do not count.
const FEW_PARAGRAPHS: usize = 4;
/// A page is a list if more than this many tenths of its text are below linked titles.
const LISTED_OF_TEN: u32 = 7;

/// If no paragraph is certainly text, those with at least this probability of being text, in thousandths, are taken as
/// a guess.
const GUESS: u16 = 200;
/// A guess (paragraphs that are probably text, on a page where none certainly is) must have at least this many
/// characters of running text. It is limited to the innermost element that holds most of these paragraphs.
const MIN_GUESS: u32 = 80;
/// No guess is made for pages with a lower probability of being an article, in thousandths.
const NO_ARTICLE: u16 = 100;

/// From this probability on, in thousandths, a page is an article even if no template of its domain matches.
const CLEAR_ARTICLE: u16 = 750;

/// Cuts a page to the paragraphs that the classifier takes for text.
pub(super) fn cut(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Cut {
    let around = (classifier.convention() == Convention::Article).then(|| surroundings(page, source));
    of_classification(page, source, classifier.classify(page), around.as_ref())
}

/// Cuts a page like [`cut`], but only if it is an article: lists, calendars and forms give no text, though they may
/// contain prose. If nothing is certainly text, the best guess is used, unless the page only asks for consent or a
/// password.
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
            // A score of 0 says that the text is a guess.
            (classification.text, classification.score) = (guess, 0);
        }
    }
    if classification.text.is_empty() {
        return nothing;
    }
    let is_declared = || is_declared(page, &classification);
    // Most lists are rejected here, before a page model is built.
    if !may_be_article(page, &classification) && !is_declared() {
        return nothing;
    }
    let around = surroundings(page, source);
    if !is_article(&classification, page, &around) && !is_declared() {
        return nothing;
    }
    of_classification(page, source, classification, Some(&around))
}

/// What is around the text on a page, such as comments, as far as this page alone shows.
fn surroundings(page: &Page, source: &SourcePage<'_>) -> Surroundings {
    Surroundings::of(page, source.url, |_| false)
}

/// Whether the text may be one article: because the classifier says so, because it is long, or because it is only a
/// guess, which has no score.
fn may_be_article(page: &Page, classification: &Classification) -> bool {
    let chars = || classification.text.iter().map(|at| page.paragraphs()[*at].chars).sum::<u32>();
    classification.score == 0 || classification.article + classification.score >= MIN_SHORT || chars() >= LONG_TEXT
}

/// Whether the text is one article, and does not mostly announce other pages. A short text needs a lower score, if it
/// has running text and no password field follows its beginning. Such a field shows a login page, but many portals have
/// one above each article.
fn is_article(classification: &Classification, page: &Page, around: &Surroundings) -> bool {
    let all = || classification.text.iter().copied().filter(|at| classification.headline != Some(*at));
    let own: Vec<usize> = all().filter(|at| !around.announces_another(*at) && !around.comments[*at]).collect();
    let has_text = own.iter().any(|at| page.paragraphs()[*at].is_running_text());
    let begin = classification.text.first().map_or(0, |at| page.paragraphs()[*at].span.start);
    let is_short = own.len() < FEW_PARAGRAPHS && has_text && !walls::asks_password(page, begin);
    let least = if is_short { MIN_SHORT } else { MIN_ARTICLE };
    let chars = |at: usize| page.paragraphs()[at].chars;
    let listed: u32 = all().filter(|at| around.announces_another(*at)).map(chars).sum();
    let is_list = classification.article < CLEAR_ARTICLE && 10 * listed > LISTED_OF_TEN * all().map(chars).sum::<u32>();
    let is_one_row = || around.is_one_row(page, &classification.text);
    let is_by_kind =
        classification.score == 0 || classification.article + classification.score >= least || is_one_row();
    is_by_kind && (is_short || !is_list)
}

/// Guesses the article's text: the headline, and the paragraphs that are probably text, inside the element that holds
/// most of these. None if the guess has too little running text (text in sentences).
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

/// Whether a page with text declares itself an article. Such a page may have less text than announcements of other
/// pages: a report may be two sentences long.
fn is_declared(page: &Page, classification: &Classification) -> bool {
    let Some(headline) = classification.headline else { return false };
    let has_text = classification.text.iter().any(|at| *at > headline && page.paragraphs()[*at].is_running_text());
    has_text && crate::metadata::declares_article(page, &page.paragraphs()[headline])
}

/// Cuts a page that is clearly an article according to the classifier. None if it is not.
pub(super) fn clear_article(page: &Page, source: &SourcePage<'_>, classifier: &Classifier) -> Option<Cut> {
    let classification = classifier.classify(page);
    let is_clear = classifier.convention() == Convention::Article && classification.article >= CLEAR_ARTICLE;
    is_clear.then(|| of_classification(page, source, classification, Some(&surroundings(page, source))))
}

/// Makes a cut (the part of a page that is extracted) from the classifier's result. If `around` is given, as for
/// articles, the text is completed, and comments and announcements are removed from it.
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
        around.add_siblings(page, &mut classification.text, &classification.probabilities);
        article_parts::add(page, source.url, &mut classification.text);
    }
    if classification.text.is_empty() {
        return Cut::nothing(Method::Classifier, NoCut::NoText);
    }
    let score = Some(classification.score);
    let probabilities = std::mem::take(&mut classification.probabilities);
    let certainty = around.map(|_| Certainty { article: classification.article, probabilities });
    let mut trimmed = trimmed(page, source, classification);
    if let Some(around) = around {
        copies::keep_first_article(page, &mut trimmed);
        beside::remove_beside(page, around, &mut trimmed);
    }
    Cut { method: Method::Classifier, trimmed: Ok(trimmed), score, certainty }
}

fn trimmed(page: &Page, source: &SourcePage<'_>, classification: Classification) -> Trimmed {
    let mut reasons = vec![ParagraphReason::Outside; page.paragraphs().len()];
    classification.text.iter().for_each(|at| reasons[*at] = ParagraphReason::Kept);
    let texts = classification.text.iter().map(|at| &*page.paragraphs()[*at].text);
    let language = whole_page::language_of(page, source, texts);
    Trimmed {
        template: 0,
        paragraphs: classification.text,
        headline: classification.headline,
        stoplist: "none",
        language,
        scope: 0..reasons.len(),
        reasons,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extractor;
    use goldminer_html::address::Domain;

    const ENGLISH: &str = "In week # the council met, and asked what they thought of the bridge and of the # boats.";
    const GREEK: &str =
        "Την εβδομάδα # το συμβούλιο συνεδρίασε και ρώτησε τι πιστεύουν για τη γέφυρα και τις # βάρκες.";
    const HUNGARIAN: &str = "A(z) #. héten a tanács összeült, és megkérdezte, mit gondolnak a hídról és a # hajóról.";
    const CHINESE: &str = "第#周市议会开会，询问大家对桥梁和#条船有什么看法，许多人当时都在场。";

    fn text(sentence: &str, sentences: usize) -> String {
        (1..=sentences).map(|n| sentence.replace('#', &n.to_string())).collect::<Vec<_>>().join(" ")
    }

    /// A page with little more than its menu.
    fn page(above: &str, text: &str, below: &str) -> String {
        let menu: String = (1..60).map(|n| format!("<li><a href=/{n}>Matters of the town {n}</a></li>")).collect();
        format!("<title>Portal</title>{above}<ul>{menu}</ul>{text}{below}<ul>{menu}</ul>")
    }

    #[test]
    fn an_article_in_one_paragraph_below_a_menu_is_found() {
        let classifier = Classifier::of(Convention::Article);
        let domain = Domain::named("portal.example");
        let source = SourcePage::new(b"", &domain);
        for sentences in [5, 12] {
            let page = Page::parse(page("", &format!("<div>{}</div>", text(ENGLISH, sentences)), ""));
            let classification = classifier.classify(&page);
            assert!(classification.article + classification.score < MIN_ARTICLE, "{classification:?}");
            assert!(article(&page, &source, &classifier).trimmed.is_ok(), "{sentences}");
        }
    }

    #[test]
    fn a_login_above_a_short_article_does_not_hide_it() {
        let classifier = Classifier::of(Convention::Article);
        let domain = Domain::named("portal.example");
        let login = "<form><input name=user><input type=password></form>";
        for (text, is_short) in [
            (format!("<div>{}</div>", text(ENGLISH, 5)), true),
            (format!("<section>{}</section>", text(GREEK, 5)), true),
            (format!("<table><tr><td>{}</table>", text(HUNGARIAN, 4)), true),
            (format!("<p>{}</p>", text(CHINESE, 6)), true),
            (format!("<article>{}</article>", text(GREEK, 12)), true),
            (format!("<div>{}</div>", text(HUNGARIAN, 60)), false),
        ] {
            let is_article = |html: String| {
                let source = SourcePage::new(b"", &domain);
                article(&Page::parse(html), &source, &classifier).trimmed.is_ok()
            };
            assert!(is_article(page(login, &text, "")), "{text}");
            assert_eq!(is_article(page("", &text, login)), !is_short, "{text}");
        }
    }

    #[test]
    fn a_guess_keeps_the_headline() {
        let text = "In week one the council met, and asked what they thought of the bridge and of the boats there.";
        let page = Page::parse(format!("<h1>Rain</h1><div><p>{text}</p></div><p>Menu</p>"));
        let (text, headline, score, article) = (vec![0], Some(0), 400, 500);
        let classification = Classification { probabilities: vec![100, 300, 0], text, headline, score, article };
        assert_eq!(guess(&page, &classification), Some(vec![0, 1]));
    }

    #[test]
    fn a_clear_article_without_a_matching_template_is_extracted() {
        // jusText counts characters, of which Chinese needs few: it finds no article here.
        let text = |n: usize| {
            format!(
                "<p>第{n}天，市议会说，桥在四月重新开放。\
                 修桥用了两年时间，花费了四百万，比计划的多了三分之一。</p>"
            )
        };
        let title = "老桥春天重新开放";
        let story = format!("<title>{title}</title><h1>{title}</h1>{}", (1..10).map(text).collect::<String>());
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
