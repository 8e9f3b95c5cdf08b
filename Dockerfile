# The image of the gateway: one program, the one that asks how it is, and the certificates of authorities.
# Programs are compiled on the builder's own processor for the image's, so that
#
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=v1.2.0 -t windie:1.2.0 .
#
# emulates nothing. scripts/image-test.sh builds and runs it, and where there is no engine, reads this file and
# runs its commands: keep one instruction to a line where it does so: make release, ENV, USER, HEALTHCHECK,
# ENTRYPOINT, CMD.

# What it is built with, to the byte: scripts/pins.sh renews the digests.
ARG NODE_IMAGE=node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
ARG GO_IMAGE=golang:1.26-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d

# The interactive API page. Without the network this stage leaves the folder
# empty, and /docs is the plain page.
FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS page
WORKDIR /src
COPY scripts/ scripts/
RUN mkdir -p gateway/docs/assets && scripts/deps.sh scalar

FROM --platform=$BUILDPLATFORM $GO_IMAGE AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=page /src/gateway/docs/assets/ gateway/docs/assets/
ARG VERSION=dev
ARG TARGETOS
ARG TARGETARCH
RUN make release health VERSION="$VERSION" GOOS="$TARGETOS" GOARCH="$TARGETARCH"
RUN mkdir -p /image/etc/ssl/certs /image/usr/local/bin /image/usr/share/doc/windie
RUN cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/
RUN cp bin/windie bin/windie-health /image/usr/local/bin/
RUN cp LICENSE NOTICE /image/usr/share/doc/windie/
# Any user may write the data, so that the image runs under any uid. Nothing
# else is written: the gateway's temporary files lie in /data/tmp.
RUN mkdir -m 1777 /image/data
# Here several gateways may have one volume: compose.cluster.yaml keeps memory and plugins in it.
RUN mkdir -m 1777 /image/shared
RUN mkdir -m 1777 /image/tmp

# The symbols of the binary, for a debugger or a profile; they are no part of the
# image: docker build --target symbols --output . .
FROM scratch AS symbols
COPY --from=build /src/bin/windie.debug /

# The text reader is in the binary, with its networks. docs/deploy.md
# says how to add other languages, and other programs.
FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title=windie
LABEL org.opencontainers.image.description="A self-hosted gateway for agents that look at screens and use tools"
LABEL org.opencontainers.image.version=$VERSION
COPY --from=build /image/ /
ENV PATH=/usr/local/bin
# In local mode the gateway refuses to listen here until WINDIE_TRUSTED_NETWORK
# says that only trusted callers can reach the container, as compose.yaml does.
ENV WINDIE_LISTEN=0.0.0.0:8765
ENV WINDIE_DATA_DIR=/data
VOLUME /data
EXPOSE 8765
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s CMD ["windie-health"]
ENTRYPOINT ["windie"]
CMD ["serve"]
