//! Adds parts that belong to the article because of their place:
//! - program listings, data tables, formulas, quotes, lists and subheads between two paragraphs of the article in the
//!   same element;
//! - a listing or table after the last paragraph of the article;
//! - the caption of such a part;
//! - the rest of a list or table of which some is text, between two paragraphs of the article;
//! - the rest of a list or quote that is mostly text, or partly text and announced;
//! - the line that names the speaker of a quote;
//! - the footnotes that the article refers to.
//!
//! The classifier only recognises prose: these parts look like a menu to it.

use std::ops::Range;

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::{ElementId, Page, Tag};

use crate::goldminer::is_listing;
use crate::goldminer::trim::{ParagraphReason, Trimmed};
use crate::structure::{self, Cells};

/// The most ancestors of a part that can be its frame (an element with hardly anything else).
const MAX_FRAME: usize = 10;
/// The most paragraphs of a frame outside the part, such as the labels of buttons.
const MAX_LABELS: usize = 2;
/// The most characters of such a label, not counting its links.
const MAX_LABEL_CHARS: u32 = 24;

/// The most consecutive listings and tables that are checked.
const MAX_FOLLOWING: usize = 32;
/// The most ancestors of a line with a speaker's name that are searched for the quote.
const MAX_IN_QUOTE: usize = 3;
/// A caption has fewer paragraphs than this.
const MAX_CAPTION: usize = 4;
/// A table is also added if most of the element around it is text. This is not checked if the element has more
/// paragraphs than this, because it would be slow.
const MAX_AROUND: usize = 2_000;
/// The most paragraphs in a list of references.
const MAX_REFERENCES: usize = 60;
/// The most paragraphs in a list, table or quote that is completed because some of it is text.
const MAX_ITEMS: usize = 256;

/// The text of a page, while parts are added to it.
struct ArticleText<'p> {
    page: &'p Page,
    is_text: Vec<bool>,
    /// The domain of the page, if its URL is known.
    domain: Option<Domain>,
}

/// A part that may belong to the article, such as a table.
struct Whole {
    element: Option<ElementId>,
    inside: Range<usize>,
    /// The paragraphs of the frame: the outermost element that contains the part and hardly anything else.
    framed: Range<usize>,
    /// The paragraphs of the element around the frame.
    around: Range<usize>,
    is_listing: bool,
    is_table: bool,
}

/// Adds the parts that belong to the article to `text`, the sorted indexes of the article's paragraphs.
pub(super) fn add(page: &Page, address: Option<&CrawlUrl>, text: &mut Vec<usize>) {
    if text.is_empty() {
        return;
    }
    let mut article = ArticleText::of(page, address, text);
    article.add_wholes(|_| true);
    article.complete();
    article.add_speakers();
    article.add_references();
    article.add_notes(address);
    *text = article.text();
}

/// Puts back parts that a profile's cut left out: listings, formulas, data tables, speakers of quotes, lists of
/// references and footnotes. Listings, formulas, tables and speakers were left out because of a class, or because such
/// elements had few sentences on the pages learned from. Lists of references were left out as links.
pub(super) fn restore(page: &Page, address: Option<&CrawlUrl>, cut: &mut Trimmed) {
    let is_open = |reason: &ParagraphReason| {
        matches!(reason, ParagraphReason::Learned | ParagraphReason::Links | ParagraphReason::Named)
    };
    if !cut.reasons.iter().any(is_open) {
        return;
    }
    let first = cut.scope.start;
    let text: Vec<usize> = cut.scope.clone().filter(|at| cut.reasons[at - first].is_kept()).collect();
    let mut article = ArticleText::of(page, address, &text);
    article.add_wholes(|whole| whole.is_listing || whole.is_table);
    article.add_speakers();
    article.add_references();
    article.add_notes(address);
    let mut text = article.text();
    text.retain(|at| cut.reasons.get(at.wrapping_sub(first)).is_some_and(is_open));
    for at in text {
        cut.reasons[at - first] = ParagraphReason::Kept;
        // The headline may be first although it is further down on the page.
        let moved = usize::from(cut.paragraphs.first() == cut.headline.as_ref());
        let place = moved + cut.paragraphs[moved..].partition_point(|kept| *kept < at);
        cut.paragraphs.insert(place, at);
    }
}

