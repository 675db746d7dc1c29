//! Keeps the lines of the board in view: finds them, follows them, finds them again.

use crate::{
    board::{
        corners::Corners,
        geometry::ImagePoint,
        grid::{Follower, Following, Grid, GridError, GridHint, find, follow},
        map::BoardMap,
    },
    event::Event,
    frame::{Frame, Stamp},
    go::{Content, Size},
    observer::{
        camera::{Camera, CameraError, CameraInfo},
        report::BoardState,
    },
    sight::stones::{Shown, Stones},
};

/// Pause between searches in a film: a search costs some tenths of a second.
const SEARCH_PAUSE_S: f64 = 1.0;

/// After so many pictures in a row in which it is not seen near its place, nor found elsewhere, the board is lost.
const LOST_AFTER: u32 = 8;
/// A movement by less than this part of the distance between lines is followed silently.
const ANNOUNCE_LINES: f64 = 0.2;

/// A board found elsewhere may show by so much less of itself than its last place, as a share of that: bare boards look as bare
/// half a line off, and noise is no reason against it. A whole line of 19 is more.
const AS_WELL: f64 = 0.03;

/// The stones that are known to lie on the board, and how they look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) position: &'a [Content],
    pub(super) sight: &'a Stones,
}

/// A picture in which the board is to be found.
#[derive(Clone, Copy)]
struct Picture<'a> {
    frame: &'a Frame<'a>,
    stamp: Stamp,
    stills: bool,
    known: Option<Known<'a>>,
}

impl Known<'_> {
    fn shown(&self, frame: &Frame<'_>, grid: &Grid) -> Shown {
        self.sight.shown(self.position, frame, grid)
    }

    /// A grid named from the side from which its stones are as known, and how much of the board it shows; as it is named where
    /// they do not tell.
    fn named(&self, grid: Grid, frame: &Frame<'_>) -> (Grid, f64) {
        let share = |grid: &Grid| self.shown(frame, grid).share();
        let turned = (1..4).map(|turns| grid.renamed(turns)).map(|grid| (grid, share(&grid)));
        turned.fold((grid, share(&grid)), |best, other| if other.1 > best.1 { other } else { best })
    }
}

