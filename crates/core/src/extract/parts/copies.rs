//! Keeps the article of a page only once: removes copies (for small screens) and complete other articles below it.
//!
//! If each paragraph is checked alone, both look like the article. Copies are recognised by their texts. Other articles
//! are recognised by their headlines, which look like the page's own and are in a similar element.

use goldminer_html::{ElementId, Page, Paragraph, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::extract::lengths;
use crate::goldminer::sums::Sums;
use crate::goldminer::trim::{ParagraphReason, Trimmed};

/// The fewest characters in a text that does not occur twice by chance.
const MIN_COPY: u32 = 40;
/// A page contains its article twice if at least 1/`COPIED` of its distinct texts, measured in characters, occur twice.
const COPIED: u32 = 3;
/// The fewest characters of running text below the headline of an article.
const MIN_ARTICLE: u32 = 120;
/// A repeated paragraph with at least this many characters is always a copy.
const LONG_COPY: u32 = 400;
/// The fewest letters in a run of paragraphs that does not occur twice by chance.
const MIN_RUN: usize = 200;
/// A repeated run is looked for at two paragraphs that have this many first letters in common.
const BEGINNING: usize = 24;
/// The most headings on a page that are checked.
const MAX_HEADINGS: usize = 40;
/// The most characters of a class that are compared.
const MAX_CLASS: usize = 1_000;

/// Drops the articles after the first one, and repeated paragraphs, from the paragraphs that a page keeps.
pub(crate) fn keep_first_article(page: &Page, cut: &mut Trimmed) {
    if let Some(end) = end_of_first(page, cut) {
        cut.drop_kept(ParagraphReason::OtherArticle, |at| at >= end);
    }
    if let Some(headline) = cut.headline {
        let text = |at: usize| &page.paragraphs()[at].text;
        cut.drop_kept(ParagraphReason::Copy, |at| text(at) == text(headline));
    }
    let copies = copies(page, &cut.paragraphs);
    if !copies.is_empty() {
        cut.drop_kept(ParagraphReason::Copy, |at| copies.contains(&at));
    }
}

/// The paragraphs that are copies of earlier ones. Short paragraphs are copies only if a good part of the page's
/// distinct texts is repeated, because a schedule also repeats words. Running text (text in sentences) is not a copy if
/// it is repeated in an element with the same tag, class and parent. Copies for other screens have elements of their
/// own.
fn copies(page: &Page, kept: &[usize]) -> FxHashSet<usize> {
    let mut in_order = kept.to_vec();
    in_order.sort_unstable();
    let place = |at: usize| page.paragraphs()[at].element.map(|id| (page.element(id).parent, appearance(page, id)));
    let is_intended = |first: usize, at: usize| page.paragraphs()[at].is_running_text() && place(first) == place(at);
    let mut firsts: FxHashMap<&str, usize> = FxHashMap::default();
    let (mut copies, mut copied) = (FxHashSet::default(), FxHashSet::default());
    for at in in_order.iter().copied() {
        let first = *firsts.entry(&page.paragraphs()[at].text).or_insert(at);
        if first != at && !is_intended(first, at) {
            copies.insert(at);
            copied.insert(first);
        }
    }
    let chars = |at: &usize| page.paragraphs()[*at].chars;
    let twice: u32 = copied.iter().map(chars).filter(|chars| *chars >= MIN_COPY).sum();
    if COPIED * twice < firsts.values().map(chars).sum::<u32>() {
        copies.retain(|at| chars(at) >= LONG_COPY);
    }
    copies.extend(copied_runs(page, &in_order));
    copies
}

/// The paragraphs of runs that repeat an earlier run letter by letter, if they are a good part of the page's text. Each
/// of the two runs is in an element of its own. They may divide the text into paragraphs in different ways. One of them
/// has at least two paragraphs, because a single paragraph may be repeated on purpose.
fn copied_runs(page: &Page, kept: &[usize]) -> Vec<usize> {
    let letters_of = |at: &usize| page.paragraphs()[*at].text.chars().filter(|c| c.is_alphanumeric());
    // The number of paragraphs from `from` on that these letters fill completely.
    let filled = |from: usize, letters: usize| {
        let ends = kept[from..].iter().scan(0, |end, at| {
            // At most one letter too many is counted, because a page may repeat the beginning of a very long paragraph.
            *end += letters_of(at).take(letters - *end + 1).count();
            Some(*end)
        });
        ends.take_while(|end| *end <= letters).count()
    };
    let held = |from: usize, paragraphs: usize| {
        let last = kept[from + paragraphs.max(1) - 1];
        let around = page.ancestors_and_self(page.paragraphs()[kept[from]].element?);
        around.map(|around| page.paragraphs_in(around)).find(|held| held.contains(&last))
    };
    let (mut firsts, mut copied, mut next) = (FxHashMap::<String, usize>::default(), Vec::new(), 0);
    for at in 0..kept.len() {
        let beginning: String = letters_of(&kept[at]).take(BEGINNING).collect();
        if at < next || beginning.chars().count() < BEGINNING {
            continue;
        }
        let first = *firsts.entry(beginning).or_insert(at);
        let both = kept[first..at].iter().flat_map(letters_of).zip(kept[at..].iter().flat_map(letters_of));
        let letters = both.take_while(|(one, other)| one == other).count();
        if letters < MIN_RUN {
            continue;
        }
        let (ours, theirs) = (filled(first, letters), filled(at, letters));
        next = at + theirs.max(1);
        let is_apart = || held(first, ours).zip(held(at, theirs)).is_some_and(|(one, other)| one.end <= other.start);
        if ours.max(theirs) > 1 && is_apart() {
            copied.extend(&kept[at..at + theirs]);
        }
    }
    let chars = |some: &[usize]| some.iter().map(|at| page.paragraphs()[*at].chars).sum::<u32>();
    if (COPIED + 1) * chars(&copied) < chars(kept) {
        copied.clear();
    }
    copied
}

/// The first paragraph of another article below the page's own. None if there is none, or if the page's headline is not
/// an `h1`: titles that look like a lower headline are those of sections.
fn end_of_first(page: &Page, cut: &Trimmed) -> Option<usize> {
    let headline = cut.headline.filter(|at| page.paragraphs()[*at].heading == Some(1))?;
    let last = cut.paragraphs.iter().copied().max()?;
    let own = heading_of(page, headline)?;
    let behind = headline + 1..last;
    let others = behind.filter(|at| page.paragraphs()[*at].heading.is_some()).take(MAX_HEADINGS);
    let mut others = others.filter_map(|at| heading_of(page, at)).peekable();
    others.peek()?;
    let running = lengths::of(page, &cut.paragraphs, Paragraph::is_running_text);
    others.find_map(|other| begins_another(page, own, other, &running))
}

/// The heading element that contains a paragraph.
fn heading_of(page: &Page, at: usize) -> Option<ElementId> {
    let element = page.paragraphs()[at].element?;
    page.ancestors_and_self(element).find(|id| page.element(*id).tag.heading_level().is_some())
}

/// The first paragraph of another article on the page, which has the heading `other`. None if that article does not
/// look like the page's own.
fn begins_another(page: &Page, own: ElementId, other: ElementId, running: &Sums) -> Option<usize> {
    if !are_alike(page, own, other) {
        return None;
    }
    let below_both = |id: ElementId, not_of: ElementId| {
        let parent = page.element(id).parent;
        page.ancestors_and_self(parent.unwrap_or(id)).take_while(move |around| !page.is_within(not_of, *around))
    };
    let holds_article = |id: &ElementId| running.within(&page.paragraphs_in(*id)) >= MIN_ARTICLE;
    let ours: Vec<_> = below_both(own, other).filter(holds_article).map(|id| appearance(page, id)).collect();
    let theirs = || below_both(other, own).filter(holds_article);
    if !theirs().any(|id| ours.contains(&appearance(page, id))) {
        return None;
    }
    let outermost = below_both(other, own).last()?;
    Some(page.paragraphs_in(outermost).start)
}

/// Whether two headings look alike: with the same tag and class, or with the same class in similar parents.
fn are_alike(page: &Page, own: ElementId, other: ElementId) -> bool {
    let place = |id: ElementId| page.element(id).parent.map(|parent| appearance(page, parent));
    let ((own_tag, own_class), (other_tag, other_class)) = (appearance(page, own), appearance(page, other));
    let is_named = || !own_class.trim().is_empty() && place(own) == place(other);
    own_class == other_class && (own_tag == other_tag || is_named())
}

/// The appearance of an element: its tag, and the beginning of its class without digits.
fn appearance(page: &Page, id: ElementId) -> (Tag, String) {
    let class = page.raw_class(id).unwrap_or_default().chars().take(MAX_CLASS);
    (page.element(id).tag, class.filter(|c| !c.is_ascii_digit()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "It rained all day in the town, and nobody who had an umbrella lent it to the others there. ";

    fn left(html: &str) -> Vec<usize> {
        let page = Page::parse(html.to_owned());
        let all = page.paragraphs().len();
        let mut cut = Trimmed::of((0..all).collect(), Some(0));
        keep_first_article(&page, &mut cut);
        cut.paragraphs
    }

    fn story(title: &str, body: &str) -> String {
        format!("<div class='story s1'><h1>{title}</h1><p>{body}{STORY}{STORY}</p></div>")
    }

    #[test]
    fn a_second_article_is_removed_with_its_announcement() {
        let html = format!("{}<div class=next><p>Read next</p>{}</div>", story("Rain", "One. "), story("Sun", "Two. "));
        assert_eq!(left(&html), [0, 1]);
        let html = format!("{}<h1>More</h1><p>and this belongs to it.</p>", story("Rain", "One. "));
        assert_eq!(left(&html), [0, 1, 2, 3]);
    }

    #[test]
    fn a_second_article_with_a_lower_headline_is_removed() {
        let below = |class| story("Sun", "Two. ").replace("<h1>", &format!("<h2 class={class}>")).replace("/h1", "/h2");
        let own = story("Rain", "One. ").replace("<h1>", "<h1 class=title>");
        assert_eq!(left(&format!("{own}{}", below("title"))), [0, 1]);
        assert_eq!(left(&format!("{own}{}", below("subtitle"))), [0, 1, 2, 3]);
    }

    #[test]
    fn sections_with_titles_like_the_headline_are_one_article() {
        let hungarian = "Egész nap esett a városban, és senki sem adta kölcsön az esernyőjét a többieknek. ";
        let part = |tag: &str, heading: &str, title: &str, body: &str| {
            format!("<{tag} class=text><{heading} class=t>{title}</{heading}><p>{title} {body}{body}</p></{tag}>")
        };
        for (tag, heading, body, parts) in [
            ("div", "h2", STORY, 3),
            ("section", "h3", STORY, 60),
            ("article", "h2", hungarian, 2),
            ("td", "h4", hungarian, 4),
        ] {
            let of = |n: usize| part(tag, heading, &format!("Rain {n}"), body);
            let html = format!("<table><tr>{}</table>", (0..parts).map(of).collect::<String>());
            let html = if tag == "td" { html } else { html.replace("<table><tr>", "<div>").replace("table", "div") };
            assert_eq!(left(&html).len(), 2 * parts, "{tag} {heading}");
            assert_eq!(left(&html.replace(heading, "h1")).len(), 2, "{tag} h1");
        }
    }

    #[test]
    fn the_headline_is_kept_once() {
        assert_eq!(left("<h1>Rain</h1><p>Rain<h2>Rain</h2><p>It rained."), [0, 3]);
    }

    #[test]
    fn an_article_with_sections_is_one() {
        let section = |title| format!("<section class=part><h2>{title}</h2><p>{STORY}{STORY}{title}</p></section>");
        let html = format!("<h1>Rain</h1><p>{STORY}{STORY}</p>{}{}", section("Oslo"), section("Rome"));
        assert_eq!(left(&html).len(), 6);
    }

    #[test]
    fn a_copy_of_the_article_is_removed_but_not_a_refrain() {
        let html = format!("<div class=wide>{0}</div><div class=narrow>{0}</div>", story("Rain", "One. "));
        assert_eq!(left(&html), [0, 1]);
        let verse = |n: usize| {
            format!("<p>Verse {n} of the song is not the same as any of the others are</p><p>Refrain, we sing</p>")
        };
        assert_eq!(left(&format!("<h1>Song</h1>{}{}{}", verse(1), verse(2), verse(3))).len(), 7);
    }

    #[test]
    fn a_run_of_paragraphs_is_kept_once_however_its_copy_is_divided() {
        let parts: Vec<String> = (1..7).map(|n| format!("{n} {STORY}")).collect();
        let spanish = "Llovió todo el día en la ciudad, y nadie que tuviera un paraguas se lo prestó a los demás. ";
        let chinese = "镇上整天都在下雨，有伞的人谁也不肯把伞借给别人，大家只好在屋檐下面等着雨停下来，";
        let lines = |text: &str, between: &str| (1..7).map(|n| format!("{n} {text}{between}")).collect::<String>();
        let paragraphs = |text: &str| (1..7).map(|n| format!("<p>{n} {text}</p>")).collect::<String>();
        for (wide, narrow, kept) in [
            (lines(STORY, "<br><br>"), lines(STORY, "<br><br>"), 7),
            (paragraphs(spanish), lines(spanish, "<br>"), 7),
            (format!("<p>{}</p><p>{}</p>", parts[..3].concat(), parts[3..].concat()), paragraphs(STORY), 3),
            (lines(chinese, "<br>"), paragraphs(chinese), 2),
            (paragraphs(STORY), paragraphs(&STORY.replace(", ", "&nbsp;– ").replace('.', "…")), 7),
        ] {
            let both = |around: &str| {
                left(&format!("<h1>Rain</h1><{around}><div>{wide}</div><div>{narrow}</div></{around}>")).len()
            };
            assert_eq!((both("main"), both("td")), (kept, kept), "{narrow}");
        }
        let refrain = format!("{}{}", paragraphs(STORY), "<p>And so on and so on and so on</p>");
        assert_eq!(left(&format!("<h1>Rain</h1><div>{refrain}<p>Verse</p>{refrain}</div>")).len(), 16, "one element");
    }

    #[test]
    fn a_text_repeated_in_elements_of_one_kind_is_kept() {
        let hungarian = "Egész nap esett a városban, és senki sem adta kölcsön az esernyőjét a többieknek. ";
        let long = STORY.repeat(6);
        let below = |tag: &str, text: &str, times: usize| {
            let part = |n| format!("<h2>Part {n}</h2><{tag}>{text}</{tag}>");
            format!("<h1>Rain</h1>{}", (0..times).map(part).collect::<String>())
        };
        assert_eq!(left(&below("p", &long, 4)).len(), 9);
        assert_eq!(left(&below("p", &hungarian.repeat(7), 3)).len(), 7);
        assert_eq!(left(&below("p", STORY, 2)).len(), 5);
        assert_eq!(left(&below("div", &long, 150)).len(), 301);
        assert_eq!(left(&below("blockquote", &long, 3)).len(), 7);
        for (wide, narrow) in [("<div class=wide><p>", "<div class=narrow><p>"), ("<p class=wide>", "<p class=narrow>")]
        {
            assert_eq!(left(&format!("<h1>Rain</h1>{wide}{long}</p>{narrow}{long}</p>")), [0, 1], "{wide}");
        }
    }
}
