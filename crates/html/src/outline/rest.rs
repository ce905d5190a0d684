//! Finds the rest of an article that is hidden until readers ask for it: hidden blocks directly after running text, with
//! a button before or after them. Other hidden text beside a button, such as comments or the details of a consent form,
//! is recognised by the names of the elements and of the button.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::hidden::{HiddenBy, any_of};
use super::open_elements::Effect;
use super::openers::IN_FRONT;
use super::{OutlineBuilder, StartTag, ahead};
use crate::attributes::{Attribute, Attributes};
use crate::element::{Element, ElementId};
use crate::paragraph::Paragraph;
use crate::tag::Tag;

/// Words that show that a hidden part is not the rest of an article. They are in the names of elements and on buttons.
static OTHERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let others = [
        "comment",
        "komment",
        "coment",
        "reply",
        "respond",
        "cookie",
        "consent",
        "gdpr",
        "privacy",
        "newsletter",
        "subscri",
        "login",
        "signin",
        "share",
        "related",
        "recommend",
        "author",
        "cart",
        "search",
        "filter",
    ];
    any_of(&[&others[..], &IN_FRONT].concat())
});
/// The most elements between the visible text and the hidden part, which may be a button.
const MAX_BETWEEN: usize = 8;
/// The most elements around a hidden part whose names are checked.
const MAX_AROUND: usize = 4;
/// The most elements around the label of a button, the button included.
const MAX_IN_BUTTON: usize = 2;
/// The most bytes of a button's tag and label that are checked.
const MAX_BUTTON: usize = 400;

/// Hidden blocks that may be the rest of an article: adjacent children of the same element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rest {
    /// The start of the first block, and a place in the start tag of the last one.
    from: u32,
    until: u32,
    parent: Option<ElementId>,
    /// The number of paragraphs before the first block.
    paragraphs: usize,
    /// Bytes of running text, and of all text.
    pub running: usize,
    pub all: usize,
    pub has_button: bool,
}

impl Rest {
    /// Whether the block that starts at `at` in `parent` is one of these.
    pub(crate) fn contains(&self, at: u32, parent: Option<ElementId>) -> bool {
        (self.from..self.until).contains(&at) && self.parent == parent
    }

    /// Whether the blocks are the rest of an article: they have a button, and are mostly running text.
    pub(crate) fn is_of_article(&self) -> bool {
        self.has_button && 3 * self.running >= 2 * self.all
    }
}

impl OutlineBuilder<'_> {
    /// Whether a hidden block may be part of the rest of an article. If so, it is recorded in `unseen.rest`.
    pub(super) fn may_be_rest(&mut self, tag: Tag, start: &StartTag) -> bool {
        let (parent, paragraphs) = (self.innermost(), self.paragraphs.done());
        if self.is_other_part(tag, start) {
            return false;
        }
        let at = start.span.start;
        if let Some(rest) = &mut self.unseen.rest
            && (rest.parent, rest.paragraphs) == (parent, paragraphs.len())
        {
            rest.until = at + 1;
            return true;
        }
        let ancestors = |id| std::iter::successors(id, |id: &ElementId| self.elements[id.index()].parent);
        let is_button = |element: &Element| self.is_button(element.tag, element.name_span().end, element.content);
        // The label of the button may be a paragraph.
        let is_label = |paragraph: &Paragraph| {
            let mut around = ancestors(paragraph.element).take(MAX_IN_BUTTON);
            !paragraph.is_running_text() && around.any(|id| is_button(&self.elements[id.index()]))
        };
        let before = match paragraphs {
            [.., before, label] if is_label(label) => before,
            [.., before] => before,
            [] => return false,
        };
        let is_other = |id: ElementId| is_of_others(self.elements[id.index()].tag, self.attributes(id));
        if !before.is_running_text()
            || !ancestors(before.element).any(|id| Some(id) == parent)
            || ancestors(parent).take(MAX_AROUND).any(is_other)
        {
            return false;
        }
        let between = self.elements.iter().rev().take_while(|element| element.start > before.span.end);
        let has_button = between.take(MAX_BETWEEN).any(is_button);
        let rest =
            Rest { from: at, until: at + 1, parent, paragraphs: paragraphs.len(), has_button, ..Rest::default() };
        self.unseen.begin_rest(rest);
        true
    }

    /// Whether a block that `by` hides is in the rest that is read as if it were visible.
    pub(super) fn is_in_shown_rest(&self, effect: Effect, by: HiddenBy, tag: Tag, start: &StartTag) -> bool {
        self.shown.rest.contains(start.span.start, self.innermost())
            && may_hide_rest(effect, by)
            && !self.is_other_part(tag, start)
    }

    fn is_other_part(&self, tag: Tag, start: &StartTag) -> bool {
        let mut attributes = Attributes::first(self.page, start.name_end as usize);
        // A part in another language is a translation.
        is_of_others(tag, attributes.clone()) || attributes.any(|attribute| attribute.is("lang"))
    }

    /// Records in `unseen.rest` whether an element after the hidden blocks is their button. Forgets the blocks if text
    /// follows them.
    pub(super) fn find_button(&mut self, tag: Tag, start: &StartTag) {
        let Some(rest) = self.unseen.rest else { return };
        let is_beside = self.paragraphs.is_empty() && self.paragraphs.done().len() == rest.paragraphs;
        let has_button = is_beside && self.is_button(tag, start.name_end, start.span.end);
        self.unseen.rest = is_beside.then_some(Rest { has_button, ..rest });
    }

    /// Whether an element is a button that can show text on the page, given the ends of its name and of its start tag.
    /// A link counts as a button if it leads to no other page.
    fn is_button(&self, tag: Tag, name_end: u32, content: u32) -> bool {
        let is_pressed = |it: Attribute<'_>| {
            let leads_nowhere = |href: &str| href.starts_with('#') || href.starts_with("javascript:");
            it.is("onclick")
                || it.is("aria-expanded")
                || (it.is("role") && it.raw_value.eq_ignore_ascii_case("button"))
                || (tag == Tag::A && it.is("href") && leads_nowhere(it.raw_value.trim()))
        };
        if tag != Tag::Button && !Attributes::first(self.page, name_end as usize).any(is_pressed) {
            return false;
        }
        let beginning = |text: &str| text.floor_char_boundary(MAX_BUTTON);
        let (names, behind) = (&self.page[name_end as usize..content as usize], &self.page[content as usize..]);
        let label = behind[..beginning(behind)].split("</").next().unwrap_or_default();
        !OTHERS.is_match(&names[..beginning(names)]) && !OTHERS.is_match(label) && ahead::has_words(behind)
    }
}

