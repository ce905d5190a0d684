//! Reads pages from Parquet files, whichever program wrote them.

use std::fs::File;
use std::path::Path;

use jiff::Timestamp;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row as ParquetRow};
use parquet::schema::types::Type;

use super::row::{CaptureRow, RowError, TIMES, time_of_float, time_of_number};
use crate::caught::caught;
use crate::error::ArchiveError;
use crate::format::record::parse_date;

/// The number of rows that are decoded in one batch: few, because pages are long.
const BATCH_ROWS: usize = 32;
/// The fewest bytes of a Parquet file: a magic number at both ends, and a length before the second.
const LEAST_BYTES: u64 = 12;

/// The rows of a Parquet file. Some damage makes the decoder panic, so its calls are inside [`caught`].
pub(super) struct ParquetRows(RowIter<'static>);

impl ParquetRows {
    /// Opens a file; None if it lacks the columns `url` and `html`, or is too short for a Parquet file.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, RowError> {
        let file = File::open(path).map_err(|cause| RowError::Disk(ArchiveError::disk("open", path)(cause)))?;
        let length = file.metadata().map_or(0, |file| file.len());
        if length < LEAST_BYTES {
            return Ok(None);
        }
        caught(|| Self::of(file).map_err(|why| why.to_string())).flatten().map_err(|why| {
            RowError::Last(format!(
                "the Parquet file is damaged or cut off: its {length} bytes have no readable list of columns at their end \
                 ({why}). Fetch or write it again"
            ))
        })
    }

    fn of(file: File) -> Result<Option<Self>, ParquetError> {
        let file = SerializedFileReader::new(file)?;
        let schema = file.metadata().file_metadata().schema();
        let column = |name: &str| schema.get_fields().iter().find(|field| field.name() == name).cloned();
        let (Some(url), Some(html)) = (column("url"), column("html")) else { return Ok(None) };
        let time = TIMES.iter().find_map(|name| column(name));
        let fields = [Some(url), Some(html), time].into_iter().flatten().collect();
        let wanted = Type::group_type_builder(schema.name()).with_fields(fields).build()?;
        let rows = RowIter::from_file_into(Box::new(file)).with_batch_size(BATCH_ROWS).project(Some(wanted))?;
        Ok(Some(Self(rows)))
    }
}

impl Iterator for ParquetRows {
    type Item = Result<CaptureRow, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = caught(|| self.0.next()).transpose()?;
        Some(match row.and_then(|row| row.map_err(|why| why.to_string())) {
            Ok(row) => parse(row).map_err(RowError::Broken),
            Err(why) => Err(RowError::Last(format!("the table cannot be read from here on ({why})"))),
        })
    }
}

fn parse(row: ParquetRow) -> Result<CaptureRow, String> {
    let mut found = CaptureRow::default();
    for (name, field) in row.into_columns() {
        match (name.as_str(), field) {
            ("url", Field::Str(text)) => found.url = text,
            ("url", Field::Bytes(bytes)) => found.url = String::from_utf8_lossy(bytes.data()).into_owned(),
            ("html", Field::Str(text)) => (found.html, found.is_text) = (text.into_bytes(), true),
            ("html", Field::Bytes(bytes)) => found.html = bytes.data().to_vec(),
            ("url" | "html", _) => return Err(format!("no text under {name:?}")),
            (_, field) => found.fetched = time(&field),
        }
    }
    Ok(found)
}

fn time(field: &Field) -> Option<Timestamp> {
    match field {
        Field::Str(text) => parse_date(text),
        Field::TimestampMillis(time) => Timestamp::from_millisecond(*time).ok(),
        Field::TimestampMicros(time) => Timestamp::from_microsecond(*time).ok(),
        Field::Date(days) => Timestamp::from_second(i64::from(*days) * 86_400).ok(),
        Field::Long(number) => time_of_number(*number),
        Field::Int(number) => time_of_number(i64::from(*number)),
        Field::Double(number) => time_of_float(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    #[test]
    fn damage_anywhere_in_a_table_is_an_error_and_no_panic() {
        let schema = parse_message_type("message pages { optional binary url (UTF8); required binary html; }").unwrap();
        let mut table = Vec::new();
        let properties = Arc::new(WriterProperties::default());
        let mut writer = SerializedFileWriter::new(&mut table, Arc::new(schema), properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for present in [Some(&[1, 1, 1, 1][..]), None] {
            let values = ["a", "b", "b", "c"].map(ByteArray::from);
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&values, present, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut is_read = |table: &[u8]| {
            file.rewind().unwrap();
            file.write_all(table).unwrap();
            let rows = ParquetRows::open(file.path()).unwrap_or_default();
            rows.is_some_and(|rows| rows.take(9).all(|row| row.is_ok()))
        };
        assert!(is_read(&table), "the undamaged table");
        let mut damaged = 0;
        for at in 4..table.len() - 4 {
            for bits in [0x01, 0x40, 0xFF] {
                table[at] ^= bits;
                damaged += u32::from(!is_read(&table));
                table[at] ^= bits;
            }
        }
        assert!(damaged > 0);
    }
}
