//! Politeness as a picture and a table.

use goldminer_corpus::figures::{duration, thousands};
use jiff::SignedDuration;
use maud::{Markup, html};

use super::parts::{Cell, sortable, table};
use super::plots::Bars;
use crate::survey::{EDGES, HostPoliteness};

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
    let is_short = |at: usize| EDGES.get(at).is_some_and(|edge| *edge <= 1.0);
    let bar = |(at, gaps): (usize, &u64)| match is_short(at) {
        true => [0.0, 0.0, 0.0, *gaps as f64],
        false => [*gaps as f64, 0.0, 0.0, 0.0],
    };
    let bars: Vec<[f64; 4]> = histogram.iter().enumerate().map(bar).collect();
    let below = |place: f64| match place as usize {
        0 => "0".to_owned(),
        at => EDGES.get(at - 1).map_or_else(String::new, |edge| format!("{edge}")),
    };
    let names = ["host", "delay", "shortest gap", "median gap", "too short", "requests"];
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
            (table("sortable", &sortable(&names, &["host"], ("requests", "descending")), MAX_LINES, hosts.iter().map(line)))
        }
    }
}

fn line(host: &HostPoliteness) -> Vec<Cell> {
    let told = |seconds: f64| duration(SignedDuration::try_from_secs_f64(seconds).unwrap_or_default());
    let gap = |gap: Option<f64>| Cell::number(gap.unwrap_or(-1.0), gap.map_or_else(|| "–".to_owned(), told));
    let is_by_robots = host.crawl_delay_seconds.is_some_and(|asked| asked >= host.delay_seconds);
    let delay = format!("{}{}", told(host.delay_seconds), if is_by_robots { " (robots.txt)" } else { "" });
    vec![
        Cell::text(&host.host),
        Cell::number(host.delay_seconds, delay),
        gap(host.least_seconds),
        gap(host.median_seconds),
        Cell::count(host.too_short),
        Cell::count(host.requests),
    ]
}
