//! The page of a portal: the portal's state in words, its hosts with the possible commands, its queued URLs, its yield,
//! and its errors.

use goldminer_corpus::figures::{bytes, counted, minute, percent, thousands};
use goldminer_crawl::{HostStatus, SiteReport, WaitsFor, name_of};
use maud::{Markup, html};

use super::crawl::by_path;
use super::frame::{JobLinks, Medium};
use super::parts::{
    CHARS, DOCUMENTS, FETCHED, FITNESS, FormResult, QUEUED, ReportProblem, YIELD, card, form_result, measures, more,
    problems, shortened, word,
};
use crate::job_summary::{JobSummary, PortalLine};
use crate::texts;
use crate::words::host::{next_due, reason, span};

/// The most hosts of a portal that are shown.
const HOSTS: usize = 60;

/// A portal and the data of its page.
struct PortalPage<'a> {
    links: JobLinks<'a>,
    line: &'a PortalLine,
    hosts: Vec<&'a HostStatus>,
    summary: &'a JobSummary,
}

pub(crate) fn portal(
    links: JobLinks<'_>,
    summary: &JobSummary,
    line: &PortalLine,
    site: &SiteReport,
    result: Option<&FormResult>,
) -> Markup {
    let hosts: Vec<&HostStatus> = line.hosts.iter().filter_map(|number| summary.hosts.get(*number)).collect();
    let page = PortalPage { links, line, hosts, summary };
    let (disallowed, errors) = ReportProblem::disallowed_and_failed(site);
    let body = html! {
        (form_result(result))
        (page.head())
        div.cards-row {
            (card(FETCHED, thousands(line.pages)))
            (card(DOCUMENTS, thousands(line.documents)))
            (card(QUEUED, thousands(line.queued)))
            (card(YIELD, percent(line.text_yield())))
            @if let Some(fitness) = line.fitness { (card(FITNESS, format!("{fitness:.2}"))) }
        }
        section {
            h2 { "Hosts" }
            @if page.hosts.len() > 1 { (page.all_hosts()) }
            @for host in page.hosts.iter().take(HOSTS) { (page.host(host)) }
            (more(page.hosts.len(), HOSTS))
            (links.form("command", "row", &[("portal", &line.name)], &html! {
                label { "Add a start page (its URL)" input name="url" type="url" required size="40"; }
                button type="submit" name="command" value="add" { "Add" }
                span.note { "An added start page cannot be removed, but you can pause or block its host." }
            }))
        }
        @if !site.queue.is_empty() {
            @let lines: Vec<_> = site.queue.iter().map(|(path, urls)| (shortened(path, CHARS), *urls)).collect();
            section { h2 { "Queued URLs by path" } (measures(&lines)) }
        }
        @if !site.prefixes.is_empty() { section { h2 { "Yield by path" } (by_path(&site.prefixes, &summary.hosts)) } }
        @if !errors.is_empty() { section { h2 { "Errors" } (problems(Medium::Live(links), &errors)) } }
        @if !disallowed.is_empty() { section { h2 { "Disallowed by robots.txt" } (problems(Medium::Live(links), &disallowed)) } }
        @if !site.pages.is_empty() {
            section #pages {
                h2 { "Latest pages" }
                ul.others {
                    @for (at, url) in &site.pages {
                        li { a href=(links.to("url", &[("url", url)])) { (shortened(url, CHARS)) } span.why { (minute(*at)) " UTC" } }
                    }
                }
            }
        }
        @if !site.is_whole { p.note { "The portal has too many URLs to read them all: these lists are based on a part of them." } }
    };
    links.page(&line.name, &[(links.to("portals", &[]), "Portals")], &body)
}

