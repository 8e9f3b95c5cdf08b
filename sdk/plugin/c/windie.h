/*
 * windie.h makes Windie plugins of C. It is all there is: no library, no libc.
 *
 *   #include "windie.h"
 *
 *   WINDIE_EXPORT(describe) int32_t describe(void) {
 *     windie_out("{\"tools\":[{\"name\":\"double\",\"inputSchema\":{\"type\":\"object\","
 *                "\"properties\":{\"n\":{\"type\":\"number\"}},\"required\":[\"n\"]}}]}");
 *     return 0;
 *   }
 *
 *   WINDIE_EXPORT(call) int32_t call(void) {
 *     windie_call c = windie_read_call();
 *     double n;
 *     if (!windie_is(c.name, "double")) return windie_fail("there is no such tool");
 *     if (!windie_number(c.arguments, "n", &n)) return windie_tool_error("n must be a number");
 *     windie_out("{\"structuredContent\":{\"twice\":");
 *     windie_out_double(2 * n);
 *     windie_out("}}");
 *     return 0;
 *   }
 *
 * clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry -I PATH_TO_THIS -o double.wasm double.c
 *
 * Include it in one source file of a plugin, or define WINDIE_NO_MEMORY in
 * the others.
 */
#ifndef WINDIE_H
#define WINDIE_H

#include <stddef.h>
#include <stdint.h>

#define WINDIE_IMPORT(name) __attribute__((import_module("windie"), import_name(#name)))
#define WINDIE_EXPORT(name) __attribute__((export_name(#name)))
#define WINDIE_FN static inline __attribute__((unused))

/* The functions of the gateway; docs/plugin-reference.md tells of each. */
WINDIE_IMPORT(input_len) int32_t windie_input_len(void);
WINDIE_IMPORT(input_read) int32_t windie_input_read(void *to, int32_t len);
WINDIE_IMPORT(output_write) void windie_output_write(const void *from, int32_t len);
WINDIE_IMPORT(error_write) void windie_error_write(const void *from, int32_t len);
WINDIE_IMPORT(log) void windie_log_write(int32_t level, const void *from, int32_t len);
WINDIE_IMPORT(host_call) int32_t windie_host_call(const void *op, int32_t op_len, const void *in, int32_t in_len);
WINDIE_IMPORT(host_read) int32_t windie_host_read(void *to, int32_t len);

/* ---- memory ---- */

#ifndef WINDIE_NO_MEMORY
/* clang calls these by itself. A loop within them must not become a call of
 * them, which is what no_builtin is for. */
#define WINDIE_LIBC __attribute__((weak, no_builtin))
WINDIE_LIBC void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  uint8_t *t = to;
  const uint8_t *f = from;
  while (n--) *t++ = *f++;
  return to;
}
WINDIE_LIBC void *memmove(void *to, const void *from, size_t n) {
  uint8_t *t = to;
  const uint8_t *f = from;
  if (t < f)
    while (n--) *t++ = *f++;
  else
    while (n--) t[n] = f[n];
  return to;
}
WINDIE_LIBC void *memset(void *to, int c, size_t n) {
  uint8_t *t = to;
  while (n--) *t++ = (uint8_t)c;
  return to;
}
WINDIE_LIBC int memcmp(const void *a, const void *b, size_t n) {
  const uint8_t *x = a, *y = b;
  for (; n--; x++, y++)
    if (*x != *y) return *x - *y;
  return 0;
}
WINDIE_LIBC size_t strlen(const char *s) {
  const char *end = s;
  while (*end) end++;
  return (size_t)(end - s);
}
#else
void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
#endif

extern uint8_t __heap_base; /* the linker's: where free memory begins */
extern uintptr_t windie_heap;
#ifndef WINDIE_NO_MEMORY
uintptr_t windie_heap; /* where the next windie_alloc is; 0 before the first */
#endif

/* windie_alloc returns n bytes, which nothing frees until the next
 * windie_read_call. It traps when the guest may have no more memory. */
WINDIE_FN void *windie_alloc(size_t n) {
  uintptr_t at = windie_heap ? windie_heap : ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t end = ((uint64_t)at + n + 15) & ~(uint64_t)15;
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) << 16;
  if (end > UINT32_MAX) __builtin_trap();
  if (end > have && __builtin_wasm_memory_grow(0, (size_t)((end - have + 0xffff) >> 16)) == (size_t)-1) __builtin_trap();
  windie_heap = (uintptr_t)end;
  return (void *)at;
}

/* ---- texts ---- */

/* windie_text is UTF-8 somewhere in memory. No zero byte ends it. */
typedef struct {
  const char *ptr;
  size_t len;
} windie_text;

WINDIE_FN windie_text windie_str(const char *s) { return (windie_text){s, strlen(s)}; }

