//! JSON values, and JSON text.

use crate::Error;
use std::fmt::{self, Write};

/// A JSON value. Numbers are f64, so whole ones are exact up to 2^53; a tool
/// that needs more is a [`crate::Tool::raw`].
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    /// Fields in the order they came in. Of two with one name the last counts.
    Object(Vec<(String, Json)>),
}

/// How deep arrays and objects may be in each other: as deep as the gateway's
/// own limits let them, and not so deep that reading them runs out of stack.
const MAX_DEPTH: usize = 200;

impl Json {
    /// An object with the given fields.
    pub fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
        Json::Object(fields.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    /// The field of an object, or None.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A field that is a text.
    pub fn string(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// A field that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Json::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// A field that is a whole number of at most 2^53, such as 3 or 3.0.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.number(name).filter(|n| n.fract() == 0.0 && n.abs() <= 9007199254740992.0).map(|n| n as i64)
    }

    /// A field that is true or false.
    pub fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A field that is an array.
    pub fn array(&self, name: &str) -> Option<&[Json]> {
        match self.get(name)? {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Reads JSON text.
    pub fn parse(text: &str) -> Result<Json, Error> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        if reader.at < text.len() {
            return Err(reader.wrong());
        }
        Ok(value)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Json {
        Json::Number(value)
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Json {
        Json::Number(value.into())
    }
}

impl From<i32> for Json {
    fn from(value: i32) -> Json {
        Json::Number(value.into())
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::String(value.into())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Json {
        Json::String(value)
    }
}

impl From<Vec<Json>> for Json {
    fn from(value: Vec<Json>) -> Json {
        Json::Array(value)
    }
}

/// Writes JSON text. Infinities and NaN, which JSON has not, become null.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{}", value),
            Json::Number(n) if !n.is_finite() => f.write_str("null"),
            Json::Number(n) if n.abs() >= 1e17 || (*n != 0.0 && n.abs() < 1e-7) => write!(f, "{:e}", n),
            Json::Number(n) => write!(f, "{}", n),
            Json::String(text) => write_text(f, text),
            Json::Array(items) => {
                f.write_char('[')?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { "," } else { "" }, item)?;
                }
                f.write_char(']')
            }
            Json::Object(fields) => {
                f.write_char('{')?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    write_text(f, name)?;
                    write!(f, ":{}", value)?;
                }
                f.write_char('}')
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter, text: &str) -> fmt::Result {
    f.write_char('"')?;
    let mut done = 0;
    for (i, c) in text.bytes().enumerate() {
        if c >= b' ' && c != b'"' && c != b'\\' {
            continue;
        }
        f.write_str(&text[done..i])?;
        done = i + 1;
        match c {
            b'"' | b'\\' => write!(f, "\\{}", char::from(c))?,
            b'\n' => f.write_str("\\n")?,
            _ => write!(f, "\\u{:04x}", c)?,
        }
    }
    f.write_str(&text[done..])?;
    f.write_char('"')
}

/// The input of a call: which tool, and with what, as a value and as text.
pub struct Call<'a> {
    pub name: String,
    pub arguments: Json,
    pub text: &'a str,
}

impl<'a> Call<'a> {
    pub fn parse(input: &'a str) -> Result<Call<'a>, Error> {
        let mut call = Call { name: String::new(), arguments: Json::object([]), text: "{}" };
        let mut reader = Reader { text: input, at: 0 };
        reader.space();
        reader.take(b'{')?;
        reader.object(|reader, key| {
            reader.space();
            let start = reader.at;
            match (key.as_str(), reader.value(1)?) {
                ("name", Json::String(name)) => call.name = name,
                ("arguments", arguments) => {
                    call.arguments = arguments;
                    call.text = &input[start..reader.at];
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(call)
    }
}

/// Reads JSON text from front to end.
struct Reader<'a> {
    text: &'a str,
    at: usize, // always at a character's beginning
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self) -> Error {
        format!("no JSON at byte {}", self.at).into()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Goes past an expected character.
    fn take(&mut self, c: u8) -> Result<(), Error> {
        if self.peek() != Some(c) {
            return Err(self.wrong());
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Json, Error> {
        if depth > MAX_DEPTH {
            return Err(format!("the JSON is more than {} levels deep", MAX_DEPTH).into());
        }
        self.space();
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let mut fields = Vec::new();
                self.object(|reader, key| {
                    fields.push((key, reader.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Json::Object(fields))
            }
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Json::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)] {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.wrong())
            }
        }
    }

    /// Reads what follows an object's opening bracket. Each field's value is
    /// read by what is given.
    fn object(&mut self, mut field: impl FnMut(&mut Self, String) -> Result<(), Error>) -> Result<(), Error> {
        self.space();
        if self.peek() == Some(b'}') {
            return self.take(b'}');
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            self.take(b':')?;
            field(self, key)?;
            self.space();
            if self.peek() != Some(b',') {
                return self.take(b'}');
            }
            self.at += 1;
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, Error> {
        self.take(b'[')?;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.peek() != Some(b',') {
                self.take(b']')?;
                return Ok(Json::Array(items));
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Json, Error> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        self.text[start..self.at].parse().map(Json::Number).map_err(|_| self.wrong())
    }

    fn string(&mut self) -> Result<String, Error> {
        self.take(b'"')?;
        let mut text = String::new();
        loop {
            let plain = self.text[self.at..].find(['"', '\\']).ok_or_else(|| self.wrong())?;
            text.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain + 1;
            if self.text.as_bytes()[self.at - 1] == b'"' {
                return Ok(text);
            }
            text.push(self.escape()?);
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char, Error> {
        let c = self.peek().ok_or_else(|| self.wrong())?;
        self.at += 1;
        Ok(match c {
            b'"' | b'\\' | b'/' => char::from(c),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.wrong());
            }
        })
    }

    /// Reads the digits of \u, and the second half where they are the first
    /// half of a pair. Half a pair is no character.
    fn unicode(&mut self) -> Result<char, Error> {
        let high = self.hex4()?;
        if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            let after = self.at;
            self.at += 2;
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                let both = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = after;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, Error> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.wrong())?;
        let value = u32::from_str_radix(digits, 16).map_err(|_| self.wrong())?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        for (text, want) in [
            (r#" {"a" : [1, -2.5e1, true, null, {}, [ ] ] } "#, r#"{"a":[1,-25,true,null,{},[]]}"#),
            (r#""é\u00e9\ud83d\ude00\n\/\"\\""#, r#""éé😀\n/\"\\""#),
            (r#""\ud83d\u0041\ud83d""#, "\"\u{fffd}A\u{fffd}\""),
            ("1e300", "1e300"),
            ("0.1", "0.1"),
            ("9007199254740992", "9007199254740992"),
            (r#""\u0001""#, r#""\u0001""#),
        ] {
            assert_eq!(Json::parse(text).unwrap().to_string(), want, "{}", text);
        }
        assert_eq!(Json::Number(f64::NAN).to_string(), "null");
    }

    #[test]
    fn refuses_what_is_no_json() {
        for text in ["", "{", "[1,]", "{\"a\"}", "\"", "\"\\", "\"\\u12", "\"\\ué123\"", "nul", "1 2", "--1", "{1:2}", "\"\\x\""] {
            assert!(Json::parse(text).is_err(), "{}", text);
        }
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(Json::parse(&deep(MAX_DEPTH + 1)).is_ok());
        assert!(Json::parse(&deep(MAX_DEPTH + 2)).is_err());
    }

    #[test]
    fn fields() {
        let json = Json::parse(r#"{"n": 3.0, "x": 3.5, "s": "t", "b": true, "l": [1], "n": 4}"#).unwrap();
        assert_eq!((json.integer("n"), json.integer("x"), json.number("x")), (Some(4), None, Some(3.5)));
        assert_eq!((json.string("s"), json.bool("b"), json.array("l").map(<[Json]>::len)), (Some("t"), Some(true), Some(1)));
        assert_eq!((json.string("n"), json.get("none"), Json::Null.get("a")), (None, None, None));
    }

    #[test]
    fn calls_are_cut() {
        let call = Call::parse(r#" {"other": 1, "arguments": {"a": "}"} , "name": "x"}"#).unwrap();
        assert_eq!((call.name.as_str(), call.text, call.arguments.string("a")), ("x", r#"{"a": "}"}"#, Some("}")));
        assert_eq!(Call::parse(r#"{"name": "x"}"#).unwrap().text, "{}");
        assert!(Call::parse("[]").is_err());
    }
}
