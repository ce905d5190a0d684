//! What was chosen, on twelve other pages at once: each page's text with what it would gain and lose, and headline, authors
//! and day before and after; then the button that saves it.

use maud::{Markup, html};

use crate::edit_action::EditAction;
use crate::editor_parts::{Edited, said_of, save, told};
use crate::effects::{Beside, Line};
use crate::frame::{address, page};
use crate::guard::Guard;
use crate::portal_page::Said;
use crate::report::shortened;
use crate::texts;

/// Characters of a line, and lines of a page around what changes.
const CHARS: usize = 200;
const AROUND: usize = 1;
/// Lines of a page.
const LINES: usize = 40;

/// What was chosen.
pub(super) struct Chosen<'a> {
    pub block: Option<usize>,
    pub action: EditAction,
    pub pattern: &'a str,
    /// Pages that it was tried on.
    pub tried: usize,
}

/// The page; without pages where the profile has no place for the choice any more.
pub(super) fn twelve(
    guard: &Guard,
    edited: &Edited<'_>,
    chosen: &Chosen<'_>,
    twelve: Option<&(Vec<Beside>, usize)>,
    said: Option<&Said>,
) -> Markup {
    let body = html! {
        (said_of(said))
        header {
            p.kind { (texts::EDITOR) }
            h1 { (texts::action(chosen.action)) ": " code { (shortened(chosen.pattern, CHARS)) } }
            p.note { (texts::edited_profile(&edited.profile.key, edited.profile.version, edited.template)) }
            @match twelve {
                None => { p.said.bad { (texts::NO_CHANGE) } }
                Some((_, changed)) => {
                    p.lead { (texts::effect(*changed, chosen.tried)) ". " (texts::TWELVE) }
                    (save(guard, edited, chosen.block, chosen.action, chosen.pattern))
                }
            }
        }
        @if let Some((pages, _)) = twelve {
            div.twelve { @for beside in pages { (one(edited.job, beside)) } }
        }
    };
    let trail = [
        (address(edited.job, "", &[]), edited.job.to_owned()),
        (address(edited.job, "url", &[("url", edited.url)]), texts::A_URL.to_owned()),
        (address(edited.job, "edit", &[("url", edited.url)]), texts::EDITOR.to_owned()),
    ];
    page(texts::EDITOR, &trail, false, &body)
}

fn one(job: &str, beside: &Beside) -> Markup {
    html! {
        article.card.page {
            h2 { a href=(address(job, "edit", &[("url", &beside.page)])) { (shortened(&beside.page, 80)) } }
            @if !beside.is_changed { p.note { (texts::AS_BEFORE) } }
            (told(&beside.told))
            @for (at, (line, text)) in shown(beside) {
                @if at { p.gap { "…" } }
                @match line {
                    Line::Both => { p { (shortened(text, CHARS)) } }
                    Line::Gained => { p.gained { ins { "+ " (shortened(text, CHARS)) } } }
                    Line::Lost => { p.lost { del { "− " (shortened(text, CHARS)) } } }
                }
            }
        }
    }
}

/// The changed lines with those around them, each with whether others were left out before it; of a page that does not
/// change, its beginning.
fn shown(beside: &Beside) -> Vec<(bool, &(Line, String))> {
    let changes = |at: usize| beside.lines.get(at).is_some_and(|(line, _)| *line != Line::Both);
    let is_near = |at: usize| (at.saturating_sub(AROUND)..=at + AROUND).any(changes);
    let has_changes = (0..beside.lines.len()).any(changes);
    let kept: Vec<usize> = match has_changes {
        true => (0..beside.lines.len()).filter(|at| is_near(*at)).take(LINES).collect(),
        false => (0..beside.lines.len()).take(2 + AROUND).collect(),
    };
    let is_behind_gap = |place: usize| match place {
        0 => kept[0] > 0,
        place => kept[place - 1] + 1 < kept[place],
    };
    (0..kept.len()).map(|place| (is_behind_gap(place), &beside.lines[kept[place]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pages_are_shortened_to_what_changes() {
        let line = |at: usize| (if at == 50 { Line::Lost } else { Line::Both }, format!("<b>{at}"));
        let beside = Beside {
            page: "http://a.example/".to_owned(),
            lines: (0..100).map(line).collect(),
            told: Default::default(),
            is_changed: true,
        };
        let told: Vec<(bool, &str)> = shown(&beside).iter().map(|(gap, (_, text))| (*gap, text.as_str())).collect();
        assert_eq!(told, [(true, "<b>49"), (false, "<b>50"), (false, "<b>51")]);
        let html = one("job", &beside).into_string();
        assert!(html.contains("<del>− &lt;b&gt;50</del>"), "{html}");
    }
}
