import TestSequencer from '@jest/test-sequencer';

/**
 * Seconds that the slowest suites take, on the slower set-up; only their order matters. A clean clone has no timings of former runs, and a long
 * suite that starts late keeps one worker busy while the others have nothing left to do.
 */
const SECONDS = {
  'test/cluster-faults.engine.spec.ts': 230,
  'libs/read-side/views/src/adapters/opensearch/opensearch-views.engine.spec.ts': 150,
  'test/opensearch-nodes.engine.spec.ts': 120,
  'test/loss.engine.spec.ts': 115,
  'test/faults.spec.ts': 110,
  'test/deletion.spec.ts': 100,
  'test/rebuild.engine.spec.ts': 100,
  'test/vector-space.engine.spec.ts': 100,
  'test/cluster-nats.engine.spec.ts': 85,
  'test/model/in-process.spec.ts': 80,
  'test/operations.spec.ts': 76,
  'test/transfer.spec.ts': 75,
  'test/tag-deletion.spec.ts': 75,
  'test/cluster.engine.spec.ts': 75,
  'test/api-page.spec.ts': 74,
  'test/frameworks.spec.ts': 74,
  'test/older-log.spec.ts': 74,
  'test/bad-input.spec.ts': 70,
  'test/chaos/distributed.engine.spec.ts': 70,
  'libs/read-side/views/src/adapters/opensearch/opensearch.engine.spec.ts': 62,
  'test/vector-space.spec.ts': 60,
  'test/uploads.spec.ts': 60,
  'libs/read-side/projections/src/read-models.opensearch.engine.spec.ts': 57,
  'test/sdk.spec.ts': 53,
  'test/similarity.spec.ts': 50,
  'libs/ports/event-store/src/adapters/eventstoredb/eventstoredb-outage.spec.ts': 50,
  'test/memories-everywhere.spec.ts': 50,
  'test/large-rows.engine.spec.ts': 50,
  'test/retries.spec.ts': 48,
  'test/batch.spec.ts': 48,
  'test/file-and-text.spec.ts': 42,
  'test/damaged-views.spec.ts': 41,
  'libs/ports/speech/src/whisper/transcriber.spec.ts': 40,
  'test/tools-client.spec.ts': 40,
  'test/python-sdk.spec.ts': 40,
  'test/languages.spec.ts': 40,
  'libs/ports/blobs/src/adapters/nats/nats-blob-store.engine.spec.ts': 40,
  'libs/ports/blobs/src/adapters/nats/suspended-put.engine.spec.ts': 37,
  'test/doctor.engine.spec.ts': 37,
  'test/refusals.spec.ts': 35,
  'test/tag-merge.spec.ts': 32,
  'test/health.engine.spec.ts': 32,
  'test/kinds.spec.ts': 31,
  'libs/processing/extraction/src/ocr/grounds.spec.ts': 60,
  'libs/processing/extraction/src/ocr/ocr.spec.ts': 30,
  'libs/ports/leases/src/adapters/nats/nats-leases.engine.spec.ts': 30,
  'test/transfer.engine.spec.ts': 30,
  'test/pipeline.spec.ts': 27,
  'test/media.spec.ts': 25,
  'test/idempotency.spec.ts': 25,
  'test/chaos/embedded.spec.ts': 25,
  'test/nats-work.engine.spec.ts': 25,
  'test/backup.spec.ts': 22,
  'libs/ports/event-feed/src/adapters/nats/nats-feed.engine.spec.ts': 22,
  'libs/ports/models/src/local-embedder.spec.ts': 21,
  'libs/ports/event-store/src/adapters/nats/nats-stream-keys.engine.spec.ts': 21,
  'libs/platform/child-jobs/src/pool.spec.ts': 18,
  'test/changed-lines.spec.ts': 12,
};

const secondsOf = ({ path }) => Object.entries(SECONDS).find(([suite]) => path.endsWith(`/${suite}`))?.[1] ?? 0;

/** Starts the longest suites first; the others follow in Jest's own order. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}
