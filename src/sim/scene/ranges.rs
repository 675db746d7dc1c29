//! Which values a scene may have.

use super::{KELVIN, MAX_SAMPLES, Scene, SceneError};

/// A key, its value, and the least and the greatest accepted one.
type Number = (String, f64, f64, f64);

/// Most further lamps: each costs a shadow map and a layer of light.
const MAX_LAMPS: f64 = 3.0;
/// A lamp nearer to the board's centre would stand among the men.
const NEAREST_LAMP_M: f64 = 0.5;

impl Scene {
    /// Is every number within its range?
    ///
    /// # Errors
    /// Names the first key that is not.
    pub fn check(&self) -> Result<(), SceneError> {
        self.check_numbers()?;
        super::Camera::new(self)?;
        Ok(())
    }

    /// Is every number within its range? What the camera sees is not asked.
    ///
    /// # Errors
    /// Names the first key that is not.
    pub(crate) fn check_numbers(&self) -> Result<(), SceneError> {
        let numbers = [self.of_board(), self.of_camera(), self.of_sensor(), self.of_light(), self.of_story()];
        for (key, value, low, high) in numbers.into_iter().flatten() {
            if !(low..=high).contains(&value) {
                return Err(SceneError::Range { key, value, low, high });
            }
        }
        let (c, samples) = (&self.camera, self.sensor.samples);
        // The ranges above keep this product within 32 bits.
        if c.width * c.height * samples * samples > MAX_SAMPLES {
            return Err(SceneError::TooFine { samples, width: c.width, height: c.height });
        }
        Ok(())
    }

    fn of_board(&self) -> Vec<Number> {
        let (b, m) = (&self.board, &self.men);
        named(&[
            ("board.square_size_m", b.square_size_m, 0.01, 0.2),
            ("board.border", b.border, 0.0, 2.0),
            ("board.thickness", b.thickness, 0.0, 2.0),
            ("board.grain", b.grain, 0.0, 1.0),
            ("board.unlike", b.unlike, 0.0, 0.5),
            ("board.uneven_mm", b.uneven_mm, 0.0, 3.0),
            ("board.wear", b.wear, 0.0, 1.0),
            ("board.wrinkles", b.wrinkles, 0.0, 1.0),
            ("board.gloss", b.gloss, 0.0, 1.0),
            ("men.off_centre", m.off_centre, 0.0, 0.3),
            ("men.turn_deg", m.turn_deg, 0.0, 180.0),
            ("men.unlike", m.unlike, 0.0, 0.5),
            ("men.grain", m.grain, 0.0, 1.0),
            ("men.scale", m.scale, 0.3, 1.3),
            ("men.heights[0]", m.heights[0], 0.3, 2.0),
            ("men.heights[1]", m.heights[1], 0.3, 2.0),
            ("men.heights[2]", m.heights[2], 0.3, 2.0),
            ("men.heights[3]", m.heights[3], 0.3, 2.0),
            ("men.heights[4]", m.heights[4], 0.3, 2.0),
            ("men.heights[5]", m.heights[5], 0.3, 2.0),
            ("men.gloss", m.gloss, 0.0, 1.0),
            ("men.glass[0]", m.glass[0], 0.0, 1.0),
            ("men.glass[1]", m.glass[1], 0.0, 1.0),
            ("table.grain", self.table.grain, 0.0, 1.0),
        ])
    }

    fn of_camera(&self) -> Vec<Number> {
        let c = &self.camera;
        named(&[
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
        ])
    }

    fn of_sensor(&self) -> Vec<Number> {
        let s = &self.sensor;
        named(&[
            ("sensor.exposure", s.exposure, 0.02, 10.0),
            ("sensor.auto_exposure", s.auto_exposure, 0.0, 1.0),
            ("sensor.auto_exposure_s", s.auto_exposure_s, 0.01, 60.0),
            ("sensor.drift", s.drift, 0.0, 0.5),
            ("sensor.drift_period_s", s.drift_period_s, 0.5, 1e5),
            ("sensor.white_balance", s.white_balance, 0.0, 1.0),
            ("sensor.white_balance_drift", s.white_balance_drift, 0.0, 0.3),
            ("sensor.white_balance_period_s", s.white_balance_period_s, 0.5, 1e5),
            ("sensor.noise_sigma", s.noise_sigma, 0.0, 50.0),
            ("sensor.noise_grain_px", s.noise_grain_px, 0.0, 4.0),
            ("sensor.blur_px", s.blur_px, 0.0, 10.0),
            ("sensor.vignetting", s.vignetting, 0.0, 0.9),
            ("sensor.haze", s.haze, 0.0, 0.5),
            ("sensor.contrast", s.contrast, 0.0, 1.0),
            ("sensor.jpeg_quality", f64::from(s.jpeg_quality), 1.0, 100.0),
            ("sensor.samples", f64::from(s.samples), 1.0, 4.0),
        ])
    }

