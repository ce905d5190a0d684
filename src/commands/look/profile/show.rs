//! `goldminer profile show`: a profile with its evidence, the latest version first.

use std::fmt::Write as _;

use goldminer_core::extract::domain::ServingProfile;
use goldminer_core::goldminer::profile::Template;
use goldminer_crawl::store::profile_book::{ProfileBook, Spanned};

use super::{diff, versions};
use crate::cli::ProfileShowArgs;
use crate::commands::terminal::output;
use crate::commands::terminal::style::{CUT, DROPPED, FAINT, KEPT, TITLE, styled};
use crate::commands::{Exit, counted};

/// `goldminer profile show`
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
            let changes = earlier.map(|earlier| diff::describe(&earlier.diff(&serving.profile)));
            describe(serving) + &changes.unwrap_or_default()
        });
        with_changes.collect::<String>()
    })
}

/// Of a book: profiles serve from a time on, and not from a place.
fn show_spanned(args: &ProfileShowArgs, mut profiles: Vec<Spanned>) -> anyhow::Result<Exit> {
    profiles.retain(|spanned| spanned.profile.key == args.domain);
    output::answer(args.json, &profiles, || {
        let with_times = profiles.iter().rev().map(|spanned| {
            let since = spanned.since.map(|since| format!("  serves pages since {since:.0}\n"));
            describe(&ServingProfile::everywhere(spanned.profile.clone())) + &since.unwrap_or_default()
        });
        with_times.collect::<String>()
    })
}

fn describe(serving: &ServingProfile) -> String {
    let profile = &serving.profile;
    let evidence = &profile.evidence;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}  {}",
        styled(TITLE, format!("{}  version {}", profile.key, profile.version)),
        styled(FAINT, format!("by {}", profile.program))
    );
    if let Some(at) = profile.learned_at {
        let _ = writeln!(text, "  learned {at:.0}, language {}", profile.language.as_deref().unwrap_or("unknown"));
    }
    if let Some(from) = &serving.serves_from {
        let _ = writeln!(text, "  serves from {} at {} on", from.file, from.offset);
    }
    let _ = writeln!(
        text,
        "  evidence: {}, {} distinct, {} with text of their own; {} cut by a template; fitness {:.3}{}",
        counted(u64::from(evidence.pages), "page", "pages"),
        evidence.distinct,
        evidence.taught,
        evidence.covered,
        evidence.fitness,
        evidence.doubted.map_or_else(String::new, |share| format!("; the classifier doubts {:.1} %", 100.0 * share))
    );
    for (number, template) in profile.templates.iter().enumerate() {
        template_lines(&mut text, number, template);
    }
    for said in profile.manual.in_words() {
        let _ = writeln!(text, "  {} {}", styled(KEPT, said), styled(FAINT, "said by hand"));
    }
    for teaser in &profile.teasers {
        let _ = writeln!(text, "  teasers under {}", styled(DROPPED, teaser));
    }
    let _ = writeln!(
        text,
        "  {} inside articles and dropped",
        counted(profile.repeated.len() as u64, "text repeated", "texts repeated")
    );
    text
}

fn template_lines(text: &mut String, number: usize, template: &Template) {
    let _ = write!(text, "  template {number}: {}", styled(CUT, template.bounds()));
    let _ = match template.hand_made {
        true => writeln!(text, "   {}", styled(FAINT, "written by hand")),
        false => writeln!(
            text,
            "   {} ({:.0} %), fitness {:.3}{}",
            counted(u64::from(template.pages), "page", "pages"),
            100.0 * template.share,
            template.fitness,
            if template.dated { ", dated" } else { "" }
        ),
    };
    for lead in &template.leads {
        let _ = writeln!(text, "    with {} before it", styled(KEPT, lead));
    }
    for drop in &template.drops {
        let _ = writeln!(text, "    without {}", styled(DROPPED, drop));
    }
}
