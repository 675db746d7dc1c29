//! Two lists of moves laid side by side, by edit distance.

/// A row of the alignment: a correct move, the move that was read, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// The correct move; `None` where one was read that was never played.
    pub correct: Option<&'a str>,
    /// The move that was read; `None` where one was missed.
    pub read: Option<&'a str>,
    /// Number of the correct ply, 1 for the first; of the next one where none is correct here.
    pub ply: usize,
}

impl Row<'_> {
    /// Is the right move read?
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.correct == self.read
    }
}

/// Lays `read` beside `correct` with the fewest faults (a wrong, a missed and an invented move count one each), and
/// among those with the most right moves. Up to the first fault the lists agree position by position.
#[must_use]
pub fn align<'a>(correct: &[&'a str], read: &[&'a str]) -> Vec<Row<'a>> {
    let same = correct.iter().zip(read).take_while(|(c, r)| c == r).count();
    let mut rows: Vec<Row<'a>> =
        (0..same).map(|i| Row { correct: Some(correct[i]), read: Some(read[i]), ply: i + 1 }).collect();
    let (c, r) = (&correct[same..], &read[same..]);
    // best[i][j]: (faults, -right) of the rest from c[i..] and r[j..].
    let width = r.len() + 1;
    let mut best = vec![(0_usize, 0_isize); (c.len() + 1) * width];
    for i in (0..=c.len()).rev() {
        for j in (0..=r.len()).rev() {
            let at = |i: usize, j: usize| best[i * width + j];
            let mut options = Vec::with_capacity(3);
            if i < c.len() && j < r.len() {
                let (faults, right) = at(i + 1, j + 1);
                let hit = c[i] == r[j];
                options.push((faults + usize::from(!hit), right - isize::from(hit)));
            }
            if i < c.len() {
                options.push((at(i + 1, j).0 + 1, at(i + 1, j).1));
            }
            if j < r.len() {
                options.push((at(i, j + 1).0 + 1, at(i, j + 1).1));
            }
            best[i * width + j] = options.into_iter().min().unwrap_or((0, 0));
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < c.len() || j < r.len() {
        let here = best[i * width + j];
        let ply = same + i + 1;
        if i < c.len() && j < r.len() {
            let (faults, right) = best[(i + 1) * width + j + 1];
            let hit = c[i] == r[j];
            if here == (faults + usize::from(!hit), right - isize::from(hit)) {
                rows.push(Row { correct: Some(c[i]), read: Some(r[j]), ply });
                (i, j) = (i + 1, j + 1);
                continue;
            }
        }
        if i < c.len() && here == (best[(i + 1) * width + j].0 + 1, best[(i + 1) * width + j].1) {
            rows.push(Row { correct: Some(c[i]), read: None, ply });
            i += 1;
        } else {
            rows.push(Row { correct: None, read: Some(r[j]), ply });
            j += 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(correct: &str, read: &str) -> String {
        let (c, r): (Vec<_>, Vec<_>) = (correct.split_whitespace().collect(), read.split_whitespace().collect());
        align(&c, &r)
            .iter()
            .map(|row| match (row.correct, row.read) {
                (Some(c), Some(r)) if c == r => c.to_owned(),
                (c, r) => format!("{}[{}–{}]", row.ply, c.unwrap_or(""), r.unwrap_or("")),
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn faults_are_placed_where_they_are() {
        assert_eq!(text("a b c d", "a b c d"), "a b c d");
        assert_eq!(text("a b c d", "a x c d"), "a 2[b–x] c d");
        assert_eq!(text("a b c d", "a c d"), "a 2[b–] c d");
        assert_eq!(text("a b c", "a x b c"), "a 2[–x] b c");
        assert_eq!(text("a b", ""), "1[a–] 2[b–]");
        assert_eq!(text("", "a"), "1[–a]");
    }

    #[test]
    fn among_equal_distances_the_most_right_moves_win() {
        // Two substitutions cost as much as dropping one and inventing another; the latter has one right.
        assert_eq!(text("a b", "b x"), "1[a–] b 3[–x]");
    }

    proptest! {
        #[test]
        fn both_lists_come_back_whole(c in proptest::collection::vec("[abc]", 0..12), r in proptest::collection::vec("[abc]", 0..12)) {
            let (c, r): (Vec<&str>, Vec<&str>) = (c.iter().map(String::as_str).collect(), r.iter().map(String::as_str).collect());
            let rows = align(&c, &r);
            prop_assert_eq!(rows.iter().filter_map(|x| x.correct).collect::<Vec<_>>(), c.clone());
            prop_assert_eq!(rows.iter().filter_map(|x| x.read).collect::<Vec<_>>(), r.clone());
            let faults = rows.iter().filter(|x| !x.is_right()).count();
            prop_assert!(faults <= c.len().max(r.len()));
            // The distance is symmetric.
            prop_assert_eq!(faults, align(&r, &c).iter().filter(|x| !x.is_right()).count());
        }
    }
}
