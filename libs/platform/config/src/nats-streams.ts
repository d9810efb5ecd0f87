import { whole } from './readers.ts';

/** Kinds of streams on NATS. Each stage has a stream of the kind `work`. */
const STREAMS = [
  'blobs',
  'keys',
  'vectors',
  'leases',
  'rate-limits',
  'key-uses',
  'quotas',
  'secrets',
  'events',
  'work',
  'dead-letters',
] as const;

export type StreamLimits = Readonly<Partial<Record<(typeof STREAMS)[number], number>>>;

export interface Placement {
  /** Null: any. */
  readonly cluster: string | null;
  /** Tags that a server must have, all of them. */
  readonly tags: readonly string[];
}

const MEGABYTE = 1024 * 1024;
const MAX_MEGABYTES = 1_000_000_000;
const NAME = /^[\w.:/-]{1,100}$/;

/** Reads `blobs=50000,vectors=8000`, in MiB. Returns bytes. */
export function streamLimits(text: string): StreamLimits {
  const limits: Record<string, number> = {};
  for (const [name, size] of pairsIn(text)) {
    if (!STREAMS.some((stream) => stream === name)) throw new Error(`must name streams of ${STREAMS.join(', ')}`);
    try {
      limits[name] = whole(1, MAX_MEGABYTES)(size) * MEGABYTE;
    } catch (error) {
      throw new Error(`of ${name} ${(error as Error).message}`);
    }
  }
  return limits;
}

/** Reads `cluster=east,tag=ssd,tag=eu`. */
export function placement(text: string): Placement {
  const pairs = pairsIn(text);
  const valuesOf = (wanted: string) => pairs.filter(([name]) => name === wanted).map(([, value]) => value);
  const [clusters, tags] = [valuesOf('cluster'), valuesOf('tag')];
  const isKnown = clusters.length + tags.length === pairs.length && clusters.length <= 1;
  if (!isKnown || pairs.length === 0 || !pairs.every(([, value]) => NAME.test(value))) {
    throw new Error('must look like cluster=east,tag=ssd, with at most one cluster');
  }
  return { cluster: clusters[0] ?? null, tags };
}

function pairsIn(text: string): (readonly [name: string, value: string])[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split('=');
      return [name.trim(), value.trim()] as const;
    });
}
