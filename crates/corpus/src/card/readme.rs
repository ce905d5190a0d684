//! The card for people: Markdown, with a YAML header for Hugging Face's `datasets` and its hub.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::content::{Card, SEAL, UNSEALED};
use super::fields::features;
use crate::Format;
use crate::figures::{bytes, counted, thousands};
use crate::forms::vertical::{AUTHOR_SEPARATOR, GLUE, STRUCTURES};
use crate::holdings::{Holdings, PartSize, most_first};
use crate::schema::DOCUMENT;

/// The most rows of a table in the README. `croissant.json` has all rows.
const ROWS: usize = 20;

/// The text for a folder of JSON lines that is not counted yet.
pub(super) fn without_counts() -> String {
    format!(
        "{}\n# A corpus of web pages\n\n{}\nThis corpus is not finished. Its contents are counted at the end.\n\n{}",
        head(Format::Jsonl, ""),
        reading(Format::Jsonl),
        end()
    )
}

/// The text for a finished corpus.
pub(super) fn with_counts(card: &Card) -> String {
    let Card { holdings, .. } = card;
    let mut text = head(card.format, &languages_in_head(holdings));
    let _ = write!(text, "\n# {}\n\n{}\n\n", cell(&card.name), in_short(holdings));
    text.push_str(&reading(card.format));
    text.push('\n');
    table(&mut text, "Languages", "language", &most_first(&holdings.languages), |name| match name {
        "und" => "not recognised".to_owned(),
        name => cell(name),
    });
    domains(&mut text, holdings);
    text.push_str(&rights(holdings));
    text.push_str(&making(card));
    text.push_str("## Limits\n\n");
    for limit in limits(card) {
        let _ = writeln!(text, "- {limit}");
    }
    text.push_str(
        "\n## Before it is published\n\nFill in `croissant.json` and `CITATION.cff`: who made the corpus (`creator`, \
         `authors`) and where to find it (`url`). The program does not overwrite your edits in the three files; if \
         you delete a file, it is written again with the next counts.\n\n",
    );
    text.push_str(&end());
    text
}

/// The YAML header: where the documents are, and their types.
fn head(format: Format, languages: &str) -> String {
    match format {
        Format::Jsonl => format!(
            "---\nconfigs:\n- config_name: default\n  data_files: \"*.jsonl.zst\"\n{languages}dataset_info:\n  features:\n{}---\n",
            features(DOCUMENT, 2)
        ),
        Format::Parquet => {
            format!("---\nconfigs:\n- config_name: default\n  data_files: \"*.parquet\"\n{languages}---\n")
        }
        _ => String::new(),
    }
}

/// The languages of a corpus for the YAML header: only subtags of two or three letters, which the hub accepts.
fn languages_in_head(holdings: &Holdings) -> String {
    let known = most_first(&holdings.languages).into_iter().map(|(name, _)| name);
    let known: Vec<&str> = known
        .filter(|name| *name != "und" && (2..=3).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase()))
        .collect();
    // Quoted, because YAML reads `no` as false.
    let line = |name: &&str| format!("- \"{name}\"\n");
    if known.is_empty() { String::new() } else { format!("language:\n{}", known.iter().map(line).collect::<String>()) }
}

/// The corpus in three sentences.
pub(super) fn in_short(holdings: &Holdings) -> String {
    let Holdings { documents, words, paragraphs, text_bytes, .. } = holdings;
    let domains = holdings.domains.len() as u64 + holdings.other_domains;
    let mut text = format!(
        "{} of {}{}: {} in {}, {} of text.",
        counted(*documents, "document", "documents"),
        if holdings.other_domains > 0 { "up to " } else { "" },
        counted(domains, "domain", "domains"),
        counted(*words, "word", "words"),
        counted(*paragraphs, "paragraph", "paragraphs"),
        bytes(*text_bytes),
    );
    let undated = documents - holdings.dated();
    if let Some((first, last)) = &holdings.published {
        let _ = write!(text, " Published from {} to {}, by the dates that the pages give", cell(first), cell(last));
        let _ = match undated {
            0 => write!(text, "."),
            undated => write!(text, "; {} no date.", counted(undated, "document has", "documents have")),
        };
    }
    if let Some((first, last)) = holdings.fetched {
        let (first, last) = (first.strftime("%F").to_string(), last.strftime("%F").to_string());
        let _ = if first == last {
            write!(text, " Fetched on {first}.")
        } else {
            write!(text, " Fetched from {first} to {last}.")
        };
    }
    text
}

