#!/bin/sh
# Runs a task of deno.json. Deno colours what it writes for files and pipes as well, unless it is told not to.
set -e
cd "$(dirname "$0")/.."
# If npm runs no install scripts, npm's package of Deno installs the program at the first call.
deno --version >/dev/null
[ -t 1 ] && [ -t 2 ] || export NO_COLOR=1
exec node_modules/deno/deno task "$@"
