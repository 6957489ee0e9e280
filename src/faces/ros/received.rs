//! Messages as they were received, with whether each of their texts is one.
//!
//! r2r turns a text that is not UTF-8 into an empty one, and an empty agent is the operator. So texts are
//! checked before r2r converts them: in the message as the middleware left it, by the description of
//! its type that ROS generates beside every interface.

use r2r::{WrappedServiceTypeSupport, WrappedTypesupport};
use r2r_rcl::{
    rosidl_message_type_support_t, rosidl_runtime_c__String, rosidl_service_type_support_t,
    rosidl_typesupport_introspection_c__MessageMember as Member,
    rosidl_typesupport_introspection_c__MessageMembers as Members,
    rosidl_typesupport_introspection_c_field_types as FieldType,
};
use robot_memory_core::api::ApiError;
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;

/// The kind of type support that describes a message's fields.
const INTROSPECTION: &CStr = c"rosidl_typesupport_introspection_c";
const STRING: u8 = FieldType::rosidl_typesupport_introspection_c__ROS_TYPE_STRING as u8;
const WSTRING: u8 = FieldType::rosidl_typesupport_introspection_c__ROS_TYPE_WSTRING as u8;
const MESSAGE: u8 = FieldType::rosidl_typesupport_introspection_c__ROS_TYPE_MESSAGE as u8;

/// A type of service whose requests come with whether their texts are texts.
#[derive(Debug)]
pub(super) struct Checked<Srv>(PhantomData<Srv>);

impl<Srv> Clone for Checked<Srv> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<Srv: WrappedServiceTypeSupport> WrappedServiceTypeSupport for Checked<Srv> {
    type Request = Received<Srv::Request>;
    type Response = Srv::Response;

    fn get_ts() -> &'static rosidl_service_type_support_t {
        Srv::get_ts()
    }
}

/// A message that was received. What it says is told only beside whether it can be believed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Received<M> {
    message: M,
    bad_text: Option<BadText>,
}

/// A text that is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BadText {
    /// Its field, as `parameters[2].name`.
    field: String,
    reason: String,
}

impl<M: Default> Received<M> {
    /// Takes the message out.
    ///
    /// # Errors
    /// When one of its texts is none; names its field.
    pub fn take(&mut self) -> Result<M, ApiError> {
        let Self { message, bad_text } = std::mem::take(self);
        refusal(bad_text).map(|()| message)
    }

    /// Takes out the message, in which a text that is none is empty, and beside it whether there is one.
    pub fn take_parts(&mut self) -> (M, Result<(), ApiError>) {
        let Self { message, bad_text } = std::mem::take(self);
        (message, refusal(bad_text))
    }
}

fn refusal(bad_text: Option<BadText>) -> Result<(), ApiError> {
    bad_text.map_or(Ok(()), |BadText { field, reason }| {
        Err(ApiError::invalid_argument(format!("{field}: {reason}")))
    })
}

impl<M: WrappedTypesupport> WrappedTypesupport for Received<M> {
    type CStruct = M::CStruct;

    fn get_ts() -> &'static rosidl_message_type_support_t {
        M::get_ts()
    }

    fn create_msg() -> *mut M::CStruct {
        M::create_msg()
    }

    fn destroy_msg(message: *mut M::CStruct) {
        M::destroy_msg(message);
    }

    fn from_native(native: &M::CStruct) -> Self {
        // SAFETY: the native struct is the one that the type support of `M` describes.
        let bad_text = match unsafe { described(M::get_ts()) } {
            // SAFETY: the same.
            Some(members) => unsafe { bad_text(members, (&raw const *native).cast()) },
            None => Some(undescribed("the message")),
        };
        Self { message: M::from_native(native), bad_text }
    }

    fn copy_to_native(&self, native: &mut M::CStruct) {
        self.message.copy_to_native(native);
    }
}

/// What cannot be checked is not believed.
fn undescribed(field: &str) -> BadText {
    let reason = "its texts cannot be checked: no introspection type support".to_owned();
    BadText { field: field.to_owned(), reason }
}

/// The fields of a type of message.
///
/// # Safety
/// Type support as ROS generates it.
unsafe fn described(
    type_support: *const rosidl_message_type_support_t,
) -> Option<&'static Members> {
    // SAFETY: type support lives as long as the process. Asked for a kind that it has, it answers one
    // of that kind, whose data are the fields; else null.
    unsafe {
        let type_support = type_support.as_ref()?;
        let described = type_support.func?(type_support, INTROSPECTION.as_ptr()).as_ref()?;
        described.data.cast::<Members>().as_ref()
    }
}

/// The first text of a message that is none.
///
/// # Safety
/// `message` is valid and of the type that `members` describe.
unsafe fn bad_text(members: &Members, message: *const c_void) -> Option<BadText> {
    let count = usize::try_from(members.member_count_).unwrap_or(0);
    if count == 0 || members.members_.is_null() {
        return None;
    }
    // SAFETY: so many fields are described, and each is at its offset.
    unsafe {
        std::slice::from_raw_parts(members.members_, count).iter().find_map(|member| {
            let offset = usize::try_from(member.offset_).ok()?;
            bad_text_in(member, message.byte_add(offset))
        })
    }
}

/// The first text of a field that is none.
///
/// # Safety
/// `field` is valid, and what `member` describes.
unsafe fn bad_text_in(member: &Member, field: *const c_void) -> Option<BadText> {
    if !matches!(member.type_id_, STRING | WSTRING | MESSAGE) {
        return None;
    }
    // SAFETY: names end with a zero; the functions are made for this field, and asked within its size.
    unsafe {
        let name = CStr::from_ptr(member.name_).to_string_lossy();
        if !member.is_array_ {
            return bad_text_at(member, field, &name);
        }
        let (Some(size), Some(item)) = (member.size_function, member.get_const_function) else {
            return Some(undescribed(&name));
        };
        (0..size(field)).find_map(|i| bad_text_at(member, item(field, i), &format!("{name}[{i}]")))
    }
}

