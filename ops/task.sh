#!/bin/sh
# Runs a task of deno.json. Deno colours what it writes for files and pipes as well, unless it is told not to.
set -e
cd "$(dirname "$0")/.."
# If npm runs no install scripts, npm's package of Deno installs the program at the first call.
deno --version >/dev/null
# The service's arguments would go to the runtime, which would give its own advice or run another program.
case $1 in
start | worker | dev)
  if [ $# -gt 1 ]; then
    text="npm run $1 takes no arguments. Its settings are environment variables: see docs/self_hosting.md"
    case $2 in -h | --help) echo "$text" && exit ;; esac
    echo "handoff: $text" >&2
    exit 1
  fi
  ;;
esac
[ -t 1 ] && [ -t 2 ] || export NO_COLOR=1
exec node_modules/deno/deno task "$@"
