use super::*;

fn read(text: &str) -> Result<Record, String> {
    Record::read(text.as_bytes()).map_err(|e| e.to_string())
}

fn plays(record: &Record) -> Vec<String> {
    let size = record.end.board().size();
    let named = |p: &Play| {
        let at = p.at.map_or("pass".into(), |at| at.name(size));
        format!("{}{at}{}", &p.color.name()[..1], p.fault.map_or("", |_| "!"))
    };
    record.plays().iter().map(named).collect()
}

#[test]
fn a_game_with_handicap_passes_and_headers_is_read() {
    let record = read(
        "(;FF[4]GM[1]SZ[19]HA[2]AB[dd][pp]PB[A\\]b]PW[C]RU[AGA]KM[0.5]RE[W+R];W[dp];B[pd](;W[];B[tt];W[aa])(;W[bb]))",
    )
    .unwrap();
    assert_eq!(plays(&record), ["WD4", "BQ16", "Wpass", "Bpass", "WA19"]);
    assert_eq!((record.info.black.as_str(), record.info.rules.name, record.info.komi), ("A]b", "AGA", Some(0.5)));
    assert_eq!(record.end.board().count(Color::Black), 3);
}

#[test]
fn stones_laid_out_in_rectangles_and_within_the_game() {
    let record = read("(;SZ[9]AB[aa:bc];W[ee];AE[aa]AW[ii]PL[W];W[ff])").unwrap();
    assert_eq!(record.line()[0].board().count(Color::Black), 6);
    assert_eq!(plays(&record), ["WE5", "WF4"]);
    assert_eq!(record.end.board().stones().count(), 5 + 3);
}

#[test]
fn what_is_no_game_of_go_is_refused() {
    for (text, error) in [
        ("(;GM[2]SZ[8])", "expected a game of Go, GM[1], got GM[2]"),
        ("(;SZ[4])", "expected SZ[5] to SZ[25], got SZ[4]"),
        ("(;SZ[99999999999999999999])", "expected SZ[5] to SZ[25], got SZ[99999999999999999999]"),
        ("(;SZ[9:13])", "expected SZ[5] to SZ[25], got SZ[9:13]"),
        ("(;SZ[9];B[aa];W[jj])", "after play 1: W[jj] is no crossing of a 9x9 board"),
        ("(;SZ[9]AB[a])", "after play 0: AB[a] is no crossing of a 9x9 board"),
        ("(;SZ[9];B[aa];W[aa])", "play 2, White A9: there is a stone already"),
        ("(;SZ[25];B[tt];W[tt])", "play 2, White U6: there is a stone already"),
    ] {
        assert_eq!(read(text).map(|r| plays(&r)), Err(error.to_owned()), "{text}");
    }
    assert!(matches!(Record::of(&Sgf::read(b"(;B[aa])").unwrap(), 2), Err(RecordError::NoGame { asked: 2, held: 1 })));
    assert!(Record::of(&Sgf::read(b"(;B[aa])").unwrap(), 0).is_err());
}

#[test]
fn plays_against_the_rules_are_read_and_written_as_such() {
    let record = read("(;SZ[9];B[aa];B[bb];W[cc];W[dd])").unwrap();
    assert_eq!(plays(&record), ["BA9", "BB8!", "WC7", "WD6!"]);
    let ko = "(;SZ[5]AB[ba][ab][cb][bc]AW[ca][db][cc];W[bb];B[cb])";
    let record = read(ko).unwrap();
    let sgf = write(&record.info, &record.end, &Notes::default());
    assert_eq!(plays(&record), ["WB4", "BC4!"]);
    assert!(sgf.write().contains("B[cb]KO[]"), "{}", sgf.write());
}

#[test]
fn what_is_written_is_read_again_with_comments_and_withdrawn_lines() {
    let source = "(;SZ[13]KM[6.5]PB[x]PW[y]HA[2]AB[dd][jj];W[cc];B[kk];W[];AE[kk]AB[ll]PL[B];B[mm])";
    let record = read(source).unwrap();
    let fourth = record.line()[1].clone();
    let other = fourth.force(Point::new(7, 7), Color::Black, &record.info.rules).unwrap();
    let mut notes = Notes { withdrawn: vec![other], ..Notes::default() };
    notes.comments.insert(fourth.path(), "seen [with] doubt\\".into());
    let text = write(&record.info, &record.end, &notes).write();
    let again = Sgf::read(text.as_bytes()).unwrap();
    let back = Record::of(&again, 1).unwrap();
    assert_eq!((plays(&back), &back.info), (plays(&record), &record.info));
    assert_eq!(back.end.board(), record.end.board());
    let commented = again.node(1).unwrap();
    assert_eq!((comment(commented).as_str(), commented.children.len()), ("seen [with] doubt\\", 2));
}

#[test]
fn a_record_goes_on_with_its_comments_and_with_what_was_taken_back() {
    let record = read("(;SZ[9];B[ee];W[cc];B[gg])").unwrap();
    let line = record.line();
    let other = line[2].force(Point::new(7, 7), Color::Black, &record.info.rules).unwrap();
    let mut notes = Notes { withdrawn: vec![other], ..Notes::default() };
    notes.comments.insert(line[1].path(), "a first play".into());
    let text = write(&record.info, &record.end, &notes).write();
    let (again, noted) = Record::with_notes(text.as_bytes()).unwrap();
    assert_eq!(write(&again.info, &again.end, &noted).write(), text);
    assert_eq!((noted.withdrawn.len(), noted.comments.len()), (1, 1));
}

#[test]
fn a_play_taken_back_is_not_read_as_played_while_nothing_was_played_instead() {
    let record = read("(;SZ[9];B[ee];W[cc];B[gg])").unwrap();
    let line = record.line();
    let notes = Notes { withdrawn: vec![record.end.clone()], ..Notes::default() };
    let back = Record::read(write(&record.info, &line[2], &notes).write().as_bytes()).unwrap();
    assert_eq!(plays(&back), ["BE5", "WC7"]);
    let instead = line[2].force(Point::new(7, 7), Color::Black, &record.info.rules).unwrap();
    let text = write(&record.info, &instead, &notes).write();
    assert_eq!(plays(&Record::read(text.as_bytes()).unwrap()), ["BE5", "WC7", "BH2"]);
    assert!(text.contains("gg"), "{text}");
}

#[test]
fn random_games_of_every_size_come_back() {
    for seed in 0..42_u64 {
        let size = Size::new(5 + seed % 21).unwrap();
        let mut dice = seed;
        let mut moment = Moment::start(Board::empty(size), Color::Black);
        for _ in 0..150 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            moment = match (dice >> 33) as usize % (size.count() + 1) {
                0 => moment.pass(),
                n => moment.play(size.point(n - 1), &Rules::CHINESE).unwrap_or(moment),
            };
        }
        let info = Info { rules: Rules::CHINESE, ..Info::default() };
        let text = write(&info, &moment, &Notes::default()).write();
        let back = Record::read(text.as_bytes()).unwrap();
        let plays_of = |m: &Arc<Moment>| m.line().iter().filter_map(|m| m.last()).collect::<Vec<_>>();
        assert_eq!(plays_of(&back.end), plays_of(&moment), "{text}");
        assert_eq!(back.end.board(), moment.board());
    }
}
