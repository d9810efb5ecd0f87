import type { RecordStream } from '#platform/nats';
import { type Kind, nameIn } from './subjects.ts';

const KINDS: readonly Kind[] = ['b', 'k', 'c', 'u'];

/** Everything that is stored of one document. */
export interface Folder {
  /** `<organization>.<document>`, as tokens. */
  readonly path: string;
  /** The last tokens of the subjects of each kind, with the number of their records. */
  readonly names: Readonly<Record<Kind, ReadonlyMap<string, number>>>;
}

interface Entry {
  /** With a dot at its end, because that is how subjects are ordered. */
  readonly path: string;
  readonly name: string;
  readonly count: number;
}

/** Yields the folders of which anything is stored, in order. One that changes meanwhile may be incomplete, or come twice. */
export async function* listFolders(records: RecordStream): AsyncGenerator<Folder> {
  const listings = await Promise.all(
    KINDS.map(async (kind) => {
      const entries = entriesOf(records, kind);
      return { kind, entries, head: await entries.next() };
    }),
  );
  for (;;) {
    const [path] = listings.flatMap(({ head }) => (head.done ? [] : head.value.path)).sort();
    if (path === undefined) return;
    const names = { b: new Map(), k: new Map(), c: new Map(), u: new Map() } as Record<Kind, Map<string, number>>;
    for (const listing of listings) {
      while (!listing.head.done && listing.head.value.path === path) {
        const { name, count } = listing.head.value;
        names[listing.kind].set(name, count);
        listing.head = await listing.entries.next();
      }
    }
    yield { path: path.slice(0, -1), names };
  }
}

async function* entriesOf(records: RecordStream, kind: Kind): AsyncGenerator<Entry, void> {
  const prefix = `${records.name}.${kind}.`;
  for await (const [subject, count] of records.counts(`${prefix}>`)) {
    const name = nameIn(subject);
    yield { path: subject.slice(prefix.length, -name.length), name, count };
  }
}
