#!/bin/sh
# Entry point of the image. API processes use a small young generation to save memory; a worker allocates many short-lived
# objects and would spend up to a third of its time on garbage collection with that size.
case "$MNEME_ROLE" in
  worker) young=32 ;;
  *) young=4 ;;
esac
exec node "--max-semi-space-size=$young" --disable-warning=ExperimentalWarning "$(dirname "$0")/../dist/apps/server/src/main.js"
