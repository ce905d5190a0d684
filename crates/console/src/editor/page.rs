//! The pages of the profile editor: the blocks of a page, each with what may be wished of it, and the patterns that would do
//! it, with what they change elsewhere; what was chosen, on twelve other pages at once; how extracting again goes on.

use goldminer_core::document::Document;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_corpus::figures::{counted, thousands};
use maud::{Markup, html};

use super::action::EditAction;
use super::effects::{Effect, Line, PageChange};
use super::propose::Proposal;
use crate::pages::frame::{self, JobLinks, address};
use crate::pages::parts::{Said, more, said_of, shortened};
use crate::starts::{StartedStatus, extracted};
use crate::survey::{Dissection, reason_alone};
use crate::texts;

/// Characters of a block.
const CHARS: usize = 300;
/// Changed pages that are shown of a pattern.
const EXAMPLES: usize = 12;
/// Lines of a page around what changes, and in all.
const AROUND: usize = 1;
const LINES: usize = 40;
/// What a document says of itself.
const TOLD: [&str; 3] = ["headline", "authors", "day"];

/// What the editor is about.
pub(super) struct Edited<'a> {
    pub links: JobLinks<'a>,
    pub url: &'a str,
    pub domain: &'a str,
    pub dissection: &'a Dissection,
    /// None if the page gives none.
    pub document: Option<&'a Document>,
    pub profile: &'a DomainProfile,
    pub template: Option<usize>,
    /// Whether the job was extracted again.
    pub has_extracted: bool,
}

/// What was chosen so far.
pub(super) struct Pointed<'a> {
    pub block: usize,
    pub action: EditAction,
    pub proposals: &'a [Proposal],
}

/// A choice that is looked at before it is saved.
pub(super) struct Chosen<'a> {
    pub block: Option<usize>,
    pub action: EditAction,
    pub pattern: &'a str,
}