impl<'p> ArticleText<'p> {
    fn of(page: &'p Page, address: Option<&CrawlUrl>, text: &[usize]) -> Self {
        let mut is_text = vec![false; page.paragraphs().len()];
        text.iter().for_each(|at| is_text[*at] = true);
        Self { page, is_text, domain: address.map(CrawlUrl::domain) }
    }

    fn text(&self) -> Vec<usize> {
        (0..self.is_text.len()).filter(|at| self.is_text[*at]).collect()
    }

    /// Adds lists of references: links to other websites below a line that announces them, or between two paragraphs.
    fn add_references(&mut self) {
        let page = self.page;
        let Some(own) = &self.domain.clone() else { return };
        for list in page.elements_of(Tag::Ul).chain(page.elements_of(Tag::Ol)) {
            let inside = page.paragraphs_in(list);
            if inside.is_empty() || inside.len() > MAX_REFERENCES || inside.clone().all(|at| self.is_text[at]) {
                continue;
            }
            let parent = page.element(list).parent.map(|parent| page.paragraphs_in(parent));
            let is_there = |at: usize| parent.as_ref().is_some_and(|around| around.contains(&at)) && self.is_text[at];
            let Some(before) = inside.start.checked_sub(1) else { continue };
            // The list's own heading is added with it.
            let is_headed = !self.is_text[before] && page.paragraphs()[before].heading.is_some() && before > 0;
            let begin = if is_headed { before } else { inside.start };
            let is_announced = self.announces(before) || is_there(inside.end);
            if is_there(begin - 1) && is_announced && leads_away(page, list, own) {
                self.is_text[begin..inside.end].fill(true);
            }
        }
    }

    /// Adds the footnotes that the text refers to.
    fn add_notes(&mut self, address: Option<&CrawlUrl>) {
        let is_text = &self.is_text;
        let notes = structure::notes(self.page, address, |at| is_text.get(at) == Some(&true));
        notes.into_iter().for_each(|note| self.is_text[note].fill(true));
    }

    /// Completes lists and quotes that are partly text: if more than half is text, or if the line above is text and
    /// announces them. Those with headings, or with at least half of the article's text, are left as they are.
    fn complete(&mut self) {
        let page = self.page;
        let chars = |at: usize| page.paragraphs()[at].chars;
        let all: u32 = (0..self.is_text.len()).filter(|at| self.is_text[*at]).map(chars).sum();
        let tags = [Tag::Ul, Tag::Ol, Tag::Dl, Tag::Blockquote];
        for id in tags.into_iter().flat_map(|tag| page.elements_of(tag)) {
            let inside = page.paragraphs_in(id);
            if inside.len() > MAX_ITEMS || inside.clone().all(|at| self.is_text[at]) {
                continue;
            }
            let may_be_text = |at: &usize| 2 * page.paragraphs()[*at].link_chars < chars(*at);
            let kept: u32 = inside.clone().filter(|at| self.is_text[*at]).map(chars).sum();
            let has_heading = page.paragraphs()[inside.clone()].iter().any(|paragraph| paragraph.heading.is_some());
            let is_announced =
                || inside.start.checked_sub(1).is_some_and(|before| self.is_text[before] && self.announces(before));
            let is_text = 2 * kept > inside.clone().map(chars).sum() || kept > 0 && is_announced();
            if is_text && 2 * kept < all && !has_heading {
                inside.filter(may_be_text).for_each(|at| self.is_text[at] = true);
            }
        }
    }

    /// Adds the lines that name the speakers of quotes.
    fn add_speakers(&mut self) {
        let page = self.page;
        let quotes: Vec<ElementId> = page.elements_of(Tag::Blockquote).collect();
        let holds_quote = |id: ElementId| {
            quotes.get(quotes.partition_point(|quote| *quote < id)).is_some_and(|quote| page.is_within(*quote, id))
        };
        for id in page.elements_of(Tag::Footer).chain(page.elements_of(Tag::Figcaption)) {
            let inside = page.paragraphs_in(id);
            let is = |id: ElementId, tag: Tag| page.element(id).tag == tag;
            let mut around = page.ancestors_and_self(id).skip(1).take(MAX_IN_QUOTE);
            let quote = around.find(|id| is(*id, Tag::Blockquote) || is(*id, Tag::Figure) && holds_quote(*id));
            let others = quote.map(|quote| page.paragraphs_in(quote)).unwrap_or_default();
            let mut others = others.filter(|at| !inside.contains(at)).peekable();
            if others.peek().is_some() && others.all(|at| self.is_text[at]) {
                inside.for_each(|at| self.is_text[at] = true);
            }
        }
    }

