//! `goldminer profile show`: all versions of a profile, the latest first, with the pages and scores that support them.

use goldminer_core::ServingProfile;
use goldminer_core::goldminer::profile::Evidence;
use goldminer_crawl::store::profile_book::{ProfileBook, Spanned};

use super::{diff, versions};
use crate::cli::ProfileShowArgs;
use crate::commands::terminal::style::{CUT, DROPPED, FAINT, KEPT, TITLE, styled};
use crate::commands::{Exit, counted, output, thousands};

/// Runs `goldminer profile show`.
///
/// # Errors
/// When there is no such profile.
pub(crate) fn show(args: &ProfileShowArgs) -> anyhow::Result<Exit> {
    if ProfileBook::is_book(&args.dir)
        && let Some(entry) = ProfileBook::open(&args.dir)?.entry_of(&args.domain)?
        && entry.profiles.iter().any(|spanned| spanned.profile.key == args.domain)
    {
        return show_spanned(args, entry.profiles);
    }
    let versions = versions(&args.dir, &args.domain, "profile show")?;
    output::answer(args.json, &versions, || {
        let with_changes = versions.iter().enumerate().rev().map(|(number, serving)| {
            let earlier = number.checked_sub(1).map(|before| &versions[before].profile);
            let changes = earlier.map(|earlier| diff::describe(earlier, &serving.profile)).unwrap_or_default();
            let evidence = &serving.profile.evidence;
            let is_edit = evidence.pages > 0 && earlier.is_some_and(|earlier| earlier.evidence == *evidence);
            let edited = if is_edit { "  edited by hand: the numbers are those of the version before\n" } else { "" };
            describe(serving) + edited + &changes
        });
        with_changes.collect::<String>()
    })
}

/// Shows profiles of a profile book (a file with many profiles). Each profile in a book is used for the pages that were
/// fetched from a certain time on; in a job, it is used from a position in the archive on.
fn show_spanned(args: &ProfileShowArgs, mut profiles: Vec<Spanned>) -> anyhow::Result<Exit> {
    profiles.retain(|spanned| spanned.profile.key == args.domain);
    output::answer(args.json, &profiles, || {
        let with_times = profiles.iter().rev().map(|spanned| {
            let since = spanned.since.map(|since| format!("  used for pages fetched from {since:.0} on\n"));
            describe(&ServingProfile::everywhere(spanned.profile.clone())) + &since.unwrap_or_default()
        });
        with_times.collect::<String>()
    })
}

fn describe(serving: &ServingProfile) -> String {
    let profile = &serving.profile;
    let title = styled(TITLE, format!("{}  version {}", profile.key, profile.version));
    let program = Some(profile.program.as_str()).filter(|name| !name.is_empty()).unwrap_or("hand");
    let mut text = format!("{title}  {}\n", styled(FAINT, format!("by {program}")));
    if let Some(at) = profile.learned_at {
        text += &format!("  learned {at:.0}, language {}\n", profile.language.as_deref().unwrap_or("unknown"));
    }
    if let Some(from) = &serving.serves_from {
        text += &format!("  used for pages from byte {1} of {0} on\n", from.file, from.offset);
    }
    let Evidence { pages, distinct, taught, covered, fitness, .. } = &profile.evidence;
    text += &format!(
        "  learned from {}: of {pages} in the sample, {distinct} are distinct, and these have text that no other page has\n  \
         matched: a template matches {covered} of them; fitness {fitness:.3}\n",
        counted(u64::from(*taught), "page", "pages")
    );
    for (number, template) in profile.templates.iter().enumerate() {
        let evidence = match template.hand_made {
            true => styled(FAINT, "written by hand").to_string(),
            false => format!(
                "matches {} of them ({:.0} %), fitness {:.3}{}",
                thousands(u64::from(template.pages)),
                100.0 * template.share,
                template.fitness,
                if template.dated { ", its articles have dates" } else { "" }
            ),
        };
        text += &format!("  template {number}: {}   {evidence}\n", styled(CUT, template.bounds()));
        text.extend(template.leads.iter().map(|lead| format!("    keeps lead {}\n", styled(KEPT, lead))));
        text.extend(template.parts.iter().map(|part| format!("    keeps part {}\n", styled(KEPT, part))));
        text.extend(template.drops.iter().map(|drop| format!("    drops {}\n", styled(DROPPED, drop))));
    }
    for rule in profile.manual.in_words() {
        text += &format!("  {} {}\n", styled(KEPT, rule), styled(FAINT, "manual rule"));
    }
    text.extend(profile.teasers.iter().map(|teaser| format!("  teasers under {}\n", styled(DROPPED, teaser))));
    let repeated = counted(profile.repeated.len() as u64, "text repeated", "texts repeated");
    text + &format!("  {repeated} inside articles and dropped (`goldminer profile report` shows the most frequent)\n")
}