/// The first text of a value that is none.
///
/// # Safety
/// As for [`bad_text_in`], of one value of the field.
unsafe fn bad_text_at(member: &Member, value: *const c_void, name: &str) -> Option<BadText> {
    // SAFETY: a string is a `rosidl_runtime_c__String`, and a message of the type that is described.
    unsafe {
        match member.type_id_ {
            STRING => {
                let text = value.cast::<rosidl_runtime_c__String>().as_ref()?;
                if text.data.is_null() {
                    return None;
                }
                let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.size);
                not_a_text(bytes).map(|reason| BadText { field: name.to_owned(), reason })
            }
            MESSAGE => {
                let Some(members) = described(member.members_) else {
                    return Some(undescribed(name));
                };
                let BadText { field, reason } = bad_text(members, value)?;
                Some(BadText { field: format!("{name}.{field}"), reason })
            }
            _ => Some(undescribed(name)),
        }
    }
}

/// Why bytes are no text: a ROS string is UTF-8, and ends at its first zero.
fn not_a_text(bytes: &[u8]) -> Option<String> {
    if let Err(error) = std::str::from_utf8(bytes) {
        let (place, len) = (error.valid_up_to() + 1, bytes.len());
        return Some(format!("must be UTF-8, and byte {place} of {len} is not"));
    }
    let place = bytes.iter().position(|byte| *byte == 0)? + 1;
    Some(format!("must not hold a zero byte, as byte {place} of {len} is", len = bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use r2r::rcl_interfaces::srv::SetParameters;
    use r2r::robot_memory::srv::{Capture, Learn};
    use r2r_rcl::rosidl_runtime_c__String__assignn;
    use robot_memory_core::api::ErrorKind;

    fn assign(text: &mut rosidl_runtime_c__String, bytes: &[u8]) {
        // SAFETY: the string is initialized, and so many bytes are there.
        assert!(unsafe {
            rosidl_runtime_c__String__assignn(text, bytes.as_ptr().cast(), bytes.len())
        });
    }

    /// A message as the middleware leaves it.
    struct Native<M: WrappedTypesupport>(*mut M::CStruct);

    impl<M: WrappedTypesupport> Native<M> {
        fn of(message: &M) -> Self {
            let native = Self(M::create_msg());
            // SAFETY: it was just created, and nobody else has it.
            message.copy_to_native(unsafe { &mut *native.0 });
            native
        }

        fn fields(&mut self) -> &mut M::CStruct {
            // SAFETY: it is valid until it is dropped, and borrowed from here.
            unsafe { &mut *self.0 }
        }
    }

    impl<M: WrappedTypesupport> Drop for Native<M> {
        fn drop(&mut self) {
            M::destroy_msg(self.0);
        }
    }

    fn received<M: WrappedTypesupport>(native: &mut Native<M>) -> Result<M, String> {
        Received::<M>::from_native(native.fields()).take().map_err(|error| {
            assert_eq!(error.kind, ErrorKind::InvalidArgument);
            error.message
        })
    }

    #[test]
    fn bytes_are_a_text_or_it_is_said_why_not() {
        let cases: [(&[u8], Option<&str>); 7] = [
            (b"", None),
            ("gr\u{fc}n, 桌子, 🤖".as_bytes(), None),
            (b"gr\xfcber", Some("must be UTF-8, and byte 3 of 6 is not")),
            (b"\x80", Some("must be UTF-8, and byte 1 of 1 is not")),
            (b"ab\xe6\xa1", Some("must be UTF-8, and byte 3 of 4 is not")),
            (b"\xed\xa0\x80", Some("must be UTF-8, and byte 1 of 3 is not")),
            (b"dm\0x", Some("must not hold a zero byte, as byte 3 of 4 is")),
        ];
        for (bytes, expected) in cases {
            assert_eq!(not_a_text(bytes).as_deref(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_text_that_is_none_is_refused_by_its_field() {
        let request = Learn::Request { agent: "grüber".into(), ..Default::default() };
        let mut native = Native::of(&request);
        assert_eq!(received(&mut native).map(|request| request.agent), Ok("grüber".to_owned()));
        assign(&mut native.fields().agent, b"gr\xfcber");
        let error = "agent: must be UTF-8, and byte 3 of 6 is not";
        assert_eq!(received(&mut native).map(|request| request.agent), Err(error.to_owned()));
    }

    #[test]
    fn texts_in_lists_and_in_nested_messages_are_checked() {
        let streams = vec!["wrist".to_owned(), "arm".to_owned()];
        let request = Capture::Request { streams, ..Default::default() };
        let mut native = Native::of(&request);
        assert_eq!(received(&mut native).map(|request| request.streams.len()), Ok(2));
        // SAFETY: the list has two strings.
        assign(unsafe { &mut *native.fields().streams.data.add(1) }, b"\xff");
        let error = "streams[1]: must be UTF-8, and byte 1 of 1 is not";
        assert_eq!(received(&mut native).map(|_| ()), Err(error.to_owned()));

        let parameters = vec![Default::default(), Default::default()];
        let request = SetParameters::Request { parameters };
        let mut native = Native::of(&request);
        assert!(received(&mut native).is_ok());
        // SAFETY: the list has two parameters.
        assign(
            unsafe { &mut (*native.fields().parameters.data.add(1)).value.string_value },
            b"a\xc0",
        );
        let error = "parameters[1].value.string_value: must be UTF-8, and byte 2 of 2 is not";
        assert_eq!(received(&mut native).map(|_| ()), Err(error.to_owned()));
    }
}
