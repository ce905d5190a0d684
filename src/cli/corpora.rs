//! The arguments of the commands about finished corpora, and of those about the command line itself.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use goldminer_core::document::ParagraphKind;
use goldminer_corpus::Format;

use super::{FilterArgs, NetworkArgs};

/// The forms of a corpus by their own names.
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    let help = |format: Format| match format {
        Format::Jsonl => "JSON lines, zstd",
        Format::Text => "Plain text",
        Format::Markdown => "One Markdown file a page, its metadata in front",
        Format::Html => "One HTML file a page, without anything around the text",
        Format::Cleaneval => "One file a page with `h`, `p`, `l`, `c`, `t`, `q` marks",
        Format::Vertical => "One token a line with structural attributes (CWB, Sketch Engine)",
        Format::Tei => "TEI P5",
        Format::Parquet => "Parquet, a row a document",
    };
    let names = Format::ALL.iter().map(|format| PossibleValue::new(format.as_str()).help(help(*format)));
    PossibleValuesParser::new(names).map(|name| {
        let named = Format::ALL.iter().copied().find(|format| format.as_str() == name);
        named.unwrap_or(Format::Jsonl)
    })
}

/// The kinds of paragraphs that not everybody takes for text.
fn kinds() -> impl TypedValueParser<Value = ParagraphKind> {
    const KINDS: [ParagraphKind; 4] =
        [ParagraphKind::Code, ParagraphKind::Table, ParagraphKind::Formula, ParagraphKind::Quote];
    PossibleValuesParser::new(KINDS.map(ParagraphKind::as_str))
        .map(|name| KINDS.into_iter().find(|kind| kind.as_str() == name).unwrap_or_default())
}

/// `--robots-now HOST=FILE`
fn host_and_file(typed: &str) -> Result<(String, PathBuf), String> {
    let pair = super::name_and_path(typed).map(|(host, file)| (host.to_ascii_lowercase(), file));
    pair.ok_or_else(|| format!("{typed:?} names no host and file; write for example portal.example=robots.txt"))
}

/// `goldminer convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Corpora of JSON lines or Parquet: files, folders of them, or job directories; the other forms are not read back
    #[arg(required = true, value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,
    /// Where the documents go: a new folder, a file (*.jsonl, *.jsonl.zst, *.parquet, *.txt, *.vert, *.xml), or `-` for
    /// standard output, as plain JSON lines
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// How documents are written [default: as the name of the file says, else jsonl]
    #[arg(long, value_parser = formats())]
    pub format: Option<Format>,
    /// Write the captions of figures and tables, too, with --format text, vertical or cleaneval; the other forms always
    /// have them
    #[arg(long)]
    pub captions: bool,
    /// Leave out paragraphs of a kind with --format text, vertical or cleaneval: code, table, formula or quote
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    pub without: Vec<ParagraphKind>,
    /// Leave out documents with the text of an earlier one, whatever their domains
    #[arg(long)]
    pub unique: bool,
    /// Leave out documents that are flagged as nearly the same as an earlier one
    #[arg(long)]
    pub no_near_duplicates: bool,
    /// Apply what a host's robots.txt (or tdmrep.json) says now, HOST=FILE: documents that it forbids are left out, the others say what it
    /// says of their use, for --rights, too
    #[arg(long, value_name = "HOST=FILE", value_parser = host_and_file)]
    pub robots_now: Vec<(String, PathBuf)>,
    /// With --robots-now: the crawler that it speaks to, by the name that files have for it
    #[arg(long, default_value = "goldminer", value_name = "NAME", requires = "robots_now")]
    pub robots_as: String,
    /// Ask every host of the corpora for the robots.txt and tdmrep.json that it has now, and apply them likewise. Who asks
    /// and how is taken from a job directory among the corpora, unless --user-agent is given
    #[arg(long)]
    pub refetch_robots: bool,
    /// With --refetch-robots: how the web is asked
    #[command(flatten)]
    pub network: NetworkArgs,
    /// Which documents are wanted
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Leave out paragraphs that earlier documents have (Onion)
    #[arg(long)]
    pub onion: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer stats`
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Corpora of JSON lines or Parquet: files, folders of them, or job directories; with --compare: sources as for
    /// `extract`
    #[arg(required = true, value_name = "CORPUS")]
    pub corpora: Vec<PathBuf>,
    /// Extract the pages twice, with jusText alone and with GoldMiner, and set both side by side
    #[arg(long)]
    pub compare: bool,
    /// With --compare: use the profiles of this directory instead of learning them
    #[arg(long, value_name = "DIR", requires = "compare")]
    pub profiles: Option<PathBuf>,
    /// Count duplicates instead: documents with the same text, and nearly the same
    #[arg(long, conflicts_with = "compare")]
    pub duplicates: bool,
    /// How many of the most repeated sentences of each domain are shown
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub top: usize,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `goldminer completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell; write what is printed to where it looks for completions
    pub shell: clap_complete::Shell,
}

/// `goldminer man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder for the pages, one a command
    #[arg(short, long, default_value = "man", value_name = "DIR")]
    pub out: PathBuf,
}
