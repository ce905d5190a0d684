//! The table of a job's portals. There may be thousands, so the console shows a part of them: sorting, filtering and
//! paging are parameters of the URL.

use goldminer_corpus::figures::thousands;
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::{JobLinks, Medium};
use super::parts::{CHARS, Cell, Column, FITNESS, YIELD, shortened, sortable, table};
use crate::job_summary::{JobSummary, PortalLine, State};
use crate::texts;

/// The most lines of the table on a page of the console; below, the most in a saved page.
const LINES: usize = 100;
const SAVED_LINES: usize = 200;

/// The columns: name in URLs, header, and explanation.
const COLUMNS: [(&str, &str, &str); 7] = [
    ("name", "portal", "The portal's name in the seeds file."),
    ("state", "state", "The state of the portal now. If you sort by it, problems come first."),
    ("queued", "queued", "URLs of the portal's hosts that were found but not requested yet."),
    ("pages", "pages", "Pages of the portal's domains that are stored in the archive."),
    ("documents", "documents", "Articles of the portal's domains in the corpus."),
    ("yield", YIELD.0, YIELD.1),
    ("fitness", FITNESS.0, FITNESS.1),
];

/// The sorting, filtering and paging in a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct View {
    /// The column to sort by. By default, what needs attention comes first.
    sort: String,
    /// `ascending` or `descending`. By default, the usual order of the column.
    order: String,
    /// A part of a portal's name: only portals whose names contain it are shown.
    q: String,
    /// Show only portals in this state.
    state: String,
    /// Number of the page, from 1.
    page: usize,
}

impl View {
    fn sort(&self) -> &str {
        if self.sort.is_empty() { "state" } else { &self.sort }
    }

    fn is_descending(&self) -> bool {
        match self.order.as_str() {
            "ascending" => false,
            "descending" => true,
            _ => !matches!(self.sort(), "name" | "state" | "fitness"),
        }
    }

    /// The URL of this view with some parameters changed.
    fn with(&self, links: JobLinks<'_>, changed: &[(&str, &str)]) -> String {
        let page = if self.page > 0 { self.page.to_string() } else { String::new() };
        let own = [
            ("sort", self.sort.as_str()),
            ("order", &self.order),
            ("q", &self.q),
            ("state", &self.state),
            ("page", &page),
        ];
        let value =
            |(name, value)| (name, changed.iter().find(|(other, _)| *other == name).map_or(value, |(_, new)| *new));
        let all: Vec<(&str, &str)> = own.into_iter().map(value).filter(|(_, value)| !value.is_empty()).collect();
        links.to("portals", &all) + "#portals"
    }

    /// The portals that match the filter, sorted.
    fn of<'s>(&self, summary: &'s JobSummary) -> Vec<&'s PortalLine> {
        let wanted = self.q.to_lowercase();
        let fits = |line: &&PortalLine| {
            (self.state.is_empty() || line.state.name() == self.state)
                && (wanted.is_empty() || line.name.to_lowercase().contains(&wanted))
        };
        let mut lines: Vec<&PortalLine> = summary.portals.iter().filter(fits).collect();
        let fitness = |line: &PortalLine| line.fitness.unwrap_or(f64::INFINITY);
        // Sorting is stable: equal lines stay in the order of the seeds.
        match self.sort() {
            "name" => lines.sort_by(|a, b| a.name.cmp(&b.name)),
            "queued" => lines.sort_by_key(|line| line.queued),
            "pages" => lines.sort_by_key(|line| line.pages),
            "documents" => lines.sort_by_key(|line| line.documents),
            "yield" => lines.sort_by(|a, b| a.text_yield().total_cmp(&b.text_yield())),
            "fitness" => lines.sort_by(|a, b| fitness(a).total_cmp(&fitness(b))),
            _ => lines.sort_by_key(|line| line.state),
        }
        if self.is_descending() {
            lines.reverse();
        }
        lines
    }
}

pub(crate) fn all(links: JobLinks<'_>, summary: &JobSummary, view: &View) -> Markup {
    let table = table_of(Medium::Live(links), summary, view);
    links.page("Portals", &[], &html! { header { h1 { "Portals" } } (table) })
}

/// The section with the table of portals. On the console it has a filter, and shows only one page of the lines.
pub(super) fn table_of(medium: Medium<'_>, summary: &JobSummary, view: &View) -> Markup {
    let lines = view.of(summary);
    html! {
        section #portals data-renewed {
            h2 { "Portals" }
            @match medium.links() {
                Some(links) => { (filter(links, summary, view)) (part(links, &lines, view)) }
                None => {
                    @let columns = sortable(&COLUMNS.map(|(_, word, _)| word), &["portal", "state"], ("state", "ascending"));
                    (table("sortable", &columns, SAVED_LINES, lines.into_iter().map(|line| row(medium, line))))
                }
            }
        }
    }
}

