#!/bin/sh
# Starts the service with the permissions that its configuration needs and no others; arguments go to deno run.
set -ef
cd "$(dirname "$0")/.."
# Deno colours what it writes for files and pipes as well, unless it is told not to.
[ -t 1 ] && [ -t 2 ] || export NO_COLOR=1
# Without this, Deno would look for a newer version of itself on the internet, despite the
# permissions.
export DENO_NO_UPDATE_CHECK=1
# npm ci builds the portal. It is built here again if a source is newer. The image contains the
# built portal and no sources.
if [ "$JOBS" != only ] && [ -d portal ] &&
  { [ ! -f .portal/stamp ] || [ -n "$(find portal src/client.ts src/http/pages/tokens.css package-lock.json -newer .portal/stamp -print)" ]; }; then
  node_modules/deno/deno run -A --no-prompt portal/build.ts ||
    echo "handoff: the portal could not be built; the rest of the service starts without it" >&2
fi
# The flags of the service, an empty line, the socket of its sender and the flags of that. Each line
# is one word, because the names of folders may contain blanks. With a bad configuration the script
# ends here.
plan=$(node_modules/deno/deno run --no-prompt --allow-read --allow-env src/core/launch_flags.ts)
newline='
'
flags=${plan%%"$newline$newline"*}
plan=${plan#*"$newline$newline"}
socket=${plan%%"$newline"*}
sender=${plan#"$socket"}
IFS=$newline
# A separate process sends webhooks, because the service's process may connect only to configured
# hosts. The separate process is started again if it ends, or if it hasn't touched its socket for half
# a minute. It ends after the service, which has replaced this shell's process by then. It gets none
# of the secrets in the environment.
if [ -n "$sender" ]; then
  folder=${socket%/*}
  [ -d "$folder" ] || mkdir -p -m 700 "$folder" 2>/dev/null || true
  (
    trap '' INT TERM
    while kill -0 $$; do
      env -i PATH="$PATH" DENO_NO_UPDATE_CHECK=1 ${HOME:+"HOME=$HOME"} ${DENO_DIR:+"DENO_DIR=$DENO_DIR"} \
        ${DENO_CERT:+"DENO_CERT=$DENO_CERT"} ${DENO_TLS_CA_STORE:+"DENO_TLS_CA_STORE=$DENO_TLS_CA_STORE"} \
        node_modules/deno/deno run $sender &
      seconds=0
      while kill -0 $$ && kill -0 $!; do
        [ $seconds -gt 0 ] || touch "$socket.seen" || true
        sleep 1
        seconds=$((seconds + 1))
        if [ $seconds -ge 30 ]; then
          [ "$socket" -nt "$socket.seen" ] || kill -KILL $!
          seconds=0
        fi
      done
    done
    # A signal to the whole group has ended the sender already.
    kill -KILL $! || true
    rm -f "$socket" "$socket.seen" "$socket.lock"
  ) 2>/dev/null </dev/null &
fi
# Without this variable, glibc keeps the memory that was needed once at the start.
export MALLOC_MMAP_THRESHOLD_=131072
# Milliseconds. A collector that doesn't answer must not delay the end. Deno's own limit is ten
# seconds for each call to the collector.
export OTEL_EXPORTER_OTLP_TIMEOUT="${OTEL_EXPORTER_OTLP_TIMEOUT:-2000}"
# With exec, deno gets the signal to stop. It then answers all accepted requests, hands its jobs
# back and ends.
exec node_modules/deno/deno run "$@" $flags src/main.ts ${sender:+"$socket"}
