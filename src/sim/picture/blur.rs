//! A Gaussian blur, along rows and then along columns.

use super::render::Light;
use crate::sim::{grid::Rect, math};

/// A Gaussian's weights; of one pixel where it is narrow.
pub(super) fn gaussian(sigma_px: f64) -> Vec<f32> {
    let reach = if sigma_px < 0.15 { 0 } else { (2.6 * sigma_px).ceil() as i32 };
    let weight = |i: i32| math::exp(-0.5 * f64::from(i * i) / (sigma_px * sigma_px).max(0.02));
    let sum: f64 = (-reach..=reach).map(weight).sum();
    (-reach..=reach).map(|i| (weight(i) / sum) as f32).collect()
}

/// Blurs a rectangle of a picture, `width` pixels in a row, along its rows. Beyond its edges a picture goes on as at them.
pub(super) fn along_rows(kernel: &[f32], from: &[Light], to: &mut [Light], width: usize, rect: Rect) {
    let reach = kernel.len() / 2;
    let n = rect.high[0] - rect.low[0];
    // The part of a row that is looked at, whole at both ends.
    let mut line = vec![[0.0; 3]; n + 2 * reach];
    for y in rect.low[1]..rect.high[1] {
        let row = &from[y * width..][..width];
        for (x, light) in (rect.low[0]..).zip(&mut line) {
            *light = row[x.saturating_sub(reach).min(width - 1)];
        }
        let out = to[y * width + rect.low[0]..][..n].as_flattened_mut();
        out.fill(0.0);
        for (k, weight) in kernel.iter().enumerate() {
            out.iter_mut().zip(line[k..].as_flattened()).for_each(|(sum, light)| *sum += light * weight);
        }
    }
}

/// Blurs a rectangle of a picture along its columns.
pub(super) fn along_columns(kernel: &[f32], from: &[Light], to: &mut [Light], width: usize, rect: Rect) {
    let (reach, height) = (kernel.len() / 2, from.len() / width);
    let n = rect.high[0] - rect.low[0];
    for y in rect.low[1]..rect.high[1] {
        let out = to[y * width + rect.low[0]..][..n].as_flattened_mut();
        out.fill(0.0);
        for (k, weight) in kernel.iter().enumerate() {
            let row = (y + k).saturating_sub(reach).min(height - 1);
            let light = from[row * width + rect.low[0]..][..n].as_flattened();
            out.iter_mut().zip(light).for_each(|(sum, light)| *sum += light * weight);
        }
    }
}
