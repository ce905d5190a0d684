//! Politeness as a picture and a table.

use maud::{Markup, html};

use super::figure::{seconds, thousands};
use super::frame::{heads, more};
use super::plot::Bars;
use super::politeness::{EDGES, HostPoliteness};

/// Lines of the table; the others are counted.
const MAX_LINES: usize = 200;

/// The gaps between the requests to each host, held against the delays that were asked for. `measured_all`: over all
/// requests, not the latest alone.
pub(super) fn politeness(hosts: &[HostPoliteness], measured_all: bool) -> Markup {
    let histogram = hosts.iter().fold([0_u64; EDGES.len() + 1], |mut sum, host| {
        sum.iter_mut().zip(host.histogram).for_each(|(sum, gaps)| *sum += gaps);
        sum
    });
    // A bar below the delay is of gaps that are too short.
    let bars: Vec<[f64; 4]> = histogram
        .iter()
        .enumerate()
        .map(|(at, gaps)| {
            if EDGES.get(at).is_some_and(|edge| *edge <= 1.0) {
                [0.0, 0.0, 0.0, *gaps as f64]
            } else {
                [*gaps as f64, 0.0, 0.0, 0.0]
            }
        })
        .collect();
    let below = |place: f64| match place as usize {
        0 => "0".to_owned(),
        at => EDGES.get(at - 1).map_or_else(String::new, |edge| format!("{edge}")),
    };
    html! {
        section {
            h2 { "Politeness" }
            p.lead {
                "From the end of a host's response to the next request to it, as the archive's times tell"
                @if !measured_all { " (the latest requests)" }
                ". A delay has a jitter of up to a tenth, which is added to it."
            }
            @if histogram.iter().sum::<u64>() > 0 {
                figure.narrow {
                    figcaption { "Gaps, as multiples of the delay that was asked for; " span.key.bad { "too short" } }
                    (Bars {
                        says: "gaps between requests to a host as multiples of the delay",
                        bars: &bars,
                        below: &below,
                        labels: 11,
                        beside: &|height| thousands(height as u64),
                    }.draw())
                }
            }
            div.scroll {
                table.sortable.cards {
                    (heads(&HEADS, ("requests", "descending")))
                    tbody { @for host in hosts.iter().take(MAX_LINES) { (line(host)) } }
                }
            }
            (more(hosts.len(), MAX_LINES))
        }
    }
}

const HEADS: [(&str, &str); 6] = [
    ("host", ""),
    ("delay", "number"),
    ("shortest gap", "number"),
    ("median gap", "number"),
    ("too short", "number"),
    ("requests", "number"),
];

fn line(host: &HostPoliteness) -> Markup {
    let gap = |name: &str, gap: Option<f64>| {
        html! {
            td.number data-label=(name) data-value=(gap.unwrap_or(-1.0)) { (gap.map_or_else(|| "–".to_owned(), seconds)) }
        }
    };
    html! {
        tr {
            td data-label="host" { (host.host) }
            td.number data-label="delay" data-value=(host.delay_seconds) {
                (seconds(host.delay_seconds))
                @if host.crawl_delay_seconds.is_some_and(|asked| asked >= host.delay_seconds) { " (robots.txt)" }
            }
            (gap("shortest gap", host.least_seconds))
            (gap("median gap", host.median_seconds))
            td.number data-label="too short" data-value=(host.too_short) { (thousands(host.too_short)) }
            td.number data-label="requests" data-value=(host.requests) { (thousands(host.requests)) }
        }
    }
}
