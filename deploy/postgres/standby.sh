#!/bin/bash
# The second server: copies the first one when it is empty, then follows it.
set -e
export PGPASSFILE=/tmp/pgpass
install -m 600 /dev/null "$PGPASSFILE"
echo "*:*:*:jackpot:$(cat /run/secrets/database)" > "$PGPASSFILE"
chown postgres "$PGPASSFILE"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA" && chown postgres "$PGDATA" && chmod 700 "$PGDATA"
    until gosu postgres pg_basebackup --host db1 --username jackpot --pgdata "$PGDATA" \
        --write-recovery-conf --wal-method stream --checkpoint fast; do
        sleep 2
    done
    # It must not wait for itself when it is promoted one day.
    gosu postgres sed -i '/synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
fi
# The primary knows a standby by its cluster's name.
exec docker-entrypoint.sh postgres -c cluster_name=db2
