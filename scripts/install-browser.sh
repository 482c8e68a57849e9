#!/usr/bin/env bash
# Chromium for the tests of the page of `kubectl dnet ui`, from Debian or Ubuntu. Does nothing when there is one.
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then
    echo "browser: $(command -v "$name")"
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  echo "install Chromium by hand, or name its program in DYNAMIC_NETWORKS_BROWSER" >&2
  exit 1
fi
run() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
run apt-get update -qq
DEBIAN_FRONTEND=noninteractive run apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
echo "browser: $(command -v chromium)"
