//! Portals that give nothing, and portals that share a domain.

pub(crate) mod barriers;
pub(crate) mod no_yield;
pub(crate) mod tenants;
