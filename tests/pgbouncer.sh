#!/usr/bin/env bash
# Starts PgBouncer in transaction mode before a PostgreSQL server, or keeps a running one, and prints the variables that
# lead tests through it. The second names the server itself, for the few connections of tests that need a session.
#
#   env $(tests/pgbouncer.sh postgres://postgres@127.0.0.1:5432/postgres [PORT]) npm test   the default port is 6543
#   tests/pgbouncer.sh stop
#
# It runs in the Debian folder in which that server lives (POSTGRES_ROOT), where apt installs it. The role handoff_pooled
# is a superuser with the settings that a pooler can't pass on, because tests make databases of their own.
set -euo pipefail
root="${POSTGRES_ROOT:-/var/cache/handoff-postgres}"
folder=/tmp/handoff-pgbouncer
if [ "$1" = stop ]; then
  kill "$(cat "$root$folder/pid")"
  exit
fi
[[ "$1" =~ ^postgres://([^@]+)@([^:/]+):([0-9]+)/ ]] || { echo "takes postgres://USER@HOST:PORT/DATABASE" >&2; exit 1; }
user="${BASH_REMATCH[1]}" host="${BASH_REMATCH[2]}" server="${BASH_REMATCH[3]}" port="${2:-6543}"
if [ ! -x "$root/usr/sbin/pgbouncer" ]; then
  chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends pgbouncer' >&2
fi
chroot "$root" psql --quiet --username="$user" --host="$host" --port="$server" postgres <<'END'
do $$ begin
  create role handoff_pooled superuser login;
exception when duplicate_object then null;
end $$;
alter role handoff_pooled set default_transaction_isolation = 'read committed';
alter role handoff_pooled set bytea_output = 'hex';
alter role handoff_pooled set statement_timeout = '15s';
alter role handoff_pooled set lock_timeout = '5s';
alter role handoff_pooled set idle_in_transaction_session_timeout = '30s';
alter role handoff_pooled set idle_session_timeout = '24h';
END
mkdir -p "$root$folder"
chmod 777 "$root$folder"
echo '"handoff_pooled" ""' >"$root$folder/users"
cat >"$root$folder/ini" <<END
[databases]
* = host=$host port=$server
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = trust
auth_file = $folder/users
pool_mode = transaction
default_pool_size = 20
max_client_conn = 1000
max_prepared_statements = 200
ignore_startup_parameters = default_transaction_isolation, bytea_output, statement_timeout, lock_timeout, idle_in_transaction_session_timeout, idle_session_timeout
pidfile = $folder/pid
logfile = $folder/log
END
if ! kill -0 "$(cat "$root$folder/pid" 2>/dev/null)" 2>/dev/null; then
  chroot "$root" setpriv --reuid=postgres --regid=postgres --init-groups pgbouncer --daemon "$folder/ini"
fi
echo "DATABASE_URL=postgres://handoff_pooled@127.0.0.1:$port/postgres"
echo "DIRECT_DATABASE_URL=$1"
