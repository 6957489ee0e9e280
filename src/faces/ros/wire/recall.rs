use super::memory::memories as memory_messages;
use super::{Wire, failure, key_counts, stamp, text};
use r2r::robot_memory::{msg, srv::Recall as srv};
use robot_memory_core::api::{ApiError, Recall, RecallRequest, RecallResponse, SpatialSort};

/// Recall.srv
pub(in crate::faces::ros) struct RecallWire;

impl Wire for RecallWire {
    type Op = Recall;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<RecallRequest, ApiError> {
        let srv::Request {
            query,
            collection,
            n,
            min_confidence,
            session_id,
            context_filter,
            spatial_sort,
            levels,
            types,
            collections,
            scope,
            agent,
            min_similarity,
            since,
            until,
            order,
            like_memory_id,
            window_name,
            window,
            window_channels,
            window_rate_hz,
            frame,
            map_id,
            count_by,
            utc_offset_secs,
            ranking,
            exact,
            include_data,
            explain,
        } = message;
        Ok(RecallRequest {
            query,
            collection,
            n,
            min_confidence,
            session_id,
            context_filter,
            spatial_sort: sort_order(spatial_sort)?,
            levels,
            types,
            collections,
            scope,
            agent,
            min_similarity,
            since: stamp(since),
            until: stamp(until),
            order,
            like_memory_id,
            window_name,
            window,
            window_channels,
            window_rate_hz,
            frame,
            map_id,
            count_by,
            utc_offset_secs,
            ranking,
            exact,
            include_data,
            explain,
        })
    }

    fn encode(outcome: Result<RecallResponse, ApiError>) -> srv::Response {
        let response = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Response { error_code, error, ..Default::default() };
            }
        };
        let RecallResponse {
            memories,
            total,
            mode,
            approximate,
            counts,
            better_collections,
            query_ms,
            plan,
        } = response;
        srv::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            memories: memory_messages(memories),
            total,
            mode: text(mode.as_str()),
            approximate,
            counts: key_counts(counts),
            better_collections: better_collections.into_iter().map(text).collect(),
            query_ms,
            plan: text(plan),
        }
    }
}

/// No spatial sort when nothing of it is given.
fn sort_order(message: msg::SpatialSort) -> Result<Option<SpatialSort>, ApiError> {
    let msg::SpatialSort { field, target, max_distance } = message;
    if !field.is_empty() {
        return Ok(Some(SpatialSort { field, target, max_distance }));
    }
    if target.is_empty() && max_distance == 0.0 {
        return Ok(None);
    }
    Err(ApiError::invalid_argument(
        "spatial_sort.field is empty, but spatial_sort.target or max_distance is given; name the \
         field, as spatial.object_position",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spatial_sort_is_whole_or_absent() {
        let message = |field: &str, target: &[f64], max_distance| msg::SpatialSort {
            field: field.to_owned(),
            target: target.to_vec(),
            max_distance,
        };
        assert_eq!(sort_order(message("", &[], 0.0)), Ok(None));
        assert_eq!(
            sort_order(message("spatial.p", &[1.0], 2.0)),
            Ok(Some(SpatialSort {
                field: "spatial.p".to_owned(),
                target: vec![1.0],
                max_distance: 2.0
            }))
        );
        for lacking in [message("", &[1.0], 0.0), message("", &[], 1.0), message("", &[], f64::NAN)]
        {
            let error = sort_order(lacking).unwrap_err();
            assert!(error.to_string().contains("spatial_sort.field is empty"), "{error}");
        }
    }

    #[test]
    fn defaults_of_the_message_are_those_of_the_request() {
        let decoded = RecallWire::decode(srv::Request {
            n: 5,
            min_confidence: 0.3,
            ..srv::Request::default()
        });
        assert_eq!(decoded, Ok(RecallRequest::default()));
    }
}
