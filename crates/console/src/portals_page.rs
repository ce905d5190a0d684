//! The portals of a job: thousands of lines, sorted, filtered and turned over by the address alone.

use goldminer_corpus::figures::thousands;
use maud::{Markup, html};
use serde::Deserialize;

use crate::frame::{address, page};
use crate::job_summary::{JobSummary, PortalLine, State};
use crate::report::percent;
use crate::texts;

/// Lines of a page.
const LINES: usize = 100;

/// What an address asks to see.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct View {
    /// A column; by default, what needs attention comes first.
    sort: String,
    /// `ascending` or `descending`; by default, as people expect of the column.
    order: String,
    /// A part of the name.
    q: String,
    /// One state alone.
    state: String,
    /// From 1.
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

    /// The address of another view: this one with some parameters changed.
    fn with(&self, job: &str, changed: &[(&str, &str)]) -> String {
        let page = self.page.to_string();
        let own = [
            ("sort", self.sort.as_str()),
            ("order", &self.order),
            ("q", &self.q),
            ("state", &self.state),
            ("page", &page),
        ];
        let value =
            |(name, value)| (name, changed.iter().find(|(other, _)| *other == name).map_or(value, |(_, new)| *new));
        let all: Vec<(&str, &str)> =
            own.into_iter().map(value).filter(|(_, value)| !value.is_empty() && *value != "0").collect();
        address(job, "portals", &all)
    }

    /// The portals that fit, in order.
    fn of<'s>(&self, standing: &'s JobSummary) -> Vec<&'s PortalLine> {
        let wanted = self.q.to_lowercase();
        let fits = |line: &&PortalLine| {
            (self.state.is_empty() || line.state.name() == self.state)
                && (wanted.is_empty() || line.name.to_lowercase().contains(&wanted))
        };
        let mut lines: Vec<&PortalLine> = standing.portals.iter().filter(fits).collect();
        let fitness = |line: &PortalLine| line.fitness.unwrap_or(f64::INFINITY);
        // Stable: what is alike stays in the order of the seeds.
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

/// The page of all portals.
pub(super) fn all(job: &str, standing: &JobSummary, view: &View) -> Markup {
    let body = html! { header { h1 { (texts::PORTALS) } } (table(job, standing, view)) };
    page(texts::PORTALS, &[(address(job, "", &[]), job.to_owned())], false, &body)
}

/// The table, with its filter and a part of its lines.
pub(super) fn table(job: &str, standing: &JobSummary, view: &View) -> Markup {
    let lines = view.of(standing);
    let pages = lines.len().div_ceil(LINES).max(1);
    let number = view.page.clamp(1, pages);
    let shown = &lines[(number - 1) * LINES..lines.len().min(number * LINES)];
    html! {
        section #portals {
            h2 { (texts::PORTALS) }
            form.row method="get" action=(address(job, "portals", &[])) {
                label { (texts::FILTER) input name="q" value=(view.q) type="search"; }
                label {
                    (texts::COLUMNS[1].1)
                    select name="state" {
                        option value="" { (texts::EVERY_STATE) }
                        @for (state, portals) in standing.states() {
                            option value=(state.name()) selected[state.name() == view.state] {
                                (texts::state(state).0) " (" (thousands(portals as u64)) ")"
                            }
                        }
                    }
                }
                input type="hidden" name="sort" value=(view.sort);
                input type="hidden" name="order" value=(view.order);
                button type="submit" { (texts::SHOW) }
            }
            @if shown.is_empty() {
                p { (texts::NONE_FITS) }
            } @else {
                div.scroll {
                    table.cards {
                        thead { tr { @for column in texts::COLUMNS { (head(job, view, column)) } } }
                        tbody { @for line in shown { (row(job, line)) } }
                    }
                }
                (pager(job, view, number, pages, lines.len()))
            }
        }
    }
}

