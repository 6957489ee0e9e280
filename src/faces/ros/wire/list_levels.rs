use super::{Wire, failure, text};
use r2r::robot_memory::{msg, srv::ListLevels as srv};
use robot_memory_core::api::{
    ApiError, LevelContent, ListLevels, ListLevelsRequest, ListLevelsResponse,
};

/// ListLevels.srv
pub(in crate::faces::ros) struct ListLevelsWire;

impl Wire for ListLevelsWire {
    type Op = ListLevels;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ListLevelsRequest, ApiError> {
        let srv::Request { collection, scope, agent } = message;
        Ok(ListLevelsRequest { collection, scope, agent })
    }

    fn encode(outcome: Result<ListLevelsResponse, ApiError>) -> srv::Response {
        let ListLevelsResponse { levels } = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Response { error_code, error, ..Default::default() };
            }
        };
        srv::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            levels: levels.into_iter().map(level_content).collect(),
        }
    }
}

fn level_content(content: LevelContent) -> msg::LevelContent {
    let LevelContent { level, description, memory_count, collection_count } = content;
    msg::LevelContent {
        level: text(level.as_str()),
        description: text(description),
        memory_count,
        collection_count,
    }
}
