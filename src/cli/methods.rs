//! The arguments that choose an extraction method and its parameters, and the arguments of `compare`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

/// `--method` with the parameters of all methods; each method reads its own.
#[derive(Debug, Args)]
pub struct MethodArgs {
    /// Extraction method
    #[arg(long, default_value = "goldminer", value_name = "METHOD", value_parser = methods())]
    pub method: String,
    /// ncleaner, classifier: the model file that `goldminer train` wrote
    #[arg(long, value_name = "FILE", help_heading = "Parameters of methods", hide_short_help = true)]
    pub model: Option<PathBuf>,
    /// classifier: what belongs to the text
    #[arg(long, default_value = "article", help_heading = "Parameters of methods", hide_short_help = true)]
    pub convention: ConventionArg,
    /// After any method, leave out paragraphs that occur in earlier documents (Onion), and documents without any other
    /// paragraph
    #[arg(long, hide_short_help = true)]
    pub onion: bool,
    /// Extract only the kind and text of each paragraph, without levels, lists, links, figures and other structure
    #[arg(long, hide_short_help = true)]
    pub no_structure: bool,
}

impl MethodArgs {
    /// Whether the method uses profiles.
    pub fn uses_profiles(&self) -> bool {
        self.method.starts_with("goldminer")
    }

    /// Whether documents by the method have a confidence.
    pub fn has_confidence(&self) -> bool {
        self.method == "goldminer" || (self.method == "classifier" && self.convention == ConventionArg::Article)
    }
}

/// The methods of `--method`, each with a description.
pub const METHODS: [(&str, &str); 13] = [
    ("goldminer", "Profiles learned from many pages of a domain"),
    ("goldminer-2013", "GoldMiner as its authors published it, for comparison"),
    ("classifier", "The page classifier: each page by itself, no profiles"),
    ("justext", "jusText on whole pages"),
    ("justext-inside", "jusText with the thresholds that GoldMiner uses inside an article"),
    ("bte", "Body Text Extraction: the stretch with many words and few tags"),
    ("boilerpipe", "Boilerpipe: a decision tree over the words of text blocks (the paper's Algorithm 2)"),
    ("boilerpipe-words", "Boilerpipe without its removal of comments and of text around headlines"),
    ("boilerpipe-density", "Boilerpipe by text density (the paper's Algorithm 1), also without this removal"),
    ("boilerpipe-largest", "Boilerpipe, keeping the longest run of content"),
    ("boilerpipe-tree", "Boilerpipe, keeping the largest part of the tree"),
    ("ncleaner", "NCleaner: character n-grams of clean and dirty text (needs --model)"),
    ("all-text", "All visible text"),
];

fn methods() -> PossibleValuesParser {
    METHODS.map(|(name, help)| PossibleValue::new(name).help(help)).into()
}

/// The arguments of `goldminer compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The pages: sources as for `extract`
    #[arg(value_name = "PAGES", required_unless_present = "demo", requires = "gold")]
    pub pages: Option<PathBuf>,
    /// The directory of the gold texts
    #[arg(value_name = "GOLD")]
    pub gold: Option<PathBuf>,
    /// Compare on the built-in portals, which have gold texts
    #[arg(long, conflicts_with_all = ["pages", "gold", "only"])]
    pub demo: bool,
    /// The methods, separated by commas; `+onion` after a name filters its output with Onion
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub methods: Vec<String>,
    /// Add a row for another tool, from its outputs, one text file per page
    #[arg(long, value_name = "NAME=DIR", value_parser = name_and_folder)]
    pub with: Vec<(String, PathBuf)>,
    /// Score only the pages listed in this file, one `domain/id` per line
    #[arg(long, value_name = "FILE")]
    pub only: Option<PathBuf>,
    /// Score as the papers did, for comparison with published figures
    #[arg(long)]
    pub verbatim: bool,
    /// Print a table for each domain with at least this many pages [default: 1; with more than twelve domains, no such
    /// tables]
    #[arg(long, value_name = "N")]
    pub by_domain: Option<usize>,
    /// ncleaner: use this model instead of cross-validation
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// ncleaner: number of folds for cross-validation
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub folds: u64,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Parses the value of `--with NAME=DIR`, the outputs of another program.
fn name_and_folder(typed: &str) -> Result<(String, PathBuf), String> {
    let wrong = "write a name and a directory, as in trafilatura=outputs/trafilatura";
    super::name_and_path(typed).ok_or_else(|| wrong.to_owned())
}

/// The values of `--convention`: what counts as the text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConventionArg {
    /// The article and nothing else
    Article,
    /// The article, and comments and lists as well
    Page,
}
