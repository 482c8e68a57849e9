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

# promtool comes in the package of the Prometheus server, which nobody here wants to run: only the one file is taken.
needs_promtool=true
if command -v promtool >/dev/null 2>&1; then needs_promtool=false; fi

if [ -z "$missing" ] && ! $needs_promtool; then
  echo 'install-packages: nothing is missing'
  exit 0
fi
if $needs_promtool; then what="$missing promtool"; else what=$missing; fi

if ! command -v apt-get >/dev/null 2>&1; then
  echo "install-packages: this machine has no apt-get; install the equivalents of:$what" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "install-packages: run me as root; to be installed:$what" >&2
  exit 1
fi

echo "install-packages: installing$what"
export DEBIAN_FRONTEND=noninteractive
take_promtool() {
  folder=$(mktemp -d)
  (cd "$folder" && apt-get download -qq prometheus && dpkg-deb --extract prometheus_*.deb .) &&
    install -m 755 "$folder/usr/bin/promtool" /usr/local/bin/promtool
  taken=$?
  rm -rf "$folder"
  return $taken
}
install_all() {
  # shellcheck disable=SC2086 # a list of words on purpose
  if [ -n "$missing" ]; then apt-get install -y -qq --no-install-recommends $missing || return; fi
  if $needs_promtool; then take_promtool; fi
}
if ! install_all; then
  # The package lists may be old or absent.
  apt-get update -qq
  install_all
fi
