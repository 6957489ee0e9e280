//! Each operation as a ROS 2 service: the fields of its request and its answer, by their names.
//!
//! Both sides are taken fully apart, so that a field of a `.srv` file that the engine lacks does not compile,
//! nor one of the engine that is not in the file.

use super::Wire;
use super::convert::{FromMessage, ToMessage, failure, given};
use super::messages::part;
use robot_memory_core::api::{self, ApiError};

mod srv {
    // In Rust the status of a memory has the shorter name.
    pub use r2r::robot_memory::srv::{Status as GetStatus, *};
}

macro_rules! services {
    ($($_lane:ident $op:ident($request:ident) -> $response:ident $(in $field:ident)?;)+) => { $(
        impl Wire for api::$op {
            type Srv = srv::$op::Service;

            fn decode(message: srv::$op::Request) -> Result<Self::Request, ApiError> {
                robot_memory_core::$request! { decode message $op $request }
            }

            fn encode(outcome: Result<Self::Response, ApiError>) -> srv::$op::Response {
                match outcome {
                    Ok(response) => encode!(response $op $response $(in $field)?),
                    Err(failed) => {
                        let (error_code, error) = failure(failed);
                        srv::$op::Response { error_code, error, ..Default::default() }
                    }
                }
            }
        }
    )+ };
}

macro_rules! decode {
    ($message:ident $op:ident $request:ident {
        $($field:ident [$($kind:ident $($flag:ident)?)?]),+
    }) => {{
        let srv::$op::Request { $($field, $($($flag,)?)?)+ } = $message;
        Ok(api::$request { $($field: decode!($field $($($flag)?)?)),+ })
    }};
    ($field:ident) => {
        FromMessage::from_message($field)?
    };
    ($field:ident $flag:ident) => {
        given(stringify!($field), $flag, $field)?
    };
}

macro_rules! encode {
    ($response:ident $op:ident $type:ident) => {
        robot_memory_core::$type! { encode $response $op $type }
    };
    ($response:ident $op:ident $type:ident in $field:ident) => {
        srv::$op::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            $field: $response.to_message(),
        }
    };
    ($response:ident $op:ident $type:ident {
        $($field:ident [$($kind:ident $($part:ident)?)?]),+
    }) => {{
        let api::$type { $($field),+ } = $response;
        srv::$op::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            $($($($part: part!($kind $field),)?)? $field: $field.to_message()),+
        }
    }};
}

robot_memory_core::operations! { services }

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_core::api::{Recall, RecallRequest};

    #[test]
    fn defaults_of_the_message_are_those_of_the_request() {
        let decoded = Recall::decode(srv::Recall::Request {
            n: 5,
            min_confidence: 0.3,
            ..srv::Recall::Request::default()
        });
        assert_eq!(decoded, Ok(RecallRequest::default()));
    }
}
