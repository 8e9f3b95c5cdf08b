/* checksum tells and checks the CRC-32, Adler-32 or SHA-256 of a text or of bytes. */
#include "windie.h"

#define TARGET                                                                                                     \
  "\"text\":{\"type\":\"string\",\"maxLength\":1000000,\"description\":\"What to sum up, as UTF-8. Give this or "  \
  "base64.\"},"                                                                                                    \
  "\"base64\":{\"type\":\"string\",\"maxLength\":1400000,\"description\":\"Bytes to sum up, in base64.\"},"        \
  "\"algorithm\":{\"type\":\"string\",\"enum\":[\"crc32\",\"adler32\",\"sha256\"],\"default\":\"sha256\"}"

static const char description[] =
    "{\"name\":\"checksum\",\"version\":\"1.0.0\",\"description\":\"Checksums of texts and bytes.\",\"tools\":["
    "{\"name\":\"digest\",\"description\":\"Tells the checksum of a text or of bytes, in lower-case hex.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{" TARGET "},\"additionalProperties\":false},"
    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"algorithm\":{\"type\":\"string\"},"
    "\"hex\":{\"type\":\"string\"},\"bytes\":{\"type\":\"integer\"}},\"required\":[\"algorithm\",\"hex\",\"bytes\"]},"
    "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}},"
    "{\"name\":\"verify\",\"description\":\"Checks a text or bytes against a checksum that is known.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{" TARGET ","
    "\"expected\":{\"type\":\"string\",\"pattern\":\"^[0-9A-Fa-f]+$\",\"maxLength\":64,\"description\":\"The checksum "
    "in hex.\"}},\"required\":[\"expected\"],\"additionalProperties\":false},"
    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"matches\":{\"type\":\"boolean\"},"
    "\"hex\":{\"type\":\"string\"}},\"required\":[\"matches\",\"hex\"]},"
    "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}]}";

WINDIE_EXPORT(describe) int32_t describe(void) {
  windie_out(description);
  return 0;
}

static uint32_t crc32(windie_text data) {
  uint32_t table[256], crc = 0xffffffff;
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
  }
  for (size_t i = 0; i < data.len; i++) crc = crc >> 8 ^ table[(crc ^ (uint8_t)data.ptr[i]) & 255];
  return ~crc;
}

static uint32_t adler32(windie_text data) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < data.len; i++) {
    a = (a + (uint8_t)data.ptr[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t v, int by) { return v >> by | v << (32 - by); }

static void sha256_block(uint32_t h[8], const uint8_t *block) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++, block += 4) w[i] = (uint32_t)block[0] << 24 | block[1] << 16 | block[2] << 8 | block[3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  memcpy(s, h, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t one = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
    uint32_t t = s[7] + one + ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_k[i] + w[i];
    uint32_t nought = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
    uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t;
    s[0] = t + nought + most;
  }
  for (int i = 0; i < 8; i++) h[i] += s[i];
}

static void sha256(windie_text data, uint32_t h[8]) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(h, start, sizeof start);
  size_t done = 0;
  for (; data.len - done >= 64; done += 64) sha256_block(h, (const uint8_t *)data.ptr + done);
  uint8_t tail[128] = {0};
  size_t rest = data.len - done, whole = rest < 56 ? 64 : 128;
  memcpy(tail, data.ptr + done, rest);
  tail[rest] = 0x80;
  uint64_t bits = (uint64_t)data.len * 8;
  for (int i = 0; i < 8; i++) tail[whole - 1 - i] = (uint8_t)(bits >> 8 * i);
  for (size_t at = 0; at < whole; at += 64) sha256_block(h, tail + at);
}

/* hex writes n words, and returns what it wrote. */
static windie_text hex(char *to, const uint32_t *words, size_t n) {
  for (size_t i = 0; i < n * 8; i++) to[i] = "0123456789abcdef"[words[i / 8] >> (28 - i % 8 * 4) & 15];
  return (windie_text){to, n * 8};
}

