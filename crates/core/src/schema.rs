//! What the types of answers are as JSON, for who describes them (feature `schema`); those of records and requests
//! are derived where they are declared.

/// A text with closed spellings: what `text_enum!` adds to a type.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! schema_of_spellings {
    ($name:ident [$($text:literal),+]) => {
        impl $crate::utoipa::PartialSchema for $name {
            fn schema() -> $crate::utoipa::openapi::RefOr<$crate::utoipa::openapi::Schema> {
                $crate::utoipa::openapi::ObjectBuilder::new()
                    .schema_type($crate::utoipa::openapi::Type::String)
                    .enum_values(Some([$($text),+]))
                    .into()
            }
        }
        impl $crate::utoipa::ToSchema for $name {}
    };
}

/// Nothing: this program describes no types.
#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! schema_of_spellings {
    ($name:ident [$($text:literal),+]) => {};
}

#[cfg(feature = "schema")]
mod by_hand {
    use crate::model::{JobScope, Scope, Stamp};
    use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat};
    use utoipa::openapi::{RefOr, Schema, Type};
    use utoipa::{PartialSchema, ToSchema};

    fn text() -> ObjectBuilder {
        Object::builder().schema_type(Type::String)
    }

    /// As answers say it.
    impl PartialSchema for Stamp {
        fn schema() -> RefOr<Schema> {
            text()
                .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
                .description(Some(
                    "RFC 3339, in UTC. Requests may also give nanoseconds since 1970.",
                ))
                .into()
        }
    }

    impl ToSchema for Stamp {}

    impl PartialSchema for Scope {
        fn schema() -> RefOr<Schema> {
            text().description(Some("Who may read it: `kind`, or `kind:name`")).into()
        }
    }

    impl ToSchema for Scope {}

    /// Its two parts.
    impl PartialSchema for JobScope {
        fn schema() -> RefOr<Schema> {
            Object::builder()
                .property("scope", text().description(Some("Kind of scope, or `all`")))
                .property("scope_id", text().description(Some("Which one of its kind")))
                .required("scope")
                .required("scope_id")
                .into()
        }
    }

    impl ToSchema for JobScope {}
}
