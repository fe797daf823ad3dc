#!/bin/sh
# Runs once, when the first server makes its empty cluster.
set -e
echo "host replication jackpot all scram-sha-256" >> "$PGDATA/pg_hba.conf"
# From the next start on, a commit is acknowledged when db2 has it on its disk as well.
psql --username jackpot --dbname jackpot \
    --command "ALTER SYSTEM SET synchronous_standby_names = 'db2'"
