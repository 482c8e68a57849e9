#!/bin/sh
# Whatever arguments it gets, it waits; process 1 ends on SIGTERM only if it says so.
trap 'exit 0' TERM
while true; do
  sleep 3600 &
  wait $!
done
