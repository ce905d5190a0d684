//! Rewrites the file of a profile with a new version, and keeps its manual parts.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table};

use super::DomainProfile;
use super::file::{ProfileError, line_of};

impl DomainProfile {
    /// Returns the text of an existing file with this profile written into it. The manual parts stay.
    ///
    /// # Errors
    /// Fails if the existing text is not TOML.
    pub fn merged_into(&self, existing: &str) -> Result<String, ProfileError> {
        let mut document: DocumentMut = existing.parse().map_err(|error: toml_edit::TomlError| ProfileError {
            line: error.span().map_or(1, |span| line_of(existing, span.start)),
            message: error.message().to_owned(),
        })?;
        // The positions of the sample in the archive are of no use in a file.
        let written = toml::to_string(&Self { sample: Vec::new(), ..self.clone() }).expect("a profile is TOML");
        let mut written: DocumentMut = written.parse().expect("what toml writes toml_edit reads");
        written.retain(|_, item| !item.as_array().is_some_and(Array::is_empty));
        // If both have a hand-made template with the same bounds, the later version is kept.
        let is_later = document.get("version").and_then(Item::as_integer).is_none_or(|old| old < self.version.into());
        let mut own = hand_made(written.get("template"));
        let mut old = hand_made(document.get("template"));
        match is_later {
            true => old.retain(|table| !has_bounds(&own, table)),
            false => own.retain(|table| !has_bounds(&old, table)),
        }
        let mut templates = old;
        templates.extend(own);
        for (key, item) in written.iter() {
            match item {
                Item::ArrayOfTables(tables) if key == "template" => {
                    templates.extend(tables.iter().filter(|table| !is_hand_made(table)).cloned());
                }
                _ if key == "manual" && !is_later && document.contains_key(key) => {}
                item => put(document.as_table_mut(), key, item.clone()),
            }
        }
        for gone in ["language", "learned_at", "teasers", "repeated", "places"] {
            if !written.contains_key(gone) {
                document.remove(gone);
            }
        }
        // Templates go to the end of the file. `toml_edit` orders tables by their positions, which come from two files
        // here.
        for (at, table) in templates.iter_mut().enumerate() {
            table.set_position(Some(1_000 + at as isize));
        }
        document.insert("template", Item::ArrayOfTables(templates));
        Ok(document.to_string())
    }
}

/// The hand-made templates, with their comments.
fn hand_made(templates: Option<&Item>) -> ArrayOfTables {
    let tables = templates.and_then(Item::as_array_of_tables).into_iter().flat_map(ArrayOfTables::iter);
    tables.filter(|table| is_hand_made(table)).cloned().collect()
}

fn is_hand_made(table: &Table) -> bool {
    table.get("hand_made").and_then(Item::as_bool) == Some(true)
}

/// Whether one of the templates has the same start and end as this table.
fn has_bounds(templates: &ArrayOfTables, table: &Table) -> bool {
    let bounds = |table: &Table| ["start", "end"].map(|key| table.get(key).and_then(Item::as_str).map(str::to_owned));
    templates.iter().any(|other| bounds(other) == bounds(table))
}

/// Replaces a value and keeps the comments at its key.
fn put(table: &mut Table, key: &str, item: Item) {
    match (table.get_mut(key), item) {
        (Some(Item::Value(old)), Item::Value(mut new)) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        (Some(Item::Table(old)), Item::Table(new)) => {
            old.retain(|key, _| new.contains_key(key));
            for (key, item) in new.iter() {
                put(old, key, item.clone());
            }
        }
        (_, item) => drop(table.insert(key, item)),
    }
}