    fn of_light(&self) -> Vec<Number> {
        let (l, d) = (&self.light, &self.dusk);
        let near = |distance_m: f64| if distance_m == 0.0 { 0.0 } else { NEAREST_LAMP_M };
        let mut numbers = named(&[
            ("light.azimuth_deg", l.azimuth_deg, -360.0, 360.0),
            ("light.elevation_deg", l.elevation_deg, 15.0, 90.0),
            ("light.distance_m", l.distance_m, near(l.distance_m), 20.0),
            ("light.colour", l.colour.kelvin(), KELVIN[0], KELVIN[1]),
            ("light.tint[0]", l.tint[0], 0.1, 2.0),
            ("light.tint[1]", l.tint[1], 0.1, 2.0),
            ("light.tint[2]", l.tint[2], 0.1, 2.0),
            ("light.ambient", l.ambient, 0.0, 1.0),
            ("light.fill[0]", l.fill[0], 0.1, 2.0),
            ("light.fill[1]", l.fill[1], 0.1, 2.0),
            ("light.fill[2]", l.fill[2], 0.1, 2.0),
            ("light.softness", l.softness, 0.0, 1.0),
            ("light.falloff", l.falloff, 0.0, 0.9),
            ("lamp (how many)", self.lamp.len() as f64, 0.0, MAX_LAMPS),
            ("dusk.share", d.share, 0.005, 1.0),
            ("dusk.kelvin_shift", d.kelvin_shift, -10_000.0, 10_000.0),
            ("dusk.begin", d.begin, 0.0, 1.0),
            ("dusk.end", d.end, d.begin, 1.0),
        ]);
        for (i, lamp) in self.lamp.iter().enumerate() {
            numbers.extend(listed(
                "lamp",
                i,
                &[
                    ("azimuth_deg", lamp.azimuth_deg, -360.0, 360.0),
                    ("elevation_deg", lamp.elevation_deg, 15.0, 90.0),
                    ("distance_m", lamp.distance_m, near(lamp.distance_m), 20.0),
                    ("colour", lamp.colour.kelvin(), KELVIN[0], KELVIN[1]),
                    ("strength", lamp.strength, 0.0, 10.0),
                    ("softness", lamp.softness, 0.0, 1.0),
                ],
            ));
        }
        for (i, change) in self.light_change.iter().enumerate() {
            let numbers_of = [("factor", change.factor, 0.005, 100.0), ("lamps", change.lamps, 0.0, 100.0)];
            numbers.extend(listed("light_change", i, &numbers_of));
        }
        for (i, shadow) in self.passing_shadow.iter().enumerate() {
            numbers.extend(listed(
                "passing_shadow",
                i,
                &[
                    ("darkness", shadow.darkness, -2.0, 0.99),
                    ("tint[0]", shadow.tint[0], 0.1, 2.0),
                    ("tint[1]", shadow.tint[1], 0.1, 2.0),
                    ("tint[2]", shadow.tint[2], 0.1, 2.0),
                    ("width", shadow.width, 0.0, 30.0),
                    ("edge", shadow.edge, 0.0, 30.0),
                    ("direction_deg", shadow.direction_deg, -360.0, 360.0),
                    ("speed_m_s", shadow.speed_m_s, 0.0, 10.0),
                    ("offset", shadow.offset, -20.0, 20.0),
                ],
            ));
        }
        numbers
    }

    fn of_story(&self) -> Vec<Number> {
        let p = &self.pace;
        let mut numbers = named(&[
            ("hand.scale", self.hand.scale, 0.5, 1.5),
            // A hand that comes in earlier than this before the other has left would wait for it over the board.
            ("pace.rest_min_s", p.rest_min_s, -5.0, 3600.0),
            ("pace.rest_max_s", p.rest_max_s, p.rest_min_s, 3600.0),
            ("pace.stand_min_s", p.stand_min_s, 0.0, 3600.0),
            ("pace.stand_max_s", p.stand_max_s, p.stand_min_s, 3600.0),
            ("pace.half_min_s", p.half_min_s, 0.0, 3600.0),
            ("pace.half_max_s", p.half_max_s, p.half_min_s, 3600.0),
            ("pace.hand_m_s", p.hand_m_s, 0.05, 5.0),
            ("pace.grip_s", p.grip_s, 0.0, 5.0),
        ]);
        numbers.extend(named(&self.habits.ranges()));
        numbers.extend(named(&self.readout.ranges()));
        numbers.extend(named(&self.opening.ranges()));
        numbers.extend(named(&self.stream.ranges()));
        for (i, hand) in self.resting_hand.iter().enumerate() {
            let [x, y] = hand.at;
            let numbers_of =
                [("at[0]", x, -20.0, 28.0), ("at[1]", y, -20.0, 28.0), ("height", hand.height, -1.0, 10.0)];
            numbers.extend(listed("resting_hand", i, &numbers_of));
        }
        for (i, bump) in self.bump.iter().enumerate() {
            numbers.extend(listed("bump", i, &bump.ranges()));
        }
        numbers
    }
}

fn named(numbers: &[(&str, f64, f64, f64)]) -> Vec<Number> {
    numbers.iter().map(|&(key, value, low, high)| (key.to_string(), value, low, high)).collect()
}

/// Numbers of the `index`th entry of a list.
fn listed(list: &str, index: usize, numbers: &[(&str, f64, f64, f64)]) -> Vec<Number> {
    numbers.iter().map(|&(key, value, low, high)| (format!("{list}[{index}].{key}"), value, low, high)).collect()
}
