//! The HTML of the profile editor: the blocks of a stored page, each with the possible corrections, and the patterns
//! for a correction, with their effects on other pages.

use goldminer_core::{Document, DomainProfile};
use goldminer_corpus::figures::{counted, thousands};
use maud::{Markup, html};

use super::effects::{Effect, Line, PageChange, metadata};
use super::propose::{EditAction, Proposal};
use crate::pages::frame::JobLinks;
use crate::pages::parts::{FormResult, form_result, more, shortened};
use crate::survey::{Dissection, reason_alone};

/// The most characters of a block that are shown.
const CHARS: usize = 300;
/// The most changed pages that are shown for a pattern.
const EXAMPLES: usize = 12;
/// The most changed lines that are shown of a page, and the lines of an unchanged one.
const LINES: usize = 40;
const BEGINNING: usize = 3;
/// The labels of a document's metadata, in the order of [`metadata`].
const METADATA: [&str; 3] = ["headline", "authors", "date"];

/// The stored page that the editor shows, with the profile to correct.
pub(super) struct EditedPage<'a> {
    pub links: JobLinks<'a>,
    pub url: &'a str,
    pub dissection: &'a Dissection,
    /// None if the page gives no document.
    pub document: Option<&'a Document>,
    pub profile: &'a DomainProfile,
    pub template: Option<usize>,
}

/// The user's choice: a block and what to do with it, and the proposals for that.
pub(super) struct UserChoice {
    pub block: usize,
    pub action: EditAction,
    pub proposals: Vec<Proposal>,
}

impl EditedPage<'_> {
    /// The HTML of the editor. `choice` is the block and the action that the user has chosen, `result` the result of
    /// saving; None if there is none.
    pub(super) fn editor(&self, choice: Option<&UserChoice>, result: Option<&FormResult>) -> Markup {
        let (profile, manual) = (self.profile, self.profile.manual.in_words());
        let body = html! {
            (form_result(result))
            header {
                p.kind { "Correct the profile" }
                h1.url { (shortened(self.url, CHARS)) }
                p.lead {
                    "Choose a block of text and what to do with it. Before anything is saved, you see the effect on \
                     other pages of the domain."
                }
                p.note { (self.profile_now()) }
                @if !manual.is_empty() { p.note { "Manual rules: " @for rule in &manual { code { (rule) } " " } } }
                div.commands {
                    @if profile.version > 0 {
                        a href=(self.links.to("profile.toml", &[("key", &profile.key)])) { "The profile as a file" }
                    }
                    @if profile.version > 1 {
                        @let undo = html! { button type="submit" { "Undo version " (profile.version) } };
                        (self.form("", &[("act", "undo")], &undo))
                    }
                }
            }
            @if let Some(choice) = choice { (self.proposals(choice)) }
            section {
                h2 { "Blocks, kept and cut" }
                @if let Some(document) = self.document {
                    dl.life.about {
                        @for (name, value) in METADATA.iter().zip(metadata(document)) { dt { (name) } dd { (or_none(&value)) } }
                    }
                }
                @for at in 0..self.dissection.blocks.len() { (self.block(at, choice)) }
            }
        };
        self.links.page("Correct the profile", &[(self.links.to("url", &[("url", self.url)]), "A URL")], &body)
    }

    fn profile_now(&self) -> String {
        let (key, version) = (&self.profile.key, self.profile.version);
        match (version, self.template) {
            (0, _) => format!("There is no profile of {key} yet."),
            (version, Some(template)) => format!("Template {template} of {key}, version {version}, gives this text."),
            (version, None) => format!("No template of {key}, version {version}, gives this text."),
        }
    }

    fn block(&self, at: usize, choice: Option<&UserChoice>) -> Markup {
        let block = &self.dissection.blocks[at];
        let is_kept = block.reason.is_kept();
        let first: &[EditAction] = match is_kept {
            true => &[EditAction::Cut, EditAction::Article],
            false => &[EditAction::Keep, EditAction::Article],
        };
        let others = &EditAction::IT_IS[usize::from(block.is_headline)..];
        let is_pointed = choice.is_some_and(|choice| choice.block == at);
        html! {
            div.block.kept[is_kept].boilerplate[!is_kept].pointed[is_pointed] {
                p { (shortened(&block.text, CHARS)) }
                p.numbers { (reason_alone(self.dissection, block)) @for action in first { " · " (self.action(at, *action)) } }
                details.actions {
                    summary { "It is …" }
                    p { @for (place, action) in others.iter().enumerate() { @if place > 0 { " · " } (self.action(at, *action)) } }
                }
            }
        }
    }

    fn action(&self, block: usize, action: EditAction) -> Markup {
        let (block, name) = (block.to_string(), action.name());
        let to = self.links.to("edit", &[("url", self.url), ("block", &block), ("action", &name)]);
        html! { a data-action=(name) href={ (to) "#proposals" } { (action.in_words()) } }
    }

    fn proposals(&self, choice: &UserChoice) -> Markup {
        let (action, all) = (choice.action, choice.proposals.len());
        let is_article = action == EditAction::Article;
        let text = self.dissection.blocks.get(choice.block).map_or("", |block| &block.text);
        html! {
            section #proposals {
                h2 { (action.in_words()) ": " (shortened(text, 80)) }
                p.note {
                    @if all == 0 {
                        "No selector has this effect on the block: no element around it has an id or class, or a rule \
                         for these elements does not change the result."
                    } @else if is_article {
                        "Elements that contain the block. Each is tried on other pages of the domain. Those whose text agrees \
                         best with the page classifier's text on these pages come first."
                    } @else {
                        "CSS selectors for the block, the most specific first. A more general selector changes more pages: check \
                         these pages before you save."
                    }
                }
                @for (place, Proposal { pattern, effect }) in choice.proposals.iter().enumerate() {
                    details.trouble open[all == 1 || is_article && place == 0] {
                        summary {
                            code { (pattern) } " " (changes(effect))
                            @if is_article {
                                ", kept text agrees to " (effect.agreement_percent())
                                " % with that of the page classifier"
                            }
                            (gains(effect))
                        }
                        (self.save(choice.block, action, pattern))
                        @let changed = effect.changed();
                        ul { @for page in changed.iter().take(EXAMPLES) { li { (shortened(&page.page, CHARS)) (change(page)) } } }
                        (more(changed.len(), EXAMPLES))
                    }
                }
            }
        }
    }

    /// A form of the editor. Hidden fields contain the page's URL, and the key and the shown version of the profile.
    fn form(&self, class: &str, fields: &[(&str, &str)], rest: &Markup) -> Markup {
        let version = self.profile.version.to_string();
        let fixed = [("url", self.url), ("key", &self.profile.key), ("version", &version)];
        self.links.form("edit", class, &[&fixed[..], fields].concat(), rest)
    }

    /// The button that saves the choice with one of the proposed patterns.
    fn save(&self, block: usize, action: EditAction, pattern: &str) -> Markup {
        let button = html! { button.main type="submit" name="act" value="save" { "Save as a new version" } };
        self.form("row", &[("action", &action.name()), ("pattern", pattern), ("block", &block.to_string())], &button)
    }
}

