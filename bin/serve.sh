#!/bin/sh
# Entry point of the image. API processes use a small young generation and a slowly growing heap to save memory; a worker
# allocates many short-lived objects and would spend up to a third of its time on garbage collection with that size.
case "$MNEME_ROLE" in
  worker) heap='--max-semi-space-size=32' ;;
  *) heap='--max-semi-space-size=4 --heap-growing-percent=30' ;;
esac
# Two options, so without quotes.
# shellcheck disable=SC2086
exec node $heap --disable-warning=ExperimentalWarning "$(dirname "$0")/run.js" apps/server/src/main.js