    fn add_wholes(&mut self, is_wanted: impl Fn(&Whole) -> bool) {
        let page = self.page;
        let is_whole = |tag: Tag| {
            matches!(tag, Tag::Pre | Tag::Table | Tag::Blockquote | Tag::Ul | Tag::Ol | Tag::Dl)
                || tag.heading_level().is_some()
        };
        let elements = page.ids().filter(|id| is_whole(page.element(*id).tag));
        let formulas = (0..page.paragraphs().len()).filter(|at| {
            let paragraph = &page.paragraphs()[*at];
            page.is_formula(paragraph) || structure::is_raw_formula(&paragraph.text)
        });
        let formulas = formulas.map(|at| (None, at..at + 1));
        let elements = elements.map(|id| (Some(id), page.paragraphs_in(id))).chain(formulas);
        let wholes = elements.filter_map(|(element, inside)| self.whole(element, inside));
        let mut wholes: Vec<Whole> = wholes.filter(is_wanted).collect();
        wholes.sort_by_key(|whole| (whole.inside.start, whole.element));
        for (at, whole) in wholes.iter().enumerate() {
            if self.is_between(whole, &wholes[at + 1..]) && self.is_own(whole) {
                let Whole { element, inside, framed, .. } = whole;
                self.is_text[inside.clone()].fill(true);
                for at in (framed.start..inside.start).chain(inside.end..framed.end) {
                    self.is_text[at] = self.is_text[at] || self.is_caption_of(at, *element, inside);
                }
            }
        }
    }

    /// A part with its frame. None if the part is empty, or cannot be added because some of it is text already.
    fn whole(&self, element: Option<ElementId>, inside: Range<usize>) -> Option<Whole> {
        let page = self.page;
        if inside.is_empty() || inside.clone().any(|at| self.is_text[at]) && !self.may_be_completed(element, &inside) {
            return None;
        }
        let is_listing = element.is_none_or(|id| is_code(page, id));
        let is_table = element.is_some_and(|id| page.element(id).tag == Tag::Table);
        let mut whole =
            Whole { element, inside: inside.clone(), framed: inside.clone(), around: 0..0, is_listing, is_table };
        let parent = |id: ElementId| page.element(id).parent;
        let first = element.map_or_else(|| page.paragraphs()[inside.start].element, parent);
        for (at, around) in first.into_iter().flat_map(|id| page.ancestors_and_self(id)).enumerate() {
            let outside = page.paragraphs_in(around);
            let mut others = (outside.start..inside.start).chain(inside.end..outside.end);
            let is_label = |at: usize| {
                let paragraph = &page.paragraphs()[at];
                let is_short = paragraph.chars.saturating_sub(paragraph.link_chars) <= MAX_LABEL_CHARS;
                (is_short || self.is_caption_of(at, element, &inside))
                    && !self.is_text[at]
                    && paragraph.heading.is_none()
            };
            let holds_all = match page.element(around).tag {
                Tag::Body | Tag::Article | Tag::Main | Tag::Li => true,
                // A cell that holds an entire table is only its frame.
                Tag::Td => outside.len() > inside.len(),
                _ => false,
            };
            if at == MAX_FRAME || holds_all || outside.len() > inside.len() + MAX_LABELS || !others.all(is_label) {
                whole.around = outside;
                break;
            }
            if outside.len() == inside.len() {
                whole.inside = outside.clone();
            }
            whole.framed = outside;
        }
        Some(whole)
    }

    /// Whether a part of which some is text already may be added as a whole: a list or table without headings.
    fn may_be_completed(&self, element: Option<ElementId>, inside: &Range<usize>) -> bool {
        let may_be = |id| matches!(self.page.element(id).tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table);
        element.is_some_and(may_be)
            && inside.len() <= MAX_ITEMS
            && inside.clone().any(|at| !self.is_text[at])
            && self.page.paragraphs()[inside.clone()].iter().all(|paragraph| paragraph.heading.is_none())
    }

