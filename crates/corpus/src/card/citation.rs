//! The citation file (Citation File Format 1.2.0). Who made the corpus, nobody but they can say: a name holds the place.

use std::fmt::Write;

use serde_json::Value;

use super::content::{Card, SEAL, UNSEALED};
use super::readme::in_short;

/// What stands for the makers of a corpus until they say who they are.
pub(super) const MAKERS: &str = "(the makers of this corpus)";

pub(super) fn citation(card: &Card) -> String {
    let mut text = String::from("cff-version: 1.2.0\n");
    let _ = write!(
        text,
        "message: If you use this corpus, please cite it.\n\
         type: dataset\n\
         title: {}\n\
         # Who made it: put in persons (family-names, given-names, orcid) or an entity (name).\n\
         authors:\n\
         - name: {}\n\
         abstract: {}\n\
         date-released: {}\n\
         references:\n\
         - type: software\n  title: GoldMiner\n  version: {}\n  repository-code: {}\n  authors:\n  - name: The GoldMiner developers\n\
         # {SEAL}{UNSEALED}\n",
        quoted(&card.name),
        quoted(MAKERS),
        quoted(&in_short(&card.holdings).replace('\u{a0}', " ")),
        card.date,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_REPOSITORY"),
    );
    text
}

/// A string of JSON is one of YAML.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
