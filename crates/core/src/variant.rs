//! The name of an enum variant as serde writes it, so that it is written once.

use serde::Serialize;

/// The name of a variant without fields.
pub(crate) fn name(variant: &impl Serialize) -> &'static str {
    serde_variant::to_variant_name(variant).expect("variants with names have no fields")
}
