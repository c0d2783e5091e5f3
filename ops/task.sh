#!/bin/sh
# Runs a task of deno.json. Deno colours what it writes for files and pipes as well, unless it is told not to.
set -e
cd "$(dirname "$0")/.."
# npm's package of Deno puts the program into place at its first call, where npm runs no install scripts.
deno --version >/dev/null
[ -t 1 ] && [ -t 2 ] || export NO_COLOR=1
exec node_modules/deno/deno task "$@"