    /// Whether a paragraph is the caption of a listing, table or quote: the element around the caption holds the part.
    fn is_caption_of(&self, at: usize, part: Option<ElementId>, inside: &Range<usize>) -> bool {
        let page = self.page;
        // A list in the same element as a caption has buttons for the picture.
        if !part.is_some_and(|id| matches!(page.element(id).tag, Tag::Pre | Tag::Table | Tag::Blockquote)) {
            return false;
        }
        let caption = page.paragraphs()[at].element.and_then(|element| structure::caption_around(page, element));
        caption.and_then(|caption| page.element(caption).parent).is_some_and(|around| {
            let held = page.paragraphs_in(around);
            held.start <= inside.start && inside.end <= held.end
        })
    }

    /// Whether a paragraph announces the part below it.
    fn announces(&self, at: usize) -> bool {
        let paragraph = &self.page.paragraphs()[at];
        paragraph.heading.is_some() || paragraph.text.ends_with([':', '：'])
    }

    /// Whether the paragraphs before and after a part, such as a table with its captions, are text and in the same
    /// element as the part. A part at the beginning of a section must have text before the section.
    fn is_between(&self, whole: &Whole, later: &[Whole]) -> bool {
        let Whole { inside, framed, around, .. } = whole;
        if inside.clone().all(|at| self.is_text[at]) {
            return false;
        }
        let is_there = |at: usize| around.contains(&at) && self.is_text[at];
        let is_other = |at: &usize| self.is_text[*at] || !structure::is_caption(self.page, *at);
        let start = inside.start.min(framed.start);
        let Some(before) = (start.saturating_sub(MAX_CAPTION)..start).rev().find(is_other) else { return false };
        let is_behind_text = is_there(before);
        let begins_section = around.start == start && self.is_text[before];
        if !is_behind_text && !begins_section {
            return false;
        }
        if whole.is_listing && is_behind_text {
            return true;
        }
        // If several parts follow each other, the text must be after the last of them.
        let mut end = inside.end.max(framed.end);
        for next in later.iter().take(MAX_FOLLOWING) {
            if next.inside.start > end {
                break;
            }
            let is_with = || next.is_listing || next.is_table || next.around == *around && self.is_own(next);
            if next.inside.start == end && is_with() {
                end = next.inside.end.max(next.framed.end);
            }
        }
        end = (end..(end + MAX_CAPTION).min(around.end)).find(is_other).unwrap_or(end);
        if !is_behind_text {
            return is_there(end);
        }
        let is_last = || end >= around.end && self.announces(before);
        is_there(end)
            || is_last()
            || whole.is_table && around.len() <= MAX_AROUND && self.is_mostly_text(around, inside)
    }

    /// Whether most characters of the paragraphs in `all`, except those in `but`, are text.
    fn is_mostly_text(&self, all: &Range<usize>, but: &Range<usize>) -> bool {
        let (mut text, mut others) = (0, 0);
        for at in all.clone().filter(|at| !but.contains(at)) {
            *if self.is_text[at] { &mut text } else { &mut others } += self.page.paragraphs()[at].chars;
        }
        text > others
    }

    fn is_own(&self, whole: &Whole) -> bool {
        let page = self.page;
        let Some(element) = whole.element else { return true };
        let paragraphs = &page.paragraphs()[page.paragraphs_in(element)];
        let links = paragraphs.iter().filter(|paragraph| 2 * paragraph.link_chars > paragraph.chars).count();
        // A table whose cells are mostly links is a list of other pages or of references.
        let leads_away = || self.domain.as_ref().is_some_and(|own| leads_away(page, element, own));
        let has_few_links = || 2 * links <= paragraphs.len() || leads_away();
        match page.element(element).tag {
            Tag::Table => whole.is_listing || has_few_links() && Cells::of(page, element).is_some(),
            Tag::Blockquote => links == 0 || leads_away(),
            Tag::Ul | Tag::Ol | Tag::Dl => paragraphs.iter().all(|paragraph| paragraph.link_chars == 0),
            Tag::Pre => whole.is_listing || links == 0,
            _ => links == 0 && paragraphs.len() == 1,
        }
    }
}

/// Whether two thirds of a list's links lead to other websites, and none to a site where readers share the page.
fn leads_away(page: &Page, list: ElementId, own: &Domain) -> bool {
    let (mut away, mut all) = (0, 0);
    for link in page.ids_in(list).filter(|id| page.element(*id).tag == Tag::A) {
        let Some(href) = page.attribute(link, "href") else { continue };
        if ["share", "intent/", "submit?", "mailto:"].iter().any(|part| href.contains(part)) {
            return false;
        }
        let is_away = href.starts_with("http") && CrawlUrl::parse(&href).is_ok_and(|url| url.domain() != *own);
        (away, all) = (away + usize::from(is_away), all + 1);
    }
    away > 0 && 3 * away >= 2 * all
}

