# One image for both commands: the service (this file's CMD) and a worker (./handoff worker). It holds a
# release, which needs no npm. Name the base images by digest (IMAGE@sha256:…) to build the same image again.
ARG BUILDER=node:22-trixie-slim
ARG BASE=debian:trixie-slim

FROM ${BUILDER} AS release
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script runs; deno --version puts its binary in place.
RUN npm ci --ignore-scripts && node_modules/.bin/deno --version
COPY deno.json CHANGELOG.md LICENSE README.md ./
COPY deploy ./deploy
COPY docs ./docs
COPY models ./models
COPY db ./db
COPY jobs ./jobs
COPY ops ./ops
COPY portal ./portal
COPY src ./src
RUN node_modules/deno/deno run -A ops/release.ts /release

FROM ${BASE}
LABEL org.opencontainers.image.title="Handoff Ticket Service" org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.2.0"
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin handoff \
 && install -d -o handoff -g handoff -m 0700 /data \
 && install -d -o handoff -g handoff /app/.deno
WORKDIR /app
ENV HOST=0.0.0.0 PORT=3000 PUBLIC_URL=http://localhost:3000 DATA_DIR=/data DENO_DIR=/app/.deno \
    DENO_NO_UPDATE_CHECK=1 DENO_NO_PROMPT=1
COPY --from=release /release ./
USER handoff
# Compiled once here instead of at every start of a container.
RUN node_modules/deno/deno cache src/main.ts src/core/launch_flags.ts src/embedding/worker.ts src/sending/main.ts db/pglite_worker.ts \
    ops/backup.ts ops/doctor.ts ops/export.ts ops/import.ts ops/invite.ts ops/migrate.ts ops/move.ts ops/restore.ts
VOLUME /data
EXPOSE 3000
# The shell asks by itself, because a program that starts every ten seconds would cost more than an idle service.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /healthz HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nConnection: close\\r\\n\\r\\n' $PORT >&3 && read -r line <&3 && [[ $line == *' 200 '* ]]"]
CMD ["./handoff"]
