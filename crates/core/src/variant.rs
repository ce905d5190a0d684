//! The names of enum variants as serde writes them. So each name is defined only once, in its enum.

use serde::Serialize;

/// Returns the serde name of a variant without fields.
pub(crate) fn name(variant: &impl Serialize) -> &'static str {
    serde_variant::to_variant_name(variant).expect("variants with names have no fields")
}
