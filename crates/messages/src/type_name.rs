use std::fmt;

/// The name of a message type in its one spelling: `sensor_msgs/msg/JointState`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName {
    text: String,
    /// Bytes of the package's name.
    package: usize,
}

impl TypeName {
    /// Reads `pkg/msg/Type` or `pkg/Type`; `None` when it is neither. Each part is made of ASCII
    /// letters, digits and underscores, so that it is safe in a path.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (package, second, third) = (parts.next()?, parts.next()?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        let (folder, name) = third.map_or(("msg", second), |name| (second, name));
        [package, folder, name]
            .into_iter()
            .all(is_identifier)
            .then(|| Self::of(package, folder, name))
    }

    fn of(package: &str, folder: &str, name: &str) -> Self {
        Self { text: format!("{package}/{folder}/{name}"), package: package.len() }
    }

    /// The type that a field of this type's definition means: `Point` is of the same package, and
    /// `Header` alone that of `std_msgs`.
    pub(super) fn resolve(&self, text: &str) -> Option<Self> {
        if text == "Header" {
            return Some(Self::of("std_msgs", "msg", "Header"));
        }
        if text.contains('/') {
            return Self::parse(text);
        }
        is_identifier(text).then(|| Self::of(self.package(), "msg", text))
    }

    /// `sensor_msgs/msg/JointState`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `sensor_msgs`.
    pub fn package(&self) -> &str {
        &self.text[..self.package]
    }

    /// `msg`, or `srv` and `action` for what is generated of those.
    pub fn folder(&self) -> &str {
        self.text[self.package + 1..].split('/').next().unwrap_or_default()
    }

    /// `JointState`.
    pub fn name(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a text can name a package, a type or a field.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_one_spelling() {
        for text in ["sensor_msgs/JointState", "sensor_msgs/msg/JointState"] {
            let name = TypeName::parse(text).expect(text);
            assert_eq!(name.as_str(), "sensor_msgs/msg/JointState");
            assert_eq!((name.package(), name.folder()), ("sensor_msgs", "msg"));
            assert_eq!(name.name(), "JointState");
        }
    }

    #[test]
    fn refuses_what_names_no_type() {
        let cases =
            ["", "/", "JointState", "a/b/c/d", "../msg/X", "a/msg/..", "a//X", "a/X ", "1/X"];
        for text in cases {
            assert_eq!(TypeName::parse(text), None, "{text}");
        }
    }

    #[test]
    fn fields_mean_types_of_their_own_package() {
        let pose = TypeName::parse("geometry_msgs/Pose").expect("a name");
        let cases = [
            ("Point", "geometry_msgs/msg/Point"),
            ("std_msgs/String", "std_msgs/msg/String"),
            ("std_msgs/msg/String", "std_msgs/msg/String"),
            ("Header", "std_msgs/msg/Header"),
        ];
        for (text, expected) in cases {
            assert_eq!(pose.resolve(text).expect(text).as_str(), expected);
        }
    }
}
