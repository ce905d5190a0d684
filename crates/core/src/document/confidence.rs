//! The probability that a document is whole and clean. `extract::confidence` computes it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The probability that a document has its whole article and hardly anything else, in hundredths.
///
/// ```
/// use goldminer_core::document::Confidence;
///
/// let confidence: Confidence = "0.9".parse()?;
/// assert_eq!(confidence, Confidence::of(0.904));
/// assert_eq!(serde_json::to_string(&confidence)?, "0.9");
/// assert!("90".parse::<Confidence>().is_err(), "it is not a percentage");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u8);

impl Confidence {
    /// Converts a probability: it is limited to 0 to 1 and rounded to hundredths.
    #[must_use]
    pub fn of(probability: f64) -> Self {
        Self((probability.clamp(0.0, 1.0) * 100.0).round() as u8)
    }

    /// The probability, from 0 to 1.
    #[must_use]
    pub fn probability(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

/// Writes the probability with two decimals, such as `0.93`.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.probability())
    }
}

impl FromStr for Confidence {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let probability = typed.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
        probability
            .map(Self::of)
            .ok_or_else(|| format!("{typed:?} is not a confidence; write a number from 0 to 1, such as 0.5"))
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.probability())
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let is_share = (0.0..=1.0).contains(&number);
        is_share
            .then(|| Self::of(number))
            .ok_or_else(|| D::Error::custom(format!("{number} is not a confidence from 0 to 1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_confidence_survives_its_line_of_json() {
        for hundredths in 0..=100 {
            let json = serde_json::to_string(&Confidence(hundredths)).unwrap();
            assert!(json.len() <= 4, "{json}");
            assert_eq!(serde_json::from_str::<Confidence>(&json).unwrap(), Confidence(hundredths));
        }
    }

    #[test]
    fn numbers_that_are_not_probabilities_are_refused() {
        for typed in ["-0.1", "1.01", "NaN", "high", ""] {
            assert!(typed.parse::<Confidence>().unwrap_err().contains("from 0 to 1"), "{typed}");
        }
        assert!(serde_json::from_str::<Confidence>("7").is_err());
    }
}
