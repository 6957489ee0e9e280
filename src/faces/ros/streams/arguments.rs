//! Which of the process's own ROS arguments the streams' node takes.

/// Those that rename topics, as arguments of their own. What names the node or its namespace is left
/// out, for the streams' node has a name of its own; a rule for the node alone (`name:from:=to`) holds
/// here, too.
pub(super) fn remapping(
    arguments: impl IntoIterator<Item = String>,
    node_name: &str,
) -> Vec<String> {
    let mut kept = Vec::new();
    let mut is_ros = false;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--ros-args" => is_ros = true,
            "--" => is_ros = false,
            "-r" | "--remap" if is_ros => {
                let rule = arguments.next();
                if let Some(rule) = rule.and_then(|rule| rule_here(&rule, node_name)) {
                    kept.extend(["-r".to_owned(), rule]);
                }
            }
            _ => {}
        }
    }
    if !kept.is_empty() {
        kept.insert(0, "--ros-args".to_owned());
    }
    kept
}

/// A rule as it holds for the streams' node; `None` when it names a node, or is for another one.
fn rule_here(rule: &str, node_name: &str) -> Option<String> {
    let (from, to) = rule.split_once(":=")?;
    // `rostopic://` and `rosservice://` have a colon of their own.
    let from = match from.split_once(':') {
        Some((name, from)) if !from.starts_with("//") => {
            if name != node_name {
                return None;
            }
            from
        }
        _ => from,
    };
    let names_a_node = matches!(from, "__node" | "__name" | "__ns");
    (!names_a_node).then(|| format!("{from}:={to}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_topics_are_kept() {
        let cases = [
            ("node", ""),
            ("node -r a:=b", ""),
            ("node --ros-args -r a:=b", "--ros-args -r a:=b"),
            ("node --ros-args -r __node:=x -r __ns:=/y -r __name:=z", ""),
            ("node --ros-args -r me:a:=b -r other:c:=d", "--ros-args -r a:=b"),
            ("node --ros-args -r me:__node:=x", ""),
            ("node --ros-args --remap rostopic://a:=b", "--ros-args -r rostopic://a:=b"),
            ("node --ros-args -p x:=1 --params-file f -r a:=b -- -r c:=d", "--ros-args -r a:=b"),
            ("node --ros-args -e /safe -r", ""),
            ("node --ros-args -r nonsense", ""),
        ];
        for (line, expected) in cases {
            let found = remapping(line.split_whitespace().map(str::to_owned), "me");
            assert_eq!(found.join(" "), expected, "{line}");
        }
    }
}
