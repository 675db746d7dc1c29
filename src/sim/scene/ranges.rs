//! Which values a scene may have.

use super::{MAX_SAMPLES, Scene, SceneError};

impl Scene {
    /// Is every number within its range?
    ///
    /// # Errors
    /// Names the first key that is not.
    pub fn check(&self) -> Result<(), SceneError> {
        let (b, m, c, l) = (&self.board, &self.men, &self.camera, &self.light);
        let (s, p) = (&self.sensor, &self.pace);
        let numbers = [
            ("board.square_size_m", b.square_size_m, 0.01, 0.2),
            ("board.border", b.border, 0.0, 2.0),
            ("board.thickness", b.thickness, 0.0, 2.0),
            ("board.grain", b.grain, 0.0, 1.0),
            ("board.gloss", b.gloss, 0.0, 1.0),
            ("men.off_centre", m.off_centre, 0.0, 0.3),
            ("men.turn_deg", m.turn_deg, 0.0, 180.0),
            ("men.unlike", m.unlike, 0.0, 0.5),
            ("men.scale", m.scale, 0.3, 1.3),
            ("men.gloss", m.gloss, 0.0, 1.0),
            ("table.grain", self.table.grain, 0.0, 1.0),
            ("camera.elevation_deg", c.elevation_deg, 15.0, 90.0),
            ("camera.azimuth_deg", c.azimuth_deg, -360.0, 360.0),
            ("camera.distance_m", c.distance_m, 0.0, 5.0),
            ("camera.field_of_view_deg", c.field_of_view_deg, 10.0, 110.0),
            ("camera.roll_deg", c.roll_deg, -180.0, 180.0),
            ("camera.aim_m[0]", c.aim_m[0], -1.0, 1.0),
            ("camera.aim_m[1]", c.aim_m[1], -1.0, 1.0),
            ("camera.width", f64::from(c.width), 64.0, 4096.0),
            ("camera.height", f64::from(c.height), 64.0, 4096.0),
            ("camera.k1", c.k1, -0.3, 0.3),
            ("camera.k2", c.k2, -0.1, 0.1),
            ("camera.frame_rate_hz", c.frame_rate_hz, 0.2, 120.0),
            ("light.azimuth_deg", l.azimuth_deg, -360.0, 360.0),
            ("light.elevation_deg", l.elevation_deg, 15.0, 90.0),
            ("light.ambient", l.ambient, 0.0, 1.0),
            ("light.softness", l.softness, 0.0, 1.0),
            ("light.tint[0]", l.tint[0], 0.1, 2.0),
            ("light.tint[1]", l.tint[1], 0.1, 2.0),
            ("light.tint[2]", l.tint[2], 0.1, 2.0),
            ("light.falloff", l.falloff, 0.0, 0.9),
            ("sensor.exposure", s.exposure, 0.02, 10.0),
            ("sensor.noise_sigma", s.noise_sigma, 0.0, 50.0),
            ("sensor.blur_px", s.blur_px, 0.0, 10.0),
            ("sensor.vignetting", s.vignetting, 0.0, 0.9),
            ("sensor.drift", s.drift, 0.0, 0.5),
            ("sensor.drift_period_s", s.drift_period_s, 0.5, 1e5),
            ("sensor.jpeg_quality", f64::from(s.jpeg_quality), 1.0, 100.0),
            ("sensor.samples", f64::from(s.samples), 1.0, 4.0),
            ("hand.scale", self.hand.scale, 0.5, 1.5),
            ("pace.rest_min_s", p.rest_min_s, 0.0, 3600.0),
            ("pace.rest_max_s", p.rest_max_s, p.rest_min_s, 3600.0),
            ("pace.hand_m_s", p.hand_m_s, 0.05, 5.0),
            ("pace.grip_s", p.grip_s, 0.0, 5.0),
            ("pace.swap_captures", p.swap_captures, 0.0, 1.0),
        ];
        let bumps = self.bump.iter().enumerate().flat_map(|(i, bump)| {
            [
                (format!("bump[{i}].shift_px[0]"), bump.shift_px[0], -500.0, 500.0),
                (format!("bump[{i}].shift_px[1]"), bump.shift_px[1], -500.0, 500.0),
                (format!("bump[{i}].turn_deg"), bump.turn_deg, -45.0, 45.0),
            ]
        });
        for (key, value, low, high) in numbers.map(|(k, v, l, h)| (k.to_string(), v, l, h)).into_iter().chain(bumps) {
            if !(low..=high).contains(&value) {
                return Err(SceneError::Range { key, value, low, high });
            }
        }
        // The ranges above keep this product within 32 bits.
        if c.width * c.height * s.samples * s.samples > MAX_SAMPLES {
            return Err(SceneError::TooFine { samples: s.samples, width: c.width, height: c.height });
        }
        crate::sim::camera::Camera::new(self)?;
        Ok(())
    }
}
