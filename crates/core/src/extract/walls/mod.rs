//! Detects paywalls and consent walls. An article counts as cut off by a paywall if a call to subscribe follows its
//! first paragraphs. If there is nothing before the call, the page has no article. The call itself does not belong to
//! the text.
//!
//! Only short texts are checked, so that others cost nothing. A text counts as cut off if it is followed by a call to
//! subscribe in order to read on. Any other call to subscribe is enough if the page also declares that it is not free
//! (`isAccessibleForFree`). It is also enough if it is in an element with the class of a paywall, or if other pages of
//! the portal repeat it. A page that only asks for consent has no article either. `domain::shared` finds texts that
//! many pages have in place of articles.

mod words;

use std::ops::Range;

use goldminer_html::{Page, Tag};

use crate::goldminer::text_key;
use crate::goldminer::trim::{ParagraphReason, Trimmed};
use crate::rights::{Restriction, Rights, Signal};

use super::lengths;
use words::{Call, call, names_wall};

pub use words::mentions_consent;

/// The most characters in a text that is checked for walls (Han and kana characters count for three). First
/// paragraphs and leads are shorter.
const MAX_CUT_OFF: usize = 1_200;
/// If a page declares that it is not free, and has fewer characters of text than this, its article counts as cut off by
/// a paywall.
const SHORT: usize = 600;
/// The fewest characters after the headline that count as the beginning of an article.
const MIN_LEFT: usize = 60;
/// The number of paragraphs before and after the end of the text in which a wall is searched for.
const AROUND_END: usize = 6;
/// A call is inside the article if at least this many characters of text follow it.
const GOES_ON: usize = 200;
/// The number of elements around a call to subscribe, from the innermost on, that are checked for the class of a
/// paywall.
const MAX_AROUND: usize = 3;

/// How much of an article is left before a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WallRemainder {
    /// There is no wall, as far as can be determined.
    Whole,
    /// The beginning of the article.
    Beginning,
    /// Too little for a document.
    Nothing,
}

/// Searches for a wall (a call to subscribe or a request for consent) at the end of a cut, and removes its text.
/// `is_repeated` says whether a text is repeated on the domain's pages. `signals` are the rights statements of the
/// response.
pub(super) fn remove(
    page: &Page,
    cut: &mut Trimmed,
    is_repeated: impl Fn(u64) -> bool,
    signals: &[Signal],
) -> WallRemainder {
    let headline = cut.headline;
    let own = || cut.paragraphs.iter().copied().filter(|at| headline != Some(*at));
    let all = own().try_fold(0, |sum, at| Some(sum + weight(page, at)).filter(|sum| *sum <= MAX_CUT_OFF));
    let (Some(all), Some(last)) = (all, own().max()) else { return WallRemainder::Whole };
    let paragraphs = page.paragraphs();
    let before: Vec<usize> = own().collect();
    let kept = before[before.len().saturating_sub(AROUND_END)..].iter().copied();
    let near = kept.chain(last + 1..paragraphs.len().min(last + 1 + AROUND_END));
    let calls: Vec<(usize, Call)> =
        near.map(|at| (at, call(&paragraphs[at].text))).filter(|(_, call)| *call > Call::None).collect();
    let declares = || {
        let contains = |word: &str| memchr::memmem::find(page.text().as_bytes(), word.as_bytes()).is_some();
        (contains("ccessibleForFree") || contains("content_tier"))
            && Rights::of([signals, &crate::metadata::rights_of_page(page)].concat()).restricts(Restriction::Paywall)
    };
    // A call before further text is an advertisement between two paragraphs.
    let ends = |at: usize| {
        let behind = own().filter(|other| *other > at && !calls.iter().any(|(call, _)| call == other));
        behind.map(|other| weight(page, other)).sum::<usize>() < GOES_ON
    };
    let is_sure = |at: usize| {
        let is_again = cut.reasons.get(at.wrapping_sub(cut.scope.start)) == Some(&ParagraphReason::Repeated);
        is_again || is_repeated(text_key(&paragraphs[at].text)) || is_in_wall(page, at)
    };
    let wall = calls.iter().find(|(at, call)| ends(*at) && (*call == Call::ToReadOn || is_sure(*at) || declares()));
    let offer = || calls.first().filter(|(at, _)| ends(*at)).and_then(|_| offer(page, cut, &calls));
    let Some(wall) = wall.map(|(at, _)| *at).or_else(offer) else {
        if only_asks_consent(page) && !is_beside_notice(page, &cut.paragraphs) {
            return WallRemainder::Nothing;
        }
        return if calls.is_empty() && all < SHORT && declares() { remainder(all) } else { WallRemainder::Whole };
    };
    cut.drop_kept(ParagraphReason::Wall, |at| at >= wall);
    let rest = cut.paragraphs.iter().filter(|at| headline != Some(**at)).map(|at| weight(page, *at)).sum();
    remainder(rest)
}

