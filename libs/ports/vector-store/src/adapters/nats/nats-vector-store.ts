import pLimit from 'p-limit';
import { contentHash } from '#platform/kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#platform/nats';
import { keyBytes } from '../../keys.ts';
import type { NatsVectorOptions, QuantizedVector, VectorStore } from '../../port.ts';
import { decodeRecord, encodeHashes, encodeRecord, hashesIn, type VectorRecord } from './vector-record.ts';

const BUCKET = 'mneme-vectors';
/** Concurrent requests. */
const MAX_REQUESTS = 256;
/** Owners listed in the record of the vector. Further owners have a record each, so that popular texts stay cheap. */
const LISTED_OWNERS = 64;
/** Limit of the older records of a key that are erased together with it. */
const OLDER_RECORDS = 16;
const KEYS_PER_LIST = 20_000;

/**
 * Vectors on a JetStream stream. Keys and owners are 16 bytes of a hash.
 * - `<stream>.v.<key>`: the vector with its owners. One record holds both, so both change together.
 * - `<stream>.o.<owner>`: keys that the owner may use, a record per call.
 * - `<stream>.m.<key>.<owner>`: a further owner, if the record of the vector lists its maximum.
 *
 * Invariants that keep every used vector and remove every unused one under concurrency:
 * 1. Every change is a compare-and-set of the vector's record: adding an owner, and replacing the record by one without
 *    vector after the last owner has released it. Of two concurrent changes one succeeds; the other process reads again.
 *    An adding process then finds no vector, and a releasing process finds another owner.
 * 2. The record of a further owner is written or removed first, then the record of the vector is written again unchanged.
 *    A process that finds no owner has read the vector's record before it searched for further owners, so a change in
 *    between makes its compare-and-set fail.
 * 3. The owner's list is written before all other records and removed after them. If a process dies in between, releasing
 *    the owner again finishes its work. A listed key that is not used has no effect.
 * 4. Only records that are not the last of their subject, or that have no vector, are removed. A record names every older
 *    one that may still exist, and is removed after them, so no older record becomes the current one.
 *
 * Records with a vector are overwritten in the server's files, soon after `release` has resolved, because that takes the
 * server some milliseconds each.
 */
export class NatsVectorStore implements VectorStore {
  readonly #records: RecordStream;
  readonly #listedOwners: number;
  #erasing: Promise<void> = Promise.resolve();

  /** @see openNatsVectorStore */
  static async open({ bucket = BUCKET, ...options }: NatsVectorOptions): Promise<NatsVectorStore> {
    return new NatsVectorStore(await openRecordStream({ ...options, name: bucket }));
  }

  /** @param listedOwners limit of the owners in the record of a vector */
  constructor(records: RecordStream, listedOwners = LISTED_OWNERS) {
    this.#records = records;
    this.#listedOwners = listedOwners;
  }

  get(keys: readonly string[]): Promise<readonly (QuantizedVector | null)[]> {
    return atOnce(keys.map(keyHash), async (key) => {
      const record = await this.#records.last(this.#vectorSubject(key));
      return record === null ? null : decodeRecord(record.data).vector;
    });
  }

  /** @throws TypeError for a key that is not a hash; nothing of the call is stored */
  async put(
    owner: string,
    entries: readonly { readonly key: string; readonly vector: QuantizedVector }[],
  ): Promise<void> {
    const hashed = entries.map(({ key, vector }) => ({ key: keyHash(key), vector }));
    const me = ownerHash(owner);
    await this.#list(
      me,
      hashed.map(({ key }) => key),
    );
    await atOnce(hashed, ({ key, vector }) => this.#putOne(me, key, vector));
  }

