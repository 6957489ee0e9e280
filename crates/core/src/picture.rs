//! The picture that the data of a perception may hold: `image.thumbnail_jpeg`, a JPEG in base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Where it is.
const THUMBNAIL: &str = "/image/thumbnail_jpeg";

/// Whether data hold one.
pub fn is_in(data: &Value) -> bool {
    data.pointer(THUMBNAIL).is_some_and(Value::is_string)
}

/// The data of a perception that saw only this.
pub fn data_with(jpeg: &[u8]) -> String {
    serde_json::json!({"image": {"thumbnail_jpeg": STANDARD.encode(jpeg)}}).to_string()
}

/// Whether bytes begin as a JPEG file does.
pub fn is_jpeg(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xd8, 0xff])
}

/// The bytes of a JPEG file; `None` when data hold none, or no base64 there.
pub fn jpeg_of(data: &str) -> Option<Vec<u8>> {
    let data: Value = serde_json::from_str(data).ok()?;
    STANDARD.decode(data.pointer(THUMBNAIL)?.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_picture_is_a_text_in_base64_at_its_place() {
        for (data, is_there, jpeg) in [
            (json!({"image": {"thumbnail_jpeg": "/9g="}}), true, Some(vec![0xff, 0xd8])),
            (json!({"image": {"thumbnail_jpeg": "not base64"}}), true, None),
            (json!({"image": {"thumbnail_jpeg": 7}}), false, None),
            (json!({"thumbnail_jpeg": "/9g="}), false, None),
            (json!([]), false, None),
        ] {
            assert_eq!((is_in(&data), jpeg_of(&data.to_string())), (is_there, jpeg), "{data}");
        }
        assert_eq!(jpeg_of("{"), None);
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0];
        assert_eq!(
            (jpeg_of(&data_with(&jpeg)).as_deref(), is_jpeg(&jpeg)),
            (Some(&jpeg[..]), true)
        );
        assert!(!is_jpeg(b"\x89PNG"));
    }
}