/// The first paragraph of a box with several calls, such as to subscribe and to log in. The box must hold some of the
/// text that was taken for the article, but at most half of it, and not the headline.
fn offer(page: &Page, cut: &Trimmed, calls: &[(usize, Call)]) -> Option<usize> {
    let [(first, _), .., (last, _)] = calls else { return None };
    let around = page.ancestors_and_self(page.paragraphs()[*first].element?).map(|id| page.paragraphs_in(id));
    let held = around.take(MAX_AROUND).find(|held| held.contains(last))?;
    let lengths = lengths::of(page, &cut.paragraphs, |_| true);
    let inside = lengths.within(&held);
    let is_box = inside > 0 && 2 * inside <= lengths.all() && cut.headline.is_none_or(|at| !held.contains(&at));
    is_box.then_some(held.start)
}

/// Whether a page with little text asks for consent or a password.
pub(super) fn is_wall(page: &Page) -> bool {
    page.running_chars() <= MAX_CUT_OFF && (asks_consent(page) || asks_password(page, 0))
}

/// Whether a page has a field for a password at or after this byte.
pub(super) fn asks_password(page: &Page, from: u32) -> bool {
    let is_password = |id| page.attribute(id, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"));
    page.elements_of(Tag::Input).any(|id| page.element(id).start >= from && is_password(id))
}

/// Whether a page asks for consent and has no other text.
pub(super) fn only_asks_consent(page: &Page) -> bool {
    page.running_chars() <= MAX_CUT_OFF && asks_consent(page)
}

/// The notice that asks for consent: the innermost element with several paragraphs that contains all paragraphs about
/// consent.
fn notice(page: &Page) -> Option<Range<usize>> {
    let mentions = |at: &usize| mentions_consent(&page.paragraphs()[*at].text);
    let mut mentioning = (0..page.paragraphs().len()).filter(mentions);
    let first = mentioning.next()?;
    let last = mentioning.next_back().unwrap_or(first);
    let mut around = page.ancestors_and_self(page.paragraphs()[first].element?).map(|id| page.paragraphs_in(id));
    around.find(|held| held.len() > 1 && held.contains(&last))
}

/// Whether some of the running text is outside the notice that asks for consent.
fn is_beside_notice(page: &Page, text: &[usize]) -> bool {
    let is_running = |at: &&usize| page.paragraphs()[**at].is_running_text();
    notice(page).is_some_and(|notice| text.iter().filter(is_running).any(|at| !notice.contains(at)))
}

/// Whether at least half of a page's running text asks for consent, and there is a button to answer.
pub(super) fn asks_consent(page: &Page) -> bool {
    let mentions = || {
        let number = page.running_text().filter(|paragraph| mentions_consent(&paragraph.text)).count();
        number > 0 && 2 * number >= page.running_text().count()
    };
    page.elements_of(Tag::Button).next().is_some() && mentions()
}

fn remainder(weight: usize) -> WallRemainder {
    if weight < MIN_LEFT { WallRemainder::Nothing } else { WallRemainder::Beginning }
}

fn weight(page: &Page, at: usize) -> usize {
    page.paragraphs()[at].weight() as usize
}

/// Whether a paragraph is in an element with the class or id of a wall, such as `paywall`.
fn is_in_wall(page: &Page, at: usize) -> bool {
    let Some(element) = page.paragraphs()[at].element else { return false };
    page.ancestors_and_self(element).take(MAX_AROUND).any(|id| {
        let marks = page.marks(id);
        [marks.class, marks.id].into_iter().flatten().any(|name| names_wall(&name))
    })
}

#[cfg(test)]
mod tests {
    use crate::NoArticle;
    use crate::document::{Access, Document};
    use crate::extract::{Extractor, SourcePage};
    use crate::goldminer::profile::DomainProfile;
    use goldminer_html::address::Domain;

    const LEAD: &str = "It rained in the town for a week, and nobody who had an umbrella lent it to the others there.";
    const CALL: &str = "Subscribe now to read the rest of this article.";

    fn extracted(story: &str, head: &str) -> Result<Document, NoArticle> {
        let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().unwrap();
        let domain = Domain::named("portal.example");
        let html = format!(
            "<title>Rain</title>{head}<div class=story><h1>Rain in town</h1>{story}</div><p>The end of the page.</p>"
        );
        match Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), Some(&profile)) {
            Ok(document) => Ok(*document),
            Err(why) => Err(why),
        }
    }

    fn access(story: &str, head: &str) -> (Option<Access>, usize) {
        let document = extracted(story, head).unwrap();
        (document.metadata.access, document.paragraphs.len())
    }

    fn leads(count: usize) -> String {
        (0..count).map(|n| format!("<p>On day {n} of the month. {LEAD}</p>")).collect()
    }

    const NOT_FREE: &str = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"Rain\",\"isAccessibleForFree\":false}</script>";

    #[test]
    fn a_first_paragraph_before_a_call_to_read_on_is_partial() {
        let story =
            format!("<p>{LEAD}</p><div class=offer><p>{CALL}</p><p>All our stories, for one coin a month.</p></div>");
        assert_eq!(access(&story, ""), (Some(Access::Partial), 2));
        assert!(extracted(&story, "").unwrap().text.ends_with(LEAD));
        let outside = format!("<p>{LEAD}</p></div><div><p>{CALL}</p>");
        assert_eq!(access(&outside, ""), (Some(Access::Partial), 2), "the call may be after the cut");
    }

    #[test]
    fn a_box_with_several_calls_is_removed() {
        let offer = |calls: &str| {
            format!(
                "{}<div><h3>All we know of rain</h3><p>Our stories come for one coin a month, and you may leave.</p>{calls}</div>",
                leads(3)
            )
        };
        let calls = "<a href=/buy>Subscribe now</a><p>Already a subscriber? <a href=/login>Log in</a></p>";
        assert_eq!(access(&offer(calls), ""), (Some(Access::Partial), 4));
        assert_eq!(access(&offer("<a href=/buy>Subscribe now</a>"), "").0, None, "one call is an advertisement");
    }

    #[test]
    fn a_page_that_is_not_free_is_partial_if_short_or_with_a_call() {
        assert_eq!(access(&format!("<p>{LEAD}</p>"), NOT_FREE).0, Some(Access::Partial));
        let call = "<p>Our subscribers pay one coin a month.</p>";
        let long = leads(8);
        assert_eq!(access(&format!("{long}{call}"), NOT_FREE), (Some(Access::Partial), 9));
        assert_eq!(access(&long, NOT_FREE).0, None, "a long text may be complete");
        assert_eq!(access(&format!("<p>{LEAD}</p><div class='c-paywall x'>{call}</div>"), "").0, Some(Access::Partial));
    }

    #[test]
    fn a_call_without_text_before_it_gives_no_document() {
        assert_eq!(extracted(&format!("<p>{CALL} It is worth its money.</p>"), "").unwrap_err(), NoArticle::Wall);
    }

    #[test]
    fn a_page_that_only_asks_for_consent_has_no_article() {
        let cookies = "We and our partners store cookies on your device, to measure how our pages are used. Do you agree to that?";
        let ask =
            "We and those who work with us would like your consent to measure how people read the pages of this paper.";
        let alone = |html: &str| {
            let domain = Domain::named("portal.example");
            let page = format!("<title>Before you go on</title>{html}");
            Extractor::default().extract(&SourcePage::new(page.as_bytes(), &domain), None)
        };
        let button = "<button>Yes</button>";
        for ask in [ask, cookies] {
            assert_eq!(alone(&format!("<p>{ask}</p>{button}")), Err(NoArticle::Wall));
        }
        let whole = |html: &str| alone(html).is_ok();
        let about = "<h1>What a paper asks</h1><p>Papers ask for your consent because a law of 2018 wants it, and readers give it \
            because they want to read on.</p><p>Nobody has counted how many people read a question for their consent before \
            they answer it, says the office of the county.</p>";
        assert!(whole(about), "there is no button");
        assert!(!whole(&format!("{about}{button}")));
        assert!(whole(&format!("<h1>Rain</h1>{}<p>{ask}</p>{button}", leads(3))), "beside an article");
        let notice = format!("<div id=n><h2>Before you go on</h2><p>{cookies}</p><p>{ask}</p>{button}</div>");
        assert!(whole(&format!("<div><h1>Rain in town</h1>{}</div>{notice}", leads(1))), "beside a short one");
        assert!(!whole(&notice));
    }

    #[test]
    fn ordinary_articles_are_whole() {
        let letter = "<p>Subscribe to our newsletter, and keep reading.</p>";
        let call = "<p>Our subscribers pay one coin a month.</p>";
        for story in [
            format!("<p>{LEAD}</p>"),
            format!("<p>{LEAD}</p>{letter}"),
            format!("<p>{LEAD}</p>{call}"),
            format!("<p>{LEAD}</p><p>{CALL}</p><p>{LEAD}{LEAD}{LEAD}</p>"),
            format!("{}<p>{CALL}</p>", leads(20)),
        ] {
            assert_eq!(access(&story, "").0, None, "{story}");
        }
    }
}
