//! The sources of the commands that read archives from end to end.

use std::path::{PathBuf, absolute};

use anyhow::Context;

use crate::engine::offline::Settings;

/// The sources as an output remembers them.
///
/// # Errors
/// When the current folder is gone.
pub(super) fn settings(sources: &[PathBuf]) -> anyhow::Result<Settings> {
    let mut settings = Settings::new();
    for (n, source) in sources.iter().enumerate() {
        let path = absolute(source).with_context(|| format!("cannot read {}", source.display()))?;
        settings.insert(format!("source {}", n + 1), path.display().to_string());
    }
    Ok(settings)
}
