//! One look at the board, as likelihoods of placements.

use std::cell::{OnceCell, RefCell};

use shakmaty::{Bitboard, Board, Role, Square};

use super::{
    anew::{Anew, SeenMen},
    appearance::Appearance,
    arm::Arms,
    cast::{SeenBoard, in_shadows},
    colour::Colour,
    coverage::{Coverage, POINTS, POINTS_PER_SIDE, points_on, square_of},
    densities::{Densities, SeenColours},
    density::{PointDensity, STRANGE},
    intruder::{Asked, CERTAIN, Change, Patches, SUPPOSED, intruders},
    kinds::Kinds,
    layout::{Layout, role_index},
    product::ln_of_product,
    resting::Resting,
    surroundings::LookAround,
};
use crate::game::evidence::Evidence;

mod foreign;
mod held;

use foreign::UNEXPLAINED_SHARE;

/// Neighbouring points tell nearly the same: this much of each one's log-likelihood counts. The 64 points of a square
/// count like a dozen that are independent.
pub(super) const INDEPENDENCE: f64 = 0.2;

/// What each of so many points counts of a chance that is one for all of them: together, as far as each one's log-likelihood counts,
/// they count it once.
pub(super) fn once(chance: f32, points: usize) -> f32 {
    chance.powf((1.0 / (INDEPENDENCE as f32 * points.max(1) as f32)).min(1.0))
}

/// Chance that a point of a patch that is taken for a hand shows a man or the board all the same: patches that touch are
/// one, so a man who stands beside the hand belongs to its patch.
const BETWEEN: f32 = 0.3;
/// Something foreign that was there in the reference and still is lies over the men, as a hand does, or on the board, as a stain.
/// Where the board was bare both are equally likely; what hides a man lies over him.
const LIES_OVER: f32 = 0.5;
/// A man who comes or goes changes more points than one, which noise does now and then: four deviations, three channels
/// and four thousand points make one point a picture.
const LEAST_DIFFERING: usize = 2;
/// A man hides nothing of a point that he hides with a lesser chance.
const EDGE: f32 = 0.05;
/// Share of a man's points, edge and all, that differ where another man of his colour stands in his place: 0.16 to 0.79 in
/// the simulator, seen from straight above; 0 where he has stayed.
const ALTERED_SHARE: f64 = 0.1;
/// A patch is no hand where men who came or left explain all but this share of it. Their shadows may be as large as they: a
/// third of the patch where a king castled under a low lamp; a hand that moves a man adds an arm to him.
const EXPLAINED_BUT: f64 = 0.5;
/// … unless more than this share of it looks like the hands that were seen before: a finger on the man. Set by hand
/// (`lab --experiments conditions --only held`).
const LIKE_A_HAND: f64 = 0.1;

/// Tables that a look is worked out in. Kept from look to look, they are filled anew without allocating.
#[derive(Debug, Default)]
pub struct Desk {
    differs: Vec<bool>,
    shaded: Vec<bool>,
    densities: Vec<OnceCell<PointDensity>>,
    this_hand: Vec<f32>,
    likelihoods: Vec<OnceCell<f32>>,
    unexplained: Vec<OnceCell<bool>>,
    visited: (u32, Vec<u32>),
    patches: Patches,
}

impl Desk {
    /// The points that something covered in the look that has left it.
    pub(super) fn covered(&self) -> &[bool] {
        &self.patches.covered
    }
}

/// A look: the colours of one picture held against everything learnt.
#[derive(Debug, Clone)]
pub struct LookEvidence<'a> {
    colours: &'a [Colour],
    coverage: &'a Coverage,
    appearance: &'a Appearance,
    /// What lay over the board in the looks before.
    resting: &'a Resting,
    /// What lies around the board.
    around: LookAround<'a>,
    /// What tells kinds there, once the game asks.
    kinds: OnceCell<Kinds<'a>>,
    /// What stood there in the reference picture.
    before: Layout,
    /// Squares that are not at rest: they say nothing.
    unsettled: Bitboard,
    /// Where a hand is.
    patches: Patches,
    /// Density of each point's colour among all points that lie under the hand of this picture; 0 elsewhere.
    this_hand: Vec<f32>,
    densities: Densities<'a>,
    /// Points that show something else than the reference picture.
    differs: Vec<bool>,
    /// Points that differ, but perhaps only because a shadow lies there.
    shaded: Vec<bool>,
    /// Every point's likelihood under the reference placement, and ln of that of all of them: each once it is asked for.
    likelihoods: Vec<OnceCell<f32>>,
    likelihood_ln: OnceCell<f64>,
    /// Points that the reference placement does not explain.
    unexplained: Vec<OnceCell<bool>>,
    /// Men who stayed, and look otherwise than before.
    anew: Anew,
    /// Squares that may hold something else than before.
    may_have_changed: Bitboard,
    /// Marks the points that one evaluation has already counted.
    visited: RefCell<(u32, Vec<u32>)>,
}

