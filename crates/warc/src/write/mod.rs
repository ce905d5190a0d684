//! The archive as it grows: appended, made durable, rotated, mended after a crash, withdrawn from.

pub(crate) mod stored_file;
pub(crate) mod withdraw;
pub(crate) mod writer;
