//! Converts the languages that people type to the codes in documents. Documents have primary subtags of BCP 47; people
//! also write names and other codes.

use isolang::Language;

/// Returns the code that documents have for the typed language.
///
/// # Errors
/// When no language has the typed code or name, or documents have another code for it. The message says what to write.
pub fn language_code(typed: &str) -> Result<String, String> {
    let code = typed.trim().to_ascii_lowercase();
    if code.len() == 2 && Language::from_639_1(&code).is_some() {
        return Ok(code);
    }
    let subtag = code.split(['-', '_']).next().unwrap_or_default();
    let found = Language::from_639_1(subtag)
        .or_else(|| Language::from_639_3(&code))
        .or_else(|| Language::from_name_lowercase(&code));
    match found.map(|language| (language.to_639_1(), language.to_639_3())) {
        // Languages without a two-letter code have a three-letter one.
        Some((None, long)) if long == code => Ok(code),
        Some((short, long)) => {
            Err(format!("documents have the codes of ISO 639-1 where there is one; write {}", short.unwrap_or(long)))
        }
        None => Err(format!("{typed:?} is not a language code (ISO 639-1); write for example en, hu or zh")),
    }
}

#[cfg(test)]
mod tests {
    use super::language_code;

    #[test]
    fn other_codes_and_names_get_an_error_with_the_right_code() {
        for code in ["en", "HU", "zh", "ckb", "ceb"] {
            assert_eq!(language_code(code), Ok(code.to_ascii_lowercase()));
        }
        for (typed, expected) in [
            ("xx", "is not a language code"),
            ("hungarian", "write hu"),
            ("eng", "write en"),
            ("de-AT", "write de"),
            ("", "not a language code"),
        ] {
            let error = language_code(typed).expect_err(typed);
            assert!(error.contains(expected), "{typed}: {error}");
        }
    }
}
