//! What the gateway does for a plugin. A failure has the code
//! [`crate::PERMISSION_DENIED`] for what the operator did not grant.
//!
//! Outside of WebAssembly there is no gateway: a test gives [`set_host`] what
//! is to stand in for it.

use crate::{base64, Error, Json};
use std::time::{Duration, SystemTime};

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
}

/// Writes a line for the operator.
pub fn log(level: Level, line: &str) {
    gateway::log(level, line)
}

/// What [`http`] sends.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// GET if it is empty.
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
}

impl Request {
    pub fn get(url: impl Into<String>) -> Request {
        Request { url: url.into(), ..Request::default() }
    }
}

/// What came back, whatever its status.
#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    /// By names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Sends a request by way of the gateway, which checks where it goes, follows
/// redirects and bounds time and size. It needs the permission http.
pub fn http(request: &Request) -> Result<Response, Error> {
    let mut input = vec![("url", request.url.as_str().into())];
    if !request.method.is_empty() {
        input.push(("method", request.method.as_str().into()));
    }
    if !request.headers.is_empty() {
        let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str().into()));
        input.push(("headers", Json::object(headers)));
    }
    if let Some(body) = &request.body {
        input.push(bytes("body", "body_base64", body));
    }
    let answer = ask("http.request", input)?;
    let mut response = Response { body: unbytes(&answer, "body", "body_base64").unwrap_or_default(), ..Response::default() };
    response.status = answer.integer("status").and_then(|n| u16::try_from(n).ok()).ok_or_else(|| strange("http.request"))?;
    if let Some(Json::Object(headers)) = answer.get("headers") {
        for (name, value) in headers {
            if let Json::String(value) = value {
                response.headers.push((name.clone(), value.clone()));
            }
        }
    }
    Ok(response)
}

/// What the operator set for a key of the plugin, or None. It needs no
/// permission.
pub fn config(key: &str) -> Result<Option<String>, Error> {
    Ok(ask("config.get", vec![("key", key.into())])?.string("value").map(String::from))
}

/// The id of the user whom the call is for: the same in each call, another for
/// each plugin, and nothing by which the user can be found. On a gateway of one
/// person it is "local". It needs no permission.
pub fn user() -> Result<String, Error> {
    ask("user.id", Vec::new())?.string("id").map(String::from).ok_or_else(|| strange("user.id"))
}

/// Shows a line, such as "3 of 10 pages", to whoever watches the call. A line that
/// comes less than a second after another may not be shown.
pub fn progress(line: &str) {
    let _ = ask("progress", vec![("message", line.into())]); // an older gateway shows nothing
}

/// Shows the next piece of what the tool puts out to whoever watches the call, before
/// the call's result, which it does not change.
pub fn output(piece: &str) {
    let _ = ask("progress", vec![("output", piece.into())]); // an older gateway shows nothing
}

/// The value of a key in the plugin's own store, or None. Each user has one,
/// unless the operator grants a shared one. The functions kv_* need the
/// permission kv.
pub fn kv_get(key: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(unbytes(&ask("kv.get", vec![("key", key.into())])?, "value", "value_base64"))
}

/// Gives a key its value.
pub fn kv_set(key: &str, value: &[u8]) -> Result<(), Error> {
    ask("kv.set", vec![("key", key.into()), bytes("value", "value_base64", value)]).map(|_| ())
}

/// Removes a key and its value, if there are any.
pub fn kv_delete(key: &str) -> Result<(), Error> {
    ask("kv.delete", vec![("key", key.into())]).map(|_| ())
}

/// The keys that begin with prefix and come after the key `after`, sorted, and
/// at most limit of them: 100 if that is 0, 1000 at most.
pub fn kv_list(prefix: &str, after: &str, limit: u32) -> Result<Vec<String>, Error> {
    let answer = ask("kv.list", vec![("prefix", prefix.into()), ("after", after.into()), ("limit", limit.into())])?;
    let keys = answer.array("keys").ok_or_else(|| strange("kv.list"))?;
    Ok(keys.iter().filter_map(|key| if let Json::String(key) = key { Some(key.clone()) } else { None }).collect())
}

