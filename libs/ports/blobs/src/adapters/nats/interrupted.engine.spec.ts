import { randomBytes } from 'node:crypto';
import { systemClock } from '#platform/kernel';
import { NatsUnreachableError, openRecordStream, type RecordStream } from '#platform/nats';
import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { MOST_UNANSWERED } from './interrupted.ts';
import { NatsBlobStore } from './nats-blob-store.ts';

/** Calls whose process is killed between two writes: every one of them is tried. */

/** More than one part. */
const LONG = 1_300_000;
const SHORT = 100;
const HOUR_MS = 3_600_000;
const TOMORROW = { now: () => systemClock.now() + 25 * HOUR_MS };
const NEVER = new AbortController().signal;

const nats = natsSuite();
let records: RecordStream;
let store: NatsBlobStore;
beforeEach(async () => {
  records = await openRecordStream({ connection: nats.connection, name: nats.bucket });
  store = new NatsBlobStore(records, { clock: TOMORROW });
});

/** The records as a process sees them that is killed when it has written so many times. */
function killedAfter(writes: number): RecordStream {
  let left = writes;
  let isKilled = false;
  const reading = <T>(read: () => T): T => {
    if (isKilled) throw new Error('killed');
    return read();
  };
  const writing = <T>(write: () => T): T => {
    isKilled ||= left === 0;
    left -= 1;
    return reading(write);
  };
  return {
    name: records.name,
    maxRecordBytes: records.maxRecordBytes,
    last: async (subject) => reading(() => records.last(subject)),
    next: async (...args) => reading(() => records.next(...args)),
    at: async (seq) => reading(() => records.at(seq)),
    subjects: (filter) => reading(() => records.subjects(filter)),
    counts: (filter) => reading(() => records.counts(filter)),
    write: async (...args) => writing(() => records.write(...args)),
    replace: async (...args) => writing(() => records.replace(...args)),
    erase: async (seq) => writing(() => records.erase(seq)),
    drop: async (seq) => writing(() => records.drop(seq)),
  };
}

/** Removes what is left, on the next day. */
const collect = (of: RecordStream = records): Promise<void> =>
  new NatsBlobStore(of, { clock: TOMORROW }).removeInterrupted(NEVER);

/** Everything that is stored of a document: the subjects, without the name of the stream, with the number of records. */
async function held(document: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const [subject, count] of records.counts(`${nats.bucket}.*.org.${document}.>`)) {
    const [, kind = ''] = subject.split('.');
    found[kind] = (found[kind] ?? 0) + count;
  }
  return found;
}

/** What a stored blob consists of. */
const whole = (bytes: Uint8Array) => (bytes.length === SHORT ? { b: 1, k: 1 } : { b: 1, c: 3, k: 1 });

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 400_000) yield bytes.subarray(from, from + 400_000);
}

const [SHORT_BLOB, LONG_BLOB, OTHER_BLOB] = [SHORT, LONG, LONG].map((size) => randomBytes(size)) as [
  Buffer,
  Buffer,
  Buffer,
];

interface Call {
  readonly stored: Uint8Array | null;
  /** Null: nothing may be left once it was repeated. */
  readonly put: Uint8Array | null;
  run(store: NatsBlobStore, document: string): Promise<unknown>;
}

const putting = (stored: Uint8Array | null, put: Uint8Array): Call => ({
  stored,
  put,
  run: (killed, document) => killed.put(`org/${document}/text`, put.length === SHORT ? put : inPieces(put)),
});
const CALLS: readonly [string, Call][] = [
  ['a put of a short blob', putting(null, SHORT_BLOB)],
  ['a put of a long blob', putting(null, LONG_BLOB)],
  ['a put that replaces a short blob', putting(SHORT_BLOB, LONG_BLOB)],
  ['a put that replaces a long blob by a short one', putting(LONG_BLOB, SHORT_BLOB)],
  ['a put that replaces a long blob by a long one', putting(OTHER_BLOB, LONG_BLOB)],
  ...[SHORT_BLOB, LONG_BLOB].flatMap((stored): [string, Call][] => [
    [
      `a deletion of ${stored.length} bytes`,
      { stored, put: null, run: (killed, document) => killed.delete(`org/${document}/text`) },
    ],
    [
      `a deletion of a folder with ${stored.length} bytes`,
      { stored, put: null, run: (killed, document) => killed.deletePrefix(`org/${document}/`) },
    ],
  ]),
];

/** Kills the call after each of its writes, each time for another document. Returns these. */
async function kill({ stored, run }: Call, name: string): Promise<readonly string[]> {
  const documents: string[] = [];
  for (let writes = 0, isDone = false; !isDone; writes += 1) {
    const document = `${name}${writes}`;
    documents.push(document);
    if (stored !== null) await store.put(`org/${document}/text`, stored);
    isDone = await run(new NatsBlobStore(killedAfter(writes)), document).then(
      () => true,
      () => false,
    );
  }
  // A failing clean-up may be ignored by the call, but the first writes are not.
  expect(documents.length).toBeGreaterThan(2);
  return documents;
}