impl<'a> LookEvidence<'a> {
    /// Holds the colours of a picture against what was learnt. `unsettled` squares say nothing.
    #[must_use]
    pub fn new(
        seen: SeenColours<'a>,
        unsettled: Bitboard,
        (coverage, appearance, resting): (&'a Coverage, &'a Appearance, &'a Resting),
        around: LookAround<'a>,
        arms: &Arms,
        desk: Desk,
    ) -> Self {
        let Desk { mut differs, mut shaded, densities, this_hand, likelihoods, unexplained, mut visited, mut patches } =
            desk;
        let SeenColours { seen: colours, otherwise, noise } = seen;
        let points = || colours.iter().enumerate();
        differs.clear();
        let differs_by = |index: usize, c: &Colour| appearance.differs(index, c, noise.deviation, noise.sigmas);
        differs.extend(
            points().map(|(index, c)| differs_by(index, c) && otherwise[index].is_none_or(|c| differs_by(index, &c))),
        );
        let tones = appearance.tones(colours, |index| differs[index]);
        let mut densities = Densities::new(seen, appearance, tones, densities);
        shaded.clear();
        shaded.extend(points().map(|(index, c)| differs[index] && appearance.is_shaded(index, c)));
        in_shadows(&mut densities, &mut shaded, &SeenBoard { colours, differs: &differs, noise, appearance });
        if let Some(hands) = appearance.hands() {
            for index in (0..POINTS).filter(|index| differs[*index]) {
                densities.set(index, densities.at(index).or_a_hand(hands.density(&colours[index])[0]));
            }
        }
        visited.1.resize(POINTS, 0);
        let look = Self {
            colours,
            differs,
            shaded,
            coverage,
            appearance,
            resting,
            around,
            kinds: OnceCell::new(),
            before: Layout::of(appearance.men_standing()),
            unsettled,
            patches: Patches::default(),
            this_hand,
            densities,
            likelihoods,
            likelihood_ln: OnceCell::new(),
            anew: Anew::default(),
            unexplained,
            may_have_changed: Bitboard::EMPTY,
            visited: RefCell::new(visited),
        };
        look.find_arms(arms, &mut patches);
        look.find_patches(CERTAIN, &mut patches);
        look.with_hidden(patches)
    }

    /// Gives back what the next look can be worked out on.
    #[must_use]
    pub(crate) fn into_desk(self) -> Desk {
        let Self { differs, shaded, densities, this_hand, likelihoods, unexplained, visited, patches, .. } = self;
        let densities = densities.into_left();
        Desk { differs, shaded, densities, this_hand, likelihoods, unexplained, visited: visited.into_inner(), patches }
    }

    /// How points have changed.
    fn change(&self) -> impl Fn(usize) -> Change + '_ {
        let strange = STRANGE * self.appearance.uniform();
        move |index| {
            if !self.has_come(index) || !self.is_seen(index) || self.shaded[index] {
                return Change::None;
            }
            let d = self.densities.at(index);
            if d.men[0].max(d.men[1]).max(d.board) < strange { Change::Strange } else { Change::Known }
        }
    }

    /// Finds what arms cover that come over the board's edge.
    fn find_arms(&self, arms: &Arms, patches: &mut Patches) {
        let change = self.change();
        let has_changed = |index| change(index) != Change::None;
        let (mut arm, mut thing) = (std::mem::take(&mut patches.arm), std::mem::take(&mut patches.thing));
        arms.reach(has_changed, patches, &mut arm);
        arms.reach_of_things(has_changed, patches, &mut thing);
        (patches.arm, patches.thing) = (arm, thing);
    }