WINDIE_FN int windie_equal(windie_text a, windie_text b) { return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0; }

WINDIE_FN int windie_is(windie_text a, const char *s) { return windie_equal(a, windie_str(s)); }

/* ---- reading JSON ----
 *
 * What the gateway gives is good JSON; these find their way in it and never
 * leave it, whatever it is. */

WINDIE_FN int windie_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

WINDIE_FN windie_text windie_trim(windie_text t) {
  while (t.len && windie_space(*t.ptr)) t.ptr++, t.len--;
  while (t.len && windie_space(t.ptr[t.len - 1])) t.len--;
  return t;
}

/* windie_cut takes the JSON value, or the key, off the front of *rest, and
 * leaves the comma, colon or bracket that ended it. */
WINDIE_FN windie_text windie_cut(windie_text *rest) {
  windie_text all = *rest;
  size_t i = 0;
  int depth = 0, quoted = 0;
  for (; i < all.len; i++) {
    char c = all.ptr[i];
    if (quoted) {
      if (c == '\\') i++;
      else if (c == '"') quoted = 0;
    } else if (c == '"') {
      quoted = 1;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == '}' || c == ']' || c == ',' || c == ':') {
      if (depth == 0) break;
      if (c == '}' || c == ']') depth--;
    }
  }
  if (i > all.len) i = all.len;
  *rest = (windie_text){all.ptr + i, all.len - i};
  return windie_trim((windie_text){all.ptr, i});
}

WINDIE_FN windie_text windie_decode(windie_text json);

/* windie_find sets *value to the JSON of a field of an object, and returns 0
 * when there is none. */
WINDIE_FN int windie_find(windie_text object, const char *key, windie_text *value) {
  object = windie_trim(object);
  if (!object.len || *object.ptr != '{') return 0;
  do {
    object.ptr++, object.len--;
    windie_text name = windie_cut(&object);
    if (!object.len || *object.ptr != ':') return 0;
    object.ptr++, object.len--;
    *value = windie_cut(&object);
    if (name.len >= 2 && windie_is(windie_decode(name), key)) return 1;
  } while (object.len && *object.ptr == ',');
  return 0;
}

/* windie_next takes the next item off a JSON array, and returns 0 at its end.
 * Begin with the whole array. */
WINDIE_FN int windie_next(windie_text *array, windie_text *item) {
  if (!array->len || (*array->ptr != '[' && *array->ptr != ',')) return 0;
  array->ptr++, array->len--;
  *item = windie_cut(array);
  return item->len > 0;
}