fn reading(format: Format) -> String {
    match format {
        Format::Jsonl => {
            "Made by GoldMiner: a line of JSON for each document, compressed with zstd. Every key is on every line, \
             as `null` or `[]`\nif nothing is known; only `rights` is left out if there are no statements. \
             `datasets.load_dataset(\"this folder\")`\ntakes the types of the keys from the head of this file.\n"
                .to_owned()
        }
        Format::Parquet => {
            "Made by GoldMiner: a row for each document in Parquet, which says the types of its columns. \
             `datasets.load_dataset(\"this folder\")`, DuckDB,\npandas and `mlcroissant` read it.\n"
                .to_owned()
        }
        Format::Vertical => format!("Made by GoldMiner, as {}.\n\n{}", in_words(format), encode_commands()),
        other => format!("Made by GoldMiner, as {}.\n", in_words(other)),
    }
}

/// Commands that load the vertical file into corpus tools. They declare all tags of the format, because undeclared
/// ones would become tokens.
fn encode_commands() -> String {
    let of_workbench = STRUCTURES.map(|tag| format!("-S {}:{}+{}", tag.name, tag.depth, tag.attributes.join("+")));
    let of_engine = STRUCTURES.map(|tag| {
        let attributes = tag.attributes.iter().map(|name| match *name {
            "author" => format!(
                "    ATTRIBUTE author {{\n        MULTIVALUE yes\n        MULTISEP \"{AUTHOR_SEPARATOR}\"\n    }}\n"
            ),
            name => format!("    ATTRIBUTE {name}\n"),
        });
        let nested = if tag.depth > 0 { "    NESTED yes\n" } else { "" };
        format!("STRUCTURE {} {{\n{nested}{}}}\n", tag.name, attributes.collect::<String>())
    });
    format!(
        "To encode it for the Corpus Workbench (the folders `data` and `registry` must exist):\n\n```sh\n\
         cwb-encode -d data -f corpus.vert -R registry/goldminer -c utf8 -xsB -0 {GLUE} \\\n    {}\n\
         cwb-makeall -r registry -V GOLDMINER\n```\n\n\
         For Sketch Engine and NoSketch Engine, write this configuration (correct the paths), then run `compilecorp`:\n\n\
         ```text\nNAME \"GoldMiner\"\nPATH \"/corpora/goldminer\"\nVERTICAL \"/corpora/corpus.vert\"\nENCODING \"utf-8\"\n\
         ATTRIBUTE word\n{}STRUCTURE {GLUE} {{\n    DISPLAYTAG 0\n    DISPLAYBEGIN \"_EMPTY_\"\n}}\n```\n",
        of_workbench.join(" \\\n    "),
        of_engine.concat()
    )
}

pub(super) fn in_words(format: Format) -> &'static str {
    match format {
        Format::Jsonl => "JSON lines in zstd",
        Format::Parquet => "Parquet",
        Format::Text => "plain text, a file for each domain",
        Format::Cleaneval => "text in CleanEval's markup, a file for each page",
        Format::Markdown => "Markdown, a file for each page",
        Format::Html => "HTML, a file for each page",
        Format::Vertical => "one token or tag a line, with the token as the only column",
        Format::Tei => "TEI P5",
    }
}

fn domains(text: &mut String, holdings: &Holdings) {
    let largest = holdings.largest_domains();
    text.push_str("## Domains\n\n");
    if largest.len() > ROWS {
        let _ = write!(text, "The {ROWS} largest; ");
        text.push_str(match holdings.other_domains {
            0 => "all of them are in `croissant.json` (record set `domains`).\n\n",
            _ => "many more are in `croissant.json` (record set `domains`), the smallest only as a sum.\n\n",
        });
    }
    text.push_str("| domain | documents | words |\n|---|---:|---:|\n");
    for (name, PartSize { documents, words }) in largest.iter().take(ROWS) {
        let _ = writeln!(text, "| {} | {} | {} |", cell(name), thousands(*documents), thousands(*words));
    }
    text.push('\n');
}

fn rights(holdings: &Holdings) -> String {
    let mut text =
        "## Rights\n\nStatements of pages, responses and hosts about the use of their texts, from the field `rights` \
         of the documents. Without a statement, the applicable law decides. Nothing here is a licence.\n\n| class | \
         documents |\n|---|---:|\n"
            .to_owned();
    for (class, documents) in classes(holdings) {
        let _ = writeln!(text, "| {class} | {} |", thousands(documents));
    }
    text.push('\n');
    table(&mut text, "Licences", "licence", &most_first(&holdings.licenses), cell);
    text
}