fn head(job: &str, view: &View, (name, word, meaning): (&str, &str, &str)) -> Markup {
    let is_sorted = view.sort() == name;
    let order = if view.is_descending() { "descending" } else { "ascending" };
    // Once more on the same column turns it round.
    let next = match (is_sorted, view.is_descending()) {
        (true, true) => "ascending",
        (true, false) => "descending",
        (false, _) => "",
    };
    let href = view.with(job, &[("sort", name), ("order", next), ("page", "")]);
    let is_number = !matches!(name, "name" | "state");
    html! {
        th.number[is_number] scope="col" aria-sort=[is_sorted.then_some(order)] {
            a href={ (href) "#portals" } title=(meaning) { (word) }
        }
    }
}

fn row(job: &str, line: &PortalLine) -> Markup {
    let (word, meaning) = texts::state(line.state);
    let runs = line.state == State::Crawling;
    html! {
        tr {
            td data-label=(texts::COLUMNS[0].1) { a href=(address(job, "portal", &[("name", &line.name)])) { (line.name) } }
            td data-label=(texts::COLUMNS[1].1) {
                span.state.needs[line.state.needs_attention()].runs[runs] title=(meaning) { (word) }
            }
            td.number data-label=(texts::COLUMNS[2].1) { (thousands(line.queued)) }
            td.number data-label=(texts::COLUMNS[3].1) { (thousands(line.pages)) }
            td.number data-label=(texts::COLUMNS[4].1) { (thousands(line.documents)) }
            td.number data-label=(texts::COLUMNS[5].1) { (percent(line.text_yield())) }
            td.number data-label=(texts::COLUMNS[6].1) {
                (line.fitness.map_or_else(|| "–".to_owned(), |fitness| format!("{fitness:.2}")))
            }
        }
    }
}

fn pager(job: &str, view: &View, number: usize, pages: usize, all: usize) -> Markup {
    let to = |page: usize| view.with(job, &[("page", &page.to_string())]);
    html! {
        nav.pager aria-label=(texts::PAGES_OF_PORTALS) {
            @if number > 1 { a href={ (to(number - 1)) "#portals" } rel="prev" { "← " (texts::PAGE_BEFORE) } }
            span { (texts::showing((number - 1) * LINES + 1, all.min(number * LINES), all)) }
            @if number < pages { a href={ (to(number + 1)) "#portals" } rel="next" { (texts::PAGE_AFTER) " →" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::host;
    use crate::testing::standing;

    fn view(parameters: &str) -> View {
        axum::extract::Query::try_from_uri(&format!("/?{parameters}").parse().unwrap()).unwrap().0
    }

    #[test]
    fn what_needs_attention_comes_first_and_any_column_can() {
        let hosts = [
            host("https://a.example", 5, "delay"),
            host("https://b.example", 9, "given-up"),
            host("https://c.example", 7, "delay"),
        ];
        let standing = standing(&hosts);
        let names = |parameters: &str| -> Vec<&str> {
            view(parameters).of(&standing).iter().map(|line| &line.name[..1]).collect()
        };
        assert_eq!(names(""), ["b", "a", "c"]);
        assert_eq!(names("sort=queued"), ["b", "c", "a"]);
        assert_eq!(names("sort=queued&order=ascending"), ["a", "c", "b"]);
        assert_eq!(names("sort=name&order=descending"), ["c", "b", "a"]);
        assert_eq!((names("q=C.EX"), names("state=crawling"), names("q=none")), (vec!["c"], vec!["a", "c"], vec![]));
    }

    #[test]
    fn five_thousand_portals_are_turned_over_a_hundred_at_a_time() {
        let hosts: Vec<_> = (0..5_000).map(|n| host(&format!("https://p{n:04}.example"), 1, "delay")).collect();
        let standing = standing(&hosts);
        let page = |parameters: &str| table("job", &standing, &view(parameters)).into_string();
        let second = page("sort=name&page=2");
        assert!(second.contains("101 to 200 of 5000") && second.contains("p0100.example"), "{}", &second[..3_000]);
        assert!(second.contains("page=3") && second.contains("page=1#portals") && !second.contains("p0200.example"));
        assert!(page("page=999").contains("4901 to 5000 of 5000"), "beyond the end is the end");
    }
}
