//! The pixels of a picture, in a loop compiled for each format by itself.
//!
//! Whoever reads thousands of pixels asks for the format once, not once a pixel.

use super::{Frame, PixelFormat};

/// Something that reads many pixels of one picture.
pub(crate) trait Visit {
    /// What comes of it.
    type Answer;

    /// Reads: `rgb(x, y)` is red, green and blue at a pixel within the picture.
    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) -> Self::Answer;
}

/// One pixel.
pub(super) struct At {
    pub(super) x: usize,
    pub(super) y: usize,
}

impl Visit for At {
    type Answer = [u8; 3];

    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) -> [u8; 3] {
        rgb(self.x, self.y)
    }
}

/// Reads the picture's mirror image.
struct Mirrored<V> {
    visitor: V,
    /// The last column.
    last: usize,
}

impl<V: Visit> Visit for Mirrored<V> {
    type Answer = V::Answer;

    fn visit(self, rgb: impl Fn(usize, usize) -> [u8; 3]) -> V::Answer {
        let last = self.last;
        self.visitor.visit(|x, y| rgb(last - x, y))
    }
}

impl Frame<'_> {
    /// Hands the picture's pixels over, decoded from its format.
    pub(crate) fn visit<V: Visit>(&self, visitor: V) -> V::Answer {
        if self.mirrored {
            self.decode(Mirrored { visitor, last: self.width as usize - 1 })
        } else {
            self.decode(visitor)
        }
    }

    /// The same of the pixels as they lie in memory.
    fn decode<V: Visit>(&self, visitor: V) -> V::Answer {
        let (data, step) = (self.data, self.step);
        match self.format {
            PixelFormat::Mono8 => visitor.visit(|x, y| [data[y * step + x]; 3]),
            PixelFormat::Rgb8 => visitor.visit(|x, y| bytes(data, y * step + 3 * x)),
            PixelFormat::Bgr8 => visitor.visit(|x, y| reversed(bytes(data, y * step + 3 * x))),
            PixelFormat::Rgba8 => visitor.visit(|x, y| bytes(data, y * step + 4 * x)),
            PixelFormat::Bgra8 => visitor.visit(|x, y| reversed(bytes(data, y * step + 4 * x))),
            PixelFormat::Yuv422 => visitor.visit(|x, y| {
                let [u, y0, v, y1] = bytes(data, y * step + 4 * (x / 2));
                rgb_from_yuv(if x % 2 == 0 { y0 } else { y1 }, u, v)
            }),
            PixelFormat::Yuv422Yuy2 => visitor.visit(|x, y| {
                let [y0, u, y1, v] = bytes(data, y * step + 4 * (x / 2));
                rgb_from_yuv(if x % 2 == 0 { y0 } else { y1 }, u, v)
            }),
            PixelFormat::BayerRggb8 => visitor.visit(|x, y| self.bayer(x, y, 0, 0)),
            PixelFormat::BayerBggr8 => visitor.visit(|x, y| self.bayer(x, y, 1, 1)),
            PixelFormat::BayerGrbg8 => visitor.visit(|x, y| self.bayer(x, y, 1, 0)),
            PixelFormat::BayerGbrg8 => visitor.visit(|x, y| self.bayer(x, y, 0, 1)),
        }
    }

    /// Bilinear demosaicing at one pixel; red filters lie where `x % 2 == red_x` and `y % 2 == red_y`.
    fn bayer(&self, x: usize, y: usize, red_x: usize, red_y: usize) -> [u8; 3] {
        // Mirrored at the edges, which keeps the colour of the filter.
        let mirror = |v: isize, n: usize| -> usize {
            let n = n as isize;
            if n == 1 {
                return 0;
            }
            (if v < 0 {
                -v
            } else if v >= n {
                2 * (n - 1) - v
            } else {
                v
            }) as usize
        };
        let at = |dx: isize, dy: isize| -> u32 {
            let column = mirror(x as isize + dx, self.width as usize);
            let line = mirror(y as isize + dy, self.height as usize);
            u32::from(self.data[line * self.step + column])
        };
        let here = at(0, 0);
        let sides = (at(-1, 0) + at(1, 0)).div_ceil(2);
        let above_below = (at(0, -1) + at(0, 1)).div_ceil(2);
        let cross = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) + 2) / 4;
        let corners = (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1) + 2) / 4;
        let (red, green, blue) = match (x % 2 == red_x, y % 2 == red_y) {
            (true, true) => (here, cross, corners),
            (false, false) => (corners, cross, here),
            (false, true) => (sides, here, above_below),
            (true, false) => (above_below, here, sides),
        };
        [red as u8, green as u8, blue as u8]
    }
}

/// Some bytes in a row.
fn bytes<const N: usize>(data: &[u8], first: usize) -> [u8; N] {
    let some = &data[first..first + N];
    std::array::from_fn(|k| some[k])
}

const fn reversed([b, g, r]: [u8; 3]) -> [u8; 3] {
    [r, g, b]
}

/// BT.601 video-range conversion, as the V4L2 cameras that send these formats mean it.
fn rgb_from_yuv(y: u8, u: u8, v: u8) -> [u8; 3] {
    let c = 298 * (i32::from(y) - 16);
    let (d, e) = (i32::from(u) - 128, i32::from(v) - 128);
    let byte = |value: i32| ((value + 128) >> 8).clamp(0, 255) as u8;
    [byte(c + 409 * e), byte(c - 100 * d - 208 * e), byte(c + 516 * d)]
}
