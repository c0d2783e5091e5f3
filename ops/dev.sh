#!/bin/sh
# Starts the service for its developers: a change of a source restarts the service, or builds the portal again.
cd "$(dirname "$0")/.."
node_modules/deno/deno run -A portal/build.ts
node_modules/deno/deno run -A --watch=portal,src/http/pages/tokens.css --no-clear-screen portal/build.ts &
builder=$!
sh ops/start.sh --watch &
service=$!
# Told to end, it ends both: a shell would end alone. The runtime's watcher ends by SIGINT only.
trap 'kill "$builder"; kill -INT "$service"' INT TERM
wait "$service"
wait
