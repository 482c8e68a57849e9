#!/bin/sh
# Installs what the test cluster needs on a Debian or Ubuntu machine: only what is missing, asking nothing.
# Run it as root; running it again changes nothing. Go is not installed here: any recent go command on the PATH will do,
# because the modules name the toolchain they want.
set -eu

# command -> package that brings it
needed='
dockerd:docker.io
docker:docker.io
debootstrap:debootstrap
ip:iproute2
iptables:iptables
tar:tar
'

missing=''
for pair in $needed; do
  command=${pair%%:*}
  package=${pair#*:}
  if PATH="$PATH:/usr/sbin:/sbin" command -v "$command" >/dev/null 2>&1; then continue; fi
  case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done

if [ -z "$missing" ]; then
  echo 'install-packages: nothing is missing'
  exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-packages: this machine has no apt-get; install the equivalents of:$missing" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "install-packages: run me as root; to be installed:$missing" >&2
  exit 1
fi

echo "install-packages: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words on purpose
if ! apt-get install -y -qq --no-install-recommends $missing; then
  # The package lists may be old or absent.
  apt-get update -qq
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $missing
fi
