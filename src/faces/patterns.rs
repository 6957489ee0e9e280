//! Names of nodes and topics, against patterns with `*`.

use robot_memory_perception::is_like;

/// Whether a pattern of a parameter file names a node, by the rules of ROS: `*` is one part of the full
/// name, `**` any number of parts, and a slash at the start may be left out.
pub fn names_node(pattern: &str, full_name: &str) -> bool {
    fits(pattern, full_name, |pattern, part| pattern == "*" || pattern == part)
}

/// Whether a pattern names a topic: the same, and within a part `*` is any letters.
pub fn names_topic(pattern: &str, full_name: &str) -> bool {
    fits(pattern, full_name, is_like)
}

fn fits(pattern: &str, full_name: &str, fits_part: impl Fn(&str, &str) -> bool) -> bool {
    let parts_of = |name: &str| -> Vec<String> {
        name.strip_prefix('/').unwrap_or(name).split('/').map(str::to_owned).collect()
    };
    let name = parts_of(full_name);
    // How many parts of the name what was read of the pattern may stand for.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for part in parts_of(pattern) {
        let mut next = vec![false; name.len() + 1];
        for (count, is_reached) in reached.iter().enumerate() {
            if *is_reached && part == "**" {
                next[count..].fill(true);
            } else if *is_reached && name.get(count).is_some_and(|named| fits_part(&part, named)) {
                next[count + 1] = true;
            }
        }
        reached = next;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_named_as_ros_does() {
        let cases = [
            ("/mem", "/mem", true),
            ("mem", "/mem", true),
            ("mem", "/left_arm/mem", false),
            ("/left_arm/mem", "/left_arm/mem", true),
            ("left_arm/mem", "/left_arm/mem", true),
            ("/**", "/mem", true),
            ("**", "/a/b/mem", true),
            ("/*", "/mem", true),
            ("/*", "/left_arm/mem", false),
            ("/*/mem", "/left_arm/mem", true),
            ("/*/mem", "/mem", false),
            ("/*/mem", "/a/b/mem", false),
            ("/**/mem", "/mem", true),
            ("/**/mem", "/a/b/mem", true),
            ("/**/mem", "/a/b/other", false),
            ("/left_arm/*", "/left_arm/mem", true),
            ("/left_arm/**", "/left_arm/a/mem", true),
            ("/left_arm/*", "/right_arm/mem", false),
            ("/**/b/*", "/a/b/mem", true),
            ("/**/**/mem", "/mem", true),
            ("/*/*/*", "/a/b/mem", true),
            ("/left_*", "/left_arm", false),
            ("", "/mem", false),
            ("/", "/mem", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(names_node(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn topics_are_named_by_letters_too() {
        let cases = [
            ("/camera/*", "/camera/image_raw", true),
            ("/camera/*", "/camera/left/image_raw", false),
            ("/camera/**", "/camera/left/image_raw", true),
            ("/**/*_raw", "/camera/left/image_raw", true),
            ("/**/*_raw", "/image_raw", true),
            ("/cam*/im*raw", "/camera/image_raw", true),
            ("/cam*/im*raw", "/camera/image_rect", false),
            ("/*a*", "/banana", true),
            ("/a*a", "/a", false),
            ("/debug", "/debug", true),
            ("/debug", "/debug/x", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(names_topic(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_is_quick() {
        let pattern = "/**".repeat(2000);
        assert!(names_node(&pattern, &"/a".repeat(100)));
        assert!(!names_node(&format!("{pattern}/b"), &"/a".repeat(100)));
    }
}
