//! What a camera's exposure did to the whole picture since the one before.

/// Levels that the dark and the light half of the points must lie apart for them to tell a gain from an offset.
const APART: f32 = 20.0;
/// Change of a gain between two pictures at most: switched lamps. More is something else.
const MOST_GAIN: f32 = 4.0;

/// A line from the levels of one picture to those of the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exposure {
    gain: f32,
    offset: f32,
}

impl Exposure {
    /// The line on which the median of the dark half and that of the light half lie (G. W. Brown and A. M. Mood, "On
    /// median tests for linear hypotheses", 1951): whatever less than half of either does is not followed. `levels`
    /// yields pairs before and after; `scratch` is a buffer.
    pub(super) fn between<I: Iterator<Item = (f32, f32)>>(levels: impl Fn() -> I, scratch: &mut Vec<f32>) -> Self {
        let mut median = |values: &mut dyn Iterator<Item = f32>| {
            scratch.clear();
            scratch.extend(values);
            let middle = scratch.len() / 2;
            (!scratch.is_empty()).then(|| *scratch.select_nth_unstable_by(middle, f32::total_cmp).1)
        };
        let Some(border) = median(&mut levels().map(|(before, _)| before)) else {
            return Self { gain: 1.0, offset: 0.0 };
        };
        let mut of = |light: bool| {
            let half = || levels().filter(|(before, _)| (*before >= border) == light);
            median(&mut half().map(|(before, _)| before)).zip(median(&mut half().map(|(before, after)| after - before)))
        };
        match (of(false), of(true)) {
            (Some((dark, dark_step)), Some((light, light_step))) if light - dark >= APART => {
                let slope = (light_step - dark_step) / (light - dark);
                let gain = (1.0 + slope).clamp(1.0 / MOST_GAIN, MOST_GAIN);
                Self { gain, offset: dark + dark_step - gain * dark }
            }
            _ => {
                let step = median(&mut levels().map(|(before, after)| after - before)).unwrap_or(0.0);
                Self { gain: 1.0, offset: step }
            }
        }
    }

    /// What a level has become.
    pub(super) fn after(self, level: f32) -> f32 {
        (self.gain * level + self.offset).clamp(0.0, 255.0)
    }
}
