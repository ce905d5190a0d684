//! The arguments of the commands for finished corpora, and of `completions` and `man`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use goldminer_core::document::ParagraphKind;
use goldminer_corpus::Format;

use super::FilterArgs;

/// Parses a value of `--format`.
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    let help = |format: Format| match format {
        Format::Jsonl => "JSON lines, zstd",
        Format::Text => "Plain text",
        Format::Markdown => "One Markdown file per document, metadata first",
        Format::Html => "One HTML file per document, metadata first",
        Format::Cleaneval => "One file per page with `h`, `p`, `l`, `c`, `t`, `q` marks",
        Format::Vertical => "One token per line, with tags; a folder also gets the commands for CWB and Sketch Engine",
        Format::Tei => "TEI P5",
        Format::Parquet => "Parquet, one row per document",
    };
    let names = Format::ALL.iter().map(|format| PossibleValue::new(format.as_str()).help(help(*format)));
    PossibleValuesParser::new(names).map(|name| {
        let named = Format::ALL.iter().copied().find(|format| format.as_str() == name);
        named.unwrap_or(Format::Jsonl)
    })
}

/// Parses a value of `--without`: a kind of paragraph that some users do not count as text.
fn kinds() -> impl TypedValueParser<Value = ParagraphKind> {
    const KINDS: [ParagraphKind; 4] =
        [ParagraphKind::Code, ParagraphKind::Table, ParagraphKind::Formula, ParagraphKind::Quote];
    PossibleValuesParser::new(KINDS.map(ParagraphKind::as_str))
        .map(|name| KINDS.into_iter().find(|kind| kind.as_str() == name).unwrap_or_default())
}

/// Parses the value of `--robots-now HOST=FILE`.
fn host_and_file(typed: &str) -> Result<(String, PathBuf), String> {
    if let Some((_, host)) = typed.split('=').next().unwrap_or_default().split_once("://") {
        let host = host.split('/').next().unwrap_or_default();
        return Err(format!("write the host alone: {host}=robots.txt"));
    }
    let pair = super::name_and_path(typed).map(|(host, file)| (host.to_ascii_lowercase(), file));
    pair.ok_or_else(|| format!("{typed:?} is not a host and a file; write for example portal.example=robots.txt"))
}

/// Parses the name of a crawler, which may be a whole user agent. A list of names would match no group of a robots.txt.
///
/// # Errors
/// When it looks like a list. The message says what to write.
pub(crate) fn crawler_name(typed: &str) -> Result<String, String> {
    match typed.split(['/', ' ', '(']).next().unwrap_or_default().contains(',') {
        true => Err("write the name of one crawler, and run the command once for each".to_owned()),
        false => Ok(typed.to_owned()),
    }
}

/// The arguments of `goldminer convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Corpora in JSON lines or Parquet: files, folders of them, or job directories; other formats cannot be read
    #[arg(required = true, value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,
    /// Write the documents here: a new folder, a file (*.jsonl, *.jsonl.zst, *.parquet, *.txt, *.vert, *.vrt, *.xml,
    /// *.tei), or `-` for plain JSON lines on standard output
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// Read corpora of which a part is missing, because `extract` or `dedup` was stopped or shards are not done
    #[arg(long, hide_short_help = true)]
    pub incomplete: bool,
    /// Output format [default: from the file name, else jsonl]
    #[arg(long, value_parser = formats())]
    pub format: Option<Format>,
    /// With --format text, vertical or cleaneval: include the captions of figures and tables; other formats always do
    #[arg(long, hide_short_help = true)]
    pub captions: bool,
    /// With --format text, vertical or cleaneval: leave out paragraphs of these kinds, separated by commas
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub without: Vec<ParagraphKind>,
    /// Leave out documents with the text of an earlier one, across all domains
    #[arg(long)]
    pub unique: bool,
    /// Leave out documents that are flagged as near-duplicates of an earlier one
    #[arg(long)]
    pub no_near_duplicates: bool,
    /// Apply a host's current robots.txt (or tdmrep.json) from a file: leave out documents that it forbids, and add its
    /// rights statements to the host's other documents; --rights then takes them into account
    #[arg(long, value_name = "HOST=FILE", value_parser = host_and_file, hide_short_help = true)]
    pub robots_now: Vec<(String, PathBuf)>,
    /// With --robots-now: the crawler's name to look for in these files, without a version
    #[arg(
        long, default_value = "goldminer", value_name = "NAME", value_parser = crawler_name, requires = "robots_now",
        hide_short_help = true
    )]
    pub robots_as: String,
    /// Filters
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Leave out paragraphs that occur in earlier documents (Onion), and documents without any other paragraph
    #[arg(long, hide_short_help = true)]
    pub onion: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Corpora in JSON lines or Parquet: files, folders of them, or job directories; with --compare: sources as for
    /// `extract`
    #[arg(required = true, value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,
    /// Extract the pages with jusText alone and with GoldMiner, and print both side by side
    #[arg(long)]
    pub compare: bool,
    /// With --compare: use the profiles in this directory instead of learning them
    #[arg(long, value_name = "PROFILES", requires = "compare")]
    pub profiles: Option<PathBuf>,
    /// Read corpora of which a part is missing, because `extract` or `dedup` was stopped or shards are not done
    #[arg(long, conflicts_with = "compare")]
    pub incomplete: bool,
    /// Show this many of each domain's most repeated sentences
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub top: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell; save the output where the shell looks for completions
    pub shell: clap_complete::Shell,
}

/// The arguments of `goldminer man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write the pages to this folder, one per command
    #[arg(short, long, default_value = "man", value_name = "DIR")]
    pub out: PathBuf,
}