/// On how many pages the document changes, in words.
fn changes(effect: &Effect) -> String {
    format!("changes {} of {} other pages", effect.changed().len(), effect.pages.len())
}

/// How many characters the documents gain and lose, and on how many pages headline, authors or date change.
fn gains(effect: &Effect) -> Markup {
    let (gained, lost) = effect.gained_and_lost();
    html! {
        @if gained + lost > 0 {
            ": " span.gained { "+" (thousands(gained)) } " " span.lost { "−" (thousands(lost)) } " characters"
        }
        @for (name, pages) in METADATA.iter().zip(effect.metadata()) {
            @if pages > 0 { ", another " (name) " on " (counted(pages as u64, "page", "pages")) }
        }
    }
}

fn or_none(value: &str) -> Markup {
    shortened(if value.is_empty() { "none" } else { value }, CHARS)
}

/// The changed metadata of a page's document, and its changed texts.
fn change(page: &PageChange) -> Markup {
    html! {
        @for (name, change) in METADATA.iter().zip(&page.metadata) {
            @if let Some((before, after)) = change {
                p { (name) ": " span.lost { del { (or_none(before)) } } " → " span.gained { ins { (or_none(after)) } } }
            }
        }
        @for (tag, text) in shown(page) {
            @match tag {
                Line::Both => { p { (shortened(text, CHARS)) } }
                Line::Gained => { p.gained { ins { "+ " (shortened(text, CHARS)) } } }
                Line::Lost => { p.lost { del { "− " (shortened(text, CHARS)) } } }
            }
        }
    }
}

/// The changed texts; or the first texts of the document, if none changes.
fn shown(page: &PageChange) -> Vec<&(Line, String)> {
    let changed: Vec<&(Line, String)> = page.lines.iter().filter(|(tag, _)| *tag != Line::Both).take(LINES).collect();
    if changed.is_empty() { page.lines.iter().take(BEGINNING).collect() } else { changed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pages_are_shortened_to_what_changes() {
        let line = |at: usize| (if at == 50 { Line::Lost } else { Line::Both }, format!("<b>{at}"));
        let page = PageChange {
            page: "http://a.example/".to_owned(),
            lines: (0..100).map(line).collect(),
            metadata: Default::default(),
            agreed: (0, 0),
        };
        let texts: Vec<&str> = shown(&page).iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["<b>50"]);
        let html = change(&page).into_string();
        assert!(html.contains("<del>− &lt;b&gt;50</del>"), "{html}");
    }
}
