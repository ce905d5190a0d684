//! Turns a page into the form that `scraper` needs: a tree of its elements. The tree also has the `html`, `body` and
//! `tbody` elements that browsers add if the page leaves them out. A selector copied from a browser's tools therefore
//! finds the same elements here, except the added ones.
//!
//! The tree is made from the parsed page. html5ever would parse the source a second time, without a limit on depth,
//! and there are pages for which it takes unlimited time and memory. Matching cannot be interrupted, so the cost of a
//! selector is limited in advance.

use std::iter;

use goldminer_html::{ElementId, Page, Tag};
use html5ever::tree_builder::{ElementFlags, NodeOrText, TreeSink};
use html5ever::{Attribute, LocalName, QualName, ns};
use rustc_hash::{FxHashMap, FxHashSet};
use scraper::Html;
use scraper::html::HtmlTreeSink;

use super::selector::CssSelector;

/// Pages with more elements are too large for manual rules. Articles have a few thousand.
const MAX_ELEMENTS: usize = 100_000;
/// The most steps that all selectors of a profile together may take on a page. So many steps take some seconds.
const MAX_STEPS: u64 = 500_000_000;
/// The most attributes of an element that are compared.
const MAX_ATTRIBUTES: usize = 100;
/// The most bytes of an attribute's value that are compared.
const MAX_VALUE_BYTES: usize = 1_000;
/// This many bytes of a long start tag count as one step: `scraper` compares the names in a class one by one.
const STEP_BYTES: usize = 128;

/// An error: a page is too large or too deep for the selectors.
///
/// ```
/// use goldminer_core::goldminer::rules::{CssSelector, PageTooLarge};
/// use goldminer_core::page::Page;
///
/// let selector: CssSelector = "p".parse()?;
/// assert_eq!(selector.select(&Page::parse("<p>".repeat(200_000))), Err(PageTooLarge));
/// # Ok::<(), goldminer_core::goldminer::rules::SelectorError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the page is too large or too deep for the rules in [manual]: a page may have {MAX_ELEMENTS} elements, fewer where \
     elements have many classes, or selectors look at siblings (~, :nth-child) or have several steps inside of \
     parentheses; write simpler selectors"
)]
#[allow(clippy::exhaustive_structs, reason = "there is nothing more to say")]
pub struct PageTooLarge;

type Node = <HtmlTreeSink as TreeSink>::Handle;

/// A page's elements as a tree, and the number of steps that selectors may still take.
pub(super) struct PageTree {
    html: Html,
    elements: FxHashMap<Node, ElementId>,
    /// How many ancestors the elements have, for most selectors.
    upwards: VisitCounts,
    /// How many ancestors and preceding siblings the elements have, for selectors such as `a ~ b`.
    sideways: VisitCounts,
    steps_left: u64,
}

/// The numbers of elements that a selector may visit on a page: the sum over all elements from which it starts, and the
/// most from one of them.
#[derive(Default)]
struct VisitCounts {
    sum: u64,
    most: u64,
}

impl VisitCounts {
    fn add(&mut self, around: u64) {
        self.sum += around;
        self.most = self.most.max(around);
    }
}

impl PageTree {
    pub(super) fn of(page: &Page) -> Result<Self, PageTooLarge> {
        if page.elements().len() > MAX_ELEMENTS {
            return Err(PageTooLarge);
        }
        let (mut upwards, mut sideways) = (VisitCounts::default(), VisitCounts::default());
        let mut builder = Builder::of(page);
        // `children` has, for each element, the number of its children so far; its last entry is for the page itself.
        // `around` has, for each element, the number of its ancestors and of all siblings before it and before them.
        let mut children = vec![0_u64; page.elements().len() + 1];
        let mut around: Vec<u64> = Vec::with_capacity(page.elements().len());
        for id in page.ids() {
            builder.add(id);
            let element = page.element(id);
            let siblings = &mut children[element.parent.map_or(page.elements().len(), ElementId::index)];
            *siblings += 1;
            around.push(*siblings + element.parent.map_or(0, |parent| around[parent.index()]));
            upwards.add(u64::from(element.depth) + 1);
            sideways.add(around[id.index()]);
            // A long start tag takes more steps. Elements from it up to its parent's end may be compared with it, and
            // with `:has` also the elements around it.
            let long = (page.start_tag(id).len().min(MAX_VALUE_BYTES) / STEP_BYTES) as u64;
            let end = element.parent.map_or(page.elements().len(), |parent| page.element(parent).subtree_end as usize);
            let behind = (end - id.index()) as u64;
            upwards.sum += long * (u64::from(element.depth) + 1 + behind);
            sideways.sum += long * (around[id.index()] + behind);
        }
        let elements = iter::zip(builder.nodes, page.ids()).collect();
        Ok(Self { html: builder.sink.finish(), elements, upwards, sideways, steps_left: MAX_STEPS })
    }

