//! Records a response in the tables: its archive position, the details that `why` and the next visit need, and its
//! entry in the page index. Each file name is stored once; rows contain its number.

use goldminer_core::Restriction;
use goldminer_html::ArchivePosition;
use jiff::Timestamp;

use super::outcome::{Exchange, Later, Outcome};
use super::work::PageWork;
use crate::StoreError;
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::store::frontier::{ONLY, PageEntry, RowKey, StoredPosition, UrlRow, Validators, Visit, page_key};

/// The beginning of the stored note on a page that asks not to be used. The name of the restriction follows, such as
/// `noindex`.
const NOT_USED: &str = "not used, because it says ";

/// Returns the restriction (such as `noindex`) that a stored note gives as the reason why its page is not used. None if
/// the page is used.
pub fn restriction_of(note: &str) -> Option<&str> {
    note.strip_prefix(NOT_USED)
}

/// After this many responses with status 304 (not modified) in a row, a URL is requested without validators once,
/// because some servers answer 304 to every conditional request.
const MOST_UNCHANGED: u8 = 5;
/// Stored in place of the number of such responses, after a request without validators has shown that the content had
/// changed. The validators of the URL are not used until a visit finds the content unchanged.
const FALSE_VALIDATORS: u8 = u8::MAX;

impl Frontier {
    /// Counts a page that asks not to be used.
    pub(crate) fn note_withheld(&mut self, changes: &mut Changes, says: Restriction) {
        let at = Restriction::ALL.iter().position(|known| *known == says).unwrap_or_default();
        self.withheld.resize(Restriction::ALL.len(), 0);
        self.withheld[at] += 1;
        changes.batch.put(&self.tables.withheld, ONLY, &self.withheld);
    }

    /// Converts an archive position to its stored form, which has a number in place of the file's name. Remembers the
    /// position if it is the last one in the archive so far.
    pub(crate) fn store_position(
        &mut self,
        changes: &mut Changes,
        position: Option<&ArchivePosition>,
    ) -> Result<Option<StoredPosition>, StoreError> {
        let Some(position) = position else { return Ok(None) };
        // The file is nearly always the last one, because that is being written.
        let file = self.files.iter().rposition(|file| *file == position.file).unwrap_or_else(|| {
            let number = self.files.len();
            self.files.push(position.file.clone());
            changes.batch.put(&self.tables.files, &(number as u32).to_be_bytes(), &position.file);
            number
        });
        if self.archive.as_ref().is_none_or(|last| last.order() < position.order()) {
            self.archive = Some(position.clone());
            changes.archived = true;
        }
        Ok(Some(StoredPosition { file: file as u32, offset: position.offset, length: position.length }))
    }

    /// Converts a stored archive position, which has the number of its file, to one with the file's name. None if the
    /// number is unknown.
    pub fn position(&self, stored: StoredPosition) -> Option<ArchivePosition> {
        let file = self.files.get(stored.file as usize)?.clone();
        Some(ArchivePosition::new(file, stored.offset, stored.length))
    }

    /// The stored details of a response, for `why` and for the next visit.
    pub(crate) fn visit(
        &mut self,
        row: &UrlRow,
        work: &PageWork,
        outcome: &Outcome,
        exchange: Option<Exchange>,
        position: Option<StoredPosition>,
        ended: Timestamp,
    ) -> Visit {
        let before = row.visit.as_ref();
        let (validators, note) = match outcome {
            Outcome::Fetched(fetched) => {
                (fetched.validators.clone(), fetched.withheld.map(|says| format!("{NOT_USED}{}", says.as_str())))
            }
            Outcome::NotModified => (work.validators.clone(), None),
            Outcome::Redirect { to } => (Validators::default(), to.as_ref().map(|to| to.as_str().to_owned())),
            Outcome::Disallowed { rule } => (Validators::default(), rule.clone()),
            Outcome::Refused { captcha: true } => (Validators::default(), Some("CAPTCHA".to_owned())),
            Outcome::Later(Later::ServerError(failure) | Later::SameAnswer(failure) | Later::Unreachable(failure)) => {
                (work.validators.clone(), Some(failure.to_string()))
            }
            Outcome::Repeated { copies, .. } => {
                (Validators::default(), Some(format!("the same page as for {copies} other URLs of this host")))
            }
            Outcome::Failed { reason } => (Validators::default(), Some(reason.clone())),
            _ => (Validators::default(), None),
        };
        let is_revisited = work.kind.is_revisited();
        let last_content = before.and_then(|visit| visit.content);
        let (content, changed) = match outcome {
            Outcome::Fetched(fetched) => {
                (fetched.content, fetched.content.is_none() || fetched.content != last_content)
            }
            _ => (last_content, false),
        };
        let last = before.and_then(|visit| visit.interval);
        let validators =
            if is_revisited && self.trusts(work, outcome, changed) { validators } else { Validators::default() };
        Visit {
            ended,
            status: exchange.and_then(|exchange| exchange.status),
            position: position.or_else(|| before.and_then(|visit| visit.position)),
            validators,
            interval: is_revisited.then(|| match outcome {
                Outcome::Later(_) => last.unwrap_or(self.config.intervals.shortest),
                _ => self.config.intervals.after(last, changed),
            }),
            content: content.filter(|_| is_revisited),
            note,
        }
    }

    /// Whether the next request for a URL has validators. Counts how often it has not been modified.
    fn trusts(&mut self, work: &PageWork, outcome: &Outcome, changed: bool) -> bool {
        let key = RowKey::of(&work.url);
        let before = self.unchanged.get(&key).copied().unwrap_or(0);
        let unchanged = match outcome {
            Outcome::NotModified => before.saturating_add(1),
            Outcome::Fetched(_) if before >= MOST_UNCHANGED && changed => FALSE_VALIDATORS,
            Outcome::Fetched(_) => 0,
            _ => before,
        };
        if unchanged == 0 {
            self.unchanged.remove(&key);
        } else {
            self.unchanged.insert(key, unchanged);
        }
        unchanged < MOST_UNCHANGED
    }

    /// Adds a page to the page index of its site.
    pub(crate) fn index(&mut self, changes: &mut Changes, page: PageEntry) -> Result<(), StoreError> {
        let domain = page.url.site();
        let row = self.domain_row(changes, &domain)?;
        let seq = row.pages;
        row.pages += 1;
        row.article_like += u64::from(page.is_article_like);
        self.counters.pages += 1;
        changes.batch.put(&self.tables.pages, &page_key(&domain, seq), &page);
        Ok(())
    }
}