/* six returns what a letter of base64 stands for, or -1. */
static int six(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* from_base64 takes both alphabets, with padding or without. */
static int from_base64(windie_text in, windie_text *out) {
  for (int padding = 0; padding < 2 && in.len && in.ptr[in.len - 1] == '='; padding++) in.len--;
  if (in.len % 4 == 1) return 0;
  uint8_t *to = windie_alloc(in.len), *at = to;
  uint32_t bits = 0;
  for (size_t i = 0; i < in.len; i++) {
    int v = six(in.ptr[i]);
    if (v < 0) return 0;
    bits = bits << 6 | (uint32_t)v;
    if (i % 4) *at++ = (uint8_t)(bits >> (6 - i % 4 * 2));
  }
  *out = (windie_text){(char *)to, (size_t)(at - to)};
  return 1;
}

/* target finds what to sum up, and returns NULL or what is wrong with it. */
static const char *target(windie_text arguments, windie_text *data) {
  windie_text base64;
  int has_text = windie_string(arguments, "text", data), has_base64 = windie_string(arguments, "base64", &base64);
  if (has_text == has_base64) return "give either text or base64, and not both";
  if (has_base64 && !from_base64(base64, data)) return "base64 is not whole or has characters that are not of base64; send it without white space";
  return NULL;
}

/* digest sums data up in hex. An algorithm without a name is sha256. */
static windie_text digest(windie_text *algorithm, windie_text data) {
  static char text[64];
  uint32_t words[8];
  if (windie_is(*algorithm, "crc32")) {
    words[0] = crc32(data);
    return hex(text, words, 1);
  }
  if (windie_is(*algorithm, "adler32")) {
    words[0] = adler32(data);
    return hex(text, words, 1);
  }
  if (!algorithm->len) *algorithm = windie_str("sha256");
  if (!windie_is(*algorithm, "sha256")) return (windie_text){text, 0};
  sha256(data, words);
  return hex(text, words, 8);
}

static void answer_digest(windie_text algorithm, windie_text sum, size_t bytes) {
  windie_buffer b = {0};
  windie_add(&b, "{\"structuredContent\":{\"algorithm\":");
  windie_add_string(&b, algorithm);
  windie_add(&b, ",\"hex\":");
  windie_add_string(&b, sum);
  windie_add(&b, ",\"bytes\":");
  windie_add_integer(&b, (int64_t)bytes);
  windie_add(&b, "}}");
  windie_out_buffer(&b);
}

/* same compares hex, whose letters may be of either case. */
static int same(windie_text sum, windie_text expected) {
  if (sum.len != expected.len) return 0;
  for (size_t i = 0; i < sum.len; i++) {
    char c = expected.ptr[i];
    if (sum.ptr[i] != (c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c)) return 0;
  }
  return 1;
}

static int32_t answer_verify(windie_text sum, windie_text expected) {
  if (expected.len != sum.len)
    return windie_tool_error("expected has the wrong length for the algorithm: sha256 has 64 hex digits, crc32 and adler32 have 8");
  windie_out("{\"structuredContent\":{\"matches\":");
  windie_out(same(sum, expected) ? "true" : "false");
  windie_out(",\"hex\":");
  windie_out_string(sum);
  windie_out("}}");
  return 0;
}

WINDIE_EXPORT(call) int32_t call(void) {
  windie_call c = windie_read_call();
  windie_text data, algorithm = {"", 0}, expected;
  int verify = windie_is(c.name, "verify");
  if (!verify && !windie_is(c.name, "digest")) return windie_fail("there is no such tool; there are digest and verify");
  const char *wrong = target(c.arguments, &data);
  if (wrong) return windie_tool_error(wrong);
  windie_string(c.arguments, "algorithm", &algorithm);
  windie_text sum = digest(&algorithm, data);
  if (!sum.len) return windie_tool_error("algorithm must be crc32, adler32 or sha256");
  if (!verify) {
    answer_digest(algorithm, sum, data.len);
    return 0;
  }
  if (!windie_string(c.arguments, "expected", &expected)) return windie_tool_error("expected must be a checksum in hex");
  return answer_verify(sum, expected);
}
