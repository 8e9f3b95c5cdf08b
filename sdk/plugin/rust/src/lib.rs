//! Makes Windie plugins of Rust functions. A plugin is a WebAssembly module
//! whose tools the gateway describes to models and calls for them.
//!
//! ```
//! use windie_plugin::{Answer, Error, Json, Plugin, Tool};
//!
//! fn plugin() -> Plugin {
//!     Plugin::new("units", "1.0.0", "Converts units.").tool(
//!         Tool::new("convert", "Converts a length.", convert)
//!             .input(r#"{"type": "object", "properties": {"metres": {"type": "number"}}, "required": ["metres"]}"#)
//!             .read_only(),
//!     )
//! }
//!
//! fn convert(arguments: &Json) -> Result<Answer, Error> {
//!     let metres = arguments.number("metres").ok_or("metres must be a number")?;
//!     Ok(Answer::of(Json::object([("feet", (metres / 0.3048).into())])))
//! }
//!
//! windie_plugin::export!(plugin);
//! # let answer = plugin().call(r#"{"name": "convert", "arguments": {"metres": 3.048}}"#).unwrap();
//! # assert_eq!(answer, r#"{"structuredContent":{"feet":10},"isError":false}"#);
//! ```
//!
//! It has no dependencies. Who wants serde makes a tool with [`Tool::raw`],
//! which takes and gives JSON as text.

mod base64;
pub mod host;
mod json;

pub use host::{Level, Request, Response};
pub use json::Json;

/// The code of what the operator did not grant.
pub const PERMISSION_DENIED: &str = "PERMISSION_DENIED";

/// Why a tool could not do it. The model reads the message.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// For programs, such as [`PERMISSION_DENIED`]; empty when a tool made the error.
    pub code: String,
    pub message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)?;
        match self.code.as_str() {
            "" => Ok(()),
            code => write!(f, " ({})", code),
        }
    }
}

impl std::error::Error for Error {}

impl From<&str> for Error {
    fn from(message: &str) -> Error {
        Error { code: String::new(), message: message.into() }
    }
}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error { code: String::new(), message }
    }
}

/// A tool's answer: structured content, content, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    structured: Option<Json>,
    content: Vec<Json>,
}

impl Answer {
    /// An answer of a JSON object, which fits the tool's output schema.
    pub fn of(object: Json) -> Answer {
        Answer { structured: Some(object), content: Vec::new() }
    }

    /// Adds a text for the model.
    pub fn text(mut self, text: impl Into<String>) -> Answer {
        self.content.push(text_content(text.into()));
        self
    }

    /// Adds an image of a type such as `image/png`.
    pub fn image(mut self, mime_type: &str, data: &[u8]) -> Answer {
        let fields = [("type", "image".into()), ("data", base64::encode(data).into()), ("mimeType", mime_type.into())];
        self.content.push(Json::object(fields));
        self
    }

    fn to_json(&self) -> String {
        let mut fields = Vec::new();
        if let Some(structured) = &self.structured {
            fields.push(("structuredContent", structured.clone()));
        }
        // An answer that says nothing is one too.
        if !self.content.is_empty() || fields.is_empty() {
            fields.push(("content", Json::Array(self.content.clone())));
        }
        fields.push(("isError", false.into()));
        Json::object(fields).to_string()
    }
}

fn text_content(text: String) -> Json {
    Json::object([("type", "text".into()), ("text", text.into())])
}

type Work = Box<dyn Fn(&Json) -> Result<Answer, Error>>;
type RawWork = Box<dyn Fn(&str) -> Result<String, Error>>;

enum Kind {
    Typed(Work),
    Raw(RawWork),
}

/// A tool, and what the gateway tells of it.
pub struct Tool {
    name: String,
    description: String,
    input: String,
    output: Option<String>,
    hints: Vec<(&'static str, bool)>,
    work: Kind,
}

impl Tool {
    /// A tool that gets its arguments, an object, as [`Json`].
    pub fn new(name: &str, description: &str, work: impl Fn(&Json) -> Result<Answer, Error> + 'static) -> Tool {
        Tool::make(name, description, Kind::Typed(Box::new(work)))
    }

    /// A tool that gets its arguments as JSON text, and gives the JSON text
    /// of its structured content.
    pub fn raw(name: &str, description: &str, work: impl Fn(&str) -> Result<String, Error> + 'static) -> Tool {
        Tool::make(name, description, Kind::Raw(Box::new(work)))
    }

