use super::*;

fn shown(text: &str) -> String {
    let part = |part: &Part| match part {
        Part::Doing(doing) if doing.text.is_empty() => "do".to_owned(),
        Part::Doing(doing) => format!("do {}", doing.text),
        Part::Thing { text, role, .. } => format!("{text} {role:?}"),
    };
    let clause = |clause: &Clause| {
        let elements = clause.elements.iter().map(|element| {
            let parts: Vec<String> = element.any_of.iter().map(part).collect();
            let excepted = match element {
                Element { is_excepted: true, .. } => "~",
                Element { is_allowed: true, .. } => "!",
                _ => "",
            };
            format!("{excepted}{}", parts.join(" | "))
        });
        let elements: Vec<String> = elements.collect();
        format!("{}{}", if clause.is_whole { "" } else { "? " }, elements.join("; "))
    };
    let read = Prohibition::parse(text);
    let clauses: Vec<String> = read.clauses.iter().map(clause).collect();
    format!("{}{}", clauses.join(" / "), if read.is_all { "" } else { " +" })
}

#[test]
fn what_is_forbidden_is_read_word_by_word() {
    let cases = [
        ("Never again use suction on mesh", "suction With; on mesh On"),
        ("网布禁止用吸盘", "网布 Unspecified; 吸盘 With"),
        ("不要把刀放在儿童房", "刀 Unspecified; do; 儿童房 At"),
        ("Do not enter the operating room", "do; operating room Unspecified"),
        ("喷漆房禁止进入", "喷漆房 Unspecified; do"),
        ("Do not drive through aisle 7", "do; aisle 7 Unspecified"),
        ("不要用锤子敲瓷砖", "锤子 With; do; 瓷砖 Unspecified"),
        ("Keep out of the paint shop", "do; paint shop Unspecified"),
        ("Mesh must never be handled with suction", "mesh Unspecified; suction With"),
        (
            "No knives or scissors in the nursery",
            "knives Unspecified | scissors Unspecified; in nursery At",
        ),
        ("The robot must not lift the red box, because it is heavy", "do; red box Unspecified"),
        ("Do not grip the cup when it is wet", "? do; cup Unspecified; ~wet Unspecified"),
        ("抓取前不要碰杯子", "? ~do; do; 杯子 Unspecified"),
        ("钳子不能放进三号抽屉", "钳子 Unspecified; do; 三号抽屉 At"),
        ("Don't vacuum at night", "vacuum Unspecified; at night When"),
        ("Never push the IV stand, only pull it", "do; iv stand Unspecified"),
        ("Only grip eggs with the soft gripper", "do; eggs Unspecified; !soft gripper With"),
        ("鸡蛋只能用软夹爪抓", "鸡蛋 Unspecified; !软夹爪 With; do"),
        ("Keep knives out of the nursery", "do; knives Unspecified; into nursery At"),
        ("Nothing may be placed on the piano", "do; on piano On"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expected)| shown(text) != *expected)
        .map(|(text, _)| format!("{text}: {}", shown(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(Prohibition::parse("The cup is on the table").clauses.is_empty());
}
