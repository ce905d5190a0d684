//! The arguments of `train`: a model for NCleaner, or weights for the classifier or the confidence.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ConventionArg;

/// The arguments of `goldminer train`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TrainArgs {
    /// What to train instead of a model for NCleaner
    #[command(subcommand)]
    pub other: Option<TrainCommand>,
    /// A model for NCleaner
    #[command(flatten)]
    pub ncleaner: Option<TrainNcleanerArgs>,
}

/// The subcommands of `goldminer train`, for anything but a model for NCleaner.
#[derive(Debug, Subcommand)]
pub enum TrainCommand {
    /// Train weights for the classifier of single pages, or cross-validate them
    #[command(after_help = "Examples:\n\
        \x20 goldminer train classifier set1 set2 -o weights.json\n\
        \x20 goldminer train classifier set1 set2 --folds")]
    Classifier(TrainClassifierArgs),
    /// Train weights for the confidence of documents, and measure its calibration on held-out layouts
    #[command(after_help = "Examples:\n\
        \x20 goldminer train confidence set1 set2 -o confidence.weights\n\
        \x20 goldminer train confidence set1 --unseen set3,set4 -o confidence.weights")]
    Confidence(TrainConfidenceArgs),
}

/// The arguments of `goldminer train` for a model for NCleaner.
#[derive(Debug, Args)]
pub struct TrainNcleanerArgs {
    /// The cleaned texts, `<domain>/<id>.txt`, with `h`, `p`, `l` marks
    #[arg(long, value_name = "DIR")]
    pub gold: PathBuf,
    /// The pages, `<domain>/<id>.html`
    #[arg(long, value_name = "DIR")]
    pub pages: PathBuf,
    /// Write the model here
    #[arg(short, long, value_name = "MODEL")]
    pub out: PathBuf,
    /// How characters are mapped to symbols
    #[arg(long, default_value = "ascii")]
    pub alphabet: AlphabetArg,
    /// The length of the n-grams [default: 3; 6 with letters-digits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub n: Option<u8>,
    /// The weight of shorter n-grams, between 0 and 1 [default: 0.5; 0.4 with letters-digits]
    #[arg(long, value_name = "Q")]
    pub q: Option<f64>,
    /// Print what was learned as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer train classifier`.
#[derive(Debug, Args)]
pub struct TrainClassifierArgs {
    /// Folders with `pages/<domain>/<id>.html`, `gold/<domain>/<id>.txt` and, to use only some pages, a list ok.txt
    #[arg(value_name = "SET", required = true)]
    pub sets: Vec<PathBuf>,
    /// Write the weights here
    #[arg(short, long, value_name = "FILE", required_unless_present = "folds")]
    pub out: Option<PathBuf>,
    /// What counts as text in the gold texts of all sets
    #[arg(long, default_value = "article")]
    pub convention: ConventionArg,
    /// Leave out the domains of one of five folds, from 0 to 4
    #[arg(long, value_name = "PART", value_parser = clap::value_parser!(u8).range(0..5))]
    pub without: Option<u8>,
    /// The random seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Write no weights: cross-validate in five folds of domains, with three seeds each
    #[arg(long, conflicts_with_all = ["out", "without", "seed"])]
    pub folds: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `goldminer train confidence`.
#[derive(Debug, Args)]
pub struct TrainConfidenceArgs {
    /// Sets as for `train classifier`, to train the weights and the classifiers that extract the documents
    #[arg(value_name = "SET", required = true)]
    pub sets: Vec<PathBuf>,
    /// More sets to train the weights, but not the classifiers, separated by commas
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    pub unseen: Vec<PathBuf>,
    /// Write the weights here
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// The random seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The values of `--alphabet`: how characters are mapped to the symbols of n-grams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlphabetArg {
    /// Bytes as they are
    Bytes,
    /// ASCII; all other characters become one symbol
    Ascii,
    /// The simplified model: one symbol for letters, one for digits
    LettersDigits,
}