impl PortalPage<'_> {
    fn head(&self) -> Markup {
        let line = self.line;
        let (state, meaning) = texts::state(line.state);
        let next = self.hosts.iter().filter(|host| host.next_due.is_some()).min_by_key(|host| host.next_due);
        html! {
            header {
                h1 { (line.name) " " span.state.needs[line.state.needs_attention()] { (state) } }
                p.lead { (meaning) @if let Some(why) = &line.why_none { " Reason: " (why) "." } }
                p {
                    @match next {
                        Some(_) if !self.summary.is_running => "The crawl is not running.",
                        Some(host) => {
                            @let now = self.summary.at;
                            "Next request: " (next_due(host, now)) ", to " (host.host.as_str()) " (" (reason(host, now)) ")."
                        }
                        None => "No request is scheduled."
                    }
                }
                @if let Some(to) = &line.moved_to { p { "Its start page has moved to " (to) } }
                @if let Some(last) = line.last_news { p.note { "Last new URL: " (minute(last)) " UTC" } }
                @if line.left_out > 0 { p.note { (counted(line.left_out, "URL", "URLs")) " of its sitemaps were left out (too many)." } }
            }
        }
    }

    /// A form that executes a command for hosts. `hosts` are their names, separated by spaces.
    fn form(&self, hosts: &str, rest: &Markup) -> Markup {
        self.links.form("command", "", &[("portal", &self.line.name), ("host", hosts)], rest)
    }

    /// A button that executes a command for hosts. Screen readers read out `called` instead of the names of the hosts.
    fn button(&self, name: &str, word: &str, hosts: &str, called: &str) -> Markup {
        let label = format!("{word}: {called}");
        self.form(hosts, &html! { button type="submit" name="command" value=(name) aria-label=(label) { (word) } })
    }

    /// The buttons for all hosts. Each applies only to the hosts whose state it changes.
    fn all_hosts(&self) -> Markup {
        let is_held = |host: &&&HostStatus| matches!(host.waits_for, WaitsFor::Paused | WaitsFor::Blocked);
        let (held, free): (Vec<&HostStatus>, Vec<&HostStatus>) = self.hosts.iter().partition(|host| is_held(host));
        let button = |name, word, hosts: &[&HostStatus]| {
            let names: Vec<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
            html! { @if !names.is_empty() { (self.button(name, word, &names.join(" "), "all of its hosts")) } }
        };
        html! {
            p { "All hosts:" }
            div.commands {
                (button("resume", "Resume", &held)) (button("pause", "Pause", &free)) (button("block", "Block", &free))
            }
        }
    }

    /// A host: its state, the time of the next request and the reason, and the possible commands.
    fn host(&self, host: &HostStatus) -> Markup {
        let (name, now) = (host.host.as_str(), self.summary.at);
        let is_held =
            matches!(host.waits_for, WaitsFor::Paused | WaitsFor::Blocked | WaitsFor::Refusals | WaitsFor::GivenUp);
        let delays = html! {
            input name="delay" size="6" placeholder="20s" aria-label={ "delay: " (name) };
            button type="submit" name="command" value="delay" aria-label={ "Set delay: " (name) } { "Set delay" }
            @if host.own_delay.is_some() {
                button type="submit" name="command" value="default-delay" formnovalidate aria-label={ "Reset delay: " (name) } {
                    "Reset delay"
                }
            }
        };
        html! {
            div.host data-host=(name) {
                h3 { (name) }
                p {
                    b { (reason(host, now)) } @if self.summary.is_running && host.next_due.is_some() { "; next " (next_due(host, now)) }
                    " · " (counted(host.queued, "URL queued", "URLs queued"))
                    " · " (word(("delay", "The pause between a response and the next request."))) " " (span(host.delay))
                    @if let Some(asked) = host.crawl_delay { " (its robots.txt asks for " (span(asked)) ")" }
                    " · " (counted(host.requests, "request", "requests")) ", " (bytes(host.bytes))
                    " · robots.txt: " (word(texts::robots(host.robots)))
                }
                @if let Some(trouble) = &host.trouble {
                    p.note { (trouble.failure().to_string()) @if let Some(hint) = trouble.cause.hint() { "; " (hint) } }
                }
                @if let Some(of) = &host.alias_of { p.note { "Another name of " (of.as_str()) ", which is requested instead" } }
                @for closed in &host.closed { p.note { "Skipped URLs: " code { (closed.pattern) } " (" (name_of(&closed.rule)) ")" } }
                div.commands {
                    @if is_held { (self.button("resume", "Resume", name, name)) }
                    @if host.waits_for != WaitsFor::Paused { (self.button("pause", "Pause", name, name)) }
                    @if host.waits_for != WaitsFor::Blocked { (self.button("block", "Block", name, name)) }
                    (self.form(name, &delays))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_stopped_crawl_announces_no_request() {
        let mut host = testing::host("https://a.example", 1, "nothing");
        host["next_due"] = "2026-11-20T11:00:00Z".into();
        let hosts = [host];
        let mut report = testing::report(&hosts);
        let page = |report: &serde_json::Value| {
            let summary = testing::summary_of(report, &hosts);
            let links = JobLinks { job: "job", check: "" };
            portal(links, &summary, &summary.portals[0], &SiteReport::default(), None).into_string()
        };
        assert!(page(&report).contains("Next request: now"));
        report["running"] = false.into();
        let stopped = page(&report);
        assert!(stopped.contains("The crawl is not running.") && !stopped.contains("next now"), "{stopped}");
    }
}
