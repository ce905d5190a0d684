//! Describes the differences between two versions of a profile.

use goldminer_core::goldminer::profile::Template;

use super::profile_diff::{Change, ProfileDiff, TemplateDiff};

/// A difference: its sign (`-` removed, `+` added, `~` changed) and its text.
pub type Line = (char, String);

/// Describes the differences between two versions of a profile: first those of the templates, then those of its other
/// rules.
pub fn differences(diff: &ProfileDiff) -> Vec<Line> {
    let template = |sign: char| {
        move |one: &Template| {
            (
                sign,
                format!(
                    "template {} ({:.0} % of the pages that the profile was learned from)",
                    one.bounds(),
                    100.0 * one.share
                ),
            )
        }
    };
    let mut lines: Vec<Line> = diff.gone.iter().map(template('-')).collect();
    lines.extend(diff.come.iter().map(template('+')));
    for changed in &diff.changed {
        lines.push(of_template(changed));
        change(&mut lines, "  keeps lead", &changed.leads);
        change(&mut lines, "  keeps part", &changed.parts);
        change(&mut lines, "  drops", &changed.drops);
    }
    change(&mut lines, "titles of teasers (announcements of other articles):", &diff.teasers);
    if diff.small.0 != diff.small.1 {
        let now = if diff.small.1 {
            "always dropped (learned from few pages)"
        } else {
            "kept in the article (learned from more pages)"
        };
        lines.push(('~', format!("paragraphs that are mostly links: now {now}")));
    }
    if diff.repeated != (0, 0) {
        let (gone, come) = diff.repeated;
        lines.push(('~', format!("list of repeated texts to drop: {gone} removed, {come} added")));
    }
    change(&mut lines, "date of publication, element:", &diff.published);
    change(&mut lines, "authors, element:", &diff.authors);
    if let Some((old, new)) = diff.day_first {
        let order = |day_first: Option<bool>| match day_first {
            Some(true) => "day before month",
            Some(false) => "month before day",
            None => "unknown",
        };
        lines.push(('~', format!("order of day and month in dates: {} → {}", order(old), order(new))));
    }
    change(&mut lines, "manual rule", &diff.manual);
    lines
}

fn of_template(diff: &TemplateDiff) -> Line {
    let mut told = format!(
        "template {}  {:.0} → {:.0} % of the pages that the profile was learned from, fitness {:.3} → {:.3}",
        diff.bounds,
        100.0 * diff.shares.0,
        100.0 * diff.shares.1,
        diff.fitness.0,
        diff.fitness.1
    );
    if diff.places.0 != diff.places.1 {
        told += &format!(", now tried at position {} of the templates instead of {}", diff.places.1, diff.places.0);
    }
    if diff.dated.0 != diff.dated.1 {
        told += if diff.dated.1 { ", now requires a date" } else { ", no longer requires a date" };
    }
    ('~', told)
}

fn change(lines: &mut Vec<Line>, what: &str, change: &Change) {
    lines.extend(change.gone.iter().map(|gone| ('-', format!("{what} {gone}"))));
    lines.extend(change.come.iter().map(|come| ('+', format!("{what} {come}"))));
}
