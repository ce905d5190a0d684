//! Decides at start tags whether readers see an element, and at texts whether they continue a drop cap.
//!
//! `hidden` checks the attributes of a start tag, `ahead` and `openers` search the rest of the page, and `drop_cap`
//! checks single letters.

use super::hidden::HiddenBy;
use super::open_elements::Effect;
use super::rest::may_hide_rest;
use super::{OutlineBuilder, Reading, StartTag, ahead, drop_cap, hidden};
use crate::attributes::{Attribute, Attributes};
use crate::element::ElementId;
use crate::paragraph::Paragraph;
use crate::tag::Tag;

/// The most elements around a heading that are searched for the target of its permalink (a link to the heading itself).
const MAX_AROUND_HEADING: usize = 2;
/// The most elements inside a heading among which a permalink and its target are searched for.
const MAX_IN_HEADING: usize = 32;

impl<'a> OutlineBuilder<'a> {
    /// The effect of an element on paragraphs, given the usual effect of its tag. Returns `Hidden` if readers do not
    /// see the element, and another effect than the usual one if its tag is mostly hidden but the element is visible, or
    /// if its style makes it a block or a cell.
    #[inline]
    pub(super) fn seen(&mut self, effect: Effect, tag: Tag, start: &StartTag) -> Effect {
        if self.unseen.rest.is_some_and(|rest| !rest.has_button) {
            self.find_button(tag, start);
        }
        let by = match (effect, tag) {
            (Effect::Hidden, Tag::Noscript) if self.shown.noscript => return Effect::Block,
            (Effect::Hidden, Tag::Template) if self.is_shadow_root(start) => return Effect::Block,
            (Effect::Hidden, Tag::Object) if self.is_for_plug_in(start) => return Effect::Inline,
            (Effect::Hidden, Tag::Rt | Tag::Rtc | Tag::Rp) if !self.stack.has(Tag::Ruby) => return Effect::Inline,
            (Effect::Hidden, Tag::Button) if self.is_heading(start) || self.is_in_sentence(start) => {
                return Effect::Inline;
            }
            (Effect::Hidden, _) => {
                self.hidden_by = HiddenBy::Tag(tag);
                self.unseen.in_rest = false;
                return effect;
            }
            // Some pages hide `html` or `body` until a script runs. They count as visible.
            (_, Tag::Html | Tag::Body) => return effect,
            _ if tag.is_void() => return effect,
            _ => self.hidden_by(tag, start),
        };
        match by {
            Some(HiddenBy::Aria) if effect == Effect::Inline && self.is_seen_copy(tag, start) => {
                self.copy_depth = self.copy_depth.or(Some(self.stack.len()));
                effect
            }
            Some(by) if !self.shown.shows(by) && !self.is_in_shown_rest(effect, by, tag, start) => {
                // A hidden block still ends the paragraph before it.
                if effect == Effect::Block {
                    self.paragraphs.flush();
                }
                self.unseen.in_rest = may_hide_rest(effect, by) && self.may_be_rest(tag, start);
                self.hidden_by = by;
                Effect::Hidden
            }
            _ if effect == Effect::Inline && start.flags.hides => self.effect_of_style(tag, start),
            _ => effect,
        }
    }

    /// The effect of an inline element whose style may say that it is a block or a cell.
    fn effect_of_style(&self, tag: Tag, start: &StartTag) -> Effect {
        match Attributes::first(self.page, start.name_end as usize).find_map(|attribute| hidden::display(&attribute)) {
            // The lines of a listing are part of it.
            Some(_) if self.stack.has(Tag::Pre) => Effect::Inline,
            // A link must stay inline to count as a link, and a headline of two lines is one headline.
            Some(Effect::Block) if tag == Tag::A || self.heading.is_some() => Effect::Apart,
            Some(effect) => effect,
            None => Effect::Inline,
        }
    }