impl Edited<'_> {
    /// The editor; with what was pointed at, if something was.
    pub(super) fn editor(&self, pointed: Option<&Pointed<'_>>, said: Option<&Said>) -> Markup {
        let (profile, by_hand) = (self.profile, self.profile.manual.in_words());
        let body = html! {
            (said_of(said))
            header {
                p.kind { "Correct the profile" }
                h1.url { (shortened(self.url, CHARS)) }
                p.lead {
                    "Say of a block what should become of it; you see what that does to other pages of the domain before \
                     anything is saved."
                }
                p.note { (self.profile_now()) }
                @if !by_hand.is_empty() { p.note { "by hand: " @for said in &by_hand { code { (said) } " " } } }
                div.orders {
                    a href=(self.links.to("teach", &[("domain", self.domain)])) { "Teach by marking whole pages" }
                    @if profile.version > 0 {
                        a href=(self.links.to("profile.toml", &[("key", &profile.key)])) { "The profile as a file" }
                    }
                    @if profile.version > 1 { (self.undo()) }
                    (self.links.form("again", "", &[], &html! {
                        button type="submit" title=(texts::EXTRACT_AGAIN.1) { (texts::EXTRACT_AGAIN.0) }
                    }))
                }
            }
            @if let Some(pointed) = pointed { (self.proposals(pointed)) }
            section {
                h2 { "What became of each block" }
                (self.about())
                @for at in 0..self.dissection.blocks.len() { (self.block(at, pointed)) }
            }
        };
        self.links.page("Correct the profile", &[self.url_page()], &body)
    }

    /// What a choice does to twelve other pages; without an effect, the profile has no place for it any more.
    pub(super) fn twelve(&self, chosen: &Chosen<'_>, effect: Option<&Effect>, said: Option<&Said>) -> Markup {
        let body = html! {
            (said_of(said))
            header {
                p.kind { "Correct the profile" }
                h1 { (chosen.action.in_words()) ": " code { (shortened(chosen.pattern, CHARS)) } }
                p.note { (self.profile_now()) }
                @match effect {
                    None => { p.said.bad { (texts::NO_CHANGE) } }
                    Some(effect) => {
                        p.lead {
                            (changes(effect)) ". Twelve of them, with what they would gain and lose; those that change come \
                             first. Nothing is saved yet."
                        }
                        (self.save(chosen.block, chosen.action, chosen.pattern))
                    }
                }
            }
            @if let Some(effect) = effect {
                div.twelve {
                    @for page in effect.twelve() {
                        article.card.page {
                            h2 { a href=(self.links.to("edit", &[("url", &page.page)])) { (shortened(&page.page, 80)) } }
                            @if !page.is_changed() { p.note { "This page stays as it is." } }
                            (change(page))
                        }
                    }
                }
            }
        };
        let editor = (self.links.to("edit", &[("url", self.url)]), "Correct the profile");
        self.links.page("Correct the profile", &[self.url_page(), editor], &body)
    }

    fn url_page(&self) -> (String, &'static str) {
        (self.links.to("url", &[("url", self.url)]), "A URL")
    }

    fn profile_now(&self) -> String {
        let (key, version) = (&self.profile.key, self.profile.version);
        match (version, self.template) {
            (0, _) => format!("There is no profile of {key} yet."),
            (version, Some(template)) => format!("Template {template} of {key}, version {version}, cuts this page."),
            (version, None) => format!("No template of {key}, version {version}, cuts this page."),
        }
    }

    /// What the document says of headline, authors and day.
    fn about(&self) -> Markup {
        let values = self.document.map(|document| {
            let about = &document.metadata;
            let day = about.published.as_deref().map(|day| day.chars().take(10).collect());
            [about.title.clone(), Some(about.authors.join(", ")).filter(|names| !names.is_empty()), day]
        });
        html! {
            @if let Some(values) = values {
                dl.life.about {
                    @for (name, value) in TOLD.iter().zip(values) {
                        dt { (name) } dd { (shortened(value.as_deref().unwrap_or("none"), CHARS)) }
                    }
                }
            }
        }
    }

    fn block(&self, at: usize, pointed: Option<&Pointed<'_>>) -> Markup {
        let block = &self.dissection.blocks[at];
        let is_kept = block.fate.is_kept();
        let first: &[EditAction] = match is_kept {
            true => &[EditAction::Cut, EditAction::Article],
            false => &[EditAction::Keep, EditAction::Article],
        };
        let others = &EditAction::IT_IS[usize::from(block.is_headline)..];
        let is_pointed = pointed.is_some_and(|pointed| pointed.block == at);
        html! {
            div.block.kept[is_kept].boilerplate[!is_kept].pointed[is_pointed] {
                p { (shortened(&block.text, CHARS)) }
                p.numbers { (reason_alone(block)) @for action in first { " · " (self.action(at, *action)) } }
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

    fn proposals(&self, pointed: &Pointed<'_>) -> Markup {
        let (action, all) = (pointed.action, pointed.proposals.len());
        let is_article = action == EditAction::Article;
        let text = self.dissection.blocks.get(pointed.block).map_or("", |block| &block.text);
        let block = pointed.block.to_string();
        let trial = |pattern: &str| {
            self.links
                .to("try", &[("url", self.url), ("block", &block), ("action", &action.name()), ("pattern", pattern)])
        };
        html! {
            section #proposals {
                h2 { (action.in_words()) ": " (shortened(text, 80)) }
                @if all == 0 {
                    p { "No pattern would do it: nothing around the block has a name, or another rule than the profile decides." }
                } @else if is_article {
                    p.note {
                        "Places that have it, first those that agree best with what reads like an article on the other pages."
                    }
                } @else {
                    p.note {
                        "Patterns that would do it, the most specific first. The more general one is, the more pages it changes: \
                         look at them."
                    }
                }
                @for (place, Proposal { pattern, effect }) in pointed.proposals.iter().enumerate() {
                    details.trouble open[all == 1 || is_article && place == 0] {
                        summary {
                            code { (pattern) } " " (changes(effect))
                            @if is_article {
                                ", agrees by " (effect.agreement_percent()) " % with what reads like an article there"
                            }
                            (gains(effect))
                        }
                        p.orders {
                            (self.save(Some(pointed.block), action, pattern))
                            a data-try href=(trial(pattern)) { "See twelve pages at once" }
                        }
                        @let changed = effect.changed();
                        ul { @for page in changed.iter().take(EXAMPLES) { li { (shortened(&page.page, CHARS)) (change(page)) } } }
                        (more(changed.len(), EXAMPLES))
                    }
                }
            }
        }
    }

    /// A form of the editor: it says the page, and the version that was looked at.
    fn form(&self, class: &str, fields: &[(&str, &str)], rest: &Markup) -> Markup {
        let version = self.profile.version.to_string();
        let fixed = [("url", self.url), ("key", &self.profile.key), ("version", &version)];
        self.links.form("edit", class, &[&fixed[..], fields].concat(), rest)
    }

    /// The button that saves a choice.
    fn save(&self, block: Option<usize>, action: EditAction, pattern: &str) -> Markup {
        let block = block.map_or_else(String::new, |at| at.to_string());
        let fields = [("action", &*action.name()), ("pattern", pattern), ("block", &block)];
        let fields: Vec<(&str, &str)> = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let button = html! { button.main type="submit" name="act" value="save" { (texts::SAVE) } };
        self.form("row", &fields, &button)
    }

    fn undo(&self) -> Markup {
        let buttons = html! {
            button type="submit" { "Take back version " (self.profile.version) }
            @if self.has_extracted {
                button type="submit" name="again" value="1" { "… and in what was extracted again" }
            }
        };
        self.form("", &[("act", "undo")], &buttons)
    }
}

/// How many pages change.
pub(super) fn changes(effect: &Effect) -> String {
    format!("changes {} of {} other pages", effect.changed().len(), effect.pages.len())
}

/// What the pages gain and lose, and what they say of themselves.
pub(super) fn gains(effect: &Effect) -> Markup {
    let (gained, lost) = effect.gained_and_lost();
    html! {
        @if gained + lost > 0 {
            ": " span.gained { "+" (thousands(gained)) } " " span.lost { "−" (thousands(lost)) } " characters"
        }
        @for (name, pages) in TOLD.iter().zip(effect.told()) {
            @if pages > 0 { ", another " (name) " on " (counted(pages as u64, "page", "pages")) }
        }
    }
}

/// What a document says otherwise, and its lines around what changes.
fn change(page: &PageChange) -> Markup {
    let value = |value: &str| shortened(if value.is_empty() { "none" } else { value }, CHARS);
    html! {
        @for (name, change) in TOLD.iter().zip(&page.told) {
            @if let Some((before, after)) = change {
                p { (name) ": " span.lost { del { (value(before)) } } " → " span.gained { ins { (value(after)) } } }
            }
        }
        @for (is_behind_gap, (tag, text)) in shown(page) {
            @if is_behind_gap { p.gap { "…" } }
            @match tag {
                Line::Both => { p { (shortened(text, CHARS)) } }
                Line::Gained => { p.gained { ins { "+ " (shortened(text, CHARS)) } } }
                Line::Lost => { p.lost { del { "− " (shortened(text, CHARS)) } } }
            }
        }
    }
}

/// The changed lines with those around them, each with whether others were left out before it; of a page whose text does not
/// change, its beginning.
fn shown(page: &PageChange) -> Vec<(bool, &(Line, String))> {
    let changes = |at: usize| page.lines.get(at).is_some_and(|(tag, _)| *tag != Line::Both);
    let is_near = |at: &usize| (at.saturating_sub(AROUND)..=at + AROUND).any(changes);
    let all = 0..page.lines.len();
    let kept: Vec<usize> = match all.clone().any(changes) {
        true => all.filter(is_near).take(LINES).collect(),
        false => all.take(2 + AROUND).collect(),
    };
    let is_behind_gap = |place: usize| match place {
        0 => kept[0] > 0,
        place => kept[place - 1] + 1 < kept[place],
    };
    (0..kept.len()).map(|place| (is_behind_gap(place), &page.lines[kept[place]])).collect()
}

/// How extracting a job's pages again goes on: what the process says, until it has ended. The page loads itself again while it
/// runs.
pub(super) fn again(job: &str, status: Option<&StartedStatus>) -> Markup {
    let (title, lead) = texts::EXTRACT_AGAIN;
    let body = html! {
        header { h1 { (title) } p.lead { (lead) } }
        @match status {
            None => { p { "Since this console was started, the job has not been extracted again." } }
            Some(status) => {
                p.said.bad[status.has_failed] role="status" { (status.ended.as_deref().unwrap_or(texts::EXTRACTS)) }
                @if !status.words.is_empty() { pre.words { (status.words) } }
                @if status.ended.is_some() {
                    p.note { "The corpus is in the folder " (extracted(job)) ", beside the job." }
                }
            }
        }
    };
    let is_running = status.is_some_and(|status| status.ended.is_none());
    frame::live(title, &[(address(job, "", &[]), job)], is_running, &body)
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
            told: Default::default(),
        };
        let told: Vec<(bool, &str)> = shown(&page).iter().map(|(gap, (_, text))| (*gap, text.as_str())).collect();
        assert_eq!(told, [(true, "<b>49"), (false, "<b>50"), (false, "<b>51")]);
        let html = change(&page).into_string();
        assert!(html.contains("<del>− &lt;b&gt;50</del>"), "{html}");
    }
}
