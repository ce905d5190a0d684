//! Portals that give nothing, and portals that share a domain.

pub(crate) mod barren;
pub(crate) mod barriers;
pub(crate) mod tenants;