/// Calls a tool of the gateway by its full name, such as `units.convert`. It
/// gives what `call` answers, with `isError` for the tool's own failure. It
/// needs the permission tools.
pub fn call_tool(name: &str, arguments: Json) -> Result<Json, Error> {
    ask("tools.call", vec![("name", name.into()), ("arguments", arguments)])
}

/// The time. It needs the permission clock. (`SystemTime::now` panics in a
/// plugin.)
pub fn now() -> Result<SystemTime, Error> {
    let answer = ask("clock.now", Vec::new())?;
    let ns = answer.string("unix_ns").and_then(|text| text.parse().ok()).ok_or_else(|| strange("clock.now"))?;
    Ok(SystemTime::UNIX_EPOCH + Duration::from_nanos(ns))
}

/// Random bytes, 65536 at most, that are fit for secrets. It needs the
/// permission random.
pub fn random(n: u32) -> Result<Vec<u8>, Error> {
    let answer = ask("random.bytes", vec![("n", n.into())])?;
    answer.string("bytes_base64").and_then(base64::decode).ok_or_else(|| strange("random.bytes"))
}

/// A field for bytes: as text if they are UTF-8, and as base64 if not.
fn bytes<'a>(text: &'a str, base64: &'a str, data: &[u8]) -> (&'a str, Json) {
    match std::str::from_utf8(data) {
        Ok(data) => (text, data.into()),
        Err(_) => (base64, base64::encode(data).into()),
    }
}

fn unbytes(answer: &Json, text: &str, base64: &str) -> Option<Vec<u8>> {
    let plain = answer.string(text).map(|text| text.as_bytes().to_vec());
    plain.or_else(|| answer.string(base64).and_then(base64::decode))
}

fn strange(op: &str) -> Error {
    Error { code: "INTERNAL".into(), message: format!("the gateway's answer to {} is not understood", op) }
}

fn ask(op: &str, input: Vec<(&str, Json)>) -> Result<Json, Error> {
    operation(op, &Json::object(input))
}

/// Does an operation that docs/plugin-reference.md describes. It takes and gives an object.
/// The other functions are easier.
pub fn operation(op: &str, input: &Json) -> Result<Json, Error> {
    match gateway::ask(op, &input.to_string()) {
        Ok(answer) => Json::parse(&answer).map_err(|_| strange(op)),
        Err(failure) => {
            let failure = Json::parse(&failure).map_err(|_| strange(op))?;
            let (code, message) = failure.string("code").zip(failure.string("message")).ok_or_else(|| strange(op))?;
            Err(Error { code: code.into(), message: message.into() })
        }
    }
}

#[cfg(target_arch = "wasm32")]
pub use gateway::answer;

/// The gateway as a plugin sees it; docs/plugin-reference.md tells of each function.
#[cfg(target_arch = "wasm32")]
mod gateway {
    use super::{Error, Level};

    #[link(wasm_import_module = "windie")]
    extern "C" {
        fn input_len() -> usize;
        fn input_read(to: *mut u8, len: usize) -> usize;
        fn output_write(from: *const u8, len: usize);
        fn error_write(from: *const u8, len: usize);
        #[link_name = "log"]
        fn log_write(level: i32, from: *const u8, len: usize);
        fn host_call(op: *const u8, op_len: usize, input: *const u8, len: usize) -> isize;
        fn host_read(to: *mut u8, len: usize) -> usize;
    }

    /// Answers an export with what work makes of the input. A panic ends the
    /// module, so its words are given to the gateway while it happens.
    #[doc(hidden)]
    pub fn answer(work: impl FnOnce(&str) -> Result<String, Error>) -> i32 {
        std::panic::set_hook(Box::new(|info| fail(&info.to_string())));
        let input = unsafe { read(input_len(), input_read) };
        match work(&input) {
            Ok(output) => unsafe { output_write(output.as_ptr(), output.len()) },
            Err(err) => fail(&err.to_string()),
        }
        0
    }

    fn fail(message: &str) {
        unsafe { error_write(message.as_ptr(), message.len()) }
    }

    /// Reads len bytes by a function of the gateway's, which gives UTF-8.
    unsafe fn read(len: usize, by: unsafe extern "C" fn(*mut u8, usize) -> usize) -> String {
        let mut data = vec![0; len];
        let n = by(data.as_mut_ptr(), len);
        data.truncate(n);
        String::from_utf8_lossy(&data).into_owned()
    }

