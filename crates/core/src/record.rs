//! Declares structs whose fields other parts of the program take over without naming them again.
//!
//! [`record!`] declares a struct, [`request!`] one that is asked for, with its defaults and its
//! [`StorableTexts`](crate::api::StorableTexts). Both also make a macro of the struct's name which hands the fields to
//! another macro: `robot_memory_core::Limit! { list some tokens }` becomes
//! `list! { some tokens { path [], op [], … } }`. In the brackets stands what follows `as` in the declaration:
//!
//! - `flagged has_x`: in a ROS message, which has no null, `has_x` says whether the value is given.
//! - `split x_id`: in a ROS message it is two fields, the second of which says which one of its kind.
//! - In a request, what each text is: `text` and `json` may come to be stored or logged; by a `lookup` only
//!   what is there is found. A text without any of these does not compile.

/// Declares a struct, and a macro that hands on its fields. A field whose name says what it is needs no
/// comment.
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* pub $field:ident : $type:ty $(as $kind:ident $($part:ident)?)?),+ $(,)?
    }) => {
        $(#[$meta])*
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        pub struct $name { $(#[allow(missing_docs)] $(#[$field_meta])* pub $field: $type),+ }
        $crate::record::handed_on! { ($) $name $($field [$($kind $($part)?)?])+ }
    };
}

/// Declares a request: a [`record!`](record) whose fields may have a default after `=`.
macro_rules! request {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* pub $field:ident :
            $type:ty $(as $kind:ident $($part:ident)?)? $(= $default:expr)?),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(default)]
        pub struct $name { $(#[allow(missing_docs)] $(#[$field_meta])* pub $field: $type),+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::record::default_of!($($default)?)),+ }
            }
        }

        impl $crate::api::StorableTexts for $name {
            fn texts(&self) -> impl Iterator<Item = (&'static str, $crate::api::FieldText<'_>)> {
                let Self { $($field),+ } = self;
                let mut _kept = Vec::new();
                $($crate::record::keep!(_kept $field $($kind)?);)+
                _kept.into_iter()
            }
        }

        $crate::record::handed_on! { ($) $name $($field [$($kind $($part)?)?])+ }
    };
}

macro_rules! default_of {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}

/// Adds what of a field may come to be kept.
macro_rules! keep {
    ($kept:ident $field:ident text) => {
        $crate::api::keep_texts(&mut $kept, stringify!($field), $field)
    };
    ($kept:ident $field:ident json) => {
        $kept.push((stringify!($field), $crate::api::FieldText::Json($field)))
    };
    ($kept:ident $field:ident lookup) => {
        let _ = $field;
    };
    ($kept:ident $field:ident $($flagged:ident)?) => {
        $crate::api::is_no_text($field)
    };
}

/// The macro of a struct's name. A dollar that this one is to write has to be given.
macro_rules! handed_on {
    (($d:tt) $name:ident $($field:ident $kind:tt)+) => {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ($d to:ident $d($d with:tt)*) => { $d to! { $d($d with)* { $($field $kind),+ } } };
        }
    };
}

pub(crate) use {default_of, handed_on, keep, record, request};
