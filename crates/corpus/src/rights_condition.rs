//! What somebody wants the pages of documents to say of their rights, or not to say.

use std::fmt;
use std::str::FromStr;

use goldminer_core::rights::{Restriction, Rights};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A condition on what a page says of its rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RightsCondition {
    /// It names a licence.
    Licensed,
    /// Its licence is one of Creative Commons.
    CreativeCommons,
    /// Its licence lets everybody use and change it for any purpose.
    Open,
    /// It restricts nothing.
    Unrestricted,
    /// It restricts this.
    Says(Restriction),
    /// It does not restrict this.
    SaysNot(Restriction),
}

impl RightsCondition {
    /// Whether a page with these rights meets it.
    pub fn is_met(self, rights: &Rights) -> bool {
        match self {
            Self::Licensed => rights.license.is_some(),
            Self::CreativeCommons => rights.is_creative_commons(),
            Self::Open => rights.is_open(),
            Self::Unrestricted => rights.restrictions.is_empty(),
            Self::Says(what) => rights.restricts(what),
            Self::SaysNot(what) => !rights.restricts(what),
        }
    }
}

impl FromStr for RightsCondition {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let name = typed.trim().to_ascii_lowercase();
        let restriction = |name: &str| {
            Restriction::named(name).ok_or_else(|| {
                let known: Vec<&str> = Restriction::ALL.into_iter().map(Restriction::as_str).collect();
                format!(
                    "{typed:?} is no condition on rights; known are licensed, cc, open, unrestricted, {}, and these with not: \
                     before them",
                    known.join(", ")
                )
            })
        };
        match name.as_str() {
            "licensed" => Ok(Self::Licensed),
            "cc" => Ok(Self::CreativeCommons),
            "open" => Ok(Self::Open),
            "unrestricted" => Ok(Self::Unrestricted),
            name => match name.strip_prefix("not:") {
                Some(name) => restriction(name).map(Self::SaysNot),
                None => restriction(name).map(Self::Says),
            },
        }
    }
}

impl fmt::Display for RightsCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Licensed => f.write_str("licensed"),
            Self::CreativeCommons => f.write_str("cc"),
            Self::Open => f.write_str("open"),
            Self::Unrestricted => f.write_str("unrestricted"),
            Self::Says(what) => f.write_str(what.as_str()),
            Self::SaysNot(what) => write!(f, "not:{}", what.as_str()),
        }
    }
}

impl Serialize for RightsCondition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RightsCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_core::rights::RightsSource;
    use goldminer_core::rights::Signal;

    #[test]
    fn a_condition_is_what_people_type_and_means_what_the_page_says() {
        let said = |name, value| Rights::of(vec![Signal::new(RightsSource::Meta, name, value)]);
        let (free, reserved) =
            (said("license", "https://creativecommons.org/licenses/by/4.0/"), said("tdm-reservation", "1"));
        for (typed, of_free, of_reserved, of_silent) in [
            ("licensed", true, false, false),
            ("cc", true, false, false),
            ("open", true, false, false),
            ("unrestricted", true, false, true),
            ("tdm", false, true, false),
            ("not:tdm", true, false, true),
            ("NOT:noai", true, true, true),
        ] {
            let condition: RightsCondition = typed.parse().unwrap();
            let met = [&free, &reserved, &Rights::default()].map(|rights| condition.is_met(rights));
            assert_eq!(met, [of_free, of_reserved, of_silent], "{typed}");
            assert_eq!(condition.to_string(), typed.to_ascii_lowercase());
        }
        let said = "not:tmd".parse::<RightsCondition>().unwrap_err();
        assert!(said.contains("\"not:tmd\" is no condition") && said.contains("noindex"), "{said}");
    }
}
