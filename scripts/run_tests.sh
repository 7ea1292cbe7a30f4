#!/usr/bin/env bash
# Runs every test program of a build folder and prints one closing line: "N passed, N failed".
# usage: run_tests.sh BUILD_DIR [NAME_PATTERN [LABEL]]
set -uo pipefail
build=$1 pattern=${2:-.} label=${3:-}
passed=0 failed=0 failures=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT
while read -r name; do
  start=$(date +%s)
  if [ -t 1 ]; then printf '  %-28s ...\r' "$name"; fi
  ctest --test-dir "$build" -R "^$name\$" --output-on-failure -V >"$log" 2>&1
  status=$?
  # A GoogleTest program counts its cases, a script counts what it prints as "N passed, N failed", else one.
  ok=$(sed -nE 's/.*\[  PASSED  \] ([0-9]+) test.*/\1/p' "$log" | tail -1)
  bad=$(sed -nE 's/.* ([0-9]+) FAILED TESTS?.*/\1/p' "$log" | tail -1)
  if [ -z "$ok$bad" ]; then
    ok=$(sed -nE 's/.*[^0-9]([0-9]+) passed, ([0-9]+) failed.*/\1/p' "$log" | tail -1)
    bad=$(sed -nE 's/.*[^0-9]([0-9]+) passed, ([0-9]+) failed.*/\2/p' "$log" | tail -1)
  fi
  ok=${ok:-0} bad=${bad:-0}
  if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ $status -eq 0 ] && [ "$ok" -eq 0 ]; then ok=1; fi
  passed=$((passed + ok)) failed=$((failed + bad))
  printf '  %-28s %5d passed %4d failed %5d s\n' "$name" "$ok" "$bad" $(($(date +%s) - start))
  if [ $status -ne 0 ]; then
    failures+=("$name")
    sed -E 's/^[0-9]+: //' "$log" | grep -E -A12 'FAILED|Failure|ERROR|error|Sanitizer' | head -150
  fi
done < <(ctest --test-dir "$build" -N ${label:+-L "^$label\$"} 2>/dev/null | sed -nE 's/^ *Test +#[0-9]+: (.*)$/\1/p' | grep -E "$pattern")
[ ${#failures[@]} -gt 0 ] && echo "failed: ${failures[*]}"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
