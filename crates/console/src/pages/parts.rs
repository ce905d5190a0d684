//! Parts that several pages have: tables, bars beside numbers, cards, results of forms, shortened texts.

use goldminer_corpus::figures::{bytes, percent, thousands};
use goldminer_crawl::health::site::{Example, FailureGroup};
use goldminer_crawl::{Done, SiteReport, name_of};
use maud::{Markup, Render, html};

use super::frame::Medium;

/// The result of a form: messages on success, or an error.
pub(crate) type FormResult = Result<Vec<String>, String>;

/// The most characters that are shown of a URL, a title or a note.
pub(crate) const CHARS: usize = 140;

/// A technical term, and its explanation in a sentence.
pub(crate) type Word<'a> = (&'a str, &'a str);

pub(crate) const FETCHED: Word<'_> = ("pages", "Pages stored in the archive.");
pub(crate) const DOCUMENTS: Word<'_> = ("documents", "Articles in the corpus.");
pub(crate) const QUEUED: Word<'_> = ("URLs queued", "Found, but not requested yet.");
pub(crate) const YIELD: Word<'_> = ("yield", "Bytes of text in the corpus, in per cent of the bytes received.");
pub(crate) const FITNESS: Word<'_> = (
    "fitness",
    "How well the text that the profile keeps agrees with the text that jusText classifies as good, from 0 to 1.",
);

/// A term that shows its explanation on hover and on focus.
pub(crate) fn word((word, meaning): Word<'_>) -> Markup {
    html! { abbr tabindex="0" title=(meaning) { (word) } }
}

/// A text, visibly shortened if it has more than this many characters.
pub(crate) fn shortened(text: &str, chars: usize) -> Markup {
    match text.char_indices().nth(chars) {
        None => html! { (text) },
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            html! { (text[..end]) "…" span.rest { " +" (rest) " characters" } }
        }
    }
}

/// A note on how many of the `all` lines of a list are not shown; nothing if all are.
pub(crate) fn more(all: usize, shown: usize) -> Markup {
    html! { @if all > shown { p.note { "… and " (thousands((all - shown) as u64)) " more." } } }
}

/// The result of a form.
pub(crate) fn form_result(result: Option<&FormResult>) -> Markup {
    html! {
        @match result {
            Some(Ok(done)) => { @for line in done { p.result role="status" { (line) } } }
            Some(Err(why)) => { p.result.bad role="alert" { (why) } }
            None => {}
        }
    }
}

/// A card with a large number, and the term for it below.
pub(crate) fn card(what: Word<'_>, value: impl Render) -> Markup {
    html! { div.card { p.big { (value) } p { (word(what)) } } }
}

/// A list of numbers, each with a label and a bar in proportion to the largest number.
pub(crate) fn measures(lines: &[(Markup, u64)]) -> Markup {
    let most = lines.iter().map(|(_, number)| *number).max().unwrap_or(0).max(1) as f64;
    html! {
        ul.measures {
            @for (what, number) in lines {
                li {
                    span.what { (what) }
                    span.measure { span style={ "width:" (format!("{:.2}", 100.0 * *number as f64 / most)) "%" } {} }
                    b { (thousands(*number)) }
                }
            }
        }
    }
}

/// URLs that failed in the same way.
pub(crate) struct ReportProblem {
    /// What happened.
    pub what: String,
    /// The state of these URLs, such as `gone` or `tried again`.
    pub account: String,
    /// Number of URLs.
    pub urls: u64,
    /// Examples of URLs, with their notes.
    pub examples: Vec<(String, Option<String>)>,
}

impl ReportProblem {
    fn of(group: &FailureGroup) -> Self {
        // The note of a disallowed URL is the rule, which names its group.
        let note = |example: &Example| example.note.clone().filter(|note| *note != group.cause);
        Self {
            what: group.cause.clone(),
            account: match group.done {
                // The heading already says so.
                Some(Done::Disallowed) => String::new(),
                Some(done) => name_of(&done),
                None => "tried again".to_owned(),
            },
            urls: group.urls,
            examples: group.examples.iter().map(|example| (example.url.clone(), note(example))).collect(),
        }
    }

    /// The URLs that robots.txt disallows, and those that failed.
    pub(crate) fn disallowed_and_failed(site: &SiteReport) -> (Vec<Self>, Vec<Self>) {
        let is_disallowed = |group: &&FailureGroup| group.done == Some(Done::Disallowed);
        let (disallowed, failed): (Vec<_>, Vec<_>) = site.failures.iter().partition(is_disallowed);
        (disallowed.into_iter().map(Self::of).collect(), failed.into_iter().map(Self::of).collect())
    }
}

