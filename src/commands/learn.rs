//! `goldminer learn`: profiles from stored pages, as TOML files that people can read, edit and share.

use crate::cli::LearnArgs;
use crate::corpus::Filter;
use crate::engine::Clock;
use crate::engine::extraction::Library;
use crate::engine::offline::Offline;
use crate::engine::sources::Sources;
use crate::extract::Algorithm;

use super::Exit;
use super::profile_files;

/// Runs the command.
///
/// # Errors
/// When a source can't be read or a profile can't be written.
pub fn run(args: &LearnArgs) -> anyhow::Result<Exit> {
    let sources = Sources::find(&args.sources)?;
    let clock = Clock::start();
    let offline = Offline {
        algorithm: Algorithm::Goldminer,
        onion: None,
        library: Library::default(),
        unprofiled: Vec::new(),
        learning_pages: args.pages,
        least_learning_pages: 2,
        drop_duplicates: true,
        filter: Filter::default(),
    };
    let mut learned = 0;
    for (domain, pages) in &sources.domains {
        let (serving, faults) = offline.learn(domain, pages, &clock);
        for fault in faults {
            tracing::warn!("{fault}");
        }
        match serving {
            None => println!("{domain}: {} pages teach no pattern", pages.len()),
            Some(serving) => {
                let path = profile_files::write(&args.profiles, &serving.profile)?;
                let evidence = &serving.profile.evidence;
                println!(
                    "{domain}: {} templates from {} pages, fitness {:.2} → {}",
                    serving.profile.templates.len(),
                    evidence.taught,
                    evidence.fitness,
                    path.display()
                );
                learned += 1;
            }
        }
    }
    println!("{learned} of {} domains learned", sources.domains.len());
    Ok(Exit::Done)
}
