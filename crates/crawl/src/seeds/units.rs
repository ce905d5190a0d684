//! Durations and sizes with a unit, as people write them. An error says what to write instead.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A duration, as in `5s`, `1m 30s`, `250ms`, `2h`, `3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "TypedDuration", into = "String")]
pub struct HumanDuration(pub Duration);

#[derive(Deserialize)]
#[serde(untagged)]
enum TypedDuration {
    Number(f64),
    Text(String),
}

impl TryFrom<TypedDuration> for HumanDuration {
    type Error = String;
    fn try_from(typed: TypedDuration) -> Result<Self, String> {
        match typed {
            TypedDuration::Number(number) => Err(format!(
                "{number} is a number without a unit; write {{key}} = \"{number}s\" for seconds (or m, h, d)"
            )),
            TypedDuration::Text(text) => text.parse(),
        }
    }
}

impl std::str::FromStr for HumanDuration {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let complaint =
            || format!("{text:?} is not a duration; write it with a unit, as in \"5s\", \"250ms\" or \"2h\"");
        // jiff's durations have no days, because a calendar day has no fixed length; here a day has 24 hours.
        if let Some(days) = text.trim().strip_suffix('d').and_then(|n| n.trim().parse::<u64>().ok()) {
            return days.checked_mul(86_400).map(|s| Self(Duration::from_secs(s))).ok_or_else(complaint);
        }
        let duration: jiff::SignedDuration = text.trim().parse().map_err(|_| complaint())?;
        Duration::try_from(duration).map(Self).map_err(|_| complaint())
    }
}

impl fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::SignedDuration::try_from(self.0) {
            Ok(duration) => write!(f, "{duration:#}"),
            Err(_) => write!(f, "{}s", self.0.as_secs()),
        }
    }
}

impl From<HumanDuration> for String {
    fn from(span: HumanDuration) -> Self {
        span.to_string()
    }
}

/// A number of bytes, as in `500MB`, `2GiB`, or a plain number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "TypedSize", into = "u64")]
pub struct ByteSize(pub u64);

#[derive(Deserialize)]
#[serde(untagged)]
enum TypedSize {
    Number(u64),
    Text(String),
}

impl TryFrom<TypedSize> for ByteSize {
    type Error = String;
    fn try_from(typed: TypedSize) -> Result<Self, String> {
        match typed {
            TypedSize::Number(bytes) => Ok(Self(bytes)),
            TypedSize::Text(text) => text.parse(),
        }
    }
}

impl std::str::FromStr for ByteSize {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        let unit = match trimmed[digits..].trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kb" => 1_000,
            "kib" => 1 << 10,
            "m" | "mb" => 1_000_000,
            "mib" => 1 << 20,
            "g" | "gb" => 1_000_000_000,
            "gib" => 1 << 30,
            "t" | "tb" => 1_000_000_000_000,
            "tib" => 1 << 40,
            _ => 0,
        };
        trimmed[..digits]
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(unit))
            .filter(|_| unit > 0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a size; write for example \"500MB\" or \"2GiB\""))
    }
}

impl From<ByteSize> for u64 {
    fn from(bytes: ByteSize) -> Self {
        bytes.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_they_are_read() {
        for (text, seconds) in
            [("5s", 5.0), ("250ms", 0.25), ("2h", 7200.0), ("3d", 259_200.0), ("1m 30s", 90.0), ("0s", 0.0)]
        {
            let span: HumanDuration = text.parse().unwrap();
            assert!((span.0.as_secs_f64() - seconds).abs() < 1e-9, "{text}");
            assert_eq!(span.to_string().parse::<HumanDuration>().unwrap(), span, "{text}");
        }
    }
}
