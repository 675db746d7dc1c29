//! Levels of light: which of them tell something, and the middle one.

/// Levels below which a point of the reference says nothing about the light.
pub(super) const DARK: f32 = 12.0;

/// The middle value; 1 where there is none.
pub fn median(values: &mut [f32]) -> f32 {
    if values.is_empty() {
        return 1.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}
