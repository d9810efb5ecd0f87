import pLimit from 'p-limit';
import { contentHash } from '#kernel';
import { type NatsRecord, openRecordStream, type RecordStream } from '#nats';
import { keyBytes } from '../../keys.ts';
import type { NatsVectorOptions, QuantizedVector, VectorCache } from '../../port.ts';
import { decodeRecord, encodeHashes, encodeRecord, hashesIn, type VectorRecord } from './vector-record.ts';

const BUCKET = 'mneme-vectors';
/** Requests under way at a time. */
const AT_ONCE = 256;
/** Owners that stand in the vector's own record. Beyond it each has a record, so that popular texts stay cheap. */
const LISTED_OWNERS = 64;
/** Older records of a key that wait for being erased together with it. */
const OLDER_RECORDS = 16;
const KEYS_PER_LIST = 20_000;

/**
 * Vectors on a JetStream stream. Keys and owners are 16 bytes of a hash.
 * - `<stream>.v.<key>`: the vector with its owners. One record holds both, so both change together.
 * - `<stream>.o.<owner>`: keys that the owner may use, a record for each call.
 * - `<stream>.m.<key>.<owner>`: a further owner, where the vector's record has no room for him.
 *
 * Why no vector is lost that somebody uses, and none stays that nobody uses, whatever the processes do at once:
 * 1. Everything is decided by compare and set of the vector's record. Who adds himself does it on the record that he has
 *    read, and so does who finds that he was the last one, and writes a record without vector. One of two succeeds; the
 *    other reads again: the one who adds finds no vector and says so, the one who releases finds another owner.
 * 2. A further owner's record is put before, or removed before, and the vector's record is written again each time, though
 *    nothing in it changes. Who wants to write that nobody is left has read the vector's record before he looked for
 *    further owners: whatever changed since makes him fail and look again.
 * 3. The owner's list is written before anything else and removed after everything else. So who died in between is
 *    found in a list, and releasing the owner again finishes what was begun. A key in a list that is not used harms nobody.
 * 4. Records are removed only when they are not the last of their subject, or say that there is no vector. A record names
 *    every older one that may be left, and is removed after them: none comes to light again.
 *
 * What held a vector is overwritten in the server's files, not merely removed: soon after `release` has resolved, for it
 * takes the server some milliseconds each.
 */
export class NatsVectorCache implements VectorCache {
  readonly #records: RecordStream;
  readonly #listedOwners: number;
  #erasing: Promise<void> = Promise.resolve();

  /** @see openNatsVectorCache */
  static async open({ bucket = BUCKET, ...options }: NatsVectorOptions): Promise<NatsVectorCache> {
    return new NatsVectorCache(await openRecordStream({ ...options, name: bucket }));
  }

  /** @param listedOwners how many owners stand in the vector's own record */
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

  /** @throws TypeError for a key that is no hash; nothing of the call is stored */
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
    const found = await this.get(keys);
    const held = keys.filter((_, i) => found[i] !== null);
    await this.#list(me, held.map(keyHash));
    const isClaimed = await atOnce(held, (key) => this.#add(me, keyHash(key), null));
    const claimed = new Set(held.filter((_, i) => isClaimed[i]));
    return keys.filter((key) => !claimed.has(key));
  }

