// probe does what a kit offers, so that one test asks each kit the same.

import { Answer, Json, Level, Plugin, Tool, host, log } from "../../../../../../../sdk/plugin/assemblyscript";

const plugin = new Plugin("probe", "1.0.0", "Does what a kit offers.")
  .tool(new Tool("Echo It", "Answers with what it gets.", echo).readOnly())
  .tool(new Tool("host", "Asks the gateway.", ask))
  .tool(new Tool("fail", "Fails.", (args: Json) => Answer.fail('it "failed"')))
  .tool(new Tool("crash", "Crashes.", crash))
  .tool(new Tool("log", "Logs.", logs));

export function describe(): i32 {
  return plugin.describe();
}

export function call(): i32 {
  return plugin.call();
}

function echo(args: Json): Answer {
  const text = args.get("text").asText();
  const json = Json.object().set("text", Json.text(text)).set("number", args.get("number"));
  return Answer.of(json.set("bytes", Json.number(String.UTF8.byteLength(text))));
}

function ask(args: Json): Answer {
  const outcome = host(args.get("op").asText(), args.get("input"));
  const json = Json.object().set("ok", Json.bool(outcome.ok)).set("code", Json.text(outcome.code)).set("message", Json.text(outcome.message));
  if (outcome.ok) json.set("value", outcome.value);
  return Answer.of(json);
}

function crash(args: Json): Answer {
  throw new Error("boom");
}

function logs(args: Json): Answer {
  log(Level.Warning, "a line");
  return new Answer().text("done");
}
