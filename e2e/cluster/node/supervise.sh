#!/bin/bash
# supervise.sh NAME: runs the service script /etc/cluster/services/NAME and starts it again whenever it ends,
# until /run/supervise/NAME.down exists. Its process id is in /run/supervise/NAME.pid, its output in /var/log/cluster/NAME.log.
name=$1
state=/run/supervise/$name
log=/var/log/cluster/$name.log

note() { echo "--- $(date -u +%FT%TZ) supervisor: $name $*" >>"$log"; }

until [ -e "$state.down" ]; do
  /bin/sh "/etc/cluster/services/$name" >>"$log" 2>&1 &
  pid=$!
  echo "$pid" >"$state.pid"
  note "started as process $pid"
  wait "$pid"
  note "ended with status $?"
  rm -f "$state.pid"
  [ -e "$state.down" ] || sleep 0.5
done
note 'stays down'
rm -f "$state.supervised"
