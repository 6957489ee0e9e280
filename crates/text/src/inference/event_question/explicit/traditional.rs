//! Traditional characters, as the words of questions have them: the reader knows simplified ones.

const TRADITIONAL: &str = "麼時間後發護與點幾過這兩個從條現變週開關來對還會問請嗎錄紀記說給動機頭們總統計數隻內為當誰於裡裏並無產緊壓觸臺運訊應該誤連續鐘夾遺環換檢測報顯結東區級順陣歷曆號處離邊歸啟剛際則單項類種樣煩幫讓聽見覽階約別將";
/// The same characters, in the same order.
const SIMPLIFIED: &str = "么时间后发护与点几过这两个从条现变周开关来对还会问请吗录纪记说给动机头们总统计数只内为当谁于里里并无产紧压触台运讯应该误连续钟夹遗环换检测报显结东区级顺阵历历号处离边归启刚际则单项类种样烦帮让听见览阶约别将";

/// The text in simplified characters.
pub fn simplified(text: &str) -> String {
    let of = |letter: char| {
        let place = TRADITIONAL.chars().position(|other| other == letter)?;
        SIMPLIFIED.chars().nth(place)
    };
    text.chars()
        .map(|letter| if letter.is_ascii() { letter } else { of(letter).unwrap_or(letter) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_has_another_one() {
        assert_eq!(TRADITIONAL.chars().count(), SIMPLIFIED.chars().count());
        assert!(TRADITIONAL.chars().zip(SIMPLIFIED.chars()).all(|(a, b)| a != b));
        assert_eq!(simplified("昨天第二次急停是什麼時候？"), "昨天第二次急停是什么时候？");
    }
}
