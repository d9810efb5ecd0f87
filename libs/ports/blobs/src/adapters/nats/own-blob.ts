import { type Clock, hasCode } from '#platform/kernel';
import type { RecordStream } from '#platform/nats';
import { type BlobContent, encodeBlob } from './blob-record.ts';
import { eraseBlob, eraseBlobs, eraseReplaced, recordsOf } from './erase.ts';
import { newSecret } from './sealing.ts';

/** Longest time between the secret of a put and its blob. After twice this time the secret counts as interrupted. Milliseconds. */
export const LONGEST_PUT_MS = 12 * 3_600_000;

export interface OwnBlobOptions {
  /** Subject of the blob. */
  readonly subject: string;
  /** Subject of the secret. */
  readonly secrets: string;
  readonly clock: Clock;
}

/**
 * The secret and the record of a put that runs. As long as no record names it, the garbage collection may take the secret of
 * a put that was suspended for one that an interrupted put has left. Such a put must not cost the blob that it replaces:
 * that one may have been stored by another put meanwhile, with the same content. So the put looks before it stores its
 * record and afterwards, and the records that it replaces stay until the second look. If it then erases its own, the newest of
 * them is the blob again.
 */
export class OwnBlob {
  readonly secret = newSecret();
  readonly #records: RecordStream;
  readonly #options: OwnBlobOptions;
  readonly #begun: number;
  readonly #secretSeq: Promise<number>;
  #seq = 0;
  #hasReplaced = false;
  #mayBeReferred = false;

  /** Begins to write the secret. */
  constructor(records: RecordStream, options: OwnBlobOptions) {
    this.#records = records;
    this.#options = options;
    this.#begun = options.clock.now();
    this.#secretSeq = records.write(options.secrets, this.secret);
    // It is awaited later; a rejection before that must not count as unhandled.
    this.#secretSeq.catch(() => undefined);
  }

  /** Stores the record. Returns false if it is too late for that: nothing is replaced. */
  async store(content: BlobContent): Promise<boolean> {
    const { subject, clock } = this.#options;
    const secret = await this.#secretSeq;
    const record = encodeBlob({ ...content, secret });
    for (;;) {
      const [old, own] = await Promise.all([this.#records.last(subject), this.#records.at(secret)]);
      if (own === null || clock.now() - this.#begun > LONGEST_PUT_MS) return false;
      this.#mayBeReferred = true;
      const seq = await this.#records.replace(subject, record, old?.seq ?? 0).catch((error: unknown) => {
        this.#mayBeReferred = !hasCode(error, 'no_space');
        throw error;
      });
      if (seq !== null) {
        this.#seq = seq;
        this.#hasReplaced = old !== null;
        return true;
      }
      this.#mayBeReferred = false;
    }
  }

  /** Erases what the record has replaced. Returns false if the record was too late, and is erased in place of that. */
  async finish(): Promise<boolean> {
    const { subject } = this.#options;
    if (!(await this.#isKept())) {
      const own = await this.#records.next(subject, this.#seq - 1);
      if (own?.seq === this.#seq) await eraseBlob(this.#records, own);
      if (this.#hasReplaced) await this.#showReplaced();
      return false;
    }
    // The blob is replaced. What cannot be erased now is left to the garbage collection.
    if (this.#hasReplaced) await eraseBlobs(this.#records, subject, this.#seq).catch(() => undefined);
    return true;
  }

  /**
   * Makes the replaced blob readable again after the put's own record was erased. When the newest record of a subject is
   * erased, NATS 2.9 reports that the subject has no record, even if earlier ones are stored. So the last of them is written
   * again.
   */
  async #showReplaced(): Promise<void> {
    const { subject } = this.#options;
    if ((await this.#records.last(subject)) !== null) return;
    const left = await recordsOf(this.#records, subject);
    const blob = left.at(-1);
    if (blob === undefined || (await this.#records.replace(subject, blob.data, 0)) === null) return;
    for (const record of left) await eraseReplaced(this.#records, record, blob);
  }

  /** Erases the secret, unless a record may name it. */
  async discard(): Promise<void> {
    if (this.#mayBeReferred) return;
    await this.#secretSeq.then((seq) => this.#records.erase(seq)).catch(() => undefined);
  }

  /**
   * Whether the garbage collection has kept the secret, and does not erase it now as it has not seen the record. That depends
   * on when the record was stored, and not on the time of this look, so it is decided by the server's clock.
   */
  async #isKept(): Promise<boolean> {
    const { subject, secrets } = this.#options;
    const secretSeq = await this.#secretSeq;
    const [secret, record] = await Promise.all([
      this.#records.next(secrets, secretSeq - 1),
      this.#records.next(subject, this.#seq - 1),
    ]);
    // Another put or a deletion erases the secret of a blob before its record.
    if (secret?.seq !== secretSeq) return (await this.#records.last(subject))?.seq !== this.#seq;
    if (record?.seq !== this.#seq) return true;
    return record.time.getTime() - secret.time.getTime() <= LONGEST_PUT_MS;
  }
}