    pub fn log(level: Level, line: &str) {
        unsafe { log_write(level as i32, line.as_ptr(), line.len()) }
    }

    pub fn ask(op: &str, input: &str) -> Result<String, String> {
        unsafe {
            let n = host_call(op.as_ptr(), op.len(), input.as_ptr(), input.len());
            let answer = read(n.unsigned_abs(), host_read);
            if n < 0 {
                Err(answer)
            } else {
                Ok(answer)
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use gateway::set_host;

/// What stands in for the gateway in tests.
#[cfg(not(target_arch = "wasm32"))]
mod gateway {
    use super::{Error, Json, Level};
    use std::cell::RefCell;

    type Host = Box<dyn Fn(&str, &Json) -> Result<Json, Error>>;

    thread_local! {
        static HOST: RefCell<Option<Host>> = RefCell::new(None);
    }

    /// Sets what does operations such as `kv.get` in the tests of this
    /// thread: it takes and gives JSON objects.
    pub fn set_host(host: impl Fn(&str, &Json) -> Result<Json, Error> + 'static) {
        HOST.with(|h| *h.borrow_mut() = Some(Box::new(host)));
    }

    pub fn log(level: Level, line: &str) {
        eprintln!("{:?}: {}", level, line);
    }

    pub fn ask(op: &str, input: &str) -> Result<String, String> {
        let input = Json::parse(input).map_err(|e| e.message)?;
        let result = HOST.with(|h| match &*h.borrow() {
            Some(host) => host(op, &input),
            None => Err(Error { code: "UNAVAILABLE".into(), message: format!("{} is done by the gateway; in a test, give set_host one of your own", op) }),
        });
        result.map(|answer| answer.to_string()).map_err(|e| Json::object([("code", e.code.into()), ("message", e.message.into())]).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo_host() {
        set_host(|op, input| {
            Ok(match op {
                "config.get" if input.string("key") == Some("base_url") => Json::object([("value", "here".into())]),
                "config.get" | "kv.get" if input.string("key") == Some("none") => Json::object([("value", Json::Null)]),
                "kv.get" => Json::object([("value_base64", "/w==".into())]),
                "kv.set" if input.string("value_base64") == Some("/w==") => Json::object([]),
                "kv.list" => Json::object([("keys", vec!["a".into(), "b".into()].into())]),
                "user.id" => Json::object([("id", "u1".into())]),
                "clock.now" => Json::object([("unix_ns", "1700000000123456789".into())]),
                "random.bytes" => Json::object([("bytes_base64", "AAECAw==".into())]),
                "http.request" if input.string("body") == Some("hi") => {
                    let headers = Json::object([("content-type", "text/plain".into())]);
                    Json::object([("status", 201.into()), ("headers", headers), ("body", "there".into())])
                }
                _ => return Err(Error { code: crate::PERMISSION_DENIED.into(), message: format!("{} is not granted", op) }),
            })
        });
    }

    #[test]
    fn operations() {
        echo_host();
        assert_eq!(config("base_url").unwrap().as_deref(), Some("here"));
        assert_eq!((config("none").unwrap(), kv_get("none").unwrap()), (None, None));
        assert_eq!(kv_get("k").unwrap(), Some(vec![255]));
        kv_set("k", &[255]).unwrap();
        assert_eq!(kv_list("", "", 0).unwrap(), ["a", "b"]);
        assert_eq!(user().unwrap(), "u1");
        assert_eq!(now().unwrap().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos(), 1700000000123456789);
        assert_eq!(random(4).unwrap(), [0, 1, 2, 3]);
        let response = http(&Request { body: Some(b"hi".to_vec()), ..Request::get("http://x") }).unwrap();
        assert_eq!((response.status, response.body.as_slice()), (201, b"there".as_slice()));
        assert_eq!(response.headers, [("content-type".to_string(), "text/plain".to_string())]);
    }

    #[test]
    fn refusals_have_codes() {
        echo_host();
        let err = kv_delete("k").unwrap_err();
        assert_eq!((err.code.as_str(), err.to_string().as_str()), (crate::PERMISSION_DENIED, "kv.delete is not granted (PERMISSION_DENIED)"));
        assert_eq!(call_tool("a.b", Json::object([])).unwrap_err().code, crate::PERMISSION_DENIED);
    }
}
