//! justext
