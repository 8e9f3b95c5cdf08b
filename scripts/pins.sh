#!/usr/bin/env bash
# Renews the digests of the images that the Dockerfile, the compose files and examples/deploy/kubernetes name. A pin is
# NAME:TAG@sha256:DIGEST, and the digest is that of the list of all processors' images.
#
#   scripts/pins.sh          write what the registry has under each tag now
#   scripts/pins.sh check    change nothing; fail if a digest is missing, or the registry has another
#   scripts/pins.sh list     print the pins
#
# It takes skopeo. PINS_MIRROR=127.0.0.1:5000 asks that registry instead; PINS_INSECURE=true does so without TLS.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

files=(Dockerfile compose*.yaml)
compgen -G 'examples/deploy/kubernetes/*.yaml' >/dev/null && files+=(examples/deploy/kubernetes/*.yaml)

# pins prints "NAME:TAG DIGEST" for each image of others, an empty digest for one that has no pin.
pins() {
	grep -hoE '^ *(ARG [A-Z]+_IMAGE=|-? *image: )[^ ]+' "${files[@]}" |
		sed -E 's/^ *(ARG [A-Z]+_IMAGE=|-? *image: )//; s/@/ /' | grep -v '^windie\(:\|$\)' | sort -u
}

# current NAME:TAG prints the digest that the registry has under a tag.
current() {
	local image=$1 raw
	[ -z "${PINS_MIRROR:-}" ] || image=$PINS_MIRROR/$image
	raw=$(mktemp)
	if ! skopeo inspect --raw ${PINS_INSECURE:+--tls-verify=false} "docker://$image" >"$raw"; then
		rm -f "$raw"
		fail "the registry has no $image, or cannot be asked"
	fi
	echo "sha256:$(sha256sum <"$raw" | cut -d ' ' -f 1)"
	rm -f "$raw"
}

if [ "${1:-}" = list ]; then
	pins
	exit
fi
command -v skopeo >/dev/null || fail "no skopeo here: install the package skopeo"
wrong=0
while read -r image pinned; do
	now=$(current "$image")
	if [ "$now" = "$pinned" ]; then
		echo "$image: as pinned"
	elif [ "${1:-}" = check ]; then
		echo "$image: pinned ${pinned:-to nothing}, and the registry has $now"
		wrong=1
	else
		sed -i -E "s#${image//./\\.}(@sha256:[0-9a-f]{64})?([[:space:]]|\$)#$image@$now\\2#" "${files[@]}"
		echo "$image: was ${pinned:-not pinned}, now $now"
	fi
done < <(pins)
exit "$wrong"
