import { contentHash } from '#platform/kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#platform/nats';
import type { NatsStreamKeysOptions, StreamKeys } from '../../stream-keys.ts';
import { decodeHalves, encodeHalves } from './key-record.ts';

/** Common to the subjects of all keys. */
const FOLDER = 'stream-keys';
const STREAM_TOKEN = 3;

/**
 * Stream keys on a JetStream stream:
 * - `<stream>.c.stream-keys.<hash of the event stream>.<id>`: the halves of a key, a record each.
 * - `<stream>.b.stream-keys.<hash of the event stream>.<id>`: the sequences of the halves.
 * - `<stream>.d.stream-keys.<hash of the event stream>`: the keys of the event stream were destroyed; empty.
 *
 * A server that is killed while it erases a record may leave its bytes in the file, and not know the record any more. It
 * erases one record at a time, so such a kill leaves at most one half of a key, and the other 128 bits cannot be guessed.
 */
export class NatsStreamKeys implements StreamKeys {
  readonly #records: RecordStream;

  /** @throws NatsStreamMissingError if the stream does not exist and must not be created */
  static async open({ bucket, mayCreate, ...options }: NatsStreamKeysOptions): Promise<NatsStreamKeys> {
    const creates = mayCreate ? 'at-open' : 'never';
    return new NatsStreamKeys(await openRecordStream({ ...options, name: bucket, creates }));
  }

  private constructor(records: RecordStream) {
    this.#records = records;
  }

  async put(stream: string, id: string, key: Uint8Array): Promise<void> {
    const middle = key.length / 2;
    const halves = [key.subarray(0, middle), key.subarray(middle)];
    const subject = this.#subjectOf('c', stream, id);
    const seqs = await Promise.all(halves.map((half) => this.#records.write(subject, half)));
    await this.#replace(this.#subjectOf('b', stream, id), encodeHalves(seqs));
  }

  async get(stream: string, id: string): Promise<Uint8Array | null> {
    for (let previous = 0; ; ) {
      const record = await this.#records.last(this.#subjectOf('b', stream, id));
      // A half that is missing means that the key was replaced or destroyed, unless its record is still the same.
      if (record === null || record.seq === previous) return null;
      const [first, second] = await Promise.all(decodeHalves(record.data).map((seq) => this.#records.at(seq)));
      if (first && second) return Buffer.concat([first, second]);
      previous = record.seq;
    }
  }

  async destroy(stream: string): Promise<void> {
    const filter = `${this.#records.name}.*.${FOLDER}.${contentHash(stream)}.>`;
    // Repeated, because the pages of a list shift while their subjects are removed.
    for (let found = true; found; ) {
      found = false;
      // In order: the record of a key before its halves, so that no reader is led to a half that is gone.
      for await (const subject of this.#records.subjects(filter)) {
        found = true;
        await this.#removeAll(subject);
      }
    }
    // Last, because a full stream has space for it then; a destruction that was cut off before it is repeated.
    await this.#records.replace(this.#destroyedSubject(stream), new Uint8Array(), 0);
  }

  async isDestroyed(stream: string): Promise<boolean> {
    return (await this.#records.last(this.#destroyedSubject(stream))) !== null;
  }

  async among(streams: ReadonlySet<string>): Promise<readonly string[]> {
    const left = new Map([...streams].map((stream) => [contentHash(stream), stream]));
    const found: string[] = [];
    // Halves too: an interrupted destruction may have left only these.
    for (const kind of ['b', 'c'] as const) {
      for await (const subject of this.#records.subjects(`${this.#prefixOf(kind)}>`)) {
        const hash = subject.split('.')[STREAM_TOKEN] ?? '';
        const stream = left.get(hash);
        if (stream !== undefined && left.delete(hash)) found.push(stream);
      }
    }
    return found;
  }

  async #replace(subject: string, data: Uint8Array): Promise<void> {
    // Ids are random, so that there is no record as a rule.
    for (let old: NatsRecord | null = null; ; old = await this.#records.last(subject)) {
      if ((await this.#records.replace(subject, data, old?.seq ?? 0)) === null) continue;
      if (old === null) return;
      await this.#records.drop(old.seq);
      for (const half of decodeHalves(old.data)) await this.#records.erase(half);
      return;
    }
  }

  async #removeAll(subject: string): Promise<void> {
    const isHalves = subject.startsWith(this.#prefixOf('c'));
    for (;;) {
      const record = await this.#records.next(subject, 0);
      if (record === null) return;
      // A list of halves is no secret, and need not be overwritten.
      await (isHalves ? this.#records.erase(record.seq) : this.#records.drop(record.seq));
    }
  }

  #destroyedSubject(stream: string): string {
    return `${this.#records.name}.d.${FOLDER}.${contentHash(stream)}`;
  }

  #prefixOf(kind: 'b' | 'c'): string {
    return `${this.#records.name}.${kind}.${FOLDER}.`;
  }

  #subjectOf(kind: 'b' | 'c', stream: string, id: string): string {
    return `${this.#prefixOf(kind)}${contentHash(stream)}.${id}`;
  }
}