    /// Finds patches that are as large as is asked, and those that look like nothing here; arms are known.
    fn find_patches(&self, asked: Asked, patches: &mut Patches) {
        intruders(self.change(), self.coverage.largest_man(), asked, patches);
        patches.covered.iter_mut().zip(&patches.arm).for_each(|(covered, arm)| *covered |= arm);
    }

    /// The same look with something over the points of these patches.
    fn with_hidden(mut self, patches: Patches) -> Self {
        self.patches = patches;
        let hidden = &self.patches.covered;
        self.this_hand.clear();
        self.this_hand.resize(POINTS, 0.0);
        if hidden.contains(&true) {
            let under = || (0..POINTS).filter(|index| hidden[*index]);
            let model = self.appearance.colours_of(under().map(|index| &self.colours[index]));
            under().for_each(|index| [self.this_hand[index]] = model.density(&self.colours[index]));
        }
        self.anew = self.looking_anew();
        self.likelihoods.clear();
        self.likelihoods.resize(POINTS, OnceCell::new());
        self.unexplained.clear();
        self.unexplained.resize(POINTS, OnceCell::new());
        self.likelihood_ln = OnceCell::new();
        self.may_have_changed = Square::ALL.into_iter().filter(|square| self.may_differ(*square)).collect();
        self
    }

    /// Men who stayed, and look otherwise than before.
    fn looking_anew(&self) -> Anew {
        let Self { before, coverage, appearance, densities, differs, .. } = self;
        Anew::seen(&SeenMen { before, coverage, appearance, densities, differs }, |index| self.is_told(index))
    }

    /// What stood there in the reference picture.
    pub(super) const fn before(&self) -> &Layout {
        &self.before
    }

    /// Squares that do not hold the same colour as before.
    pub(super) fn come(&self, men: &Layout) -> Bitboard {
        Square::ALL.into_iter().filter(|square| men.class(*square) != self.before.class(*square)).collect()
    }

    pub(super) const fn coverage(&self) -> &Coverage {
        self.coverage
    }

    /// May this square hold something else than before: do points that a man on it could hide differ, or not tell?
    fn may_differ(&self, square: Square) -> bool {
        let mut differing = 0;
        self.coverage.points_of(square).iter().map(|index| usize::from(*index)).any(|index| {
            differing += usize::from(self.differs[index]);
            differing >= LEAST_DIFFERING || !self.is_told(index) || !self.appearance.is_remembered(index)
        })
    }

    /// Share of what a man of a pawn's size on this square would hide that these men leave in sight.
    pub(super) fn visible(&self, men: &Layout, square: Square) -> f32 {
        let pawn = role_index(Role::Pawn);
        let (mut all, mut seen) = (0.0, 0.0);
        for index in self.coverage.points_of(square) {
            let index = usize::from(*index);
            let mut open = 1.0;
            for candidate in self.coverage.candidates(index) {
                if candidate.square == square {
                    all += candidate.cover[pawn];
                    seen += if self.is_told(index) { open * candidate.cover[pawn] } else { 0.0 };
                    break;
                }
                open *= men.at(candidate.square).map_or(1.0, |(_, role)| 1.0 - candidate.cover[role]);
            }
        }
        if all > 0.0 { seen / all } else { 0.0 }
    }

    /// Does the point show something that was not there before? Where something foreign lay, what it hid shows again.
    fn has_come(&self, index: usize) -> bool {
        self.differs[index] && self.appearance.foreign(index) <= 0.5
    }

    /// Does the point lie in the picture?
    fn is_seen(&self, index: usize) -> bool {
        self.colours[index][0].is_finite()
    }

    /// Does the picture tell what is at this point?
    fn is_told(&self, index: usize) -> bool {
        self.is_seen(index) && !self.patches.covered[index] && !self.unsettled.contains(square_of(index))
    }

    /// Likelihood of a point's colour if these men stand on the board, without the share of outliers.
    fn explained_density(&self, index: usize, men: &Layout) -> f32 {
        let d = self.densities.at(index);
        let bare = d.stayed(self.appearance.bare(index), d.board);
        let ours = self.met(index, men, bare, |square, class, shown| {
            // A man that stayed where it was looks as it looked, as far as it was seen.
            if self.before.same(men, square) { self.anew.density(square, d, class, shown) } else { d.men[class] }
        });
        let over = self.lies_over(index);
        over * d.reference + (1.0 - over) * ours
    }