fn filter(links: JobLinks<'_>, summary: &JobSummary, view: &View) -> Markup {
    html! {
        form.row method="get" action=(links.to("portals", &[])) {
            label { "Filter by name" input name="q" value=(view.q) type="search"; }
            label {
                "state"
                select name="state" {
                    option value="" { "all states" }
                    @for (state, portals) in summary.states() {
                        option value=(state.name()) selected[state.name() == view.state] {
                            (texts::state(state).0) " (" (thousands(portals as u64)) ")"
                        }
                    }
                }
            }
            input type="hidden" name="sort" value=(view.sort);
            input type="hidden" name="order" value=(view.order);
            button type="submit" { "Show" }
        }
    }
}

fn part(links: JobLinks<'_>, lines: &[&PortalLine], view: &View) -> Markup {
    let pages = lines.len().div_ceil(LINES).max(1);
    let number = view.page.clamp(1, pages);
    let shown = &lines[(number - 1) * LINES..lines.len().min(number * LINES)];
    let to = |page: usize| view.with(links, &[("page", &page.to_string())]);
    let columns = COLUMNS.map(|column| head(links, view, column));
    html! {
        @if shown.is_empty() {
            p { "No portal matches the filter." }
        } @else {
            (table("", &columns, LINES, shown.iter().map(|line| row(Medium::Live(links), line))))
            @if pages > 1 {
                @let [first, last, all] =
                    [(number - 1) * LINES + 1, lines.len().min(number * LINES), lines.len()].map(|line| thousands(line as u64));
                nav.pager aria-label="More portals" {
                    @if number > 1 { a href=(to(number - 1)) rel="prev" { "← previous" } }
                    span { (first) " to " (last) " of " (all) }
                    @if number < pages { a href=(to(number + 1)) rel="next" { "next →" } }
                }
            }
        }
    }
}

fn head<'a>(links: JobLinks<'_>, view: &View, (name, word, meaning): (&str, &'a str, &str)) -> Column<'a> {
    let is_sorted = view.sort() == name;
    let order = if view.is_descending() { "descending" } else { "ascending" };
    // A second click on the same header reverses the order.
    let next = match (is_sorted, view.is_descending()) {
        (true, true) => "ascending",
        (true, false) => "descending",
        (false, _) => "",
    };
    let href = view.with(links, &[("sort", name), ("order", next), ("page", "")]);
    let head = html! { a href=(href) title=(meaning) { (word) } };
    let is_number = !matches!(name, "name" | "state");
    Column { name: word, is_number, order: is_sorted.then_some(order), head }
}

fn row(medium: Medium<'_>, line: &PortalLine) -> Vec<Cell> {
    let (word, meaning) = texts::state(line.state);
    let runs = line.state == State::Crawling;
    vec![
        Cell::text(medium.link("portal", &[("name", &line.name)], &line.name)),
        Cell::text(html! {
            span.state.needs[line.state.needs_attention()].runs[runs] title=(meaning) { (word) }
            @if let Some(why) = &line.why_none { div.why.bad { (shortened(why, CHARS)) } }
        }),
        Cell::count(line.queued),
        Cell::count(line.pages),
        Cell::count(line.documents),
        Cell::share(line.text_yield()),
        Cell::fitness(line.fitness),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{host, summary};

    fn view(parameters: &str) -> View {
        axum::extract::Query::try_from_uri(&format!("/?{parameters}").parse().unwrap()).unwrap().0
    }

    #[test]
    fn problems_come_first_and_any_column_can_be_sorted() {
        let hosts = [
            host("https://a.example", 5, "delay"),
            host("https://b.example", 9, "given-up"),
            host("https://c.example", 7, "delay"),
        ];
        let summary = summary(&hosts);
        let names = |parameters: &str| -> Vec<&str> {
            view(parameters).of(&summary).iter().map(|line| &line.name[..1]).collect()
        };
        assert_eq!(names(""), ["b", "a", "c"]);
        assert_eq!(names("sort=queued"), ["b", "c", "a"]);
        assert_eq!(names("sort=queued&order=ascending"), ["a", "c", "b"]);
        assert_eq!(names("sort=name&order=descending"), ["c", "b", "a"]);
        assert_eq!((names("q=C.EX"), names("state=crawling"), names("q=none")), (vec!["c"], vec!["a", "c"], vec![]));
    }

    #[test]
    fn portals_are_shown_a_hundred_per_page() {
        let hosts: Vec<_> = (0..5_000).map(|n| host(&format!("https://p{n:04}.example"), 1, "delay")).collect();
        let summary = summary(&hosts);
        let medium = Medium::Live(JobLinks { job: "job", check: "" });
        let page = |parameters: &str| table_of(medium, &summary, &view(parameters)).into_string();
        let second = page("sort=name&page=2");
        assert!(second.contains("101 to 200 of 5,000") && second.contains("p0100.example"), "{}", &second[..3_000]);
        assert!(second.contains("page=3") && second.contains("page=1#portals") && !second.contains("p0200.example"));
        assert!(page("page=999").contains("4,901 to 5,000 of 5,000"), "a page after the end is the last page");
    }
}