    /// The elements that a selector selects, in page order.
    pub(super) fn select(&mut self, selector: &CssSelector) -> Result<Vec<ElementId>, PageTooLarge> {
        let shape = selector.shape;
        let around = if shape.looks_sideways { &self.sideways } else { &self.upwards };
        let steps = around.most.saturating_pow(shape.nested).saturating_mul(around.sum).saturating_mul(shape.parts);
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(PageTooLarge)?;
        let found = self.html.select(&selector.parsed);
        let mut found: Vec<ElementId> = found.filter_map(|element| self.elements.get(&element.id()).copied()).collect();
        found.sort_unstable();
        Ok(found)
    }
}

impl CssSelector {
    /// The elements of a page that the selector selects, in page order.
    ///
    /// # Errors
    /// Fails if the page is too large for the selector.
    pub fn select(&self, page: &Page) -> Result<Vec<ElementId>, PageTooLarge> {
        PageTree::of(page)?.select(self)
    }
}

struct Builder<'p> {
    page: &'p Page,
    sink: HtmlTreeSink,
    /// The tree's nodes for the page's elements, in page order.
    nodes: Vec<Node>,
    /// Elements that HTML lets a page leave out (such as `tbody`), by their parent and name. They are the page's own,
    /// or were added.
    implied: FxHashMap<(Node, &'static str), Node>,
}

impl<'p> Builder<'p> {
    fn of(page: &'p Page) -> Self {
        let sink = HtmlTreeSink::new(Html::new_document());
        Self { page, sink, nodes: Vec::with_capacity(page.elements().len()), implied: FxHashMap::default() }
    }

    /// Adds the next element of the page.
    fn add(&mut self, id: ElementId) {
        let element = self.page.element(id);
        let parent = self.parent(id);
        let node = self.node(&self.page.name(id), attributes(self.page, id));
        self.sink.append(&parent, NodeOrText::AppendNode(node));
        let may_be_left_out = [(Tag::Html, "html"), (Tag::Body, "body")];
        if let Some((_, name)) = may_be_left_out.into_iter().find(|(tag, _)| *tag == element.tag) {
            self.implied.entry((parent, name)).or_insert(node);
        }
        // `:empty` needs to know that the element has text.
        if element.subtree_end as usize == id.index() + 1 && element.content < element.close {
            self.sink.append(&node, NodeOrText::AppendText("…".into()));
        }
        self.nodes.push(node);
    }

    /// The parent of an element. It is added if the page leaves it out.
    fn parent(&mut self, id: ElementId) -> Node {
        let element = self.page.element(id);
        let around = element.parent.map(|parent| (self.nodes[parent.index()], self.page.element(parent).tag));
        let html = match around {
            Some((table, Tag::Table)) if element.tag == Tag::Tr => return self.implied(table, "tbody"),
            Some((html, Tag::Html)) => html,
            Some((parent, _)) => return parent,
            None if element.tag == Tag::Html => return self.sink.get_document(),
            None => self.implied(self.sink.get_document(), "html"),
        };
        match element.tag {
            Tag::Head | Tag::Body | Tag::Frameset => html,
            _ => self.implied(html, "body"),
        }
    }

    fn implied(&mut self, parent: Node, name: &'static str) -> Node {
        if let Some(node) = self.implied.get(&(parent, name)) {
            return *node;
        }
        let node = self.node(name, Vec::new());
        self.sink.append(&parent, NodeOrText::AppendNode(node));
        self.implied.insert((parent, name), node);
        node
    }

    fn node(&self, name: &str, attributes: Vec<Attribute>) -> Node {
        let name = QualName::new(None, ns!(html), LocalName::from(name));
        self.sink.create_element(name, attributes, ElementFlags::default())
    }
}