/// Whether an element is a program listing. Menus never have this markup.
fn is_code(page: &Page, id: ElementId) -> bool {
    match page.element(id).tag {
        Tag::Pre => is_listing(page, id),
        // A listing in a table, with line numbers beside it.
        Tag::Table => {
            structure::is_listing_of_lines(page, id)
                || page.ids_in(id).any(|id| page.element(id).tag == Tag::Pre && is_listing(page, id))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that are added on a page with two paragraphs before the part and one after it.
    fn added(before: &str, html: &str, behind: &str) -> Vec<String> {
        let text = |day: &str| format!("It rained all {day} in the town, and nobody came to the boats. ").repeat(3);
        let page = format!(
            "<ul><li>Home<li>Sport</ul><article><div><p>{}</p><p>{}{before}</p>{html}{behind}</div></article><p>Imprint",
            text("Monday"),
            text("Tuesday")
        );
        let page = Page::parse(page);
        let is_text = |at: &usize| page.paragraphs()[*at].text.starts_with("It rained");
        let mut text: Vec<usize> = (0..page.paragraphs().len()).filter(is_text).collect();
        add(&page, None, &mut text);
        text.retain(|at| !is_text(at));
        text.iter().map(|at| page.paragraphs()[*at].text.to_string()).collect()
    }

    const LAST: &str = "<p>It rained on.</p>";
    const TABLE: &str = "<div class=x1><div class=x2><table><tr><th>Day<th>Rain<tr><td>May<td>9</table></div></div>";

    #[test]
    fn a_part_at_the_end_of_an_article_is_added() {
        for (html, count) in [
            (TABLE, 4),
            ("<figure><pre><code>a = 1</code></pre></figure>", 1),
            (
                "<table><tr><td class=blob-num data-line-number=1></td><td class=blob-code>a</td></tr></table><p><a href=/x>raw</a>",
                1,
            ),
            (
                "<table><tr><th>More<th>News<tr><td><a href=/a>May</a><td><a href=/b>June</a><tr><td><td><a href=/c>July</a></table>",
                0,
            ),
        ] {
            assert_eq!(added("", html, "").len(), count, "{html}");
            assert_eq!(added("", html, "<p class=tags>Rain, bridges").len(), count, "{html}");
        }
        assert!(added("", "<ul><li>Eggs<li>Salt</ul>", "").is_empty(), "nothing announces the list");
        assert_eq!(added(" It takes:", "<ul><li>Eggs<li>Salt</ul>", "").len(), 2);
    }

    #[test]
    fn captions_and_sections_between_do_not_prevent_adding() {
        let figure = "<figure><img src=/a.jpg><figcaption>The bridge</figcaption></figure>";
        let code = "<pre><code>a = 1</code></pre>";
        assert_eq!(added("", &format!("{figure}{code}"), LAST), ["a = 1"]);
        assert_eq!(added("", &format!("<ul><li>Eggs</ul>{figure}"), LAST), ["Eggs"]);
        let list = "<ul><li>Eggs<li>Salt</ul>";
        assert_eq!(added("", &format!("<section><h2>Food</h2>{list}{LAST}</section>"), "").len(), 3);
        assert_eq!(added("", &format!("<dl><dt>Egg<dd>It is</dl><h2>Food</h2>{list}"), LAST).len(), 5);
        let box_of_more = "<div><h3>More</h3><ul><li>Eggs<li>Salt<li>Oil<li>Tea</ul></div>";
        assert!(added("", box_of_more, LAST).is_empty(), "the list is in a box of its own");
        assert_eq!(added("", &format!("<div>(1) \\[E = mc^2\\]</div>{TABLE}"), LAST).len(), 5);
        assert_eq!(added("", "<p>In \\(x\\) more than one word", "").len(), 0);
    }

    #[test]
    fn the_speaker_of_a_quote_is_added() {
        let quote = "<p>It rained.</p>";
        assert_eq!(
            added(
                "",
                &format!("<blockquote>{quote}<footer>A. B., <cite>Dean of the school</cite></footer></blockquote>"),
                LAST
            )
            .len(),
            1
        );
        assert_eq!(
            added(
                "",
                &format!("<figure><blockquote>{quote}</blockquote><figcaption>A. B., dean</figcaption></figure>"),
                LAST
            )
            .len(),
            1
        );
        assert!(added("", "<footer>A. B., dean of the school of rain</footer>", LAST).is_empty());
    }

    #[test]
    fn lists_formulas_and_listings_between_paragraphs_are_added() {
        let katex = "<span class=katex-display><span class=katex><math><semantics><mi>x</mi>\
            <annotation encoding='application/x-tex'>x</annotation></semantics></math></span></span>";
        for (html, count) in [
            ("<ul><li>Eggs<li>Salt</ul>", 2),
            ("<dl><dt>Egg<dd>From a hen</dl>", 2),
            (katex, 1),
            ("<pre>Rain, rain,\ngo away</pre>", 1),
            ("<table width=90%><tr><td><pre>Rain, rain,\ngo away</pre></td></tr></table>", 1),
            ("<ul><li><a href=/a>Eggs</a><li>Salt</ul>", 0),
        ] {
            assert_eq!(added("", html, LAST).len(), count, "{html}");
        }
    }

    #[test]
    fn lists_quotes_and_tables_that_are_partly_text_are_completed() {
        let long = "It rained so much that the boats were brought to the market place by the men of the town.";
        let kept = "It rained all day in the town.";
        for (html, count) in [
            (format!("<ul><li>{long}<ul><li>Boats</ul><li>{long}</ul>"), 1),
            (format!("<blockquote><p>{long}</p><p>A. B.</p></blockquote>"), 1),
            (format!("<ul><li>{long}<li><a href=/a>More</a></ul>"), 0),
            (format!("<ul><li>{long}<li><h3>More</h3></ul>"), 0),
            (format!("<ul><li>Eggs<li>{kept}<li>Salt</ul>"), 2),
            (format!("<dl><dt>Egg<dd>From a hen<dt>Rain<dd>{kept}</dl>"), 3),
            (format!("<table><tr><td>Day<td>Rain<tr><td>May<td>{kept}</table>"), 3),
            (format!("<ul><li><a href=/a>Eggs</a><li>{kept}<li>Salt</ul>"), 1),
        ] {
            assert_eq!(added("", &html, LAST).len(), count, "{html}");
        }
        let nested = "<ul><li><p>The boats were brought to the market<ul><li><p>It rained.</ul><li><p>Salt</ul>";
        let last = "<p class=tags>Rain, bridges";
        assert_eq!((added(" Who knew:", nested, last).len(), added("", nested, last).len()), (2, 0));
    }

    #[test]
    fn captions_of_any_length_belong_to_their_figures() {
        let caption = "Listing 4: The toll of a lorry on the bridge";
        for html in [
            format!("<figure><pre><code>a = 1</code></pre><figcaption>{caption}</figcaption></figure>"),
            format!("<figure><figcaption>{caption}</figcaption><pre><code>a = 1</code></pre></figure>"),
            format!("<div><pre><code>a = 1</code></pre><p class=code-caption>{caption}</p></div>"),
            format!("<figure><blockquote>Rain, rain</blockquote><figcaption>{caption}</figcaption></figure>"),
        ] {
            assert_eq!(added("", &html, LAST).len(), 2, "{html}");
        }
        let buttons = format!("<div><img><ul><li>Copy the link</ul><p class=image-caption>{caption}</p></div>");
        assert!(added("", &buttons, LAST).is_empty());
    }

    #[test]
    fn references_below_a_heading_are_text() {
        let address = CrawlUrl::parse("http://portal.example/rain").unwrap();
        let added = |href: &str| {
            let paragraph = "<p>It rained all day in the town, and nobody came to the bridge or to the boats.</p>";
            let list = format!("<ul><li><a href={href}>One</a><li><a href={href}>Two</a></ul>");
            let page = Page::parse(format!("<div>{paragraph}<h2>Sources</h2>{list}</div>"));
            let mut text = vec![0];
            add(&page, Some(&address), &mut text);
            text.len()
        };
        assert_eq!((added("https://data.example/set"), added("/rain/2")), (4, 1));
    }

    #[test]
    fn footnotes_that_the_text_refers_to_are_text() {
        let reference = "<sup id=r1><a href=#n1>1</a></sup>";
        let notes = "<ol><li id=n1>Ibid. <a href=#r1>back</a><li id=n2>Never <a href=#r2>back</a></ol>";
        assert_eq!(added(reference, "", notes), ["Ibid. back"]);
        assert!(added("", "", notes).is_empty());
    }
}
