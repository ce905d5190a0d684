//! Commands for evaluation: compare, eval, train.

pub(crate) mod compare;
pub(crate) mod eval;
pub(crate) mod train;
pub(crate) mod train_classifier;
mod train_confidence;
