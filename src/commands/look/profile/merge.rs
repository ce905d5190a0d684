//! `goldminer profile merge`: merges profile books (`.gmp` files) and TOML profiles into one book.

use std::collections::BTreeMap;

use goldminer_core::DomainProfile;
use goldminer_crawl::store::profile_book;
use goldminer_crawl::store::profile_book::{BookWriter, Entries, Entry, ProfileBook, Spanned, domain_of_key};
use goldminer_html::Domain;

use crate::cli::ProfileMergeArgs;
use crate::commands::{Exit, counted, output, profile_files, single_file};

/// Runs `goldminer profile merge`.
///
/// # Errors
/// When a profile is invalid, or the file cannot be written.
pub(crate) fn merge(args: &ProfileMergeArgs) -> anyhow::Result<Exit> {
    let is_again = single_file::refuse_other(&args.out, "a file of profiles", ProfileBook::is_book)?;
    let mut books = Vec::new();
    for path in &args.profiles {
        books.push(match ProfileBook::is_book(path) {
            true => Source::Book(ProfileBook::open(path)?),
            false => Source::Profiles(of_people(profile_files::read(path)?)),
        });
    }
    let mut book = BookWriter::create(&args.out)?;
    profile_book::merge(books.iter().map(Source::entries).collect(), &mut book)?;
    book.finish()?;
    let book = ProfileBook::open(&args.out)?;
    let profiles = counted(book.profiles(), "profile", "profiles");
    let domains = counted(book.domains(), "domain", "domains");
    let replaced = if is_again { ", in place of the earlier file" } else { "" };
    output::done(format_args!("{profiles} of {domains} in {}{replaced}", args.out.display()))
}

enum Source {
    Book(ProfileBook),
    Profiles(Vec<Entry>),
}

impl Source {
    fn entries(&self) -> Entries<'_> {
        match self {
            Self::Book(book) => Box::new(book.entries()),
            Self::Profiles(entries) => Box::new(entries.iter().cloned().map(Ok)),
        }
    }
}

/// Converts TOML profiles into entries of a profile book, which apply to pages of any time.
fn of_people(profiles: Vec<DomainProfile>) -> Vec<Entry> {
    let mut domains: BTreeMap<Domain, Vec<Spanned>> = BTreeMap::new();
    for profile in profiles {
        domains.entry(domain_of_key(&profile.key)).or_default().push(Spanned { since: None, profile, of_site: false });
    }
    domains.into_iter().map(|(domain, profiles)| Entry { domain, profiles }).collect()
}
