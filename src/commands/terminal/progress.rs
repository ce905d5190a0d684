//! Progress of a crawl: a line that changes on a terminal, a line now and then elsewhere. It fits 80 columns.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use goldminer_crawl::run::live::{Counters, Learner, Live};

use super::bar::{Bar, PLAIN, TERMINAL};
use super::screen;
use crate::commands::{counted, thousands};

/// Rates are of so many looks: ten seconds on a terminal.
const LOOKS: usize = 40;
/// Columns of a line; the spinner or the word INFO stands before it.
const COLUMNS: usize = 74;

/// Shows how a crawl goes, until the bar is dropped.
#[must_use]
pub(crate) fn show(live: Arc<Live>) -> Bar {
    let mut looks = VecDeque::from([(Duration::ZERO, live.counters())]);
    let (first, most) = if screen::is_watched() { (TERMINAL, LOOKS) } else { (PLAIN, 1) };
    Bar::show(first, None, move |elapsed| {
        let now = live.counters();
        let (since, before) = looks.front().copied().unwrap_or((elapsed, now));
        let line = line(elapsed, &before, &now, elapsed.saturating_sub(since), live.learner().as_ref());
        looks.push_back((elapsed, now));
        if looks.len() > most {
            looks.pop_front();
        }
        (line, 0)
    })
}

/// What came, how fast, what waits, what came out of it, and what is being learned, as far as there is room.
fn line(elapsed: Duration, before: &Counters, now: &Counters, over: Duration, learner: Option<&Learner>) -> String {
    let rate = (now.fetched - before.fetched) as f64 / over.as_secs_f64().max(0.001);
    let mut line = format!(
        "{}  {} {rate:.1}/s, {} queued, {}",
        clock(elapsed),
        short(now.fetched, "page", "pages"),
        few(now.queued),
        short(now.documents, "doc", "docs"),
    );
    if let Some(learner) = learner {
        line += &learning(learner, COLUMNS.saturating_sub(line.chars().count()));
    } else if now.learned > 0 {
        line += &format!(", {} learned", few(now.learned as u64));
    }
    clipped(&line, COLUMNS)
}

/// What is learning and how far, in so many characters: the name as far as there is room for it.
fn learning(learner: &Learner, room: usize) -> String {
    let mut how_far = format!("{}/{}", learner.pages, learner.of);
    let others = format!(" +{}", few(learner.others as u64));
    if learner.others > 0 && room >= ", learning ".len() + how_far.len() + others.len() {
        how_far += &others;
    }
    let for_name = room.saturating_sub(", learning  ".len() + how_far.len());
    if for_name >= 6 {
        return format!(", learning {} {how_far}", clipped(&learner.domain, for_name));
    }
    format!(", learning {how_far}")
}

/// `12s`, `3m 05s`, `2h 12m`, `3d 04h`
fn clock(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

fn short(number: u64, one: &str, more: &str) -> String {
    if number < 1_000_000 { counted(number, one, more) } else { format!("{} {more}", few(number)) }
}

/// A number in few characters: `12,345`, `1.2M`.
fn few(number: u64) -> String {
    match number {
        0..1_000_000 => thousands(number),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!("{:.1}G", number as f64 / 1e9),
    }
}

/// A text in so many characters.
fn clipped(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    text.chars().take(chars.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(fetched: u64, queued: u64, documents: u64) -> Counters {
        Counters { fetched, queued, documents, ..Counters::default() }
    }

    fn learner(domain: &str, others: usize) -> Learner {
        Learner { domain: domain.to_owned(), pages: 57, of: 100, others }
    }

    fn told(now: &Counters, learner: Option<&Learner>) -> String {
        line(Duration::from_secs(185), &at(0, 0, 0), now, Duration::from_secs(10), learner)
    }

    #[test]
    fn a_line_says_rate_queue_and_what_is_learning_and_how_far() {
        assert_eq!(
            told(&at(32, 7, 5), Some(&learner("courier.example", 0))),
            "3m 05s  32 pages 3.2/s, 7 queued, 5 docs, learning courier.example 57/100"
        );
        assert_eq!(
            told(&at(12_345, 67_890, 9_876), Some(&learner("courier.example", 3))),
            "3m 05s  12,345 pages 1234.5/s, 67,890 queued, 9,876 docs, learning 57/100"
        );
        assert_eq!(told(&at(1, 0, 1), None), "3m 05s  1 page 0.1/s, 0 queued, 1 doc");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal_of_80_columns() {
        for number in [0, 1, 999, 12_345, 999_999, 1_234_567, 12_345_678_901] {
            for learner in [None, Some(learner("a.example", 0)), Some(learner(&"long.".repeat(20), 12_345))] {
                let mut now = at(number, number, number);
                now.learned = number as usize;
                let line =
                    line(Duration::from_secs(400_000), &at(0, 0, 0), &now, Duration::from_secs(1), learner.as_ref());
                // Before it stand a spinner and a space, or the word INFO and two spaces.
                assert!(line.chars().count() + 6 <= 80, "{}: {line}", line.chars().count());
            }
        }
    }
}
