# One image for both commands: the service (this file's CMD) and a worker (the same with JOBS=only).

# The packages alone: their layer changes only when the lock file does.
FROM node:22-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# deno --version puts its binary in place where npm runs no install scripts; the model's runtime for other systems goes.
RUN npm ci --omit=dev \
 && node_modules/.bin/deno --version \
 && rm -rf node_modules/onnxruntime-node/bin/napi-v3/darwin node_modules/onnxruntime-node/bin/napi-v3/win32

# The portal's files, by the packages that only a build needs.
FROM node:22-trixie-slim AS portal
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts && node_modules/.bin/deno --version
COPY deno.json ./
COPY portal ./portal
COPY src ./src
RUN node_modules/deno/deno run -A portal/build.ts --brotli

FROM debian:trixie-slim
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin handoff \
 && install -d -o handoff -g handoff -m 0700 /data \
 && install -d -o handoff -g handoff /app/.deno
WORKDIR /app
ENV HOST=0.0.0.0 PORT=3000 PUBLIC_URL=http://localhost:3000 DATA_DIR=/data DENO_DIR=/app/.deno \
    DENO_NO_UPDATE_CHECK=1 DENO_NO_PROMPT=1
COPY --from=packages /app/node_modules ./node_modules
COPY models ./models
COPY package.json deno.json ./
COPY db ./db
COPY jobs ./jobs
COPY ops ./ops
COPY src ./src
COPY --from=portal /app/.portal ./.portal
USER handoff
# Compiled once here instead of at every start of a container.
RUN node_modules/deno/deno cache src/main.ts src/core/launch_flags.ts src/embedding/worker.ts src/sending/main.ts db/pglite_worker.ts \
    ops/backup.ts ops/doctor.ts ops/export.ts ops/import.ts ops/invite.ts ops/migrate.ts ops/move.ts ops/restore.ts
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node_modules/deno/deno", "eval", "const { ok } = await fetch(`http://127.0.0.1:${Deno.env.get('PORT')}/healthz`); Deno.exit(ok ? 0 : 1)"]
CMD ["sh", "ops/start.sh"]
