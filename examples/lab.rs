//! scratch
use std::{collections::HashMap, path::Path};
use chess_observer::{board::geometry::*, frame::*, game::evidence::Evidence, sight::{appearance::Appearance, calibrate::*, colour::*, coverage::*, evidence::*}};
use shakmaty::*;

fn corners(dir: &Path) -> HashMap<String, Corners> {
    let mut out = HashMap::new();
    if let Ok(text) = std::fs::read_to_string(dir.join("corners.csv")) {
        for line in text.lines().skip(1) {
            let f: Vec<&str> = line.split(',').collect();
            let v: Vec<f64> = f[1..9].iter().map(|s| s.parse().unwrap()).collect();
            out.insert(f[0].to_string(), Corners::new(std::array::from_fn(|i| [v[2*i], v[2*i+1]])).unwrap());
        }
    } else {
        let j: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(dir.join("camera.json")).unwrap()).unwrap();
        let arr = |c: &serde_json::Value| -> Corners { let g = |k: usize| -> [f64;2] { let p = if c.is_array() { &c[k] } else { &c[["a1","h1","h8","a8"][k]] }; [p[0].as_f64().unwrap(), p[1].as_f64().unwrap()] }; Corners::new(std::array::from_fn(g)).unwrap() };
        let top = arr(&j["corners"]);
        let mut names: Vec<String> = std::fs::read_dir(dir.join("frames")).unwrap().map(|e| e.unwrap().path().file_stem().unwrap().to_str().unwrap().to_string()).collect();
        names.sort();
        for n in &names { out.insert(n.clone(), top); }
        if let Some(m) = j["corners_of_frames_after_the_camera_moved"].as_object() { for (k, v) in m { let key = format!("{:05}", k.parse::<usize>().unwrap_or(0)); out.insert(key, arr(v)); } }
    }
    out
}

fn main() {
    let verbose = std::env::args().any(|a| a == "-v");
    for dir in std::env::args().skip(1).filter(|a| !a.starts_with('-')) {
        let dir = Path::new(&dir);
        let cs = corners(dir);
        let events = std::fs::read_to_string(dir.join("events.csv")).unwrap();
        // truth
        let pgn = std::fs::read_to_string(dir.join("truth.pgn")).unwrap();
        let fen = pgn.lines().find_map(|l| l.strip_prefix("[FEN \"").map(|r| r.trim_end_matches("\"]").to_string()));
        let start: Chess = fen.map_or_else(Chess::default, |f| chess_observer::game::start::Start::from_fen(&f).unwrap().position().clone());
        let body: String = pgn.lines().filter(|l| !l.starts_with('[')).collect::<Vec<_>>().join(" ");
        let mut positions = vec![start.clone()];
        let mut pos = start;
        for tok in body.split_whitespace() {
            let tok = tok.rsplit('.').next().unwrap();
            if tok.is_empty() || ["1-0","0-1","1/2-1/2","*"].contains(&tok) { continue; }
            let Ok(san) = tok.parse::<san::SanPlus>() else { continue };
            let m = san.san.to_move(&pos).unwrap(); pos.play_unchecked(m); positions.push(pos.clone());
        }
        let mut state: Option<(Coverage, Appearance, Vec<[f32;3]>)> = None;
        let mut stat = [0usize; 4];
        let mut margins = vec![];
        println!("== {} plies {}", dir.display(), positions.len() - 1);
        for line in events.lines().skip(1) {
            let f: Vec<&str> = line.split(',').collect();
            let (name, ply, event, st) = (f[0], f[2].parse::<usize>().unwrap_or(0), f[3], f[5]);
            if st == "empty" { continue; }
            let path = ["jpg","png"].iter().map(|e| dir.join("frames").join(format!("{name}.{e}"))).find(|p| p.exists()).unwrap();
            let img = image::open(path).unwrap().to_rgb8();
            let frame = Frame::from_rgb(&img).unwrap();
            let h = Homography::from_corners(&cs[name]).unwrap();
            let samples = Samples::read(&frame, &h);
            let truth = positions[ply].board().clone();
            let Some((cov, app, ref_rgb)) = state.as_mut() else {
                let colours = samples.in_light([1.0;3]);
                let t = std::time::Instant::now();
                let (par, score) = fit_parallax(&colours, &truth, None);
                let t1 = t.elapsed();
                let rec = recognise(&colours, &truth, &par);
                let t = std::time::Instant::now();
                let cov = Coverage::new(par);
                println!("fit {:?} score {score:.3} in {t1:?}; recognised {:.3}; coverage {:?} cands {}", par, rec.share, t.elapsed(), cov.candidate_count());
                println!("  at centre {:?}", par.at_centre());
                let app = Appearance::begin(&colours, &truth, &cov);
                state = Some((cov, app, samples.0.clone()));
                continue;
            };
            let light = Light::compare(&samples, ref_rgb, app.reference());
            let colours = samples.in_light(light.gain);
            let t = std::time::Instant::now();
            let look = LookEvidence::new(&colours, light.noise, cov, app);
            let t_look = t.elapsed();
            // hypotheses: last standing = positions around
            let base_ply = ply.saturating_sub(1);
            let base = &positions[base_ply];
            let t = std::time::Instant::now();
            let mut hyps: Vec<(f64, String, Board)> = vec![(look.log_likelihood(base.board()), "none".into(), base.board().clone())];
            for m in base.legal_moves() { let mut p = base.clone(); p.play_unchecked(m); hyps.push((look.log_likelihood(p.board()), m.to_uci(CastlingMode::Standard).to_string(), p.board().clone())); }
            let t_h = t.elapsed();
            hyps.sort_by(|a, b| b.0.total_cmp(&a.0));
            let ti = hyps.iter().position(|h| h.2 == truth).unwrap_or(999);
            let same = |a: &Board, b: &Board| a.white() == b.white() && a.black() == b.black();
            let rival = hyps.iter().find(|h| !same(&h.2, &truth)).unwrap();
            let mine = hyps.iter().find(|h| h.2 == truth).map_or(f64::NAN, |h| h.0);
            let unx = look.unexplained(&truth);
            let ok = same(&hyps[0].2, &truth);
            let illegal = event.starts_with("illegal");
            if st == "clean" && !illegal { stat[usize::from(ok)] += 1; margins.push(mine - rival.0); } else { stat[2+usize::from(ok)] += 1; }
            if verbose || (st == "clean" && !ok) {
                println!("{name} ply {ply} {event} {st}: truth rank {ti} margin {:.1} best {} unexplained {} gain {:.2?} noise {:.1?} mean {:.2} look {t_look:?} {} hyps {t_h:?}", mine - rival.0, hyps[0].1, unx.into_iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" "), light.gain, light.noise, look.mean_ln(&truth), hyps.len());
            }
            if st == "clean" && !illegal {
                let clear = !unx;
                app.learn(&colours, &truth, cov, clear);
                // ref in rgb of the canonical light
                for (r, s) in ref_rgb.iter_mut().zip(&samples.0) { if s[0].is_finite() { for k in 0..3 { r[k] = s[k] / light.gain[k]; } } }
            }
        }
        margins.sort_by(f64::total_cmp);
        println!("clean right {}/{}; other right {}/{}; margins min {:.1?} median {:.1}", stat[1], stat[0]+stat[1], stat[3], stat[2]+stat[3], &margins[..margins.len().min(6)], margins[margins.len()/2]);
    }
}