    /// The level of a block with `role="heading"` and `aria-level`. None for other elements.
    #[inline]
    pub(super) fn heading_by_role(&self, effect: Effect, start: &StartTag) -> Option<u8> {
        let may_have_role = effect == Effect::Block && start.flags.marks && self.tokens.spans().is_partial;
        if !may_have_role || self.reading == Reading::Justext {
            return None;
        }
        let mut attributes = Attributes::first(self.page, start.name_end as usize);
        let is_heading = |it: Attribute<'_>| it.is("role") && it.raw_value.eq_ignore_ascii_case("heading");
        if !attributes.clone().any(is_heading) {
            return None;
        }
        let level = attributes.find(|it| it.is("aria-level"))?.raw_value.trim().parse().ok()?;
        (1..=6).contains(&level).then_some(level)
    }

    /// Whether a link is a permalink: it targets the heading that contains it. Also sets `permalink_depth` if the
    /// link's target contains `#`.
    pub(super) fn is_permalink(&mut self, start: &StartTag) -> bool {
        let tag = &self.page[start.span.range()];
        self.permalink_depth = None;
        if memchr::memchr(b'#', tag.as_bytes()).is_none() {
            return false;
        }
        let mut attributes = Attributes::from(self.page, start.name_end as usize);
        let href = attributes.find(|attribute| attribute.is("href")).map(|href| href.value());
        let place = href.as_deref().and_then(|href| href.split_once('#')).map(|(_, place)| place);
        self.permalink_depth = place.map(|_| self.stack.len() + 1);
        let (Some(place), Some(_)) = (place.filter(|place| !place.is_empty()), self.heading) else { return false };
        // The targeted id may be that of the heading, of an element around it, or of an anchor inside it.
        let is_near = |heading: &ElementId| self.elements.len() - heading.index() <= MAX_IN_HEADING;
        let Some(heading) = self.stack.heading().filter(is_near) else { return false };
        let around =
            std::iter::successors(self.elements[heading.index()].parent, |id| self.elements[id.index()].parent);
        let inside = (heading.0..self.elements.len() as u32).map(ElementId);
        around.take(MAX_AROUND_HEADING).chain(inside).any(|id| {
            self.attributes(id)
                .any(|attribute| (attribute.is("id") || attribute.is("name")) && attribute.value() == place)
        })
    }

    /// Whether a text, which ends at `end`, is the sign of a permalink, such as `#`: it has only symbols, and so has
    /// the rest of its link. Brackets and signs such as `*` belong to references: `[1]`. If the link has words or its
    /// end is far away, clears `permalink_depth`.
    #[inline]
    pub(super) fn is_sign_of_permalink(&mut self, text: &str, end: usize) -> bool {
        let Some(at) = self.permalink_depth else { return false };
        let has_words = text.chars().any(char::is_alphanumeric);
        let is_of_reference = |c| match c {
            '[' | ']' | '(' | ')' | '*' | '†' | '‡' => true,
            // Some programs also use these two for permalinks.
            '§' | '¶' => self.stack.has(Tag::Sup),
            _ => false,
        };
        if !has_words && text.trim().chars().all(is_of_reference) {
            return false;
        }
        let depth = self.stack.len().saturating_sub(at) as u32;
        let is_sign = !has_words && ahead::ends_without_words(&self.page[end..], depth);
        self.permalink_depth = self.permalink_depth.filter(|_| is_sign);
        is_sign
    }

    /// Returns what hides an element. None if it is visible or if readers can open it.
    fn hidden_by(&mut self, tag: Tag, start: &StartTag) -> Option<HiddenBy> {
        let (page, spans) = (self.page, self.tokens.spans());
        let attributes = || Attributes::from(page, start.name_end as usize);
        // `is_partial` is also set for a `role`, which may be that of a dialog.
        let may_be_hidden = start.flags.hides || (start.flags.marks && spans.is_partial);
        let by = match may_be_hidden.then(|| hidden::hides(attributes())).flatten() {
            _ if tag == Tag::Dialog => Some(HiddenBy::Dialog),
            None if start.flags.marks && !self.hidden_names.is_empty() => {
                let behind = &page[start.name_end as usize..];
                self.hidden_names.hides(spans.class.of(behind), spans.id.of(behind)).then_some(HiddenBy::Attribute)
            }
            by => by,
        }?;
        if matches!(by, HiddenBy::Dialog | HiddenBy::ForScreenReaders) {
            return Some(by);
        }
        let id = || attributes().find(|attribute| attribute.is("id")).map(|id| id.raw_value);
        let is_opened = attributes().any(|attribute| hidden::is_opened(&attribute))
            || id().is_some_and(|id| self.openers.opens(page, id));
        (!is_opened).then_some(by)
    }