/// Documents by their rights statements. A document may be in several classes.
pub(super) fn classes(holdings: &Holdings) -> Vec<(String, u64)> {
    let mut classes = vec![
        ("nothing said".to_owned(), holdings.undeclared),
        ("licence named".to_owned(), holdings.licensed()),
        ("open licence (CC0, public domain, CC BY, CC BY-SA)".to_owned(), holdings.open),
    ];
    classes.extend(most_first(&holdings.restrictions).into_iter().map(|(name, n)| (format!("`{name}`"), n)));
    classes.push(("signals that contradict each other; the stricter one counts".to_owned(), holdings.contradictory));
    classes
}

fn making(card: &Card) -> String {
    let Holdings { methods, programs, profiles, .. } = &card.holdings;
    let mut text = String::new();
    table(&mut text, "How the texts were made", "method", &most_first(methods), |name| format!("`{}`", cell(name)));
    let by_name = |counts: &BTreeMap<String, u64>| -> Vec<String> {
        most_first(counts).into_iter().map(|(name, n)| format!("{} ({})", cell(name), thousands(n))).collect()
    };
    let _ = writeln!(text, "Programs that made the documents: {}.", by_name(programs).join(", "));
    if !profiles.is_empty() {
        let versions = profiles.iter().map(|(version, n)| format!("{version} ({})", thousands(*n)));
        let _ = writeln!(text, "Versions of the domains' profiles: {}.", versions.collect::<Vec<_>>().join(", "));
    }
    if let Some(classifier) = card.classifier.as_ref().filter(|_| methods.contains_key("classifier")) {
        let _ = writeln!(text, "The weights of the classifier have the digest `{classifier}`.");
    }
    text.push('\n');
    text
}

/// What users of the corpus should know.
pub(super) fn limits(card: &Card) -> Vec<String> {
    let holdings = &card.holdings;
    let mut limits = vec![
        "Texts are extracted by a program: some paragraphs are missing, and some do not belong to the article."
            .to_owned(),
        "Languages are detected by a program; dates, authors and rights are as stated by the pages, right or wrong."
            .to_owned(),
        "Words are counted by white space, which is not meaningful for languages without it.".to_owned(),
    ];
    let undated = holdings.documents - holdings.dated();
    if undated > 0 && holdings.dated() > 0 {
        limits.push(format!("{} no date of publication.", counted(undated, "document has", "documents have")));
    }
    if holdings.near_duplicates > 0 {
        limits.push(format!(
            "{} nearly the same as an earlier one of the domain, and flagged so (`near_duplicate_of`).",
            counted(holdings.near_duplicates, "document is", "documents are")
        ));
    }
    limits.extend(card.limits.iter().cloned());
    limits
}

fn table(text: &mut String, title: &str, what: &str, rows: &[(&str, u64)], name: impl Fn(&str) -> String) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(text, "## {title}\n\n| {what} | documents |\n|---|---:|\n");
    for (row, documents) in rows.iter().take(ROWS) {
        let _ = writeln!(text, "| {} | {} |", name(row), thousands(*documents));
    }
    if rows.len() > ROWS {
        let others = rows[ROWS..].iter().map(|(_, documents)| documents).sum();
        let _ = writeln!(text, "| {} more | {} |", thousands((rows.len() - ROWS) as u64), thousands(others));
    }
    text.push('\n');
}

/// Text from pages and people, escaped for Markdown and its tables.
fn cell(value: &str) -> String {
    let mut cell = String::with_capacity(value.len());
    for c in value.chars().take(200) {
        match c {
            '|' | '[' | ']' | '*' | '`' | '\\' | '#' => cell.extend(['\\', c]),
            '<' => cell.push_str("&lt;"),
            c if c.is_control() => cell.push(' '),
            c => cell.push(c),
        }
    }
    cell
}

fn end() -> String {
    format!("<!-- {SEAL}{UNSEALED} -->\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_pages_is_escaped_in_the_card() {
        assert_eq!(cell("a|b\n# <script>"), "a\\|b \\# &lt;script>");
    }

    #[test]
    fn the_yaml_header_has_the_types_that_readers_need() {
        let card = without_counts();
        assert!(card.starts_with("---\nconfigs:\n- config_name: default\n  data_files: \"*.jsonl.zst\"\ndataset_info:\n  features:\n  - name: id\n    dtype: string\n"));
        assert!(card.contains("  - name: paragraphs\n    list:\n    - name: kind\n      dtype: string\n"));
        assert!(
            card.contains(
                "    - name: authors\n      list: string\n    - name: published\n      dtype: timestamp[s]\n"
            )
        );
        let mut norwegian = Holdings::default();
        norwegian.languages.insert("no".to_owned(), 1);
        assert_eq!(languages_in_head(&norwegian), "language:\n- \"no\"\n");
    }
}