/// Where the board is, from picture to picture.
#[derive(Debug)]
pub(super) struct Place {
    size: Option<Size>,
    given: Option<[ImagePoint; 4]>,
    grid: Option<Grid>,
    /// In a film: how the board looks at its place.
    follower: Option<Follower>,
    /// Where it was last said to be.
    announced: Option<Grid>,
    /// Pictures in a row in which it was not seen.
    unseen: u32,
    state: BoardState,
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
            follower: None,
            announced: None,
            unseen: 0,
            state: BoardState::Searching,
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
        self.camera.k()
    }

    pub(super) fn set_camera_info(&mut self, info: &CameraInfo) -> Result<(), CameraError> {
        self.camera.set(info).map(|_| ())
    }

    /// Is the board seen in its place? Otherwise nothing is to be read.
    pub(super) const fn in_place(&self) -> bool {
        self.unseen == 0
    }

    /// A picture has been understood: how the board looks at the crossings that nothing hides is remembered anew.
    pub(super) fn renew(&mut self, frame: &Frame<'_>, clear: impl Fn(f64, f64) -> bool) {
        if let Some(follower) = &mut self.follower {
            follower.renew(frame, clear);
        }
    }

    /// The board has so many lines, as is known from what was played on it.
    pub(super) const fn has_lines(&mut self, size: Size) {
        self.size = Some(size);
    }

    /// Finds the board in a picture, or follows it there. By the stones that lie on it, where they are `known`, a board that is
    /// found again is told from others, and its sides from each other.
    pub(super) fn see(
        &mut self,
        frame: &Frame<'_>,
        stamp: Stamp,
        stills: bool,
        known: Option<Known<'_>>,
        events: &mut Vec<Event>,
    ) {
        let seen = Picture { frame, stamp, stills, known };
        if let Some(scale) = self.camera.sees(frame) {
            // Another resolution of the same camera shows the board in proportion.
            self.grid = self.grid.filter(|_| self.given.is_none()).and_then(|grid| grid.scaled(scale));
            self.follower = None;
        }
        match self.grid {
            None => self.search(seen, events),
            Some(grid) => self.follow(seen, &grid, events),
        }
    }

    fn follow(&mut self, picture: Picture<'_>, grid: &Grid, events: &mut Vec<Event>) {
        let Picture { frame, stamp, stills, .. } = picture;
        let following = if stills {
            follow(grid, frame)
        } else {
            self.follower.get_or_insert_with(|| Follower::begin(frame, grid)).follow(frame)
        };
        match following {
            Following::Same => self.seen_at(*grid, events),
            Following::Moved(moved) => self.seen_at(moved, events),
            Following::Lost if self.may_search(stamp) || stills => self.find_again(picture, grid, events),
            Following::Lost | Following::Hidden => self.unseen(events),
        }
    }

    /// Searches the whole picture for a board that is not near its place.
    ///
    /// A hand's edges make lattices with a board's lines. The board is where its stones are: what shows them worse than the
    /// last place does is not believed.
    fn find_again(&mut self, picture: Picture<'_>, grid: &Grid, events: &mut Vec<Event>) {
        let Picture { frame, stamp, known, .. } = picture;
        self.last_search = Some(stamp);
        let hint = GridHint { size: self.size, near: Some(*grid), lens: self.camera.lens() };
        let found = find(frame, &hint).ok().map(|found| match known {
            None => (found.grid, true),
            Some(known) => {
                let (named, share) = known.named(found.grid, frame);
                (named, share >= (1.0 - AS_WELL) * known.shown(frame, grid).share())
            }
        });
        match found {
            Some((found, true)) => {
                self.follower = None;
                self.seen_at(found, events);
            }
            _ => self.unseen(events),
        }
    }

    fn unseen(&mut self, events: &mut Vec<Event>) {
        self.unseen = self.unseen.saturating_add(1);
        if self.unseen == LOST_AFTER {
            self.state = BoardState::Lost;
            events.push(Event::BoardLost);
        }
    }

    /// The board is seen here.
    fn seen_at(&mut self, grid: Grid, events: &mut Vec<Event>) {
        self.unseen = 0;
        self.grid = Some(grid);
        let far = |before: &Grid| before.farthest_px(&grid) > ANNOUNCE_LINES * grid.spacing_px();
        let corners = told(&grid);
        if self.state != BoardState::Locked {
            self.state = BoardState::Locked;
            events.push(Event::found(corners));
        } else if self.announced.as_ref().is_none_or(far) {
            events.push(Event::BoardMoved { corners });
        } else {
            return;
        }
        self.announced = Some(grid);
    }

    fn may_search(&self, stamp: Stamp) -> bool {
        !self.last_search.is_some_and(|last| (0.0..SEARCH_PAUSE_S).contains(&stamp.since_s(last)))
    }

    fn search(&mut self, picture: Picture<'_>, events: &mut Vec<Event>) {
        let Picture { frame, stamp, stills, known } = picture;
        if !stills && !self.may_search(stamp) {
            return;
        }
        self.last_search = Some(stamp);
        let lens = self.camera.lens();
        let found = match self.given {
            Some(corners) => {
                Grid::from_corners_through(corners, self.size.unwrap_or_default(), lens).map_err(|e| e.to_string())
            }
            None => {
                let hint = GridHint { size: self.size, near: None, lens };
                let found = find(frame, &hint).map(|found| found.grid).map_err(|e| e.to_string());
                found.map(|grid| known.map_or(grid, |known| known.named(grid, frame).0))
            }
        };
        match found {
            Ok(grid) => {
                self.not_found = None;
                // The game goes on on a board of this size.
                self.size = Some(grid.size());
                self.seen_at(grid, events);
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
