//! `goldminer try --select`: shows the elements of a page that match a CSS selector, before it becomes a rule of a
//! profile.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use goldminer_core::Extractor;
use goldminer_core::goldminer::rules::{CssSelector, SelectorError};
use goldminer_html::{ElementId, Page};
use serde::Serialize;
use serde_json::json;

use super::profile::read_page;
use super::try_page::page_of_web;
use crate::cli::TryArgs;
use crate::commands::terminal::style::{FAINT, KEPT, TITLE, styled};
use crate::commands::{Exit, UsageError, counted, output};

/// The most elements that are shown.
const SHOWN: usize = 20;
/// The most characters of an element's text that are shown, and the most bytes of its source that are read for this.
const TEXT_CHARS: usize = 100;
const TEXT_BYTES: usize = 4_000;

#[derive(Serialize)]
struct SelectedElement {
    /// The path of elements from the root to this one, each with its id and classes.
    path: String,
    /// The beginning of the element's text.
    text: String,
}

/// Runs `goldminer try --select`.
///
/// # Errors
/// When the selector is invalid, or the page cannot be read or is too large for selectors.
pub(crate) fn run(args: &TryArgs, selector: &str) -> anyhow::Result<Exit> {
    let wrong = |wrong: SelectorError| UsageError::of(format!("--select: column {}: {wrong}", wrong.at + 1));
    let selector: CssSelector = selector.parse().map_err(wrong)?;
    let page = match Path::new(&args.page).is_file() {
        true => read_page(None, &args.page, args.url.as_deref())?,
        false => page_of_web(&args.page, &args.network)?,
    };
    let page = Extractor::read(&page.source()).context("the page is not HTML: there is nothing to select")?;
    let found = selector.select(&page).context(args.page.clone())?;
    let elements: Vec<_> = found.iter().take(SHOWN).map(|id| SelectedElement::of(&page, *id)).collect();
    let as_json = json!({ "page": args.page, "selector": selector, "count": found.len(), "elements": elements });
    output::answer(args.json, &as_json, || {
        let count = counted(found.len() as u64, "element", "elements");
        let mut text = format!("{}  {count} on {}\n", styled(TITLE, &selector), args.page);
        for element in &elements {
            let _ = writeln!(text, "  {}\n    {}", styled(FAINT, &element.path), styled(KEPT, &element.text));
        }
        if found.len() > SHOWN {
            let _ = writeln!(text, "  and {} more", found.len() - SHOWN);
        }
        text
    })?;
    Ok(if found.is_empty() { Exit::Failed } else { Exit::Done })
}

impl SelectedElement {
    fn of(page: &Page, id: ElementId) -> Self {
        let mut steps: Vec<String> = page.ancestors_and_self(id).map(|id| step(page, id)).collect();
        steps.reverse();
        let source = page.inner_source(id);
        let inside = Page::parse(source[..source.floor_char_boundary(TEXT_BYTES)].to_owned());
        let texts = inside.paragraphs().iter().flat_map(|paragraph| paragraph.text.split_whitespace());
        let text: String = texts.collect::<Vec<_>>().join(" ").chars().take(TEXT_CHARS).collect();
        Self { path: steps.join(" > "), text }
    }
}

/// An element's name with its id and classes.
fn step(page: &Page, id: ElementId) -> String {
    let marks = page.marks(id);
    let classes = marks.classes().map(|class| format!(".{class}"));
    let id_mark = marks.id.iter().map(|id| format!("#{}", id.trim()));
    id_mark.chain(classes).fold(page.name(id).into_owned(), |step, mark| step + &mark)
}
