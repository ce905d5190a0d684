//! The `User-Agent` header: a product token that webmasters can name in robots.txt, and a contact of the crawler's
//! operator.
//!
//! A [`UserAgent`] always has a contact, and never the name of a browser or of another crawler.

use url::Url;

/// The value of the `User-Agent` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserAgent {
    text: String,
    token_length: usize,
    email: Option<String>,
}

/// Why a text is not a valid user agent; the message says what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UserAgentError {
    /// The user agent does not begin with a token of letters, `-` and `_`, followed by `/`, a space, or the end.
    #[error(
        "user agent {0:?} does not begin with a name for robots.txt, before a slash: letters, '-' and '_', no digits \
         and no other characters (RFC 9309); write for example \"example-corpus/1.0 (+https://example.org/crawler; crawler@example.org)\""
    )]
    NoProductToken(String),
    /// The name has several words, of which robots.txt would know only the first.
    #[error(
        "user agent {text:?} has a name of several words, but webmasters can name only {token:?} in robots.txt; join the words \
         with '-'"
    )]
    SeveralWords {
        /// The user agent as given.
        text: String,
        /// The first word of the name.
        token: String,
    },
    /// The name is that of another crawler or browser.
    #[error(
        "user agent {0:?} poses as another program; begin with your own name, which webmasters can use in robots.txt"
    )]
    Impersonation(String),
    /// There is neither a URL nor an e-mail address.
    #[error(
        "user agent {0:?} names no contact; add a web page or an e-mail address, for example \"(+https://example.org/\
         crawler; crawler@example.org)\""
    )]
    NoContact(String),
    /// The text has control characters, or characters beyond ASCII.
    #[error("user agent {0:?} has characters that a header can't carry; use printable ASCII")]
    NotAHeader(String),
    /// Several of these errors, as text.
    #[error("{0}")]
    Several(String),
}

/// Names of other crawlers and browsers.
const NAMES_OF_OTHERS: &str = "mozilla opera chrome safari firefox googlebot google bingbot applebot yandexbot \
    duckduckbot baiduspider ccbot gptbot facebookexternalhit twitterbot";

impl UserAgent {
    /// Checks a user agent from a seeds file or the command line.
    ///
    /// # Errors
    /// When it has no product token of its own or no contact; the message says what to write.
    pub fn new(text: &str) -> Result<Self, UserAgentError> {
        let (text, mut wrong) = (text.trim(), Vec::new());
        if !text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
            wrong.push(UserAgentError::NotAHeader(text.to_owned()));
        }
        let token_length =
            text.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '-' | '_'))).unwrap_or(text.len());
        let ends_well = matches!(text.as_bytes().get(token_length), None | Some(b'/' | b' '));
        let mut more = text[token_length..].strip_prefix(' ').unwrap_or_default().split(' ');
        if token_length == 0 || !ends_well {
            wrong.push(UserAgentError::NoProductToken(text.to_owned()));
        } else if NAMES_OF_OTHERS.split(' ').any(|name| name.eq_ignore_ascii_case(&text[..token_length])) {
            wrong.push(UserAgentError::Impersonation(text.to_owned()));
        } else if more.by_ref().take_while(|word| !word.starts_with('(')).any(is_product) {
            let token = text[..token_length].to_owned();
            wrong.push(UserAgentError::SeveralWords { text: text.to_owned(), token });
        }
        let contacts = || contacts(&text[token_length..]);
        let email = contacts().find(|word| is_email(word));
        if email.is_none() && !contacts().any(is_web_page) {
            wrong.push(UserAgentError::NoContact(text.to_owned()));
        }
        match wrong.len() {
            0 => {}
            1 => return Err(wrong.remove(0)),
            _ => {
                let messages: Vec<String> = wrong.iter().map(ToString::to_string).collect();
                return Err(UserAgentError::Several(messages.join("\n  and: ")));
            }
        }
        Ok(Self { email: email.map(str::to_owned), token_length, text: text.to_owned() })
    }

    /// The whole header value.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name that robots.txt groups are matched with.
    pub fn product_token(&self) -> &str {
        &self.text[..self.token_length]
    }

    /// The host of the contact, if it is a name that is reserved for examples and tests (RFC 2606, RFC 6761).
    pub fn example_host(&self) -> Option<String> {
        Self::example_host_in(&self.text)
    }

    /// Like [`UserAgent::example_host`], for the text of a user agent that may be invalid.
    pub fn example_host_in(text: &str) -> Option<String> {
        contacts(text).find_map(|contact| {
            let host = match contact.split_once('@') {
                Some((_, host)) if is_email(contact) => host.to_owned(),
                _ if is_web_page(contact) => Url::parse(contact).ok()?.domain()?.to_owned(),
                _ => return None,
            };
            is_reserved(&host).then_some(host)
        })
    }

    /// The e-mail address of the contact, if there is one: the value of the `From` header (RFC 9110, section 10.1.2).
    pub fn email(&self) -> Option<&str> {
        self.email.as_deref()
    }
}

