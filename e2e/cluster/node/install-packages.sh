#!/bin/sh
# Installs the node's packages that the base image lacks. A base made by debootstrap lacks none, so no mirror is asked then.
set -eu
missing=''
while read -r package; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done </usr/local/share/node/packages
[ -n "$missing" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of words on purpose
apt-get install -y -qq --no-install-recommends $missing
rm -rf /var/lib/apt/lists/*
