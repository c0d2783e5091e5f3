#!/bin/sh
# Starts the service for its developers: a change of a source restarts the service, or builds the portal again.
cd "$(dirname "$0")/.."
node_modules/deno/deno run -A portal/build.ts
node_modules/deno/deno run -A --watch=portal,src/http/pages/tokens.css --no-clear-screen portal/build.ts &
builder=$!
sh ops/start.sh --watch &
service=$!
# At a signal to end, the script ends both processes, because a shell would end without them. The
# runtime's watcher ends only at SIGINT.
trap 'kill "$builder"; kill -INT "$service"' INT TERM
wait "$service"
wait