/// Each kind of problem with its examples. Only the first is unfolded.
pub(crate) fn problems(medium: Medium<'_>, problems: &[ReportProblem]) -> Markup {
    html! {
        @for (number, problem) in problems.iter().enumerate() {
            details.trouble open[number == 0] {
                summary {
                    b { (thousands(problem.urls)) } " " span.title { (shortened(&problem.what, CHARS)) } " "
                    span.source { (problem.account) }
                }
                ul {
                    @for (url, note) in &problem.examples {
                        li {
                            (medium.link("url", &[("url", url)], shortened(url, CHARS)))
                            @if let Some(note) = note { br; span.source { (shortened(note, CHARS)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A column of a table. `order` is `ascending` or `descending` if the lines are sorted by this column.
pub(crate) struct Column<'a> {
    pub name: &'a str,
    pub is_number: bool,
    pub order: Option<&'a str>,
    pub head: Markup,
}

/// The columns `names` of a table that a click on a header sorts. All except `texts` contain numbers. `by` is the
/// column by which the lines are sorted already, and its order.
pub(crate) fn sortable<'a>(names: &[&'a str], texts: &[&str], by: (&str, &'a str)) -> Vec<Column<'a>> {
    let column = |name: &&'a str| Column {
        name,
        is_number: !texts.contains(name),
        order: (*name == by.0).then_some(by.1),
        head: html! { button type="button" { (name) } },
    };
    names.iter().map(column).collect()
}

/// A cell of a table: its content, and the value by which it is sorted.
pub(crate) struct Cell {
    /// Whether lines may break anywhere in its text.
    is_wide: bool,
    value: Option<f64>,
    shown: Markup,
}

impl Cell {
    pub(crate) fn text(shown: impl Render) -> Self {
        Self { is_wide: false, value: None, shown: shown.render() }
    }

    pub(crate) fn wide(shown: impl Render) -> Self {
        Self { is_wide: true, ..Self::text(shown) }
    }

    pub(crate) fn number(value: f64, shown: impl Render) -> Self {
        Self { value: Some(value), ..Self::text(shown) }
    }

    /// A cell with a number, or with a dash if there is none. A dash is sorted as the smallest number.
    pub(crate) fn perhaps(value: Option<f64>, shown: impl Fn(f64) -> String) -> Self {
        Self::number(value.unwrap_or(-1.0), value.map_or_else(|| "–".to_owned(), shown))
    }

    pub(crate) fn count(count: u64) -> Self {
        Self::number(count as f64, thousands(count))
    }

    pub(crate) fn bytes(count: u64) -> Self {
        Self::number(count as f64, bytes(count))
    }

    pub(crate) fn share(share: f64) -> Self {
        Self::number(share, percent(share))
    }

    pub(crate) fn fitness(value: Option<f64>) -> Self {
        Self::perhaps(value, |value| format!("{value:.2}"))
    }
}

/// A table with at most `most` lines, and a note on the others. On narrow screens each line becomes a card, with the
/// column names beside the values.
pub(crate) fn table<R: IntoIterator<Item = Vec<Cell>>>(
    class: &str,
    columns: &[Column<'_>],
    most: usize,
    lines: R,
) -> Markup {
    let mut lines = lines.into_iter();
    let shown: Vec<Vec<Cell>> = lines.by_ref().take(most).collect();
    html! {
        div.scroll {
            table class={ "cards " (class) } {
                thead { tr {
                    @for column in columns { th.number[column.is_number] scope="col" aria-sort=[column.order] { (column.head) } }
                } }
                tbody { @for line in &shown { (line_of(columns, line)) } }
            }
        }
        (more(shown.len() + lines.count(), shown.len()))
    }
}

fn line_of(columns: &[Column<'_>], cells: &[Cell]) -> Markup {
    html! {
        tr {
            @for (column, cell) in columns.iter().zip(cells) {
                td.number[column.is_number].wide[cell.is_wide] data-label=(column.name) data-value=[cell.value] {
                    (cell.shown)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_say_how_much_is_missing_and_are_escaped() {
        assert_eq!(shortened("<b>", 3).into_string(), "&lt;b&gt;");
        assert_eq!(shortened("áéíóű<", 3).into_string(), "áéí…<span class=\"rest\"> +3 characters</span>");
    }
}
