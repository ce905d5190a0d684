//! Content codings.
/// e
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct CodingError;
/// l
#[derive(Debug, Clone, Copy)]
pub struct CodingLimits;
/// d
pub fn decode<'a>(body: &'a [u8], _c: &str, _l: CodingLimits) -> Result<std::borrow::Cow<'a, [u8]>, CodingError> {
    Ok(body.into())
}