    fn make(name: &str, description: &str, work: Kind) -> Tool {
        let (name, description) = (name.into(), description.into());
        Tool { name, description, input: r#"{"type":"object"}"#.into(), output: None, hints: Vec::new(), work }
    }

    /// Sets the JSON Schema of the arguments. The gateway has checked them
    /// when the tool is called. Without it the tool takes any object.
    pub fn input(mut self, schema: &str) -> Tool {
        self.input = schema.into();
        self
    }

    /// Sets the JSON Schema of the structured content.
    pub fn output(mut self, schema: &str) -> Tool {
        self.output = Some(schema.into());
        self
    }

    /// Says that the tool changes nothing.
    pub fn read_only(self) -> Tool {
        self.hint("readOnlyHint", true)
    }

    /// Sets a hint by its MCP name, such as `idempotentHint`.
    pub fn hint(mut self, name: &'static str, value: bool) -> Tool {
        self.hints.push((name, value));
        self
    }

    fn to_json(&self) -> Result<Json, Error> {
        let schema = |text: &str| Json::parse(text).map_err(|e| format!("tool {}: a schema is no JSON: {}", self.name, e));
        let mut fields = vec![
            ("name", self.name.as_str().into()),
            ("description", self.description.as_str().into()),
            ("inputSchema", schema(&self.input)?),
        ];
        if let Some(output) = &self.output {
            fields.push(("outputSchema", schema(output)?));
        }
        if !self.hints.is_empty() {
            fields.push(("annotations", Json::object(self.hints.iter().map(|(name, value)| (*name, (*value).into())))));
        }
        Ok(Json::object(fields))
    }

    fn run(&self, call: &json::Call) -> Result<String, Error> {
        match &self.work {
            Kind::Typed(work) => Ok(work(&call.arguments)?.to_json()),
            Kind::Raw(work) => Ok(format!(r#"{{"structuredContent":{},"isError":false}}"#, work(call.text)?)),
        }
    }
}

/// A plugin: what it is, and its tools.
pub struct Plugin {
    name: String,
    version: String,
    description: String,
    tools: Vec<Tool>,
}

impl Plugin {
    pub fn new(name: &str, version: &str, description: &str) -> Plugin {
        Plugin { name: name.into(), version: version.into(), description: description.into(), tools: Vec::new() }
    }

    pub fn tool(mut self, tool: Tool) -> Plugin {
        self.tools.push(tool);
        self
    }

    /// Answers what the gateway asks with `describe`. It fails for a schema
    /// that is no JSON: let a test call it.
    pub fn describe(&self) -> Result<String, Error> {
        let tools = self.tools.iter().map(Tool::to_json).collect::<Result<Vec<_>, _>>()?;
        Ok(Json::object([
            ("name", self.name.as_str().into()),
            ("version", self.version.as_str().into()),
            ("description", self.description.as_str().into()),
            ("tools", Json::Array(tools)),
        ])
        .to_string())
    }

    /// Answers what the gateway asks with `call`, such as
    /// `{"name": "convert", "arguments": {}}`. A tool's own failure is an
    /// answer with `isError`; an error is that there is no such tool. Nothing
    /// checks the arguments against the schema here.
    pub fn call(&self, input: &str) -> Result<String, Error> {
        let call = json::Call::parse(input)?;
        let tool = self.tools.iter().find(|t| public_name(&t.name) == public_name(&call.name));
        let tool = tool.ok_or_else(|| format!("there is no tool {}", call.name))?;
        Ok(tool.run(&call).unwrap_or_else(|e| {
            let content = Json::Array(vec![text_content(e.to_string())]);
            Json::object([("content", content), ("isError", true.into())]).to_string()
        }))
    }
}

/// What the gateway makes of a tool's name.
fn public_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '_' }).collect()
}

/// Exports a plugin. It takes the name of a function that returns the
/// [`Plugin`]. Use it once, in the crate that becomes the module.
#[macro_export]
macro_rules! export {
    ($plugin:path) => {
        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        pub extern "C" fn describe() -> i32 {
            $crate::host::answer(|_| $plugin().describe())
        }

        #[cfg(target_arch = "wasm32")]
        #[no_mangle]
        pub extern "C" fn call() -> i32 {
            $crate::host::answer(|input| $plugin().call(input))
        }
    };
}