    /// Whether a button is a heading, so that its words count as text. This is so if its text is all text of a heading
    /// element, or if it is the heading of the element that it opens.
    fn is_heading(&self, start: &StartTag) -> bool {
        if !self.paragraphs.is_empty() {
            return false;
        }
        let content = &self.page[start.span.end as usize..];
        if self.heading.is_some() || [Tag::Dt, Tag::Summary, Tag::Legend].iter().any(|tag| self.stack.has(*tag)) {
            return ahead::is_all_of_heading(content);
        }
        let mut attributes = Attributes::from(self.page, start.name_end as usize);
        let controlled = attributes.clone().find(|attribute| attribute.is("aria-controls"));
        let is_pressed = attributes.any(|attribute| attribute.is("aria-expanded")) && !self.stack.has(Tag::Nav);
        is_pressed && controlled.is_some_and(|controlled| ahead::is_above(content, controlled.raw_value))
    }

    /// Whether a button is part of a sentence, such as a word that is explained when readers press it.
    fn is_in_sentence(&self, start: &StartTag) -> bool {
        let attributes = Attributes::first(self.page, start.name_end as usize);
        self.heading.is_none()
            && self.paragraphs.collapsed.words_of_open_sentence().is_some_and(|words| {
                hidden::hides(attributes).is_none()
                    && ahead::is_in_sentence(&self.page[start.span.end as usize..], words as usize)
            })
    }

    /// Whether an element that is hidden from screen readers has text that everybody else reads. This is so if screen
    /// readers have a copy of the text, or if it is the first letter of a word.
    fn is_seen_copy(&self, tag: Tag, start: &StartTag) -> bool {
        let class = self.tokens.spans().class.of(&self.page[start.name_end as usize..]);
        // Icon fonts draw icons from words, which readers do not see.
        if tag == Tag::I || class.is_some_and(|class| class.contains("icon")) {
            return false;
        }
        let content = &self.page[start.span.end as usize..];
        let is_labelled =
            || self.innermost().is_some_and(|id| self.attributes(id).any(|attribute| attribute.is("aria-label")));
        if self.copy_may_follow || is_labelled() {
            return ahead::has_words(content);
        }
        ahead::is_seen_copy(content, self.paragraphs.is_empty())
    }

    /// Whether a letter in a separate element begins the following word.
    pub(super) fn is_drop_cap(&self, letter: &Paragraph, text: &str) -> bool {
        let Some(element) = letter.element else { return false };
        let begins_word = text.trim_start().starts_with(char::is_alphabetic);
        begins_word
            && !self.elements[element.index()].in_item
            && (self.is_styled_drop_cap(element) || self.is_in_line(element) && drop_cap::continues(&letter.text, text))
    }

    /// Whether `element`, which has ended, is inside the innermost open element, without a table between the two.
    fn is_in_line(&self, element: ElementId) -> bool {
        let at_hand = self.innermost();
        std::iter::successors(self.elements[element.index()].parent, |id| self.elements[id.index()].parent)
            .take_while(|id| self.elements[id.index()].tag != Tag::Table)
            .any(|id| Some(id) == at_hand)
    }

    /// Whether `element`, or an ended element around it, is a drop cap by its style (it floats) or its class name.
    pub(super) fn is_styled_drop_cap(&self, element: ElementId) -> bool {
        let is_open = |id: &ElementId| {
            let depth = usize::from(self.elements[id.index()].depth);
            self.stack.at(depth).is_some_and(|open| open.id == *id)
        };
        std::iter::successors(Some(element), |id| self.elements[id.index()].parent)
            .take_while(|id| !is_open(id))
            .any(|id| self.attributes(id).any(|attribute| drop_cap::is_styled(&attribute)))
    }

