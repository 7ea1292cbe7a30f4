#!/usr/bin/env bash
# Installs the library into a fresh folder, builds an op outside the tree against it, runs it, and looks at what the library
# exports. usage: package_test.sh BUILD_DIR SOURCE_DIR
set -uo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() {  # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; tail -30 "$work/log"; fi
}
no_foreign_exports() {
  ! nm -D --defined-only --demangle "$1" | grep -E ' [TWVBDR] ' | grep -vE ' (headrace::|typeinfo (name )?for headrace::|vtable for headrace::|VTT for headrace|non-virtual thunk to headrace|guard variable for headrace|headrace_)'
}
check install cmake --install "$build" --prefix "$work/prefix"
check configure cmake -S "$source/examples/custom_op" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
check build cmake --build "$work/build" -j 2
check run "$work/build/custom_op"
check "exports only its own namespace" no_foreign_exports "$(ls "$work"/prefix/lib*/libheadrace.so "$work"/prefix/lib*/*/libheadrace.so 2>/dev/null | head -1)"
check "no protocol buffers in public headers" sh -c "! grep -rlE 'google/protobuf|\\.pb\\.h|oneapi/dnnl' '$work/prefix/include' | grep -v kernel/cpu"
echo "package: $passed passed, $failed failed"
[ $failed -eq 0 ]
