#!/usr/bin/env bash
# Counts the instructions that reading a line takes with the kernels of ARM, beside AVX2: in an emulator, so that it
# needs no such processor and a busy machine changes nothing. Some minutes.
#
# It needs gcc, and apt-get and dpkg of Debian: the emulator that takes plugins, qemu-user, is unpacked, not installed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
(cd "$dir" && apt-get -qq download qemu-user libcapstone4 liburing2 2>/dev/null && for p in *.deb; do dpkg -x "$p" .; done) ||
	fail "qemu-user, libcapstone4 and liburing2 cannot be fetched; run: apt-get update"
LD_LIBRARY_PATH=$(echo "$dir"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH

# What qemu's interface for plugins is made of, as far as it is needed: its header is in no package.
cat >"$dir/count.c" <<'C'
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t, void (*)(uint64_t, void *));
size_t qemu_plugin_tb_n_insns(const void *);
void qemu_plugin_register_vcpu_tb_exec_inline(void *, int, void *, uint64_t);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);
static uint64_t count;
static void translated(uint64_t id, void *block) { qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &count, qemu_plugin_tb_n_insns(block)); }
static void ended(uint64_t id, void *p) { fprintf(stderr, "instructions %" PRIu64 "\n", count); }
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
C
gcc -shared -fPIC -O2 -w -o "$dir/count.so" "$dir/count.c"

# counted EMULATOR BINARY KERNEL TIMES prints what reading 64 lines so often takes, with the start.
counted() {
	(cd perception/convnet && GOMAXPROCS=1 GOGC=off "$dir/usr/bin/qemu-$1" -cpu max -plugin "$dir/count.so" "$2" \
		-test.run '^$' -test.bench "^BenchmarkRead$/^$3\$" -test.benchtime "$4x" 2>&1) | sed -n 's/^instructions //p'
}

for arch in amd64 arm64; do GOARCH=$arch CGO_ENABLED=0 go test -c -o "$dir/$arch" ./perception/convnet; done
base=0
while read -r emulator arch kernel; do
	each=$((($(counted "$emulator" "$dir/$arch" "$kernel" 2) - $(counted "$emulator" "$dir/$arch" "$kernel" 1)) / 64))
	[ "$base" -gt 0 ] || base=$each
	printf '%-14s %10d instructions a line, %d %% of those with AVX2\n' "$kernel" "$each" $((100 * each / base))
done <<<'x86_64 amd64 avx2
aarch64 arm64 neon
aarch64 arm64 neon-dotprod'
