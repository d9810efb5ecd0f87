#!/bin/sh
# What the image runs. Who answers requests is small and keeps little; a process that only works makes much that lives for
# a moment, and with a young generation this small spends up to a third of its time collecting it.
case "$MNEME_ROLE" in
  worker) young=32 ;;
  *) young=4 ;;
esac
exec node "--max-semi-space-size=$young" --disable-warning=ExperimentalWarning "$(dirname "$0")/../dist/apps/server/src/main.js"
