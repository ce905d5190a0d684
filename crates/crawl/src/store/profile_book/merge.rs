//! Merges several profile books, or profiles from other sources, into one book.

use std::iter::Peekable;

use super::entry::{BookError, Entry};
use super::write::BookWriter;

/// A source of profiles: the entries of its domains, ordered by domain name.
pub type Entries<'e> = Box<dyn Iterator<Item = Result<Entry, BookError>> + 'e>;

/// Merges the profiles of all sources into one book, domain by domain. A profile in a later source replaces all
/// versions with the same key in earlier sources. Only one domain per source is in memory at a time.
///
/// # Errors
/// When a source cannot be read, or the book cannot be written.
pub fn merge(sources: Vec<Entries<'_>>, out: &mut BookWriter) -> Result<(), BookError> {
    let mut sources: Vec<Peekable<Entries<'_>>> = sources.into_iter().map(Iterator::peekable).collect();
    while let Some(entry) = next(&mut sources)? {
        out.write(&entry)?;
    }
    Ok(())
}

/// Takes the next domain, by name, from all sources that have it, and returns it with its merged profiles; None when
/// all sources are at their end.
fn next(sources: &mut [Peekable<Entries<'_>>]) -> Result<Option<Entry>, BookError> {
    let heads = sources.iter_mut().filter_map(|source| source.peek());
    let first = heads.filter_map(|head| head.as_ref().ok()).map(|entry| entry.domain.clone()).min();
    let mut merged: Option<Entry> = None;
    for source in sources {
        // An error of any source is returned at once.
        let is_next =
            |head: &Result<Entry, BookError>| head.as_ref().map_or(true, |entry| Some(&entry.domain) == first.as_ref());
        let Some(entry) = source.next_if(is_next) else { continue };
        let entry = entry?;
        match &mut merged {
            None => merged = Some(entry),
            Some(merged) => {
                let is_replaced = |key: &str| entry.profiles.iter().any(|later| later.profile.key == key);
                merged.profiles.retain(|earlier| !is_replaced(&earlier.profile.key));
                merged.profiles.extend(entry.profiles);
                merged.profiles.sort_by_key(|spanned| spanned.since);
            }
        }
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::store::profile_book::{ProfileBook, Spanned};
    use goldminer_core::goldminer::profile::DomainProfile;
    use goldminer_html::address::Domain;

    fn profile(key: &str, start: &str) -> DomainProfile {
        DomainProfile::from_toml(&format!("key = '{key}'\n[[template]]\nstart = '{start}'\n")).unwrap()
    }

    fn entry(domain: &str, starts: &[(&str, Option<i64>)]) -> Entry {
        let spanned = |(start, since): &(&str, Option<i64>)| Spanned {
            since: since.map(|second| Timestamp::from_second(second).unwrap()),
            profile: profile(domain, start),
            of_site: false,
        };
        Entry { domain: Domain::named(domain), profiles: starts.iter().map(spanned).collect() }
    }

    fn sources<'e>(all: &[&'e [Entry]]) -> Vec<Entries<'e>> {
        all.iter().map(|entries| Box::new(entries.iter().cloned().map(Ok)) as Entries<'e>).collect()
    }

    #[test]
    fn a_book_returns_its_entries_by_name_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("profiles.gmp");
        // Enough domains for several blocks.
        let entries: Vec<Entry> =
            (0..2_000).map(|n| entry(&format!("portal-{n:04}.example"), &[("div.story", None)])).collect();
        let mut book = BookWriter::create(&path).unwrap();
        merge(sources(&[&entries]), &mut book).unwrap();
        book.finish().unwrap();
        let book = ProfileBook::open(&path).unwrap();
        assert_eq!((book.domains(), book.profiles()), (2_000, 2_000));
        assert_eq!(book.entries().collect::<Result<Vec<_>, _>>().unwrap(), entries);
        for entry in entries.iter().step_by(97) {
            assert_eq!(book.entry(&entry.domain).unwrap().as_ref(), Some(entry));
            assert!(book.spans(&entry.domain).unwrap().is_some());
        }
        for nobody in ["a.example", "portal-0000.exampla", "portal-0000.example.org", "z.example", ""] {
            assert_eq!(book.entry(&Domain::named(nobody)).unwrap(), None, "{nobody}");
            assert!(book.spans(&Domain::named(nobody)).unwrap().is_none(), "{nobody}");
        }
    }

    #[test]
    fn a_page_uses_the_profile_of_its_time_and_then_earlier_ones() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("profiles.gmp");
        let mut book = BookWriter::create(&path).unwrap();
        book.write(&entry("a.example", &[("div.old", None), ("div.new", Some(1_000))])).unwrap();
        book.finish().unwrap();
        let domain = Domain::named("a.example");
        let spans = ProfileBook::open(&path).unwrap().spans(&domain).unwrap().unwrap();
        let starts = |second: Option<i64>| -> Vec<String> {
            let set = spans.at(second.map(|second| Timestamp::from_second(second).unwrap())).unwrap();
            set.candidates(&domain, None, None).iter().map(|profile| profile.templates[0].bounds()).collect()
        };
        assert_eq!(starts(Some(999)), ["div.old"]);
        assert_eq!(starts(Some(1_000)), ["div.new", "div.old"]);
        assert_eq!(starts(None), ["div.new", "div.old"], "a page without a time gets the latest profiles");
    }

    #[test]
    fn a_later_book_replaces_profiles_with_the_same_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("profiles.gmp");
        let one =
            [entry("a.example", &[("div.one", None), ("div.redesign", Some(5))]), entry("b.example", &[("p", None)])];
        let other = [entry("a.example", &[("div.hand", None)]), entry("c.example", &[("p", None)])];
        let mut book = BookWriter::create(&path).unwrap();
        merge(sources(&[&one, &other]), &mut book).unwrap();
        book.finish().unwrap();
        let merged: Vec<Entry> = ProfileBook::open(&path).unwrap().entries().map(Result::unwrap).collect();
        assert_eq!(merged, [other[0].clone(), one[1].clone(), other[1].clone()]);
    }

    #[test]
    fn an_incomplete_or_changed_book_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("profiles.gmp");
        let mut book = BookWriter::create(&path).unwrap();
        book.write(&entry("a.example", &[("div.story", None)])).unwrap();
        book.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            let read = ProfileBook::open(&path).and_then(|book| book.entry(&Domain::named("a.example")));
            let is_count = (whole.len() - 24..whole.len() - 8).contains(&at);
            assert!(read.is_err() || is_count, "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(ProfileBook::open(&path).is_err(), "{at} bytes");
        }
    }
}