    /// The first attributes of an element, for names and styles.
    pub(super) fn attributes(&self, id: ElementId) -> Attributes<'a> {
        let element = &self.elements[id.index()];
        Attributes::first(self.page, (element.start + 1 + u32::from(element.name_length)) as usize)
    }

    /// Whether a `template` is a declarative shadow root, whose content browsers show.
    fn is_shadow_root(&self, start: &StartTag) -> bool {
        Attributes::from(self.page, start.name_end as usize)
            .any(|attribute| attribute.is("shadowrootmode") || attribute.is("shadowroot"))
    }

    /// Whether an `object` needs a plug-in. Browsers no longer support plug-ins, and show the text inside the element.
    fn is_for_plug_in(&self, start: &StartTag) -> bool {
        Attributes::from(self.page, start.name_end as usize).any(|attribute| {
            attribute.is("classid") || (attribute.is("type") && attribute.raw_value.starts_with("application/x-"))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Page;

    fn read(html: &str) -> Vec<String> {
        Page::parse(html.to_owned()).paragraphs().iter().map(|paragraph| paragraph.text.to_string()).collect()
    }

    #[test]
    fn a_button_that_is_all_of_a_heading_is_its_text() {
        for html in [
            "<h3><button aria-expanded=false aria-controls=c>Why rain?<svg><title>Open</title></svg></button></h3><div id=c>So.</div>",
            "<h3 class=accordion><span><button><span class=sr-only>Open</span>Why rain?</button></span> <svg><path></svg></h3><p>So.",
            "<dl><dt><button>Why rain?</button></dt><dd>So.</dd></dl>",
            "<details><summary>Why rain?</summary>So.</details>",
            "<details><summary><button>Why rain?</button></summary><p>So.</details>",
            "<div><button aria-expanded=true aria-controls=c><b>Why</b> rain now?</button><div id=c>So.</div></div>",
        ] {
            let [question, answer] = &read(html)[..] else { panic!("{html}") };
            assert!(question.starts_with("Why") && question.ends_with('?') && answer == "So.", "{html}");
        }
        for html in [
            "<h3>Rain <button>Share</button></h3>",
            "<h3><button>Copy link</button>Rain</h3>",
            "<h3>Rain</h3><button aria-expanded=false aria-controls=menu>Menu</button><ul id=menu></ul>",
            "<h3>Rain</h3><button>Why does it rain?</button>",
            "<h3>Rain</h3><button aria-expanded=false aria-controls=m>Open the main menu</button><nav id=m></nav>",
        ] {
            assert_eq!(read(html), ["Rain"], "{html}");
        }
    }

    #[test]
    fn ruby_readings_are_not_part_of_the_word() {
        for html in [
            "<ruby>市<rt>し</rt>長<rt>ちょう</rt></ruby>は",
            "<ruby>市<rp>(</rp><rt>し</rt><rp>)</rp></ruby><ruby>長<rtc><rt>ちょう</rt></rtc></ruby>は",
            "<ruby>市<rt>し<rt>x<rp>)<rb>長<rt>ちょう</ruby>は",
            "<ruby>\n  <rb>市</rb>\n  <rb>長</rb>\n <rtc>しちょう</rtc>\n</ruby>は",
        ] {
            assert_eq!(read(html), ["市長は"], "{html}");
        }
        assert_eq!(read("<p>so <rt>it rained</rt>"), ["so it rained"]);
    }

    #[test]
    fn a_drop_cap_is_part_of_its_word() {
        for html in [
            "<p><span class=drop-cap>T</span>he rain",
            "<p>\n<span class=drop-cap>T</span>\nhe rain",
            "<div style='float:left'>T</div><p>he rain",
            "<div style='float:left'><span>T</span></div>\n\n<p>\n  he rain",
            "<p class=dropcap>T<p>he rain",
            "<div><div class=x>T</div>he rain</div>",
            "<table align=left><tr><td>T</table><p>he rain",
            "<p><span aria-hidden=true>T</span><span class=sr-only>T</span>he rain",
            "<p><span class=sr-only>T</span><span aria-hidden=true>T</span>he rain",
            "<p><span class=sr-only>The</span><span aria-hidden=true><b>T</b>he</span> rain",
            "<p><span class=sr-only>The</span><span aria-hidden=true>T</span><span aria-hidden=true>he</span> rain",
            "<p><span aria-hidden=true>T</span>he rain",
            "<p aria-label='The rain'><span aria-hidden=true>The</span> <span aria-hidden=true>rain</span>",
        ] {
            assert_eq!(read(html), ["The rain"], "{html}");
        }
        let page = Page::parse("<div style=float:left>T</div><p>he rain".to_owned());
        assert_eq!(page.path(page.paragraphs()[0].element.unwrap()), "p");
        assert_eq!(read("<div class=dropcap>“T</div><p>he rain"), ["“The rain"]);
        assert_eq!(read("<div class=dropcap>A</div><p> long rain"), ["A long rain"]);
        assert_eq!(read("<div class=dropcap>Ő</div><p>k esnek"), ["Ők esnek"]);
        for html in [
            "<h2>T</h2><p>he rain",
            "<div>T</div><p>Tea, of old",
            "<p>T</p><p>he rain",
            "<div class=x>T</div><div>he rain",
            "<table><tr><td>T</td><td>he rain</td></tr></table>",
            "<div><table><tr><th>T</table>he rain</div>",
            "<div>T</div><h2>he rain</h2>",
            "<ul><li>T<li>he rain</ul>",
            "<div class=dropcap>T",
            "<div class=dropcap>T</div><p>12",
        ] {
            assert_eq!(read(html)[0], "T", "{html}");
        }
        assert_eq!(read("<p>Rain <span aria-hidden=true>→</span>"), ["Rain"]);
        let icon = "<p>Rain <span class=sr-only>Share</span><span class=icons aria-hidden=true>share</span>";
        assert_eq!(read(icon), ["Rain"]);
    }

    #[test]
    fn dialogs_and_parts_that_nothing_opens_are_not_read() {
        for html in [
            "<dialog open><p>We value your privacy.</p></dialog>",
            "<dialog><p>We value your privacy.</p></dialog>",
            "<div role=dialog class='modal-content'><p>We value your privacy.</p></div>",
            "<div role='alertdialog'>We value your privacy.</div>",
            "<div aria-modal=true>We value your privacy.</div>",
            "<div class=modal-content style='display:none'>We value your privacy.</div>",
            "<div class='more table' hidden>We value your privacy.</div>",
            "<div aria-labelledby=x aria-hidden=true style='display:none'>We value your privacy.</div>",
            "<div id=dlg hidden>We value your privacy.</div><button aria-haspopup=dialog aria-controls=dlg>x</button>",
            "<a data-toggle=modal href='#m'></a><div id=m class=hide>We value your privacy.</div>",
            "<span class=visually-hidden>We value your privacy.</span>",
        ] {
            assert_eq!(read(&format!("<p>It rained.</p>{html}")), ["It rained."], "{html}");
        }
        for html in [
            "<a href='#more'></a><div id=more style='display:none'>It rained on.</div>",
            "<button aria-controls=t2></button><div id=t2 hidden>It rained on.</div>",
            "<div role=tabpanel hidden>It rained on.</div>",
            "<div class=faq-answer style='display:none'>It rained on.</div>",
            "<div hidden=until-found>It rained on.</div>",
        ] {
            assert_eq!(read(html), ["It rained on."], "{html}");
        }
    }

    #[test]
    fn a_page_behind_a_dialog_is_read_without_it() {
        let (story, notice) =
            ("It rained all day in the town, and nobody lent an umbrella. ".repeat(9), "Your privacy. ".repeat(90));
        for dialog in ["<div role=dialog aria-modal=true>", "<dialog open>"] {
            let page = format!(
                "<main aria-hidden=true><h1>Rain</h1><p>{story}<p hidden>{story}</main>{dialog}<h2>You</h2><p>{notice}"
            );
            assert_eq!(read(&page), ["Rain", story.trim()], "{dialog}");
        }
        let overlay = format!("<p>Home</p><div role=dialog><h1>Rain</h1><p>{story}</div>");
        assert_eq!(read(&overlay), ["Home", "Rain", story.trim()], "the page has no other text");
    }

    #[test]
    fn paragraphs_of_invisible_characters_are_dropped() {
        let html = "<p>\u{200b}<p>&shy;&nbsp;<p>\u{feff}<p>&#8203; &#8205;<p>\u{2060}\u{3164}<p>It rained.<p>&lrm;";
        assert_eq!(read(html), ["It rained."]);
        assert_eq!(read("<p>\u{200b}نم\u{200c}ی<p>…"), ["نم\u{200c}ی", "…"]);
    }
}
