/* probe does what a kit offers, so that one test asks each kit the same. */
#include "windie.h"

WINDIE_EXPORT(describe) int32_t describe(void) {
  windie_out("{\"name\":\"probe\",\"version\":\"1.0.0\",\"description\":\"Does what a kit offers.\",\"tools\":["
             "{\"name\":\"Echo It\",\"description\":\"Answers with what it gets.\",\"inputSchema\":{\"type\":\"object\"},"
             "\"annotations\":{\"readOnlyHint\":true}},{\"name\":\"host\"},{\"name\":\"fail\"},{\"name\":\"crash\"},{\"name\":\"log\"}]}");
  return 0;
}

static int32_t echo(windie_text arguments) {
  windie_text text;
  double number;
  windie_buffer b = {0};
  if (!windie_string(arguments, "text", &text)) return windie_tool_error("text is missing");
  if (!windie_number(arguments, "number", &number)) return windie_tool_error("number is missing");
  windie_add(&b, "{\"structuredContent\":{\"text\":");
  windie_add_string(&b, text);
  windie_add(&b, ",\"number\":");
  windie_add_double(&b, number);
  windie_add(&b, ",\"bytes\":");
  windie_add_integer(&b, (int64_t)text.len);
  windie_add(&b, "}}");
  windie_out_buffer(&b);
  return 0;
}

static int32_t host(windie_text arguments) {
  windie_text op, input, answer, code = {"", 0}, message = {"", 0};
  if (!windie_string(arguments, "op", &op) || !windie_find(arguments, "input", &input)) return windie_tool_error("op or input is missing");
  char *name = windie_alloc(op.len + 1);
  memcpy(name, op.ptr, op.len);
  name[op.len] = 0;
  int ok = windie_host(name, input, &answer);
  windie_buffer b = {0};
  if (!ok) {
    windie_string(answer, "code", &code);
    windie_string(answer, "message", &message);
  }
  windie_add(&b, ok ? "{\"structuredContent\":{\"ok\":true,\"code\":" : "{\"structuredContent\":{\"ok\":false,\"code\":");
  windie_add_string(&b, code);
  windie_add(&b, ",\"message\":");
  windie_add_string(&b, message);
  if (ok) windie_add(&b, ",\"value\":"), windie_add_bytes(&b, answer.ptr, answer.len);
  windie_add(&b, "}}");
  windie_out_buffer(&b);
  return 0;
}

WINDIE_EXPORT(call) int32_t call(void) {
  windie_call c = windie_read_call();
  if (windie_is(c.name, "Echo It") || windie_is(c.name, "echo_it")) return echo(c.arguments);
  if (windie_is(c.name, "host")) return host(c.arguments);
  if (windie_is(c.name, "fail")) return windie_tool_error("it \"failed\"");
  if (windie_is(c.name, "crash")) {
    windie_fail("boom");
    __builtin_trap();
  }
  if (!windie_is(c.name, "log")) return windie_fail("there is no such tool");
  windie_log(WINDIE_WARNING, "a line");
  windie_out("{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}");
  return 0;
}