    /// The mean, over what a point's ray meets, of what holds of the bare board and of each of these men: by his square, his class, and
    /// how much of what the point showed was his.
    fn met(&self, index: usize, men: &Layout, bare: f32, of_man: impl Fn(Square, usize, f32) -> f32) -> f32 {
        let first = self.coverage.first_candidate(index);
        let (mut open, mut sum) = (1.0, 0.0);
        for (k, candidate) in self.coverage.candidates(index).iter().enumerate() {
            let Some((class, role)) = men.at(candidate.square) else { continue };
            let cover = candidate.cover[role];
            if cover == 0.0 {
                continue;
            }
            sum += open * cover * of_man(candidate.square, class, self.appearance.shown(first + k));
            open *= 1.0 - cover;
        }
        sum + open * bare
    }

    /// Chance that something foreign lay over the point in the reference picture, and hides now what it hid then.
    fn lies_over(&self, index: usize) -> f32 {
        let foreign = self.appearance.foreign(index);
        if foreign == 0.0 {
            return 0.0;
        }
        let man = self.coverage.hidden(index, &self.before);
        foreign * (man + (1.0 - man) * LIES_OVER)
    }

    /// A point's likelihood, where what stands on the board gives it this density.
    fn with_others(&self, index: usize, explained: f32) -> f32 {
        let outlier = self.densities.at(index).outlier;
        if outlier == 0.0 || self.unsettled.contains(square_of(index)) {
            // Outside the picture, or moving: nothing is known, nothing is said.
            1.0
        } else if self.patches.covered[index] {
            // What lies there has the colours of all that lies over the board, or is a man's or the board's between them.
            BETWEEN * explained + (1.0 - BETWEEN) * self.this_hand[index] + outlier
        } else {
            explained + outlier
        }
    }

    /// A point's likelihood if these men stand on the board; 1 where nothing is known.
    pub(super) fn density(&self, index: usize, men: &Layout) -> f32 {
        self.with_others(index, self.explained_density(index, men))
    }

    /// ln of the product over the points that men on these squares could hide, each once, tempered.
    fn ln_over(&self, squares: Bitboard, factor: impl Fn(usize) -> f32) -> f64 {
        let visited = &mut *self.visited.borrow_mut();
        visited.0 = visited.0.wrapping_add(1);
        let (epoch, seen) = (visited.0, &mut visited.1);
        let points =
            squares.into_iter().flat_map(|square| self.coverage.points_of(square)).map(|index| usize::from(*index));
        let once = points.filter(|index| std::mem::replace(&mut seen[*index], epoch) != epoch);
        INDEPENDENCE * ln_of_product(once.map(|index| factor(index).into()))
    }

    /// A point's likelihood under the reference placement.
    fn likelihood_before(&self, index: usize) -> f32 {
        *self.likelihoods[index].get_or_init(|| self.density(index, &self.before))
    }

    /// ln of that of all points.
    fn likelihood_ln(&self) -> f64 {
        *self.likelihood_ln.get_or_init(|| ln_of_product((0..POINTS).map(|index| self.likelihood_before(index).into())))
    }

    /// Log-likelihood of a placement.
    fn likelihood(&self, men: &Layout) -> f64 {
        let changed = men.difference(&self.before);
        let step = self.ln_over(changed, |index| self.density(index, men) / self.likelihood_before(index));
        INDEPENDENCE * self.likelihood_ln() + step
    }

    /// Log-likelihood of placements against that of another one, of which each point is asked once.
    pub(super) fn steps<'b>(&'b self, from: &'b Layout) -> impl Fn(&Layout) -> f64 + 'b {
        let known: RefCell<Vec<f32>> = RefCell::default();
        let density_there = move |index: usize| {
            let mut known = known.borrow_mut();
            known.resize(POINTS, f32::NAN);
            if known[index].is_nan() {
                known[index] = self.density(index, from);
            }
            known[index]
        };
        move |men| self.ln_over(men.difference(from), |index| self.density(index, men) / density_there(index))
    }