  async claim(owner: string, keys: readonly string[]): Promise<readonly string[]> {
    const me = ownerHash(owner);
    const vectors = await this.get(keys);
    const stored = keys.filter((_, i) => vectors[i] !== null);
    await this.#list(me, stored.map(keyHash));
    const isClaimed = await atOnce(stored, (key) => this.#add(me, keyHash(key), null));
    const claimed = new Set(stored.filter((_, i) => isClaimed[i]));
    return keys.filter((key) => !claimed.has(key));
  }

  async release(owner: string, except: readonly string[] = [], heir?: string): Promise<void> {
    const me = ownerHash(owner);
    const kept = new Set(except.map(keyHash));
    const lists = await this.#listsOf(me);
    const listed = [...new Set(lists.flatMap(({ data }) => hashesIn(data)))];
    const dropped = listed.filter((key) => !kept.has(key));
    if (heir !== undefined && dropped.length > 0) {
      const heirs = ownerHash(heir);
      await this.#list(heirs, dropped);
      await atOnce(dropped, (key) => this.#add(heirs, key, null));
    }
    const unused = (await atOnce(dropped, (key) => this.#remove(me, key))).filter((record) => record !== null);
    if (dropped.length === 0 && lists.length <= 1) return;
    await this.#list(
      me,
      listed.filter((key) => kept.has(key)),
    );
    this.#erasing = this.#erasing.then(() => this.#finish(unused, lists)).catch(() => undefined);
  }

  async *ownersAmong(owners: ReadonlySet<string>): AsyncGenerator<string> {
    const byHash = new Map([...owners].map((owner) => [ownerHash(owner), owner]));
    const prefix = this.#listSubject('');
    for await (const subject of this.#records.subjects(`${prefix}>`)) {
      const owner = byHash.get(subject.slice(prefix.length));
      if (owner !== undefined) yield owner;
    }
  }

  async close(): Promise<void> {
    await this.#erasing;
  }

  /** If it fails, the lists remain, and releasing the owner again repeats it. */
  async #finish(unused: readonly NatsRecord[], lists: readonly NatsRecord[]): Promise<void> {
    for (const record of unused) await this.#removeUnused(record);
    await atOnce(lists, ({ seq }) => this.#records.drop(seq));
  }

  /** Most keys are new, so the first attempt does not read. */
  async #putOne(me: string, key: string, vector: QuantizedVector): Promise<void> {
    const first = encodeRecord({ owners: [me], hasMore: false, older: [], vector });
    if ((await this.#records.replace(this.#vectorSubject(key), first, 0)) !== null) return;
    await this.#add(me, key, vector);
  }

  /** Adds an owner. Returns false if there is no vector. @param vector replaces the stored one; null: that stays */
  async #add(me: string, key: string, vector: QuantizedVector | null): Promise<boolean> {
    const subject = this.#vectorSubject(key);
    for (let hasOwn = false; ; ) {
      const record = await this.#records.last(subject);
      const current = record === null ? NO_VECTOR : decodeRecord(record.data);
      const isListed =
        current.vector === null || current.owners.length < this.#listedOwners || current.owners.includes(me);
      if (isListed && hasOwn) {
        await this.#dropOwn(me, key);
        hasOwn = false;
      }
      if (current.vector === null && vector === null) return false;
      const hasVector = vector === null || (current.vector !== null && Buffer.compare(current.vector, vector) === 0);
      if (hasVector && current.owners.includes(me)) return true;
      if (!isListed) {
        await this.#records.replace(this.#ownerSubject(key, me), new Uint8Array(), 0);
        hasOwn = true;
      }
      const owners = isListed && !current.owners.includes(me) ? [...current.owners, me] : current.owners;
      const changed = { ...current, owners, hasMore: current.hasMore || !isListed, vector: vector ?? current.vector };
      if (await this.#change(subject, record, changed)) return true;
    }
  }

  /** Removes an owner. Returns the record without vector if the key has no owner left, else null. */
  async #remove(me: string, key: string): Promise<NatsRecord | null> {
    const subject = this.#vectorSubject(key);
    for (let isOwnGone = false, mustWrite = false; ; ) {
      const record = await this.#records.last(subject);
      const current = record === null ? NO_VECTOR : decodeRecord(record.data);
      if (record === null || current.vector === null) {
        await this.#dropOwn(me, key);
        return record;
      }
      const isListed = current.owners.includes(me);
      if (!isOwnGone && (current.hasMore || !isListed)) {
        isOwnGone = true;
        mustWrite = await this.#dropOwn(me, key);
        // The record was read before the removal and may be outdated.
        if (mustWrite) continue;
      }
      const owners = current.owners.filter((owner) => owner !== me);
      if (owners.length > 0 && !isListed && !mustWrite) return null;
      if (owners.length > 0 || (current.hasMore && (await this.#hasFurtherOwners(key)))) {
        if (await this.#change(subject, record, { ...current, owners })) return null;
        continue;
      }
      // Read again and returned in the next round.
      await this.#change(subject, record, { ...NO_VECTOR, older: current.older });
    }
  }

  /** Replaces `record`. Returns false if another process was faster. */
  async #change(subject: string, record: NatsRecord | null, changed: VectorRecord): Promise<boolean> {
    const isLong = changed.older.length >= OLDER_RECORDS;
    if (isLong) await this.#eraseAll(changed.older);
    const older = record === null ? [] : [...(isLong ? [] : changed.older), record.seq];
    return (await this.#records.replace(subject, encodeRecord({ ...changed, older }), record?.seq ?? 0)) !== null;
  }

  /** Removes a record without vector, after those that it replaced. */
  async #removeUnused(record: NatsRecord): Promise<void> {
    await this.#eraseAll(decodeRecord(record.data).older);
    await this.#records.drop(record.seq);
  }

  async #eraseAll(seqs: readonly number[]): Promise<void> {
    await Promise.all(seqs.map((seq) => this.#records.erase(seq)));
  }

  /** Removes the record of a further owner. Returns whether it existed. */
  async #dropOwn(me: string, key: string): Promise<boolean> {
    const record = await this.#records.last(this.#ownerSubject(key, me));
    return record !== null && (await this.#records.drop(record.seq));
  }

  async #hasFurtherOwners(key: string): Promise<boolean> {
    return (await this.#records.last(this.#ownerSubject(key, '*'))) !== null;
  }

  async #list(me: string, keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += KEYS_PER_LIST) {
      await this.#records.write(this.#listSubject(me), encodeHashes(keys.slice(from, from + KEYS_PER_LIST)));
    }
  }

  async #listsOf(me: string): Promise<NatsRecord[]> {
    const lists: NatsRecord[] = [];
    for (;;) {
      const list = await this.#records.next(this.#listSubject(me), lists.at(-1)?.seq ?? 0);
      if (list === null) return lists;
      lists.push(list);
    }
  }

  #vectorSubject(key: string): string {
    return `${this.#records.name}.v.${key}`;
  }

  #ownerSubject(key: string, owner: string): string {
    return `${this.#records.name}.m.${key}.${owner}`;
  }

  #listSubject(owner: string): string {
    return `${this.#records.name}.o.${owner}`;
  }
}

const NO_VECTOR: VectorRecord = { owners: [], hasMore: false, older: [], vector: null };

const keyHash = (key: string): string => Buffer.from(keyBytes(key)).toString('base64url');
const ownerHash = (owner: string): string => keyHash(contentHash(owner));

/** Like `Promise.all`, with limited concurrency. */
const atOnce = <T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> =>
  pLimit(MAX_REQUESTS).map(items, run);
