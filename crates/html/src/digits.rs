//! Where digits stand in a text: asked of every paragraph of every page.

/// The place of the first digit of ASCII from a place on.
pub fn next(text: &[u8], from: usize) -> Option<usize> {
    let at = skip::<8>(text, skip::<32>(text, from));
    text.get(at..)?.iter().position(u8::is_ascii_digit).map(|place| at + place)
}

/// Behind those bytes, so many at a time, in which there is no digit.
fn skip<const ABREAST: usize>(text: &[u8], mut at: usize) -> usize {
    // Without an early exit the compiler looks at many bytes at once.
    while let Some(some) = text.get(at..).and_then(<[u8]>::first_chunk::<ABREAST>) {
        if some.iter().fold(false, |any, byte| any | byte.is_ascii_digit()) {
            break;
        }
        at += ABREAST;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_is_found_wherever_it_stands() {
        for at in 0..100 {
            let mut text = [b'a'; 100];
            text[at] = b'7';
            for from in 0..=100 {
                assert_eq!(next(&text, from), (from <= at).then_some(at), "{at} from {from}");
            }
        }
    }
}
