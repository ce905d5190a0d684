//! The layouts of portals. A theme is an HTML file of snippets. This module combines the snippets to pages,
//! in the same way for all themes.
//!
//! A file begins with a description of the theme. Each line `== name` begins a snippet; a backslash at the end of a line
//! joins it with the next line. `{{slot}}` is replaced with the page's text of this name, escaped as text.
//! `{{slot|attr}}` is escaped as an attribute value, and `{{slot|json}}` as a JSON string. A snippet that a file
//! does not have is empty.

use std::sync::LazyLock;

use goldminer_core::ParagraphKind;
use rustc_hash::FxHashMap;

use super::Portal;
use super::feeds::discovery;
use super::html::{attribute, each, json, link, references, text};
use super::place::slug;
use super::view::{ArticlePage, Layout, Link, ListPage, PlainPage, Teaser};
use crate::prose::story::Genre;

/// The snippets of a theme, by their names.
pub(crate) struct Theme(pub(crate) LazyLock<FxHashMap<&'static str, String>>);

pub(super) static BLOG: Theme = Theme(LazyLock::new(|| snippets(include_str!("blog.html"))));
pub(super) static CLASSIC: Theme = Theme(LazyLock::new(|| snippets(include_str!("classic.html"))));
pub(super) static MAGAZINE: Theme = Theme(LazyLock::new(|| snippets(include_str!("magazine.html"))));
pub(crate) static MODERN: Theme = Theme(LazyLock::new(|| snippets(include_str!("modern.html"))));
pub(super) static PRINT: Theme = Theme(LazyLock::new(|| snippets(include_str!("print.html"))));
pub(crate) static TABLES: Theme = Theme(LazyLock::new(|| snippets(include_str!("tables.html"))));

pub(crate) fn snippets(file: &'static str) -> FxHashMap<&'static str, String> {
    let named = file.split("\n== ").skip(1).filter_map(|snippet| snippet.split_once('\n'));
    named.map(|(name, snippet)| (name, snippet.replace("\\\n", ""))).collect()
}

pub(crate) enum Slot {
    Text(String),
    Html(String),
}

use Slot::{Html, Text};

impl From<&str> for Slot {
    fn from(text: &str) -> Self {
        Text(text.to_owned())
    }
}

/// Returns the content of the slot with a given name.
pub(crate) type Slots<'s> = &'s dyn Fn(&str) -> Slot;

impl Layout for Theme {
    fn article(&self, page: &ArticlePage<'_>) -> String {
        self.page("article", &|name| self.of_article(page, name))
    }

    fn list(&self, page: &ListPage<'_>) -> String {
        let page_link = |snippet: &str, path: &Option<String>| {
            let Some(path) = path else { return Html(String::new()) };
            let to = Link { label: page.portal.word(snippet), path: path.clone() };
            Html(self.fill(snippet, &|name| of_link(&to, name)))
        };
        let slots = |name: &str| match name {
            "title" => page.title.as_str().into(),
            "teasers" => self.teasers("teaser", page.portal, &page.teasers),
            "teasers.most_read" => self.teasers("teaser most_read", page.portal, &page.most_read),
            "previous" => page_link(name, &page.previous),
            "next" => page_link(name, &page.next),
            "extras" => self.links("menu item", &page.extras),
            _ => self.of_portal(page.portal, name),
        };
        self.page("list", &|name| match name {
            "box.most_read" => Html(self.fill("box most_read", &slots)),
            _ => slots(name),
        })
    }

    fn plain(&self, page: &PlainPage<'_>) -> String {
        self.page("plain", &|name| match name {
            "title" => page.title.as_str().into(),
            "content" => Html(page.main.clone()),
            "head" if page.noindex => Html(self.fill("noindex", &|_| "".into())),
            _ => self.of_portal(page.portal, name),
        })
    }
}

impl Theme {
    pub(crate) fn fill(&self, snippet: &str, slots: Slots<'_>) -> String {
        let mut rest = self.0.get(snippet).map_or("", String::as_str);
        let mut out = String::with_capacity(2 * rest.len());
        while let Some((before, at)) = rest.split_once("{{")
            && let Some((slot, behind)) = at.split_once("}}")
        {
            let (name, escape) = slot.split_once('|').unwrap_or((slot, ""));
            out.push_str(before);
            match (slots(name), escape) {
                (Html(html), _) => out.push_str(&html),
                (Text(value), "attr") => out.push_str(&attribute(&value)),
                (Text(value), "json") => out.push_str(&json(&value)),
                (Text(value), _) => out.push_str(&text(&value)),
            }
            rest = behind;
        }
        out + rest
    }

    /// A page of the given kind: the snippet with the kind's name, inserted into the snippet `shell`. Some parts of the
    /// shell depend on the kind.
    pub(crate) fn page(&self, kind: &str, slots: Slots<'_>) -> String {
        let page = self.fill("shell", &|name| match name {
            "main" => Html(self.fill(kind, slots)),
            "head" | "right" | "class" => match self.0.get(&*format!("{kind} {name}")) {
                Some(_) => Html(self.fill(&format!("{kind} {name}"), slots)),
                None => slots(name),
            },
            _ => slots(name),
        });
        if self.0.contains_key("references") { references(&page) } else { page }
    }

    fn of_portal(&self, portal: &Portal, name: &str) -> Slot {
        match name {
            "lang" => portal.newsroom.language.code().into(),
            "name" => portal.name.as_str().into(),
            "charset" => Html(portal.charset_meta()),
            "feed" => Html(discovery(portal)),
            "menu" => self.links("menu item", &portal.menu()),
            "services" => self.links("menu item", &portal.services()),
            _ => Text(name.strip_prefix("word.").map_or_else(String::new, |word| portal.word(word))),
        }
    }

    fn links(&self, snippet: &str, links: &[Link]) -> Slot {
        Html(each(links, |link| self.fill(snippet, &|name| of_link(link, name))))
    }

    fn teasers(&self, snippet: &str, portal: &Portal, teasers: &[Teaser]) -> Slot {
        Html(each(teasers.iter().enumerate(), |(at, teaser)| {
            self.fill(snippet, &|name| match name {
                "headline" => teaser.headline.as_str().into(),
                "path" => teaser.path.as_str().into(),
                "link" => Html(link(&teaser.path, &teaser.headline)),
                "lead" => teaser.lead.as_str().into(),
                "day" => teaser.day.as_str().into(),
                "i" => Text(at.to_string()),
                _ => match name.strip_prefix("lead.").and_then(|chars| chars.parse().ok()) {
                    Some(chars) => Text(teaser.short(chars)),
                    None => self.of_portal(portal, name),
                },
            })
        }))
    }

    pub(crate) fn of_article(&self, page: &ArticlePage<'_>, name: &str) -> Slot {
        let slots: Slots<'_> = &|name| self.of_article(page, name);
        let at_path = |path: &Option<String>| {
            let texts = path
                .as_ref()
                .map(|path| self.fill(name, &|name| if name == "path" { path.as_str().into() } else { slots(name) }));
            Html(filled.unwrap_or_default())
        };
        match name {
            "id" => Text(page.id.to_string()),
            "url" => Text(page.portal.absolute(&page.path)),
            "headline" | "title" => page.brief.headline.as_str().into(),
            "lead" => page.brief.lead.as_str().into(),
            "day" => Text(page.brief.published.date().to_string()),
            "published" => Text(page.brief.published.to_string()),
            "date" => Text(page.brief.published.strftime(&self.fill("date", slots)).to_string()),
            "author" => page.author.label.as_str().into(),
            "author.path" => page.author.path.as_str().into(),
            "author.link" => Html(link(&page.author.path, &page.author.label)),
            "section" => page.section.label.as_str().into(),
            "section.path" => page.section.path.as_str().into(),
            "section.link" => Html(link(&page.section.path, &page.section.label)),
            "section.slug" => Text(slug(&page.section.label)),
            "tags" => self.links("tag", &page.tags),
            "tag.classes" => Text(page.tags.iter().map(|tag| format!(" tag-{}", slug(&tag.label))).collect()),
            "print" => at_path(&page.print),
            "second_url" => at_path(&page.second_url),
            "story" => Html(self.fill(
                match page.genre {
                    Genre::Opinion => "opinion",
                    Genre::Live => "live",
                    _ => "report",
                },
                slots,
            )),
            "body" => Html(self.body(page, slots)),
            "paragraphs" => {
                Html(each(&page.body, |(_, paragraph)| self.fill("paragraph", &|_| paragraph.as_str().into())))
            }
            "ticks" => Html(self.ticks(page, slots)),
            "comments" => Html(self.fill("comments", slots)),
            "comments.count" => Text(page.comments.len().to_string()),
            "comments.all" => Html(self.comments(page, slots)),
            "teasers.related" => self.teasers("teaser related", page.portal, &page.related),
            "teasers.most_read" => self.teasers("teaser most_read", page.portal, &page.most_read),
            "teasers.latest" => self.teasers("teaser latest", page.portal, &page.latest),
            "box.related" => Html(self.fill("box related", slots)),
            "box.most_read" => Html(self.fill("box most_read", slots)),
            "box.latest" => Html(self.fill("box latest", slots)),
            _ => self.of_portal(page.portal, name),
        }
    }

    /// The paragraphs after the lead, with the theme's snippets between them. The snippet `after 3` is inserted after
    /// the paragraph with the index 3 (the fourth), and `after half` in the middle. `after paragraph 2` is inserted
    /// after the second paragraph, without counting headings, list items and questions.
    pub(crate) fn body(&self, page: &ArticlePage<'_>, slots: Slots<'_>) -> String {
        let mut out = String::with_capacity(6_000);
        let (mut paragraphs, mut in_list) = (0, false);
        for (at, (kind, paragraph)) in page.body.iter().enumerate() {
            let is_item = *kind == ParagraphKind::ListItem;
            if in_list != is_item {
                out += &self.fill(if is_item { "list begin" } else { "list end" }, slots);
                in_list = is_item;
            }
            let snippet = match kind {
                ParagraphKind::Heading => "heading",
                ParagraphKind::ListItem => "list item",
                ParagraphKind::Quote => "question",
                _ => "paragraph",
            };
            out += &self.fill(snippet, &|_| paragraph.as_str().into());
            out.push('\n');
            if let Html(after) = slots(&format!("after.{at}")) {
                out += &after;
            }
            let mut behind = vec![format!("after {at}")];
            behind.extend((at == page.body.len() / 2).then(|| "after half".to_owned()));
            if snippet == "paragraph" {
                paragraphs += 1;
                behind.push(format!("after paragraph {paragraphs}"));
            }
            for snippet in behind.iter().filter(|snippet| self.0.contains_key(snippet.as_str())) {
                out += &self.fill(snippet, slots);
                out.push('\n');
            }
        }
        if in_list {
            out += &self.fill("list end", slots);
        }
        out
    }

    /// The notes of a live report, each with a time of day.
    fn ticks(&self, page: &ArticlePage<'_>, slots: Slots<'_>) -> String {
        let mut minute = u32::from(page.brief.published.minute().unsigned_abs());
        each(page.body.iter().enumerate(), |(at, (_, paragraph))| {
            minute += 7 + (at as u32 * 5) % 11;
            self.fill("tick", &|name| match name {
                "i" => Text(at.to_string()),
                "time" => Text(format!("{:02}:{:02}", (9 + minute / 60) % 24, minute % 60)),
                "text" => paragraph.as_str().into(),
                _ => slots(name),
            })
        })
    }

    /// The readers' comments. If the theme has snippets for replies, every third comment is a reply to the previous one.
    fn comments(&self, page: &ArticlePage<'_>, slots: Slots<'_>) -> String {
        let ids: usize = self.fill("comment ids", slots).parse().unwrap_or(1);
        let between = self.0.get("comment text between");
        let mut out = String::new();
        for (at, comment) in page.comments.iter().enumerate() {
            let answers = self.0.contains_key("answer begin") && at % 3 == 2;
            if answers {
                out += &self.fill("answer begin", slots);
            } else if at > 0 {
                out += &self.fill("comment end", slots);
            }
            let texts = comment.paragraphs.iter().map(|text| self.fill("comment text", &|_| text.as_str().into()));
            let html = texts.collect::<Vec<_>>().join(between.map_or("\n", String::as_str));
            out += &self.fill("comment", &|name| match name {
                "n" => Text((at + 1).to_string()),
                "comment.id" => Text((page.id * ids + at).to_string()),
                "parity" => if at % 2 == 0 { "even" } else { "odd" }.into(),
                "depth" => if answers { "2" } else { "1" }.into(),
                "nick" => comment.nick.as_str().into(),
                "comment.text" => Html(if between.is_none() { format!("{html}\n") } else { html.clone() }),
                _ => slots(name),
            });
            out.push('\n');
            if answers {
                out += &self.fill("answer end", slots);
            }
        }
        out + &self.fill("comment end", slots)
    }
}

fn of_link(to: &Link, name: &str) -> Slot {
    match name {
        "label" => to.label.as_str().into(),
        "path" => to.path.as_str().into(),
        _ => Html(link(&to.path, &to.label)),
    }
}
