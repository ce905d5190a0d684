//! The keys of a seeds file and what each takes. Serde reads the file; this table is for people: where serde says only
//! that a type does not fit, it says what stands there and what to write. `docs/src/seeds.md` has a section for each.

/// The table that a key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// `[crawl]`
    Crawl,
    /// `[[portal]]`
    Portal,
}

impl Table {
    /// As it stands in the file.
    #[must_use]
    pub fn header(self) -> &'static str {
        match self {
            Self::Crawl => "[crawl]",
            Self::Portal => "[[portal]]",
        }
    }
}

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number from 0.
    Count,
    /// A duration with its unit.
    Duration,
    /// A number of bytes, with or without a unit.
    Size,
    /// A list of URLs.
    Urls,
    /// A list of regular expressions.
    Patterns,
    /// `host`, `domain` or `prefix`.
    Scope,
    /// A list of what pages may say of rights.
    Restrictions,
}

/// A key of a seeds file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Where it stands.
    pub table: Table,
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
}

const fn crawl(name: &'static str, kind: Kind) -> Key {
    Key { table: Table::Crawl, name, kind }
}

const fn portal(name: &'static str, kind: Kind) -> Key {
    Key { table: Table::Portal, name, kind }
}

/// All keys, as they stand in the structs that serde fills.
pub const KEYS: &[Key] = &[
    crawl("user_agent", Kind::Text),
    crawl("delay", Kind::Duration),
    crawl("ip_spacing", Kind::Duration),
    crawl("max_pages", Kind::Count),
    crawl("max_time", Kind::Duration),
    crawl("max_in_flight", Kind::Count),
    crawl("max_requests_per_second", Kind::Count),
    crawl("learning_pages", Kind::Count),
    crawl("shortest_revisit", Kind::Duration),
    crawl("longest_revisit", Kind::Duration),
    crawl("alarm_after", Kind::Duration),
    crawl("min_free", Kind::Size),
    crawl("disk_patience", Kind::Duration),
    crawl("backoff", Kind::Duration),
    crawl("retry_wait", Kind::Duration),
    crawl("proxy", Kind::Text),
    crawl("respect", Kind::Restrictions),
    portal("name", Kind::Text),
    portal("start", Kind::Urls),
    portal("feeds", Kind::Urls),
    portal("sitemaps", Kind::Urls),
    portal("scope", Kind::Scope),
    portal("include", Kind::Patterns),
    portal("exclude", Kind::Patterns),
    portal("max_pages", Kind::Count),
    portal("max_depth", Kind::Count),
    portal("max_bytes", Kind::Size),
    portal("delay", Kind::Duration),
    portal("accept_language", Kind::Text),
];

/// The key of that name in a table.
#[must_use]
pub fn key(table: Table, name: &str) -> Option<Key> {
    KEYS.iter().copied().find(|key| key.table == table && key.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::Seeds;

    #[test]
    fn the_keys_are_those_that_serde_knows() {
        for table in [Table::Crawl, Table::Portal] {
            let unknown = format!("{}\nno_such_key = 1\n", table.header());
            let error = toml::from_str::<Seeds>(&unknown).expect_err("an unknown key was taken").to_string();
            let known: Vec<&str> = error.split('`').skip(3).step_by(2).collect();
            let listed: Vec<&str> = KEYS.iter().filter(|key| key.table == table).map(|key| key.name).collect();
            assert_eq!(listed, known, "the keys of {}: bring KEYS and docs/src/seeds.md up to date", table.header());
        }
    }
}
