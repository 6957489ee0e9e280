//! The flags of Recall, and the request that they make.

use super::values::{self, spellings};
use clap::Args;
use robot_memory_core::api::{CountBy, Order, Ranking, RecallRequest, SpatialSort};
use robot_memory_core::model::{Kind, Level, Stamp};
use robot_memory_perception::LayoutKind;

#[derive(Debug, Args)]
pub struct RecallArguments {
    /// What is looked for, in natural language; not needed beside --near, --like, --window, a filter or
    /// --count-by
    pub query: Option<String>,
    #[command(flatten)]
    pub filters: Filters,
    /// Show the data and metadata of perceptions
    #[arg(long)]
    pub data: bool,
    /// Show what was done and how long each part took
    #[arg(long)]
    pub explain: bool,
}

/// Which rows count, and how they are ranked: the fields of Recall.
#[derive(Debug, Args)]
#[command(next_help_heading = "Recall")]
pub struct Filters {
    /// Only this collection [default: default]
    #[arg(short, long, value_name = "NAME", conflicts_with = "collections")]
    pub collection: Option<String>,
    /// These collections; * is all of them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub collections: Vec<String>,
    /// How many at most, 1 to 100
    #[arg(short, default_value_t = 5)]
    pub n: u32,
    /// Only memories at least so sure, 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.3)]
    pub min_confidence: f64,
    /// Only memories of this session
    #[arg(long, value_name = "SESSION_ID")]
    pub session: Option<String>,
    /// Conditions on the context: a JSON object, as {"robot.id": "arm-01", "params.force_n": {"$lt": 15}}
    #[arg(long, value_name = "JSON")]
    pub context_filter: Option<String>,
    /// Nearest first: a field of the context and the point to be near to
    #[arg(long, value_name = "FIELD=X,Y,Z", value_parser = values::near)]
    pub near: Option<SpatialSort>,
    /// Not farther than this from --near
    #[arg(long, value_name = "DISTANCE", requires = "near", allow_negative_numbers = true)]
    pub max_distance: Option<f64>,
    /// The distance of --near is the root mean square one, with this field of the context as the standard
    /// deviation of each coordinate
    #[arg(long, value_name = "FIELD", requires = "near")]
    pub near_std_dev: Option<String>,
    /// What felt like this memory, most alike first
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["near", "window", "order"],
        allow_negative_numbers = true,
    )]
    pub like: Option<i64>,
    /// What felt like this window, most alike first: numbers, all channels of one time after another
    #[arg(
        long,
        value_name = "X,X,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "window_name",
        conflicts_with_all = ["near", "order"],
    )]
    pub window: Vec<f64>,
    /// What --window is of
    #[arg(long, value_name = "NAME", requires = "window", value_parser = spellings!(LayoutKind))]
    pub window_name: Option<String>,
    /// Channels of --window [default: 6 of wrench and imu, else 1]
    #[arg(long, value_name = "COUNT", requires = "window")]
    pub window_channels: Option<u32>,
    /// Samples a second of --window
    #[arg(long, value_name = "HZ", requires = "window", allow_negative_numbers = true)]
    pub window_rate_hz: Option<f64>,
    /// Only these levels
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', value_parser = spellings!(Level))]
    pub levels: Vec<String>,
    /// Only these types
    #[arg(long, value_name = "TYPE", value_delimiter = ',', value_parser = spellings!(Kind))]
    pub types: Vec<String>,
    /// What a search of this scope sees: global and group:<id>, dm, agent:<name>, session:<id>, ...;
    /// cross:<group>; or all [default: global]
    #[arg(long)]
    pub scope: Option<String>,
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Only memories at least so similar to the query, -1 to 1
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true)]
    pub min_similarity: Option<f64>,
    /// Only memories created at or after: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub since: Option<Stamp>,
    /// Only memories created before
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub until: Option<Stamp>,
    /// By time instead of the best first
    #[arg(long, value_parser = spellings!(Order))]
    pub order: Option<String>,
    /// Only memories made before and after this one, the nearest in time, in order of time
    #[arg(long, value_name = "ID", conflicts_with_all = ["like", "window"], allow_negative_numbers = true)]
    pub around: Option<i64>,
    /// Only memories made before and after the newest one whose context meets these conditions, as --context-filter
    #[arg(long, value_name = "JSON", conflicts_with_all = ["around", "like", "window"])]
    pub around_newest: Option<String>,
    /// The nth newest of --around-newest
    #[arg(long, value_name = "NTH", requires = "around_newest", default_value_t = 1)]
    pub around_nth: u32,
    /// At most so many memories before it
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub before: u32,
    /// At most so many memories after it
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub after: u32,
    /// Only memories made at most so long before it
    #[arg(long, value_name = "SECS", default_value_t = 0.0, allow_negative_numbers = true)]
    pub before_secs: f64,
    /// Only memories made at most so long after it
    #[arg(long, value_name = "SECS", default_value_t = 0.0, allow_negative_numbers = true)]
    pub after_secs: f64,
    /// In --order only the --nth memory of each
    #[arg(long, requires = "order", value_parser = spellings!(CountBy))]
    pub group_by: Option<String>,
    /// In --order only the nth memory, of each --group-by or of all
    #[arg(long, requires = "order", default_value_t = 0)]
    pub nth: u32,
    /// Do not read phrases of order and time in the query
    #[arg(long)]
    pub as_words: bool,
    /// Only memories of at least this relevance, 0 to 1; 0.5: none unless the list more likely than not has an answer
    #[arg(long, value_name = "RELEVANCE", default_value_t = 0.0, allow_negative_numbers = true)]
    pub min_relevance: f64,
    /// Show near-identical memories, too
    #[arg(long)]
    pub echoes: bool,
    /// Only memories whose context.spatial.frame is this
    #[arg(long)]
    pub frame: Option<String>,
    /// Only memories whose context.spatial.map_id is this
    #[arg(long)]
    pub map_id: Option<String>,
    /// Count what matches
    #[arg(long, value_parser = spellings!(CountBy))]
    pub count_by: Option<String>,
    /// The days of --count-by and --group-by are those of this offset from UTC
    #[arg(long, value_name = "SECS", default_value_t = 0, allow_negative_numbers = true)]
    pub utc_offset_secs: i32,
    /// How words and vectors become one list
    #[arg(long, value_parser = spellings!(Ranking))]
    pub ranking: Option<String>,
    /// Compare with every vector on disk, not with the index in memory
    #[arg(long)]
    pub exact: bool,
}

