//! colours is a plugin that finds CSS's names for colours.

mod names;

use names::COLOURS;
use windie_plugin::{Answer, Error, Json, Plugin, Tool};

windie_plugin::export!(plugin);

/// The most names that a call is answered with.
const MAX_COUNT: i64 = 20;

/// The longest colour that is looked at, in bytes.
const MAX_COLOUR: usize = 64;

pub fn plugin() -> Plugin {
    Plugin::new("colours", "1.0.0", "Finds CSS names for colours, and colours for names.")
        .tool(
            Tool::new("name", "Finds the CSS names of a colour, or the nearest ones: first what looks most alike.", name)
                .input(
                    r##"{"type": "object", "additionalProperties": false, "required": ["colour"], "properties": {
                        "colour": {"type": "string", "minLength": 1, "maxLength": 64, "examples": ["#4682b4", "#fa0", "rgb(250, 128, 114)"],
                            "description": "The colour, as #rgb, #rrggbb or rgb(r, g, b)."},
                        "count": {"type": "integer", "minimum": 1, "maximum": 20, "default": 1, "description": "How many names to list."}}}"##,
                )
                .output(
                    r#"{"type": "object", "required": ["hex", "names"], "properties": {
                        "hex": {"type": "string"},
                        "names": {"type": "array", "items": {"type": "object", "required": ["name", "hex", "distance"], "properties": {
                            "name": {"type": "string"}, "hex": {"type": "string"},
                            "distance": {"type": "number", "description": "In OKLab, times 100: 0 is the same, 2 is hard to tell apart, 100 is black from white."}}}}}}"#,
                )
                .read_only()
                .hint("openWorldHint", false),
        )
        .tool(
            Tool::new("hex", "Tells the hex code of a colour that CSS has a name for.", hex)
                .input(
                    r#"{"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
                        "name": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The name, in any case, with spaces or without.", "examples": ["steelblue", "Steel Blue"]}}}"#,
                )
                .output(
                    r#"{"type": "object", "required": ["name", "hex"], "properties": {"name": {"type": "string"}, "hex": {"type": "string"}}}"#,
                )
                .read_only()
                .hint("openWorldHint", false),
        )
}

fn name(arguments: &Json) -> Result<Answer, Error> {
    let colour = parse(arguments.string("colour").unwrap_or(""))?;
    let count = arguments.integer("count").unwrap_or(1).clamp(1, MAX_COUNT) as usize;
    let here = oklab(colour);
    let mut near: Vec<(f64, &str, u32)> = COLOURS.iter().map(|(name, rgb)| (distance(here, oklab(*rgb)), *name, *rgb)).collect();
    // The sort is stable: of two names for one colour the first in the alphabet comes first.
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let list = near[..count].iter().map(|(distance, name, rgb)| {
        Json::object([("name", (*name).into()), ("hex", code(*rgb).into()), ("distance", (*distance).into())])
    });
    Ok(Answer::of(Json::object([("hex", code(colour).into()), ("names", list.collect::<Vec<_>>().into())])))
}

fn hex(arguments: &Json) -> Result<Answer, Error> {
    let asked = arguments.string("name").unwrap_or("");
    let plain: String = asked.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
    match COLOURS.iter().find(|(name, _)| *name == plain) {
        Some((name, rgb)) => Ok(Answer::of(Json::object([("name", (*name).into()), ("hex", code(*rgb).into())]))),
        None => Err(format!("CSS has no colour named {:?}{}", asked, alike(&plain)).into()),
    }
}

/// Lists names that hold the one that was asked for, or that it holds.
fn alike(plain: &str) -> String {
    let held = |name: &str| plain.len() > 2 && name.contains(plain) || plain.contains(name);
    let list: Vec<&str> = COLOURS.iter().map(|(name, _)| *name).filter(|name| held(name)).take(8).collect();
    match list.len() {
        0 => "; if you have its hex code, colours.name finds the nearest name".into(),
        _ => format!("; there are {}", list.join(", ")),
    }
}

