#!/usr/bin/env bash
# Installs the Debian packages that building, testing and the demo need; does nothing when they are all there.
# usage: install_deps.sh [FURTHER_PACKAGE...]
set -euo pipefail
packages=(
  build-essential cmake ninja-build ccache mold git
  libabsl-dev libprotobuf-dev protobuf-compiler libdnnl-dev libeigen3-dev libhwy-dev libleveldb-dev libsnappy-dev
  libre2-dev libfarmhash-dev libhighwayhash-dev libpng-dev libjpeg62-turbo-dev libgif-dev zlib1g-dev libssl-dev libcli11-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  dataset-fashion-mnist python3 python3-dev python3-venv
  "$@"
)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "Installing: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "These packages are missing and there is no sudo: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }
run apt-get update
run apt-get install -y --no-install-recommends "${missing[@]}"
