#!/bin/bash
# Process 1 of a node: prepares it, then supervises containerd and every service it is told about.
# A service name written to /run/supervise/control is started, unless it is already supervised.
set -u
bash /usr/local/lib/node/prepare.sh || exit 1

supervise() {
  local marker=/run/supervise/$1.supervised
  if [ -e "$marker" ]; then return; fi
  rm -f "/run/supervise/$1.down"
  touch "$marker"
  bash /usr/local/lib/node/supervise.sh "$1" &
}

# Process ids die with the container, whatever files say; /run is a tmpfs, so nothing is left of an earlier boot.
mkfifo /run/supervise/control
exec 3<>/run/supervise/control
trap 'exit 0' TERM

for service in /etc/cluster/services/*; do
  if [ -e "$service" ]; then supervise "${service##*/}"; fi
done
echo 'node is prepared'
while true; do
  if read -r -u 3 name; then supervise "$name"; fi
done
