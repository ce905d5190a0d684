//! The profile editor: corrects a domain's profile by clicking on blocks of a stored page.
//!
//! | file | content |
//! |---|---|
//! | `propose` | proposes CSS selectors for a correction, from specific to general; `patterns` makes them |
//! | `effects` | how a changed profile would change the documents of other pages, before anything is saved |
//! | `page` | the HTML of the editor |
//! | `routes` | the HTTP routes; a new version is saved unless another user or the crawl has saved one meanwhile |

mod effects;
mod page;
mod patterns;
mod propose;
pub(super) mod routes;
