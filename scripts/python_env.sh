#!/usr/bin/env bash
# Makes a virtual environment with what the Python package needs to be built and tested; does nothing when it is up to date.
# usage: python_env.sh FOLDER      (HEADRACE_PYTHON_EXE: the interpreter, python3 by default)
set -euo pipefail
folder=$1 wanted=$(dirname "$0")/../python/requirements-dev.txt stamp=$1/.up_to_date
[ "$stamp" -nt "$wanted" ] && [ -x "$folder/bin/python" ] && exit 0
python=${HEADRACE_PYTHON_EXE:-python3}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Python packages into $folder (with $("$python" --version))"
{ "$python" -m venv "$folder" && "$folder/bin/python" -m pip install --disable-pip-version-check -q -r "$wanted"; } >"$log" 2>&1 ||
  { cat "$log" >&2; exit 1; }
touch "$stamp"
