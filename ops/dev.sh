#!/bin/sh
# Starts the service for its developers: a change of a source restarts the service, or builds the portal again.
cd "$(dirname "$0")/.."
node_modules/deno/deno run -A portal/build.ts
node_modules/deno/deno run -A --watch=portal --no-clear-screen portal/build.ts &
builder=$!
trap 'kill "$builder"' EXIT
sh ops/start.sh --watch
