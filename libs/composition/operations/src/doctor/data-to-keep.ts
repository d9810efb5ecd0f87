import { keptStreamsOf } from '#composition/runtime';
import { withoutCredentials } from '#platform/kernel';
import { type InspectedStream, inspectStreams } from '#platform/nats';
import {
  type Check,
  type DoctorContext,
  type Finding,
  failure,
  mebibytes,
  ok,
  required,
  warning,
  within,
} from './check.ts';

const ANSWER_MS = 5_000;

/** Names every store that has to be backed up, with its size where this is known. */
export const dataToKeep: Check = {
  name: 'data to keep',
  about: 'Stores whose content nothing else has. Back them up together, the event log first; see Backup in the manual.',
  async run(context) {
    const streams = await streamsIn(context);
    const detail = [...localStores(context), ...streams.map(textOf)].join('; ');
    return problemOf(context, streams, detail) ?? ok(detail);
  },
};

/** Stores outside of NATS. */
function localStores({ config, engines: { files } }: DoctorContext): readonly string[] {
  const { eventStoreUrl, natsUrl } = config;
  return [
    eventStoreUrl === null ? files.events : `the database of EventStoreDB at ${withoutCredentials(eventStoreUrl)}`,
    ...(natsUrl === null && eventStoreUrl !== null ? [`${files.streamKeys} (keys of every payload in the log)`] : []),
    ...(natsUrl === null ? [`${files.blobs} (files and long texts)`] : []),
  ];
}

async function streamsIn({ config, engines }: DoctorContext): Promise<readonly InspectedStream[]> {
  if (engines.nats === null) return [];
  return within(ANSWER_MS, inspectStreams(required(engines.nats, 'NATS'), keptStreamsOf(config)));
}

function textOf({ name, found }: InspectedStream): string {
  const content = name.endsWith('-keys') ? 'keys of every payload in the log' : 'files and long texts';
  if (found === null) return `the stream ${name} on NATS (${content}): MISSING`;
  const { records, bytes, copies } = found;
  const size = `${records} records, ${mebibytes(bytes)}, ${copies} ${copies === 1 ? 'copy' : 'copies'}`;
  return `the stream ${name} on NATS (${content}; ${size})`;
}

function problemOf(
  { engines: { nats } }: DoctorContext,
  streams: readonly InspectedStream[],
  detail: string,
): Finding | null {
  const missing = streams.filter(({ found }) => found === null).map(({ name }) => name);
  if (missing.length > 0) {
    const advice = `Restore ${missing.join(' and ')} from a backup. Adds are answered with 503 until then.`;
    return failure(detail, advice);
  }
  const isCluster = nats !== null && 'opened' in nats && Boolean(nats.opened.info?.cluster);
  if (!isCluster || streams.every(({ found }) => found === null || found.copies > 1)) return null;
  const advice = 'A lost disk of NATS loses a stream with one copy. Set MNEME_NATS_REPLICAS=3.';
  return warning(detail, advice);
}
