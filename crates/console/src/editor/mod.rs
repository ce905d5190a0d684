//! The profile editor: corrects a domain's profile by clicking on blocks of a stored page.
//!
//! | file | content |
//! |---|---|
//! | `propose` | what a person may ask for a block, and the patterns that would do it, from specific to general; `patterns` names elements |
//! | `effects` | what a changed profile would do to other pages of the domain, before anything is saved |
//! | `page` | the HTML of the editor |
//! | `routes` | the routes; a new version is saved unless somebody else has made one meanwhile |

mod effects;
mod page;
mod patterns;
mod propose;
pub(super) mod routes;
