import { readVersion } from '#platform/config';
import type { JsonObject } from '#platform/kernel';
import { inspectOpenSearchViews } from '#read-side/views';
import { backlog } from './backlog.ts';
import { bulkDeletions } from './bulk-deletions.ts';
import { bus } from './bus.ts';
import {
  type Check,
  type DoctorContext,
  type Finding,
  messageOf,
  type SharedState,
  UnknownResultError,
  within,
} from './check.ts';
import { dataToKeep } from './data-to-keep.ts';
import { disk } from './disk.ts';
import { eventLog } from './event-log.ts';
import { failedDocuments } from './failed-documents.ts';
import { failingErasures } from './failing-erasures.ts';
import { leftOutRows } from './left-out-rows.ts';
import { leftToErase } from './left-to-erase.ts';
import { lostContent } from './lost-content.ts';
import { model } from './model.ts';
import { orphans } from './orphans.ts';
import { removedStreams } from './removed-streams.ts';
import { reranking } from './reranking.ts';
import { secrets } from './secrets.ts';
import { server } from './server.ts';
import { storedContent } from './stored-content.ts';
import { summaries } from './summaries.ts';
import { views } from './views.ts';
import { work } from './work.ts';

/** Of each check; all checks run concurrently. */
const CHECK_TIMEOUT_MS = 10_000;

/** In the order in which a document passes the examined parts. */
const CHECKS: readonly Check[] = [
  server,
  eventLog,
  bus,
  work,
  views,
  leftOutRows,
  backlog,
  failedDocuments,
  summaries,
  lostContent,
  storedContent,
  model,
  reranking,
  disk,
  dataToKeep,
  secrets,
  bulkDeletions,
  leftToErase,
  failingErasures,
  removedStreams,
  orphans,
];

/** Yields the results of all checks, also if engines are unreachable; then a line with the versions. */
export async function* examine(context: DoctorContext): AsyncIterable<JsonObject> {
  const { openSearchUrl: url, prefix, role } = context.config;
  const shared: SharedState = {
    versions: {},
    openSearch: url === null ? null : inspectOpenSearchViews({ url, prefix }),
  };
  const running = CHECKS.map((check) => resultsOf(check, context, shared));
  let sound = true;
  for (const results of running) {
    for (const result of await results) {
      sound &&= result.state !== 'failed';
      yield { ...result };
    }
  }
  yield {
    done: true,
    sound,
    version: readVersion(),
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? null,
    engines: shared.versions,
    role,
  };
}

async function resultsOf(
  { name, about, run }: Check,
  context: DoctorContext,
  shared: SharedState,
): Promise<readonly Finding[]> {
  try {
    const results = [await within(CHECK_TIMEOUT_MS, run(context, shared))].flat();
    return results.map((result) => ({ name, about, ...result }));
  } catch (error) {
    const state = error instanceof UnknownResultError ? 'warning' : 'failed';
    return [{ name, about, state, detail: messageOf(error as Error) }];
  }
}
