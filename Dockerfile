# The image of the gateway. scripts/image-test.sh reads this file and runs its
# commands without a container engine; keep one instruction to a line where it
# does so: make release, ENV, USER, HEALTHCHECK, ENTRYPOINT, CMD.

# The interactive API page. Without the network this stage leaves the folder
# empty, and /docs is the plain page.
FROM node:22-bookworm-slim AS page
WORKDIR /src
COPY scripts/ scripts/
RUN mkdir -p gateway/docs/assets && scripts/deps.sh scalar

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=page /src/gateway/docs/assets/ gateway/docs/assets/
ARG VERSION=dev
RUN make release VERSION="$VERSION"

# The symbols of the binary, for a debugger or a profile; they are no part of the
# image: docker build --target symbols --output . .
FROM scratch AS symbols
COPY --from=build /src/bin/windie.debug /

# The text reader is in the binary, with its networks. docs/deploy.md
# says how to add other languages, and the tesseract program.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/*
# Any user may write the data, so that the image runs under any uid. Nothing
# else is written: temporary files lie in /data/tmp.
RUN mkdir -m 1777 /data
COPY LICENSE NOTICE /usr/share/doc/windie/
COPY --from=build /src/bin/windie /usr/local/bin/windie
# In local mode the gateway refuses to listen here until WINDIE_TRUSTED_NETWORK
# says that only trusted callers can reach the container, as compose.yaml does.
ENV WINDIE_LISTEN=0.0.0.0:8765
ENV WINDIE_DATA_DIR=/data
VOLUME /data
EXPOSE 8765
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s CMD ["windie", "doctor", "--running"]
ENTRYPOINT ["windie"]
CMD ["serve"]
