//! The figures of squares as tables.

use super::{
    super::{
        lab::table,
        types::{HandFigures, SquareFigures, Table},
    },
    Group,
};
use crate::{calibration::Bin, interval::Rate, squares::Tally};

/// All tables in their order: errors by scene, single figures of calibration, and the curves as figures.
pub(super) fn all(groups: &[Group], figures: &[SquareFigures], hands: &[HandFigures]) -> Vec<Table> {
    let mut tables = vec![errors(groups)];
    if !hands.is_empty() {
        tables.push(beside_hands(hands));
    }
    tables.push(single(figures));
    for group in figures {
        let calibration = &group.calibration;
        tables.push(curve(&format!("Contents of squares, {}: told and true", group.name), &calibration.contents));
        tables.push(curve(&format!("Change of squares, {}: told and true", group.name), &calibration.changed));
    }
    tables
}

fn errors(groups: &[Group]) -> Table {
    let header = [
        "scene",
        "pictures",
        "unread",
        "wrong",
        "one in (95 % interval)",
        "missed",
        "imagined",
        "colour",
        "log loss (nats)",
        "doubtful (%)",
        "covered (%)",
        "in step: pictures",
        "wrong",
        "one in (95 % interval)",
    ];
    let row = |name: String, tally: &Tally| {
        let (all, in_step) = (tally.all(), &tally.in_step);
        let share = |count: usize| Rate::new(count, all.squares()).percent_text();
        let mut cells = vec![name, all.pictures.to_string(), tally.unread.to_string()];
        cells.extend([wrong(all.right()), all.right().one_wrong_in_text()]);
        cells.extend([all.missed, all.imagined, all.wrong_colour].map(|count| count.to_string()));
        cells.push(format!("{:.5}", all.log_loss_nats()));
        cells.extend([all.doubtful, all.covered].map(share));
        cells.extend([in_step.pictures.to_string(), wrong(in_step.right()), in_step.right().one_wrong_in_text()]);
        cells
    };
    let rows = groups.iter().flat_map(|group| {
        let members = group.members.iter().map(|(name, tally)| row(name.clone(), tally));
        members.chain([row(format!("all {}", group.name), &group.sum())]).collect::<Vec<_>>()
    });
    table("Square errors, scene by scene", &header, rows.collect())
}

fn beside_hands(hands: &[HandFigures]) -> Table {
    let header = [
        "hand",
        "pictures",
        "beside it: squares",
        "wrong",
        "one in (95 % interval)",
        "said covered (%)",
        "under it: squares",
        "said covered (%)",
        "surely wrong",
    ];
    let row = |hand: &HandFigures| {
        vec![
            hand.name.clone(),
            hand.pictures.to_string(),
            hand.beside_right.of.to_string(),
            wrong(hand.beside_right),
            hand.beside_right.one_wrong_in_text(),
            hand.beside_covered.percent_text(),
            hand.under_covered.of.to_string(),
            hand.under_covered.percent_text(),
            hand.under_surely_wrong.right.to_string(),
        ]
    };
    table("Pictures with a hand, scene by scene", &header, hands.iter().map(row).collect())
}

fn wrong(right: Rate) -> String {
    (right.of - right.right).to_string()
}

fn single(figures: &[SquareFigures]) -> Table {
    let header = [
        "conditions",
        "squares",
        "told with 99 % or more",
        "of these right (%)",
        "95 % interval",
        "calibration error (points)",
        "of change (points)",
    ];
    let row = |group: &SquareFigures| {
        let calibration = &group.calibration;
        let sure = calibration.sure;
        vec![
            group.name.clone(),
            group.right.of.to_string(),
            sure.of.to_string(),
            percent(sure.percent),
            format!("{}–{}", percent(sure.low), percent(sure.high)),
            format!("{:.4}", calibration.error_percent),
            format!("{:.4}", calibration.changed_error_percent),
        ]
    };
    table("How far the probabilities hold", &header, figures.iter().map(row).collect())
}

fn curve(title: &str, bins: &[Bin]) -> Table {
    let header = ["told between (%)", "in the mean (%)", "times", "came true", "%", "95 % interval", "holds"];
    let row = |bin: &Bin| {
        let rate = bin.happened;
        vec![
            format!("{}–{}", percent(100.0 * bin.low), percent(100.0 * bin.high)),
            percent(100.0 * bin.told),
            rate.of.to_string(),
            rate.right.to_string(),
            percent(rate.percent),
            format!("{}–{}", percent(rate.low), percent(rate.high)),
            if bin.holds() { "yes" } else { "no" }.to_owned(),
        ]
    };
    table(title, &header, bins.iter().map(row).collect())
}

/// A percentage with as many digits as tell it from 0 and 100: at least three that count on the nearer side.
fn percent(percent: f64) -> String {
    let from_end = percent.min(100.0 - percent);
    let digits = if from_end < 0.1 {
        4
    } else if from_end < 1.0 {
        3
    } else {
        2
    };
    let text = format!("{percent:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{experiments::print::table_text, squares::contents};
    use chess_observer::sight::squares::Squares;
    use shakmaty::{Bitboard, Board};

    #[test]
    fn percentages_have_the_digits_that_count() {
        let texts = [0.0, 0.01, 0.00123, 0.5, 12.345, 99.5, 99.99, 99.9987, 100.0].map(percent);
        assert_eq!(texts, ["0", "0.01", "0.0012", "0.5", "12.35", "99.5", "99.99", "99.9987", "100"]);
    }

    /// Two pictures of the first position, all squares told with 99.5 %, one of them wrongly, one of the pictures out of
    /// step.
    #[test]
    fn a_small_group_as_tables() {
        let truth = contents(&Board::new());
        let mut said = truth;
        said[27] = 2;
        let told = Squares {
            probability: said.map(|class| std::array::from_fn(|i| if i == class { 0.995 } else { 0.0025 })),
            changed: [0.3; 64],
            reliability: [1.0; 64],
            covered: Bitboard::EMPTY,
        };
        let mut tally = Tally { unread: 3, ..Tally::default() };
        tally.in_step.add(&told, &truth, Some(&truth));
        tally.out_of_step.add(&told, &truth, None);
        let group = Group { name: "good", members: vec![("one".into(), tally)] };
        let figures = [group.figures()];
        let hand = HandFigures {
            name: "white sleeve".into(),
            pictures: 2,
            beside_right: Rate::new(99, 100),
            beside_covered: Rate::new(3, 100),
            under_covered: Rate::new(19, 20),
            under_surely_wrong: Rate::new(1, 20),
        };
        let text: String = all(&[group], &figures, &[hand]).iter().map(|t| table_text(t) + "\n").collect();
        assert_eq!(text, include_str!("tables.txt"), "{text}");
    }
}