fn code(rgb: u32) -> String {
    format!("#{:06x}", rgb)
}

/// Reads #rgb, #rrggbb and rgb(r, g, b), where # may be missing.
fn parse(text: &str) -> Result<u32, Error> {
    let wrong = || Error::from("colour must be #rgb, #rrggbb or rgb(r, g, b) with numbers from 0 to 255; for a name ask colours.hex");
    let text = text.trim().to_ascii_lowercase();
    if text.len() > MAX_COLOUR {
        return Err(wrong());
    }
    if let Some(inner) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
        let parts: Vec<&str> = inner.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()).collect();
        if parts.len() != 3 {
            return Err(wrong());
        }
        return parts.iter().try_fold(0, |rgb, part| Ok(rgb << 8 | u32::from(part.parse::<u8>().map_err(|_| wrong())?)));
    }
    let digits = text.strip_prefix('#').unwrap_or(&text);
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|c| c.is_ascii_hexdigit())).ok_or_else(wrong)?;
    match digits.len() {
        6 => Ok(value),
        3 => Ok((value >> 8 & 15) * 0x110000 | (value >> 4 & 15) * 0x1100 | (value & 15) * 0x11),
        _ => Err(wrong()),
    }
}

/// Where a colour is in OKLab (Björn Ottosson, 2020), in which distances are
/// about as eyes see them.
fn oklab(rgb: u32) -> [f64; 3] {
    let linear = |shift: u32| {
        let c = f64::from(rgb >> shift & 255) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    let (r, g, b) = (linear(16), linear(8), linear(0));
    let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
    let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
    let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

/// How far apart two colours are, times 100, to two places.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum();
    (squares.sqrt() * 10000.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(input: &str) -> String {
        plugin().call(input).unwrap()
    }

    #[test]
    fn is_described() {
        assert!(plugin().describe().unwrap().starts_with(r#"{"name":"colours""#));
    }

    #[test]
    fn exact_and_near_names() {
        let exact = r##"{"structuredContent":{"hex":"#4682b4","names":[{"name":"steelblue","hex":"#4682b4","distance":0}]},"isError":false}"##;
        for colour in ["#4682b4", "4682B4", "rgb(70, 130, 180)", "rgb(70 130 180)"] {
            assert_eq!(call(&format!(r#"{{"name": "name", "arguments": {{"colour": "{}"}}}}"#, colour)), exact);
        }
        assert!(call(r##"{"name": "name", "arguments": {"colour": "#f01"}}"##).contains(r##""hex":"#ff0011","names":[{"name":"red""##));
        assert!(call(r##"{"name": "name", "arguments": {"colour": "#0ff", "count": 2}}"##).contains(r##""name":"aqua","hex":"#00ffff","distance":0},{"name":"cyan""##));
    }

    #[test]
    fn black_is_a_hundred_from_white() {
        assert_eq!(distance(oklab(0), oklab(0xffffff)), 100.0);
    }

    #[test]
    fn wrong_colours_are_told() {
        for colour in ["", "#12", "#12345", "#gggggg", "rgb(1,2)", "rgb(256,0,0)", "+12345", "red", "é"] {
            let answer = call(&format!(r#"{{"name": "name", "arguments": {{"colour": "{}"}}}}"#, colour));
            assert!(answer.contains("colour must be #rgb") && answer.contains(r#""isError":true"#), "{}: {}", colour, answer);
        }
    }

    #[test]
    fn names_have_codes() {
        assert!(call(r#"{"name": "hex", "arguments": {"name": "Steel Blue"}}"#).contains(r##"{"name":"steelblue","hex":"#4682b4"}"##));
        assert!(call(r#"{"name": "hex", "arguments": {"name": "salmo"}}"#).contains("there are darksalmon, lightsalmon, salmon"));
        assert!(call(r#"{"name": "hex", "arguments": {"name": "zz"}}"#).contains("colours.name finds"));
    }
}
