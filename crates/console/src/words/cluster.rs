//! Describes the state of a crawl on many machines.

use goldminer_cluster::{ClusterStatus, PartitionLine, WorkerLine};
use goldminer_corpus::figures::counted;

use super::table::row;

/// The totals of committed and waiting work, then a table of the workers and a table of the partitions.
pub fn in_words(status: &ClusterStatus) -> String {
    let commands = match status.waiting_commands.unsigned_abs() {
        0 => String::new(),
        waiting => format!("; {} pending", counted(waiting, "command", "commands")),
    };
    let mut text = format!(
        "{} and {} committed, {} queued; {} waiting after failures or refusals{commands}\n\n",
        counted(status.sum(|line| line.documents), "document", "documents"),
        counted(status.sum(|line| line.pages), "page", "pages"),
        counted(status.sum(|line| line.queued), "URL", "URLs"),
        counted(status.waiting_hosts.unsigned_abs(), "host", "hosts"),
    );
    let widths = [-24, -6, 14, 10];
    text += &row(widths, [&"worker", &"state", &"lease left (s)", &"partitions"]);
    for WorkerLine { name, state, lease_seconds, partitions, .. } in &status.workers {
        text += &row(widths, [name, state, lease_seconds, partitions]);
    }
    let widths = [9, 7, 5, 9, 9, 9, 17, 0];
    text += "\n";
    text += &row(
        widths,
        [&"partition", &"portals", &"epoch", &"documents", &"pages", &"queued", &"committed ago (s)", &" state"],
    );
    for line in &status.partitions {
        let PartitionLine { id, portals, epoch, documents, pages, queued, .. } = line;
        let ago = line.committed_seconds.map_or("never".to_owned(), |seconds| seconds.to_string());
        let owner = line.owner.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
        let state = format!(" {}{owner}", line.state);
        text += &row(widths, [id, portals, epoch, documents, pages, queued, &ago, &state]);
    }
    text
}
