//! Columns of text below each other.

use std::fmt::Write as _;

/// Lines of cells as text: the first column to the left, the others to the right, a rule under the first line. Lines
/// may be of different length.
#[must_use]
pub fn columns(lines: &[Vec<String>]) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| lines.iter().filter_map(|l| Some(l.get(column)?.chars().count())).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            // Names to the left, figures to the right. Writing to a string cannot fail.
            let _ = match column {
                0 => write!(text, "{cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        if i == 0 {
            text.push_str(&"-".repeat(widths.iter().sum::<usize>() + 2 * count.saturating_sub(1)));
            text.push('\n');
        }
    }
    text
}

/// Lines of at most 100 letters.
#[must_use]
pub fn fold(text: &str) -> String {
    let (mut folded, mut width) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if width > 0 {
            let gap = if width + 1 + letters > 100 { '\n' } else { ' ' };
            folded.push(gap);
            width = if gap == '\n' { 0 } else { width + 1 };
        }
        folded.push_str(word);
        width += letters;
    }
    folded + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_figures_right() {
        let line = |cells: &[&str]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
        let text = columns(&[line(&["name", "n"]), line(&["zwölf", "100"]), line(&["a"])]);
        assert_eq!(text, "name     n\n----------\nzwölf  100\na\n");
        assert_eq!(columns(&[]), "");
    }
}
