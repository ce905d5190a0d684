//! Scales measurements to integers: shares in thousandths, logarithms in sixteenths, distances as nearness. No floating
//! point numbers are used between a page and its classification, so that every platform decides alike.

/// The share of a part in a whole, in thousandths; 0 if the whole is 0.
pub(super) fn share(part: u32, whole: u32) -> i16 {
    if whole == 0 { 0 } else { (u64::from(part) * 1_000 / u64::from(whole)).min(1_000) as i16 }
}

/// Sixteen times the logarithm to base two of `number + 1`, interpolated linearly between powers of two.
pub(super) fn log(number: u32) -> i16 {
    let number = u64::from(number) + 1;
    let power = number.ilog2();
    let above = number - (1 << power);
    (16 * power as u64 + ((above * 16) >> power)) as i16
}

/// The nearness for a distance in steps: 600 for none, 300 for one, 200 for two and so on; 0 if there is no path.
pub(super) fn nearness(steps: Option<u32>) -> i16 {
    steps.map_or(0, |steps| (600 / (steps + 1)) as i16)
}

/// A small number, not scaled, but limited to 1,000.
pub(super) fn small(number: u32) -> i16 {
    number.min(1_000) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_linear_between_powers_of_two() {
        assert_eq!([0, 1, 2, 3, 5, 7].map(log), [0, 16, 24, 32, 40, 48]);
        assert_eq!(log(u32::MAX), 512);
    }

    #[test]
    fn shares_are_thousandths_of_anything() {
        assert_eq!([share(1, 3), share(5, 0), share(7, 5), share(u32::MAX, u32::MAX)], [333, 0, 1_000, 1_000]);
    }
}