/// The attributes of an element. Of several with the same name, the first counts, as in browsers.
fn attributes(page: &Page, id: ElementId) -> Vec<Attribute> {
    let mut seen = FxHashSet::default();
    let attributes = page.attributes(id).take(MAX_ATTRIBUTES).filter_map(|attribute| {
        let name = QualName::new(None, ns!(), LocalName::from(attribute.name.to_ascii_lowercase()));
        let value = attribute.value();
        let value = &value[..value.floor_char_boundary(MAX_VALUE_BYTES)];
        seen.insert(name.clone()).then(|| Attribute { name, value: value.into() })
    });
    attributes.collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn found(selector: &str, html: &str) -> Vec<String> {
        let page = Page::parse(html.to_owned());
        let found = selector.parse::<CssSelector>().unwrap().select(&page).unwrap();
        found.into_iter().map(|id| page.inner_source(id).to_owned()).collect()
    }

    /// The CPU time of this thread. Other programs on the machine do not affect it.
    fn cpu_time() -> Duration {
        Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).unwrap()
    }

    #[test]
    fn selectors_find_what_browsers_find() {
        let html = "<title>t</title><article id=a1 class='x related-news'><h1>h</h1><p>one<p class=ad>two<p DATA-x='Y&amp;Z'>three\
                    <span></span><span>s</span></article><ul><li>1<li>2<li>3</ul><aside>no</aside>";
        for (selector, expected) in [
            ("article > p:not(.ad)", &["one", "three<span></span><span>s</span>"][..]),
            ("article p:not(article.y p, .ad):has(span)", &["three<span></span><span>s</span>"]),
            ("[class*=\"related\"] > h1, aside", &["h", "no"]),
            ("[data-x='Y&Z'] > :empty", &[""]),
            ("h1 + p, p.ad ~ p > span:not(:empty)", &["one", "s"]),
            ("li:nth-child(2n + 1)", &["1", "3"]),
            ("li:last-of-type", &["3"]),
            ("html > body > ul > li:first-child", &["1"]),
            ("ARTICLE.x#a1 H1", &["h"]),
            ("p:is(.ad, .no)", &["two"]),
            ("body", &[]),
        ] {
            assert_eq!(found(selector, html), expected, "{selector}");
        }
    }

    #[test]
    fn a_table_row_is_in_a_tbody_even_if_the_page_has_none() {
        for html in ["<table><tr><td>a<tr><td>b</table>", "<body><table><tbody><tr><td>a<tr><td>b</tbody></table>"] {
            assert_eq!(found("body > table > tbody > tr:nth-child(2) > td", html), ["b"], "{html}");
        }
    }

    /// Expensive selectors, and pages on which they have much to compare.
    #[test]
    fn no_selector_takes_long_on_a_page() {
        let selectors = [
            "* ".repeat(25),
            "* > ".repeat(25) + "*",
            "x ~ ".repeat(25) + "*",
            "x ".repeat(25) + "*",
            ":not(x *) ".repeat(8) + "*",
            ":not(:not(:not(x ~ * ~ *) ~ *) ~ *)".to_owned(),
            "*:has(x)".to_owned(),
            "*:has(x) *".to_owned(),
            "*:has(x, y z, > b ~ c) ~ * *".to_owned(),
            "*:nth-last-child(7n + 3):nth-of-type(2n) *".to_owned(),
            ":is(a b, i i, i ~ i) ~ i".to_owned(),
        ];
        let pages = [
            "<i>".repeat(90_000),
            "<i></i>".repeat(90_000),
            format!("{}{}", "<div>".repeat(500), "<i></i>".repeat(5_000)),
            format!("{}{}", "<div>".repeat(500), "<b><i></i></b>".repeat(40_000)),
            "<p><b a=1><b a=2><b a=3>".repeat(20_000),
            format!("<a {}>", "x=1 y ".repeat(1 << 20)),
            "<table><tr>".repeat(40_000),
            "<div><i></i></div>".repeat(1_000_000),
        ];
        let check = |html: String| {
            let page = Page::parse(html);
            for selector in &selectors {
                let (selector, began): (CssSelector, _) = (selector.parse().unwrap(), cpu_time());
                let _ = selector.select(&page);
                let took = cpu_time() - began;
                assert!(took < Duration::from_secs(30), "{selector}: {took:?}");
            }
        };
        std::thread::scope(|scope| {
            for html in pages {
                scope.spawn(|| check(html));
            }
        });
    }

    #[test]
    fn long_lists_of_classes_take_limited_time() {
        let names: String = (0..200_000).map(|n| format!("c{n} ")).collect();
        let found = |selector: &str, around: String| {
            let page = Page::parse(around + &"<i></i>".repeat(90_000));
            selector.parse::<CssSelector>().unwrap().select(&page).map(|found| found.len())
        };
        assert_eq!(found(".c7 i", format!("<div class='{names}'>")), Ok(90_000));
        assert_eq!(
            found(".c199999 i", format!("<div class='{names}'>")),
            Ok(0),
            "only the beginning of the class is compared"
        );
        assert_eq!(found(".c7 i", "<div class=c7>".repeat(500)), Ok(90_000));
        assert_eq!(found(".c7 i", format!("<div class='{}'>", &names[..900]).repeat(500)), Err(PageTooLarge));
    }

    #[test]
    fn ordinary_rules_fit_ordinary_large_pages() {
        let item = "<li class=c><div class=say><p>It rained.</p><a href=/>Reply</a></div></li>";
        let page = Page::parse(format!("<div><div><main><ul>{}</ul></main></div></div>", item.repeat(3_000)));
        for selector in [
            "div.say > p:not(.own)",
            "main li:nth-child(2n+1) p",
            "li.c ~ li.c p",
            "li:has(> div.say a)",
            "p:not(li.x p, aside p)",
            "main > ul > li.c > div.say > a:not([href^='#'])",
        ] {
            let found = selector.parse::<CssSelector>().unwrap().select(&page);
            assert!(found.is_ok_and(|found| !found.is_empty()), "{selector}");
        }
    }
}