WINDIE_FN uint32_t windie_hex4(windie_text t, size_t at) {
  uint32_t v = 0;
  for (size_t i = at; i < at + 4; i++) {
    char c = i < t.len ? t.ptr[i] : '0';
    v = v << 4 | (uint32_t)(c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0');
  }
  return v;
}

WINDIE_FN char *windie_utf8(char *to, uint32_t r) {
  if (r < 0x80) return *to++ = (char)r, to;
  if (r < 0x800) {
    *to++ = (char)(0xc0 | r >> 6);
  } else {
    if (r < 0x10000) {
      *to++ = (char)(0xe0 | r >> 12);
    } else {
      *to++ = (char)(0xf0 | r >> 18);
      *to++ = (char)(0x80 | (r >> 12 & 63));
    }
    *to++ = (char)(0x80 | (r >> 6 & 63));
  }
  *to++ = (char)(0x80 | (r & 63));
  return to;
}

/* windie_decode returns what a JSON text says, without quotes and escapes. */
WINDIE_FN windie_text windie_decode(windie_text json) {
  if (json.len < 2) return (windie_text){json.ptr, 0};
  json.ptr++, json.len -= 2;
  size_t plain = 0;
  while (plain < json.len && json.ptr[plain] != '\\') plain++;
  if (plain == json.len) return json; /* no escapes: no copy */
  char *out = windie_alloc(json.len), *to = out;
  for (size_t i = 0; i < json.len; i++) {
    char c = json.ptr[i];
    if (c != '\\' || i + 1 == json.len) {
      *to++ = c;
      continue;
    }
    c = json.ptr[++i];
    if (c != 'u') {
      *to++ = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
      continue;
    }
    uint32_t r = windie_hex4(json, i + 1);
    i += 4;
    if (r >= 0xd800 && r < 0xdc00 && i + 6 < json.len && json.ptr[i + 1] == '\\' && json.ptr[i + 2] == 'u') {
      uint32_t low = windie_hex4(json, i + 3);
      if (low >= 0xdc00 && low < 0xe000) r = 0x10000 + ((r - 0xd800) << 10) + (low - 0xdc00), i += 6;
    }
    to = windie_utf8(to, r >= 0xd800 && r < 0xe000 ? 0xfffd : r); /* half a pair is no character */
  }
  return (windie_text){out, (size_t)(to - out)};
}

/* windie_string sets *value to a text of an object. It returns 0 when there is
 * no such field, or it is no text; and so do the functions below. */
WINDIE_FN int windie_string(windie_text object, const char *key, windie_text *value) {
  windie_text json;
  if (!windie_find(object, key, &json) || !json.len || *json.ptr != '"') return 0;
  *value = windie_decode(json);
  return 1;
}

WINDIE_FN int windie_bool(windie_text object, const char *key, int *value) {
  windie_text json;
  if (!windie_find(object, key, &json)) return 0;
  *value = windie_is(json, "true");
  return *value || windie_is(json, "false");
}

/* windie_scale returns v times ten to the e. Powers up to 22 are exact, and so
 * that the result is too it is scaled by as few of them as can be. */
WINDIE_FN double windie_scale(double v, int e) {
  while (e != 0 && v != 0 && v - v == 0) {
    int k = 0, up = e > 0;
    double power = 1;
    for (; k < 22 && e != 0; k++, e += up ? -1 : 1) power *= 10;
    v = up ? v * power : v / power;
  }
  return v;
}

/* windie_parse_number reads a JSON number: exactly, if it has no more than 15
 * digits and an exponent within 22, and else to about 15 digits. */
WINDIE_FN int windie_parse_number(windie_text json, double *value) {
  size_t i = 0;
  double v = 0;
  int negative = json.len && *json.ptr == '-', exponent = 0, digits = 0;
  for (i = (size_t)negative; i < json.len && json.ptr[i] >= '0' && json.ptr[i] <= '9'; i++, digits++) v = v * 10 + (json.ptr[i] - '0');
  if (!digits) return 0;
  if (i < json.len && json.ptr[i] == '.')
    for (i++; i < json.len && json.ptr[i] >= '0' && json.ptr[i] <= '9'; i++, exponent--) v = v * 10 + (json.ptr[i] - '0');
  if (i < json.len && (json.ptr[i] == 'e' || json.ptr[i] == 'E')) {
    int down = 0, e = 0;
    if (++i < json.len && (json.ptr[i] == '-' || json.ptr[i] == '+')) down = json.ptr[i++] == '-';
    for (; i < json.len && json.ptr[i] >= '0' && json.ptr[i] <= '9'; i++)
      if (e < 10000) e = e * 10 + (json.ptr[i] - '0');
    exponent += down ? -e : e;
  }
  *value = windie_scale(v, exponent);
  if (negative) *value = -*value;
  return i == json.len;
}

WINDIE_FN int windie_number(windie_text object, const char *key, double *value) {
  windie_text json;
  return windie_find(object, key, &json) && windie_parse_number(json, value);
}

/* windie_integer also takes numbers such as 3.0, as JSON Schema does, and
 * none that a double does not hold exactly. */
WINDIE_FN int windie_integer(windie_text object, const char *key, int64_t *value) {
  double v;
  if (!windie_number(object, key, &v) || v > 9007199254740992.0 || v < -9007199254740992.0) return 0;
  *value = (int64_t)v;
  return (double)*value == v;
}

/* ---- the input ---- */

/* windie_call is what a call is asked for. Arguments is JSON. */
typedef struct {
  windie_text name, arguments;
} windie_call;

/* windie_read_call reads the input of call. It frees what windie_alloc gave
 * before: nothing of an earlier call is kept. */
WINDIE_FN windie_call windie_read_call(void) {
  windie_heap = 0;
  int32_t len = windie_input_len();
  char *in = windie_alloc((size_t)len);
  windie_text input = {in, (size_t)windie_input_read(in, len)};
  windie_call c = {{in, 0}, {"{}", 2}};
  windie_string(input, "name", &c.name);
  windie_find(input, "arguments", &c.arguments);
  return c;
}

/* ---- the output ---- */

/* windie_buffer is a text that grows. Its zero value is ready. */
typedef struct {
  char *ptr;
  size_t len, cap;
} windie_buffer;

WINDIE_FN void windie_add_bytes(windie_buffer *b, const void *from, size_t n) {
  if (b->len + n > b->cap) {
    size_t cap = (b->len + n) * 2 + 64;
    char *ptr = windie_alloc(cap);
    memcpy(ptr, b->ptr, b->len);
    b->ptr = ptr, b->cap = cap;
  }
  memcpy(b->ptr + b->len, from, n);
  b->len += n;
}

WINDIE_FN void windie_add(windie_buffer *b, const char *s) { windie_add_bytes(b, s, strlen(s)); }

/* windie_add_string adds t as a JSON text, with quotes and escapes. */
WINDIE_FN void windie_add_string(windie_buffer *b, windie_text t) {
  windie_add_bytes(b, "\"", 1);
  size_t done = 0;
  for (size_t i = 0; i < t.len; i++) {
    uint8_t c = (uint8_t)t.ptr[i];
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    windie_add_bytes(b, t.ptr + done, i - done);
    done = i + 1;
    char escape[6] = {'\\', (char)c};
    if (c < 0x20) {
      escape[1] = 'u', escape[2] = escape[3] = '0', escape[4] = (char)('0' + (c >> 4)), escape[5] = "0123456789abcdef"[c & 15];
    }
    windie_add_bytes(b, escape, c < 0x20 ? 6 : 2);
  }
  windie_add_bytes(b, t.ptr + done, t.len - done);
  windie_add_bytes(b, "\"", 1);
}

WINDIE_FN void windie_add_integer(windie_buffer *b, int64_t v) {
  char digits[20];
  size_t at = sizeof digits;
  uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  do digits[--at] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (v < 0) digits[--at] = '-';
  windie_add_bytes(b, digits + at, sizeof digits - at);
}

/* windie_add_double adds a number with up to 15 digits, and null for one that
 * JSON has not: infinities and NaN. */
WINDIE_FN void windie_add_double(windie_buffer *b, double v) {
  if (v != v || v - v != 0) {
    windie_add(b, "null");
    return;
  }
  if (v == 0) {
    windie_add(b, "0");
    return;
  }
  if (v < 0) windie_add(b, "-"), v = -v;
  int e = 0; /* v is to be a whole number of 15 digits, times ten to the e */
  double scaled = v;
  while (scaled >= 1e15) scaled = windie_scale(v, -++e);
  while (scaled < 1e14) scaled = windie_scale(v, -(--e));
  uint64_t n = (uint64_t)(scaled + 0.5);
  for (; n % 10 == 0; e++) n /= 10;
  if (e >= 0 && v < 1e18) {
    for (; e > 0; e--) n *= 10;
    windie_add_integer(b, (int64_t)n);
    return;
  }
  uint64_t unit = 1; /* of the digits before the point */
  int before = e;
  for (; before < 0 && unit <= n / 10; before++) unit *= 10;
  if (before != 0) before = e, unit = 1; /* too small or too large for that: an exponent */
  windie_add_integer(b, (int64_t)(n / unit));
  if (unit > 1) {
    windie_add(b, ".");
    for (n %= unit; (unit /= 10) >= 1; n %= unit) windie_add_integer(b, (int64_t)(n / unit));
  } else if (before != 0) {
    windie_add(b, "e");
    windie_add_integer(b, before);
  }
}

WINDIE_FN void windie_out_text(windie_text t) { windie_output_write(t.ptr, (int32_t)t.len); }
WINDIE_FN void windie_out(const char *s) { windie_out_text(windie_str(s)); }
WINDIE_FN void windie_out_buffer(windie_buffer *b) { windie_output_write(b->ptr, (int32_t)b->len); }

WINDIE_FN void windie_out_string(windie_text t) {
  windie_buffer b = {0};
  windie_add_string(&b, t);
  windie_out_buffer(&b);
}

WINDIE_FN void windie_out_integer(int64_t v) {
  windie_buffer b = {0};
  windie_add_integer(&b, v);
  windie_out_buffer(&b);
}

WINDIE_FN void windie_out_double(double v) {
  windie_buffer b = {0};
  windie_add_double(&b, v);
  windie_out_buffer(&b);
}

/* windie_fail fails the call, which is for what no model can mend. */
WINDIE_FN int32_t windie_fail(const char *why) {
  windie_error_write(why, (int32_t)strlen(why));
  return 1;
}

/* windie_tool_error answers that the tool could not do it, and why: that is
 * for the model to read. Nothing else may have been written. */
WINDIE_FN int32_t windie_tool_error(const char *why) {
  windie_out("{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":");
  windie_out_string(windie_str(why));
  windie_out("}]}");
  return 0;
}

/* ---- the gateway ---- */

enum { WINDIE_TRACE, WINDIE_DEBUG, WINDIE_INFO, WINDIE_WARNING, WINDIE_ERROR };

/* windie_log writes a line for the operator. */
WINDIE_FN void windie_log(int32_t level, const char *line) { windie_log_write(level, line, (int32_t)strlen(line)); }

/* windie_host asks for an operation such as "config.get", or "user.id" for
 * the id of the user whom the call is for. Input and *answer
 * are JSON. It returns 0 when the gateway does not do it; then *answer has a
 * code and a message. */
WINDIE_FN int windie_host(const char *op, windie_text input, windie_text *answer) {
  int32_t n = windie_host_call(op, (int32_t)strlen(op), input.ptr, (int32_t)input.len);
  int32_t len = n < 0 ? -n : n;
  char *to = windie_alloc((size_t)len);
  *answer = (windie_text){to, (size_t)windie_host_read(to, len)};
  return n >= 0;
}

#endif
