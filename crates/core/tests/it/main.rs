//! The core's integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod announcements;
mod asides;
mod classifier_pins;
mod competing_templates;
mod encodings;
mod hashed_names;
mod hostile;
mod justext_parity;
mod lab;
mod learning;
mod learning_classified;
mod long_articles;
mod made_up_portal;
mod misleading_markup;
mod pages;
mod pipeline;
mod recurring_parts;
mod rights;
mod rights_licences;
mod rights_opt_outs;
mod tokens;
mod whole_articles;
