//! Parts of a page that are no text, whoever cut it: copies, announcements, credits.

pub(crate) mod announcements;
pub(crate) mod credits;
pub(crate) mod once;
pub(crate) mod prose;
