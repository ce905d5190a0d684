//! The console, from the view of people and browsers.

pub(crate) mod access;
pub(crate) mod browser;
pub(crate) mod clicks;
pub(crate) mod commands;
pub(crate) mod corrections;
pub(crate) mod editor;
pub(crate) mod hostile;
pub(crate) mod journey;
pub(crate) mod pages;