/// The parts after the product token that may be a contact: a web page or an e-mail address.
fn contacts(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split([' ', '(', ')', '<', '>', ';', ',']).map(|word| word.trim_start_matches('+'));
    words.map(|word| word.strip_prefix("mailto:").unwrap_or(word))
}

/// Whether a word is a name with a version, as in `corpus/1.0`.
fn is_product(word: &str) -> bool {
    let Some((name, version)) = word.split_once('/') else { return false };
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        && version.starts_with(|c: char| c.is_ascii_digit())
}

fn is_reserved(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let mut labels = host.rsplit('.');
    matches!(
        (labels.next(), labels.next()),
        (Some("example" | "test" | "invalid" | "localhost"), _)
            | (Some("com" | "net" | "org" | "edu"), Some("example"))
    )
}

fn is_email(word: &str) -> bool {
    let Some((local, domain)) = word.split_once('@') else { return false };
    !local.is_empty()
        && !local.contains(['/', ':'])
        && domain.split('.').count() >= 2
        && domain
            .split('.')
            .all(|label| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

fn is_web_page(word: &str) -> bool {
    Url::parse(word).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.domain().is_some_and(|domain| domain.trim_matches('.').contains('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_and_a_contact_make_a_user_agent() {
        let both = UserAgent::new("example-corpus/1.0 (+https://example.org/crawler; crawler@example.org)").unwrap();
        assert_eq!(both.product_token(), "example-corpus");
        assert_eq!(both.email(), Some("crawler@example.org"));
        let page = UserAgent::new("Corpus_Bot (+http://example.org)").unwrap();
        assert_eq!((page.product_token(), page.email()), ("Corpus_Bot", None));
        let mail = UserAgent::new("corpus/2 mailto:a.b+c@uni.example.org").unwrap();
        assert_eq!(mail.email(), Some("a.b+c@uni.example.org"));
    }

    #[test]
    fn a_user_agent_without_contact_is_refused_with_advice() {
        for text in ["corpus/1.0", "corpus/1.0 (+https://localhost/)", "corpus (me@host)", "corpus (https://user@)"] {
            let error = UserAgent::new(text).unwrap_err();
            assert!(matches!(error, UserAgentError::NoContact(_)), "{text}: {error}");
            assert!(error.to_string().contains("crawler@example.org"), "{error}");
        }
    }

    #[test]
    fn a_token_that_robots_txt_can_not_name_is_refused() {
        for text in ["", "bot2/1.0 (+https://example.org)", "(+https://example.org)", "my.bot (+https://example.org)"] {
            let error = UserAgent::new(text).unwrap_err().to_string();
            assert!(error.contains("does not begin with a name for robots.txt"), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_name_of_several_words_is_refused() {
        for text in ["my corpus/1.0 (+https://uni.hu)", "my  corpus-2/1 me@uni.hu", "my own corpus/1 (+https://uni.hu)"]
        {
            let error = UserAgent::new(text).unwrap_err();
            assert!(error.to_string().contains("webmasters can name only \"my\""), "{error}");
        }
        for text in ["corpus uni.hu/1 a@uni.hu", "corpus (+https://uni.hu) lib/2", "corpus/1 lib/2 (+https://uni.hu)"] {
            assert!(UserAgent::new(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_contact_that_was_copied_from_an_example_is_recognised() {
        let host = |text: &str| UserAgent::new(text).unwrap().example_host();
        for text in [
            "c/1 (+https://example.org/crawler; me@uni.hu)",
            "c/1 (+https://uni.hu/; me@Mail.Example.com)",
            "c/1 a@b.test",
        ] {
            assert!(host(text).is_some(), "{text}");
        }
        for text in ["example-corpus/1.0 (+https://uni.hu/example)", "c/1 (+https://example.uni.hu; me@notexample.org)"]
        {
            assert_eq!(host(text), None, "{text}");
        }
    }

    #[test]
    fn posing_as_a_browser_is_refused() {
        for text in
            ["Mozilla/5.0 (compatible; corpus/1.0; +https://example.org)", "Googlebot/2.1 (+https://example.org)"]
        {
            assert!(matches!(UserAgent::new(text), Err(UserAgentError::Impersonation(_))), "{text:?} was taken");
        }
    }

    #[test]
    fn a_line_break_can_not_smuggle_a_header_in() {
        let text = "corpus (+https://example.org)\r\nX-Evil: 1";
        assert!(matches!(UserAgent::new(text), Err(UserAgentError::NotAHeader(_))));
    }
}
