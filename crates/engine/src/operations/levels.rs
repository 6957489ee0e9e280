//! ListLevels and ListCollections: which levels and collections there are, and what each holds.

use super::check;
use super::visibility::VisibleRows;
use crate::{Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    KeyCount, LevelContent, ListCollections, ListCollectionsRequest, ListCollectionsResponse,
    ListLevels, ListLevelsRequest, ListLevelsResponse,
};
use robot_memory_core::model::Level;
use robot_memory_index::{Bitset, Derived, RowSelection};

impl Run<ListLevels> for Operations {
    fn run(&self, request: ListLevelsRequest) -> Result<ListLevelsResponse> {
        let ListLevelsRequest { collection, scope, agent } = request;
        self.check_agent(&agent)?;
        check::collection_name(&collection)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        self.view(|_, derived| {
            // A collection that nobody has ever written to has no number, and no rows.
            let collections = (!collection.is_empty())
                .then(|| derived.rows.names().get(&collection).into_iter().collect());
            let of_level = |level: &Level| {
                let selection = RowSelection {
                    levels: vec![*level],
                    collections: collections.clone(),
                    ..RowSelection::default()
                };
                let rows = seen(derived, &visibility, &selection);
                LevelContent {
                    level: *level,
                    description: description(*level).to_owned(),
                    memory_count: rows.count(),
                    collection_count: derived.rows.count_by_collection(&rows).len() as u64,
                }
            };
            Ok(ListLevelsResponse { levels: Level::ALL.iter().map(of_level).collect() })
        })
    }
}

impl Run<ListCollections> for Operations {
    fn run(&self, request: ListCollectionsRequest) -> Result<ListCollectionsResponse> {
        let ListCollectionsRequest { level, scope, agent } = request;
        self.check_agent(&agent)?;
        let level = check::parse_enum("level", &level, Level::parse, Level::spellings)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        self.view(|_, derived| {
            let levels = level.into_iter().collect();
            let selection = RowSelection { levels, ..RowSelection::default() };
            let rows = seen(derived, &visibility, &selection);
            let by_number = derived.rows.count_by_collection(&rows);
            let mut collections: Vec<KeyCount> = by_number
                .into_iter()
                .filter_map(|(number, count)| {
                    let key = derived.rows.names().name(number)?.to_owned();
                    Some(KeyCount { key, count })
                })
                .collect();
            collections.sort_by(|one, other| one.key.cmp(&other.key));
            Ok(ListCollectionsResponse { collections, memory_count: rows.count() })
        })
    }
}

fn seen(derived: &Derived, visibility: &Visibility, selection: &RowSelection) -> Bitset {
    VisibleRows::of(visibility, &derived.rows).allowed(derived, selection)
}

const fn description(level: Level) -> &'static str {
    match level {
        Level::Core => "what lasts and holds for the whole robot or site",
        Level::Knowledge => "what is known of a task",
        Level::Working => {
            "notes of a session: when it ends, those that proved useful become knowledge and the \
             others are archived"
        }
    }
}
