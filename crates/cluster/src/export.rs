//! `cluster export`: the committed documents of all partitions in one folder. What nobody committed is not among them.

use std::fs;
use std::path::Path;

use crate::db::database::Database;
use crate::db::{lease, schema};
use crate::error::{ClusterError, aside};
use crate::store::SegmentStore;
use crate::work::pieces::{self, Piece};

/// What was exported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// Files of documents.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Writes the committed documents into a folder without any: `pNNN-part-….jsonl.zst`, each piece held against its digest.
///
/// # Errors
/// When the folder has documents already, database or store do not serve, or a piece is damaged.
pub async fn export(db: &Database, store: Option<&str>, to: &Path) -> Result<Exported, ClusterError> {
    schema::check(db).await?;
    let crawl = lease::crawl(db).await?;
    let store = SegmentStore::at(store.unwrap_or(&crawl.store))?;
    fs::create_dir_all(to).map_err(ClusterError::store(to))?;
    let mut entries = fs::read_dir(to).map_err(ClusterError::store(to))?;
    let is_corpus = |entry: fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".jsonl.zst");
    if entries.any(|entry| entry.is_ok_and(is_corpus)) {
        let reason = "it holds documents already; give another folder".to_owned();
        return Err(ClusterError::Store { place: to.display().to_string(), reason });
    }
    let mut parts = Vec::new();
    for row in db.query("reading the partitions", "SELECT id FROM partition ORDER BY id", &[]).await? {
        let partition: i32 = row.get(0);
        parts.push((partition, lease::pieces(db, partition).await?));
    }
    let to = to.to_owned();
    aside(move || join(&store, &parts, &to)).await
}

fn join(store: &SegmentStore, parts: &[(i32, Vec<Piece>)], to: &Path) -> Result<Exported, ClusterError> {
    let mut exported = Exported::default();
    for (partition, all) in parts {
        for of_file in all.chunk_by(|one, next| one.file == next.file) {
            let Some(name) = of_file.first().and_then(|piece| piece.file.strip_prefix("corpus/")) else { continue };
            pieces::join(store, of_file, &to.join(format!("p{partition:03}-{name}")))?;
            exported.files += 1;
            exported.bytes += of_file.iter().map(|piece| piece.published.bytes).sum::<u64>();
        }
    }
    Ok(exported)
}