  async release(owner: string, except: readonly string[] = []): Promise<void> {
    const me = ownerHash(owner);
    const kept = new Set(except.map(keyHash));
    const lists = await this.#listsOf(me);
    const listed = [...new Set(lists.flatMap(({ data }) => hashesIn(data)))];
    const dropped = listed.filter((key) => !kept.has(key));
    const unused = (await atOnce(dropped, (key) => this.#remove(me, key))).filter((record) => record !== null);
    if (dropped.length === 0 && lists.length <= 1) return;
    await this.#list(
      me,
      listed.filter((key) => kept.has(key)),
    );
    this.#erasing = this.#erasing.then(() => this.#finish(unused, lists)).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#erasing;
  }

  /** What fails here is found in the lists again, when the owner is released once more. */
  async #finish(unused: readonly NatsRecord[], lists: readonly NatsRecord[]): Promise<void> {
    for (const record of unused) await this.#bury(record);
    await atOnce(lists, ({ seq }) => this.#records.drop(seq));
  }

  /** Most keys are new: tried without looking first. */
  async #putOne(me: string, key: string, vector: QuantizedVector): Promise<void> {
    const first = encodeRecord({ owners: [me], hasMore: false, older: [], vector });
    if ((await this.#records.replace(this.#vectorSubject(key), first, 0)) !== null) return;
    await this.#add(me, key, vector);
  }

  /** @param vector null: only if it is held. @returns whether it is held, and used by the owner */
  async #add(me: string, key: string, vector: QuantizedVector | null): Promise<boolean> {
    const subject = this.#vectorSubject(key);
    for (let hasOwn = false; ; ) {
      const record = await this.#records.last(subject);
      const found = record === null ? NOTHING : decodeRecord(record.data);
      const isListed = found.vector === null || found.owners.length < this.#listedOwners || found.owners.includes(me);
      if (isListed && hasOwn) {
        await this.#dropOwn(me, key);
        hasOwn = false;
      }
      if (found.vector === null && vector === null) return false;
      if (found.vector !== null && found.owners.includes(me)) return true;
      if (!isListed) {
        await this.#records.replace(this.#ownerSubject(key, me), new Uint8Array(), 0);
        hasOwn = true;
      }
      const changed = isListed
        ? { ...found, owners: [...found.owners, me], vector: found.vector ?? vector }
        : { ...found, hasMore: true };
      if (await this.#change(subject, record, changed)) return true;
    }
  }

  /** @returns the record to be buried, if nobody uses the vector any more */
  async #remove(me: string, key: string): Promise<NatsRecord | null> {
    const subject = this.#vectorSubject(key);
    for (let isOwnGone = false, mustWrite = false; ; ) {
      const record = await this.#records.last(subject);
      const found = record === null ? NOTHING : decodeRecord(record.data);
      if (record === null || found.vector === null) {
        await this.#dropOwn(me, key);
        return record;
      }
      const isListed = found.owners.includes(me);
      if (!isOwnGone && (found.hasMore || !isListed)) {
        isOwnGone = true;
        mustWrite = await this.#dropOwn(me, key);
        // What was read before it was removed decides nothing.
        if (mustWrite) continue;
      }
      const owners = found.owners.filter((owner) => owner !== me);
      if (owners.length > 0 && !isListed && !mustWrite) return null;
      if (owners.length > 0 || (found.hasMore && (await this.#hasFurtherOwners(key)))) {
        if (await this.#change(subject, record, { ...found, owners })) return null;
        continue;
      }
      // Returned when it is read again.
      await this.#change(subject, record, { ...NOTHING, older: found.older });
    }
  }

  /** Writes what follows from `record`. False: somebody was faster. */
  async #change(subject: string, record: NatsRecord | null, changed: VectorRecord): Promise<boolean> {
    const isLong = changed.older.length >= OLDER_RECORDS;
    if (isLong) await this.#eraseAll(changed.older);
    const older = record === null ? [] : [...(isLong ? [] : changed.older), record.seq];
    return (await this.#records.replace(subject, encodeRecord({ ...changed, older }), record?.seq ?? 0)) !== null;
  }

  /** Removes a record without vector, after those that it replaced. */
  async #bury(record: NatsRecord): Promise<void> {
    await this.#eraseAll(decodeRecord(record.data).older);
    await this.#records.drop(record.seq);
  }

  async #eraseAll(seqs: readonly number[]): Promise<void> {
    await Promise.all(seqs.map((seq) => this.#records.erase(seq)));
  }

  /** @returns whether there was one */
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

const NOTHING: VectorRecord = { owners: [], hasMore: false, older: [], vector: null };

const keyHash = (key: string): string => Buffer.from(keyBytes(key)).toString('base64url');
const ownerHash = (owner: string): string => keyHash(contentHash(owner));

/** As `Promise.all`, with limited concurrency. */
const atOnce = <T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> =>
  pLimit(AT_ONCE).map(items, run);
