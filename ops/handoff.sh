#!/bin/sh
# Starts the service, or one of its commands, from the folder of a release.
set -e
home=$(dirname "$(readlink -f "$0")")
# Paths that are given to a command are relative to the caller's folder.
export INIT_CWD="$PWD" HANDOFF_RELEASE=1 DENO_NO_UPDATE_CHECK=1
cd "$home"
name=${1:-start}
[ $# -eq 0 ] || shift
case $name in
start | worker)
  if [ $# -gt 0 ]; then
    echo "handoff: ./handoff $name takes no arguments. Its settings are environment variables: see docs/self_hosting.md" >&2
    exit 1
  fi
  [ "$name" = start ] || export JOBS=only
  exec sh ops/start.sh
  ;;
backup | doctor | export | import | invite | migrate | move | restore)
  [ -t 1 ] && [ -t 2 ] || export NO_COLOR=1
  exec node_modules/deno/deno run -A --no-remote --no-prompt "ops/$name.ts" "$@"
  ;;
version | --version)
  sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json
  ;;
help | --help | -h)
  echo "Usage: ./handoff [start | worker | doctor | migrate | backup | restore | move | export | import | invite | version]"
  echo "The settings are environment variables: see docs/self_hosting.md"
  ;;
*)
  echo "handoff: there is no command $name; ./handoff help names all of them" >&2
  exit 1
  ;;
esac