/// The request that the arguments make.
pub fn request(query: String, filters: Filters, data: bool, explain: bool) -> RecallRequest {
    let spatial_sort = filters.near.map(|mut sort| {
        sort.max_distance = filters.max_distance.unwrap_or_default();
        sort.std_dev_field = filters.near_std_dev.unwrap_or_default();
        sort
    });
    RecallRequest {
        query,
        collection: filters.collection.unwrap_or_default(),
        n: filters.n,
        min_confidence: filters.min_confidence,
        session_id: filters.session.unwrap_or_default(),
        context_filter: filters.context_filter.unwrap_or_default(),
        spatial_sort,
        levels: filters.levels,
        types: filters.types,
        collections: filters.collections,
        scope: filters.scope.unwrap_or_default(),
        agent: filters.agent.unwrap_or_default(),
        min_similarity: filters.min_similarity.unwrap_or_default(),
        min_relevance: filters.min_relevance,
        diversity: !filters.echoes,
        since: filters.since,
        until: filters.until,
        around_memory_id: filters.around.unwrap_or_default(),
        anchor_filter: filters.around_newest.unwrap_or_default(),
        anchor_nth: filters.around_nth,
        before_count: filters.before,
        after_count: filters.after,
        before_secs: filters.before_secs,
        after_secs: filters.after_secs,
        group_by: filters.group_by.unwrap_or_default(),
        nth: filters.nth,
        read_phrases: !filters.as_words,
        order: filters.order.unwrap_or_default(),
        like_memory_id: filters.like.unwrap_or_default(),
        window_name: filters.window_name.unwrap_or_default(),
        window: filters.window,
        window_channels: filters.window_channels.unwrap_or_default(),
        window_rate_hz: filters.window_rate_hz.unwrap_or_default(),
        frame: filters.frame.unwrap_or_default(),
        map_id: filters.map_id.unwrap_or_default(),
        count_by: filters.count_by.unwrap_or_default(),
        utc_offset_secs: filters.utc_offset_secs,
        ranking: filters.ranking.unwrap_or_default(),
        exact: filters.exact,
        include_data: data,
        // Only a node has a link to the fleet.
        include_site: false,
        explain,
    }
}