/// Whether an element with this effect that `by` hides may be part of the rest of an article.
pub(super) fn may_hide_rest(effect: Effect, by: HiddenBy) -> bool {
    effect == Effect::Block && matches!(by, HiddenBy::Attribute | HiddenBy::Aria)
}

/// Whether an element belongs to other parts of a page than the article, by its tag, class or id.
fn is_of_others(tag: Tag, mut attributes: Attributes<'_>) -> bool {
    matches!(tag, Tag::Nav | Tag::Footer | Tag::Aside | Tag::Form | Tag::Menu)
        || (!matches!(tag, Tag::Html | Tag::Body)
            && attributes.any(|it| (it.is("class") || it.is("id")) && OTHERS.is_match(it.raw_value)))
}

#[cfg(test)]
mod tests {
    use crate::Page;

    const SAID: &str = "It rained all day in the town, and nobody lent an umbrella to the others.";

    /// The number of hidden paragraphs in `part` that are read after twenty visible ones. `{}` stands for four of them.
    fn read(part: &str) -> usize {
        let rest = "<p>And then the sun came out, and everybody left the umbrella at home for a week.".repeat(4);
        let seen = format!("<p>{SAID}").repeat(20);
        let page = Page::parse(format!("<main><h1>Rain</h1><div>{seen}</div>{}</main>", part.replace("{}", &rest)));
        page.paragraphs().iter().filter(|paragraph| paragraph.text.starts_with("And then")).count()
    }

    #[test]
    fn the_rest_of_an_article_behind_a_button_is_read() {
        for part in [
            "<button aria-expanded=false>Continue reading</button><div style='display:none'>{}</div>",
            "<div class=more><a href='#' class=btn>Weiterlesen</a></div><section class='rest hidden'>{}</section>",
            "<p><a href='javascript:void(0)' onclick='more()'>Tovább</a></p><div hidden>{}</div>",
            "<div class=btn onclick='show()'><span>Show the rest</span></div><div style='display:none'>{}</div>",
            "<div aria-hidden=true>{}</div><div><span role=button>続きを読む</span></div>",
            "<div hidden>{}</div><div class=hidden>{}</div><p><a href='#' onclick='more()'>Lire la suite</a></p>",
        ] {
            assert_eq!(read(part), 4 * part.matches("{}").count(), "{part}");
        }
    }

    #[test]
    fn hidden_comments_between_two_parts_of_the_rest_are_not_read() {
        let part =
            "<button>Show</button><div hidden>{}</div><div hidden class=comment-list>{}</div><div hidden>{}</div>";
        assert_eq!(read(part), 8);
    }

    #[test]
    fn other_hidden_text_beside_a_button_is_not_read() {
        for part in [
            "<div hidden>{}</div>",
            "<div class=hidden>{}</div><p>It snowed.</p><button>More</button>",
            "<button>Comments (4)</button><div hidden>{}</div>",
            "<button>Show all</button><div hidden class=comment-list>{}</div>",
            "<div class=cookie-box><p>It is about cookies that we and others keep, for as long as we like.</p>\
                <button>Details</button><div hidden>{}</div></div>",
            "<a href=/login>Continue reading</a><div hidden>{}</div>",
            "<button data-toggle=modal>Continue</button><div hidden>{}</div>",
            "<button>Auf Deutsch</button><div hidden lang=de>{}</div>",
            "<button>Menu</button><nav hidden>{}</nav>",
            "<h2>You may also like</h2><button>Show</button><div hidden>{}</div>",
            "<button>Show</button><div hidden><a href=/a>{}</a></div>",
        ] {
            assert_eq!(read(part), 0, "{part}");
        }
    }
}