    /// The log-likelihood from every point, whatever the reference was.
    #[cfg(test)]
    pub(super) fn in_full(&self, men: &Board) -> f64 {
        let men = Layout::of(men);
        INDEPENDENCE * ln_of_product((0..POINTS).map(|index| self.density(index, &men).into()))
    }
}

impl Evidence for LookEvidence<'_> {
    fn log_likelihood(&self, men: &Board) -> f64 {
        self.likelihood(&Layout::of(men))
    }

    fn reference(&self) -> &Board {
        self.appearance.men_standing()
    }

    fn square(&self, square: Square) -> [f64; 3] {
        let here = self.before.at(square);
        let mut men = self.before;
        men.clear(square);
        let empty = self.likelihood(&men);
        let mut of = |class: usize| {
            // A man of the other colour, or where none was, is most often a pawn-sized one.
            let role = here.filter(|(c, _)| *c == class).map_or(role_index(Role::Pawn), |(_, role)| role);
            men.set(square, class, role);
            self.likelihood(&men)
        };
        [empty, of(0), of(1)]
    }

    fn kinds(&self, men: &Board) -> f64 {
        let kinds = self.kinds.get_or_init(|| Kinds::new(self.around, self.appearance));
        let men = Layout::of(men);
        // In place of what the placement's own likelihood says of them.
        let come = self.come(&men);
        kinds.likelihood(&men, come, self.coverage, |index, men| self.density(index, men))
            - self.ln_over(come, |index| self.density(index, &men))
    }

    fn clutter(&self, men: &Board) -> f64 {
        self.foreign_squares(&Layout::of(men), true)
    }

    fn residue(&self, men: &Board) -> f64 {
        self.foreign_squares(&Layout::of(men), false)
    }

    fn hidden(&self) -> Bitboard {
        let hidden = |square: &Square| {
            let count = points_on(*square).filter(|index| self.patches.covered[*index]).count();
            count as f64 > UNEXPLAINED_SHARE * (POINTS_PER_SIDE * POINTS_PER_SIDE) as f64
        };
        Square::ALL.into_iter().filter(hidden).collect::<Bitboard>() | self.unsettled
    }

    fn may_have_changed(&self) -> Bitboard {
        self.may_have_changed
    }

    fn altered(&self) -> Bitboard {
        let altered = |square: &Square| {
            let Some((_, role)) = self.before.at(*square) else { return false };
            let (mut all, mut differing, mut lit) = (0, 0, 0);
            for (index, candidate) in self.coverage.hidden_from(*square) {
                if candidate.cover[role] > EDGE && self.is_told(index) {
                    all += 1;
                    differing += u32::from(self.differs[index]);
                    lit += usize::from(self.differs[index] && !self.shaded[index]);
                }
            }
            // A shadow alone does not make another man.
            lit >= LEAST_DIFFERING && f64::from(differing) > ALTERED_SHARE * f64::from(all)
        };
        Square::ALL.into_iter().filter(altered).collect()
    }

    fn with_hand(&self) -> Option<Box<dyn Evidence + '_>> {
        let mut patches = self.patches.clone();
        self.find_patches(SUPPOSED, &mut patches);
        let news = patches.covered != self.patches.covered;
        news.then(|| Box::new(self.clone().with_hidden(patches)) as Box<dyn Evidence + '_>)
    }

    fn without_hand(&self, men: &Board) -> Option<Box<dyn Evidence + '_>> {
        let men = Layout::of(men);
        let moved = self.moved(&men);
        let foreign = |index: &&usize| self.is_foreign(**index, &men, &moved, false);
        let mut patches = self.patches.clone();
        let hand = |index: &&usize| self.densities.at(**index).is_rather_a_hand(self.explained_density(**index, &men));
        patches.keep(|points| {
            let share = |count: usize| count as f64 / points.len() as f64;
            share(points.iter().filter(foreign).count()) > EXPLAINED_BUT
                || share(points.iter().filter(hand).count()) > LIKE_A_HAND
        });
        let news = patches.covered != self.patches.covered;
        news.then(|| Box::new(self.clone().with_hidden(patches)) as Box<dyn Evidence + '_>)
    }

    fn held(&self, men: &Board, squares: Bitboard) -> bool {
        self.is_any_held(&Layout::of(men), squares)
    }

    fn unexplained(&self, men: &Board) -> Bitboard {
        self.unexplained_by(&Layout::of(men))
    }
}
