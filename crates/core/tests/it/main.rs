//! The core's integration tests: this list is the table of contents.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod baselines;
mod classifier_pins;
mod encodings;
mod gold;
mod hashed_names;
mod held_out;
mod hostile;
mod justext_parity;
mod lab;
mod learning;
mod learning_classified;
mod made_up_portal;
mod pages;
mod pipeline;
mod quality;
mod recurring_parts;
mod rights;
mod rights_licences;
mod rights_opt_outs;
mod tokens;
mod unseen;
mod whole_articles;
