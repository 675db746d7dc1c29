//! Keeps the lines of the board in view: finds them, follows them, finds them again.

use crate::{
    board::{
        geometry::{Corners, ImagePoint},
        grid::{Grid, GridError, GridHint, find},
        map::BoardMap,
    },
    event::Event,
    frame::{Frame, Stamp},
    go::Size,
    observer::{
        camera::{Camera, CameraError, CameraInfo},
        report::BoardState,
    },
};

/// Pause between searches in a film: a search costs some tenths of a second.
const SEARCH_PAUSE_S: f64 = 1.0;

/// Where the board is, from picture to picture.
#[derive(Debug)]
pub(super) struct Place {
    size: Option<Size>,
    given: Option<[ImagePoint; 4]>,
    grid: Option<Grid>,
    state: BoardState,
    picture: (u32, u32),
    camera: Camera,
    last_search: Option<Stamp>,
    not_found: Option<String>,
}

impl Place {
    /// A place that is not known, or given.
    pub(super) fn new(size: Option<Size>, corners_px: Option<[[f64; 2]; 4]>) -> Result<Self, GridError> {
        let given = corners_px.map(|corners| corners.map(|[x, y]| ImagePoint::new(x, y)));
        if let Some(corners) = given {
            // What can never be a board is told before the first picture.
            Grid::from_corners(corners, size.unwrap_or_default())?;
        }
        Ok(Self {
            size,
            given,
            grid: None,
            state: BoardState::Searching,
            picture: (0, 0),
            camera: Camera::default(),
            last_search: None,
            not_found: None,
        })
    }

    pub(super) const fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    pub(super) const fn state(&self) -> BoardState {
        self.state
    }

    pub(super) fn not_found(&self) -> Option<&str> {
        self.not_found.as_deref()
    }

    /// The camera's row-major matrix for these pictures, where it is known.
    pub(super) fn k(&self) -> Option<[f64; 9]> {
        self.camera.k(self.picture)
    }

    pub(super) fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        self.camera.set(info).map(|_| ())
    }

    pub(super) fn search_again(&mut self) {
        self.grid = None;
        self.state = BoardState::Searching;
        self.last_search = None;
    }

    /// Finds the board in a picture, or follows it there.
    pub(super) fn see(&mut self, frame: &Frame<'_>, stamp: Stamp, stills: bool, events: &mut Vec<Event>) {
        let picture = (frame.width(), frame.height());
        if picture != self.picture {
            let by = [
                f64::from(picture.0) / f64::from(self.picture.0.max(1)),
                f64::from(picture.1) / f64::from(self.picture.1.max(1)),
            ];
            // Another resolution of the same camera shows the board in proportion.
            self.grid = self.grid.filter(|_| self.given.is_none()).and_then(|grid| grid.scaled(by));
            self.picture = picture;
        }
        if self.grid.is_none() {
            self.search(frame, stamp, stills, events);
        }
    }

    fn search(&mut self, frame: &Frame<'_>, stamp: Stamp, stills: bool, events: &mut Vec<Event>) {
        let soon = self.last_search.is_some_and(|last| (0.0..SEARCH_PAUSE_S).contains(&stamp.since_s(last)));
        if soon && !stills {
            return;
        }
        self.last_search = Some(stamp);
        let lens = self.camera.lens(self.picture);
        let found = match self.given {
            Some(corners) => {
                Grid::from_corners_through(corners, self.size.unwrap_or_default(), lens).map_err(|e| e.to_string())
            }
            None => {
                let hint = GridHint { size: self.size, near: None, lens };
                find(frame, &hint).map(|found| found.grid).map_err(|e| e.to_string())
            }
        };
        match found {
            Ok(grid) => {
                self.not_found = None;
                // The game goes on on a board of this size.
                self.size = Some(grid.size());
                self.grid = Some(grid);
                self.state = BoardState::Locked;
                events.push(Event::BoardFound { corners: told(&grid) });
            }
            Err(why) => self.not_found = Some(why),
        }
    }
}

/// The corners as events have them: the lower left crossing first, then lower right, upper right, upper left.
fn told(grid: &Grid) -> [[f64; 2]; 4] {
    let [a, b, c, d] = grid.corners().map(|p| [p.x, p.y]);
    [d, c, b, a]
}

/// The board with half a line around it as eight by eight patches, as stillness watches a chess board.
pub(super) fn in_patches(grid: &Grid) -> Option<BoardMap> {
    let (low, high) = (-0.5, f64::from(grid.size().lines()) - 0.5);
    let at = |x, y| {
        let p = grid.image_from_board(x, y);
        [p.x, p.y]
    };
    let corners = Corners::new([at(low, high), at(high, high), at(high, low), at(low, low)]).ok()?;
    BoardMap::from_corners(&corners, grid.map().lens().copied())
}
