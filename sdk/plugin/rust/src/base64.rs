//! Base64, for bytes in JSON.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(data: &[u8]) -> String {
    let mut text = String::with_capacity((data.len() + 2) / 3 * 4);
    for three in data.chunks(3) {
        let at = |i: usize| three.get(i).map_or(0, |b| u32::from(*b));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// Reads base64 with padding or without, and returns None for anything else.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    if text.len() % 4 == 1 {
        return None;
    }
    let mut values = [u8::MAX; 256];
    for (value, letter) in LETTERS.iter().enumerate() {
        values[usize::from(*letter)] = value as u8;
    }
    let mut data = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let mut bits = 0;
    for (i, letter) in text.iter().enumerate() {
        let value = Some(values[usize::from(*letter)]).filter(|value| *value < 64)?;
        bits = bits << 6 | u32::from(value);
        if i % 4 > 0 {
            data.push((bits >> (6 - i % 4 * 2)) as u8);
        }
    }
    Some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_both_ways() {
        for (data, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\u{ff}?", "w78/")] {
            assert_eq!(encode(data.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), data.as_bytes());
        }
        assert_eq!(decode("Zg").unwrap(), b"f");
        assert_eq!(decode("Z"), None);
        assert_eq!(decode("Z g="), None);
    }
}
