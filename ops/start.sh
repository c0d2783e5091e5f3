#!/bin/sh
# Starts the service with the permissions that its configuration needs and no others; arguments go to deno run.
set -ef
cd "$(dirname "$0")/.."
# Deno colours what it writes for files and pipes as well, unless it is told not to.
[ -t 1 ] && [ -t 2 ] || export NO_COLOR=1
# Deno would ask its maker for a newer version, past the permissions.
export DENO_NO_UPDATE_CHECK=1
# The portal is built at npm ci, and here when a source is newer than that. The image has it built, and no sources.
if [ "$JOBS" != only ] && [ -d portal ] &&
  { [ ! -f .portal/stamp ] || [ -n "$(find portal src/client.ts src/http/pages/tokens.css package-lock.json -newer .portal/stamp -print)" ]; }; then
  node_modules/deno/deno run -A --no-prompt portal/build.ts ||
    echo "handoff: the portal could not be built; the rest of the service starts without it" >&2
fi
# One flag a line, since folders may have blanks in their names. A bad configuration ends it here.
flags=$(node_modules/deno/deno run --no-prompt --allow-read --allow-env src/core/launch_flags.ts service $$)
sender=$(node_modules/deno/deno run --no-prompt --allow-read --allow-env src/core/launch_flags.ts sender $$)
IFS='
'
# Webhooks go out through a process of their own, because this one may reach only what is configured. It is started again
# when it ends, and ends after the service, which is this shell's process by then.
if [ -n "$sender" ]; then
  (
    trap '' INT TERM
    while kill -0 $$; do
      node_modules/deno/deno run $sender &
      while kill -0 $$ && kill -0 $!; do sleep 1; done
    done
    kill -KILL $!
    rm -f "${DATA_DIR:-./data}/sender-$$.sock"
  ) 2>/dev/null </dev/null &
fi
# Without it glibc keeps what was needed once at the start.
export MALLOC_MMAP_THRESHOLD_=131072
# Milliseconds: a collector that doesn't answer must not hold up the end. Deno's own are ten seconds, for each of its calls.
export OTEL_EXPORTER_OTLP_TIMEOUT="${OTEL_EXPORTER_OTLP_TIMEOUT:-2000}"
# exec makes deno the process that is told to stop: it answers what it has accepted, hands its jobs back and ends.
exec node_modules/deno/deno run "$@" $flags src/main.ts
