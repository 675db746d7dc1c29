//! What the experiments show to the observer: the scenes that make them, each with a name for people.

use chess_observer::sim::Scene;

use super::{anywhere, board, bumps, carta, conditions, koray, ladder, petkov, protocols, scenes::Named, squares};
use crate::simulated::Shots;

/// A scene of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The experiment's name.
    pub experiment: String,
    /// What is seen.
    pub label: String,
    /// The scene.
    pub scene: Scene,
    /// Is a hand left in the pictures?
    pub shots: Shots,
}

/// The scenes of the experiment of this name, one of [`super::NAMES`]; any other name has none. Of the ladder: the
/// undisturbed scene and the worst rungs; of the conditions, the worst rungs.
#[must_use]
pub fn views(experiment: &str) -> Vec<View> {
    let view = |label: String, scene: Scene, shots: Shots| View { experiment: experiment.into(), label, scene, shots };
    let still = |(label, scene)| view(label, scene, Shots::Stills);
    match experiment {
        "petkov" => vec![view("the hall, 50° above the board".into(), petkov::hall(), Shots::Stills)],
        "koray" => koray::LIGHTS
            .iter()
            .map(|(light, _)| view(format!("{light} light"), koray::scene(light), Shots::Stills))
            .collect(),
        "carta" => carta::CONDITIONS
            .iter()
            .flat_map(|condition| carta::DISTURBANCES.iter().map(move |d| (condition, d)))
            .map(|(condition, (name, disturbance))| {
                let shots = disturbance.map_or(Shots::Stills, |d| Shots::Disturbed(d, 1));
                view(format!("{}, {name}", condition.name), carta::scene(condition), shots)
            })
            .collect(),
        "ladder" => ladder::ends().into_iter().map(|(label, scene, shots)| view(label, scene, shots)).collect(),
        "conditions" => conditions::ends().into_iter().map(|(label, scene, shots)| view(label, scene, shots)).collect(),
        "squares" => squares::ends().into_iter().map(|(label, scene, shots)| view(label, scene, shots)).collect(),
        "anywhere" => anywhere::ends().into_iter().map(still).collect(),
        "bumps" => bumps::ends().into_iter().map(still).collect(),
        "board" => board::ends().into_iter().map(still).collect(),
        "protocols" => protocols::ends().into_iter().map(still).collect(),
        _ => vec![],
    }
}

/// The user's scenes.
#[must_use]
pub fn of_scenes(scenes: &[Named]) -> Vec<View> {
    let view = |named: &Named| View {
        experiment: "scenes".into(),
        label: named.name.clone(),
        scene: named.scene.clone(),
        shots: Shots::Stills,
    };
    scenes.iter().map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_has_views_and_all_of_them_differ() {
        // The rules alone are shown no pictures, and boards of Go are in no report.
        for name in super::super::NAMES.into_iter().filter(|name| !["evidence", "go"].contains(name)) {
            let views = views(name);
            assert!(!views.is_empty(), "{name}");
            for (i, view) in views.iter().enumerate() {
                view.scene.check().unwrap();
                assert!(views[..i].iter().all(|v| v.label != view.label), "{} stands twice", view.label);
                assert!(views[..i].iter().all(|v| (&v.scene, v.shots) != (&view.scene, view.shots)), "{}", view.label);
            }
        }
        assert_eq!((views("koray").len(), views("carta").len()), (3, 12));
        assert!(views("ladder").iter().any(|v| matches!(v.shots, Shots::Disturbed(..))));
        assert_eq!(views("none"), []);
    }
}
