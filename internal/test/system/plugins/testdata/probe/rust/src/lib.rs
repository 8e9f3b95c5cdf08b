//! probe does what a kit offers, so that one test asks each kit the same.

use windie_plugin::{host, Answer, Error, Json, Level, Plugin, Tool};

windie_plugin::export!(plugin);

fn plugin() -> Plugin {
    Plugin::new("probe", "1.0.0", "Does what a kit offers.")
        .tool(Tool::new("Echo It", "Answers with what it gets.", echo).read_only())
        .tool(Tool::new("host", "Asks the gateway.", ask))
        .tool(Tool::new("fail", "Fails.", |_| Err("it \"failed\"".into())))
        .tool(Tool::new("crash", "Crashes.", |_| panic!("boom")))
        .tool(Tool::new("log", "Logs.", |_| {
            host::log(Level::Warning, "a line");
            Ok(Answer::default().text("done"))
        }))
}

fn echo(arguments: &Json) -> Result<Answer, Error> {
    let text = arguments.string("text").ok_or("text is missing")?;
    let number = arguments.number("number").ok_or("number is missing")?;
    Ok(Answer::of(Json::object([("text", text.into()), ("number", number.into()), ("bytes", (text.len() as u32).into())])))
}

fn ask(arguments: &Json) -> Result<Answer, Error> {
    let op = arguments.string("op").ok_or("op is missing")?;
    let input = arguments.get("input").ok_or("input is missing")?;
    Ok(Answer::of(match host::operation(op, input) {
        Ok(value) => Json::object([("ok", true.into()), ("code", "".into()), ("message", "".into()), ("value", value)]),
        Err(e) => Json::object([("ok", false.into()), ("code", e.code.into()), ("message", e.message.into())]),
    }))
}