describe.each(CALLS)('%s that was killed', (_, call) => {
  test('leaves nothing once its document was found by the sweep and erased', async () => {
    const documents = await kill(call, 'doc');
    const folders = new Set(await Array.fromAsync(store.listFolders()));
    for (const document of documents) {
      expect(folders.has(`org/${document}`)).toBe(Object.keys(await held(document)).length > 0);
      if (folders.has(`org/${document}`)) await store.deletePrefix(`org/${document}/`);
      expect(await held(document)).toEqual({});
    }
  });

  test('leaves nothing but one whole blob, or none, after the garbage collection', async () => {
    const documents = await kill(call, 'doc');
    await collect();
    for (const document of documents) {
      const found = await store.get(`org/${document}/text`);
      expect(await held(document)).toEqual(found === null ? {} : whole(found));
      const permitted = [call.stored, call.put].map((bytes) => bytes && Buffer.from(bytes).toString('base64'));
      expect([null, ...permitted]).toContain(found && Buffer.from(found).toString('base64'));
      // Only a deletion may lose what was stored.
      if (call.stored !== null && call.put !== null) expect(found).not.toBeNull();
    }
  });

  test('is finished by a repetition', async () => {
    for (const document of await kill(call, 'doc')) {
      await call.run(store, document);
      await store.removeInterrupted(NEVER);
      expect(await held(document)).toEqual(call.put === null ? {} : whole(call.put));
    }
  });
});

test('a deletion that was killed is finished by a repetition alone', async () => {
  const deleting: Call = { stored: LONG_BLOB, put: null, run: (killed, id) => killed.delete(`org/${id}/text`) };
  for (const document of await kill(deleting, 'doc')) {
    await store.delete(`org/${document}/text`);
    expect(await held(document)).toEqual({});
  }
});

test('what a call has left that may still run stays for a day', async () => {
  const documents = await kill(putting(null, LONG_BLOB), 'doc');
  const before = await Promise.all(documents.map(held));
  await new NatsBlobStore(records).removeInterrupted(NEVER);
  expect(await Promise.all(documents.map(held))).toEqual(before);
});

test('documents whose blobs are whole are not read', async () => {
  for (const [i, bytes] of [SHORT_BLOB, LONG_BLOB].entries()) await store.put(`org/doc${i}/text`, bytes);
  const next = () => Promise.reject(new Error('a document was read'));
  await collect({ ...killedAfter(Number.POSITIVE_INFINITY), next });
});

describe('of many documents with something left', () => {
  const ids = Array.from({ length: 2 * MOST_UNANSWERED }, (_, i) => `doc${i}`);
  beforeEach(async () => {
    for (const id of ids) await records.write(`${nats.bucket}.k.org.${id}.text`, new Uint8Array());
  });

  function failingWith(error: Error, fails: (subjects: string) => boolean): { asked: number; records: RecordStream } {
    const failing = {
      asked: 0,
      records: {
        ...killedAfter(Number.POSITIVE_INFINITY),
        subjects: (filter: string) => {
          failing.asked += 1;
          if (fails(filter)) throw error;
          return records.subjects(filter);
        },
      },
    };
    return failing;
  }

  test('one that cannot be examined holds up no other one', async () => {
    const error = new Error('damaged');
    const failing = failingWith(error, (subjects) => subjects.includes('.doc0.'));
    await expect(new NatsBlobStore(failing.records, { clock: TOMORROW }).removeInterrupted(NEVER)).rejects.toBe(error);
    for (const id of ids) expect(await held(id)).toEqual(id === 'doc0' ? { k: 1 } : {});
  });

  test('not all are tried while NATS does not answer', async () => {
    const error = new NatsUnreachableError('away');
    const failing = failingWith(error, () => true);
    await expect(new NatsBlobStore(failing.records, { clock: TOMORROW }).removeInterrupted(NEVER)).rejects.toBe(error);
    expect(failing.asked).toBe(MOST_UNANSWERED);
  });
});

test('the folders of all kinds are listed once and in order', async () => {
  const ids = ['d', 'd-1', 'd.1', 'e'];
  for (const id of ids) {
    await store.put(`org/${id}/short`, SHORT_BLOB);
    await store.put(`org/${id}/long`, LONG_BLOB);
    for (const kind of ['u', 'k', 'c']) {
      await records.write(`${nats.bucket}.${kind}.org.${id.replace('.', '~')}.left`, new Uint8Array());
      await records.write(`${nats.bucket}.${kind}.org.${kind}-alone.left`, new Uint8Array());
    }
  }
  const folders = await Array.fromAsync(store.listFolders());
  expect(folders).toHaveLength(new Set(folders).size);
  expect(folders.sort()).toEqual([...ids, 'c-alone', 'k-alone', 'u-alone'].map((id) => `org/${id}`).sort());
});
