import {
  type NatsConnection,
  type NatsRecord,
  openRecordStream,
  type RecordStream,
  type StreamLayout,
} from '#platform/nats';
import type { SecretName, SecretStore, StoredSecret } from '../../port.ts';

export interface NatsSecretsOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream, which is created when a secret is first asked for. */
  readonly bucket: string;
}

const TIME_BYTES = 8;

/**
 * Secrets that processes share, on a JetStream stream: the last record of `<stream>.<organization>.<name>`, both parts in
 * base64url, is the time of the change (8 bytes) and the sealed value. What is replaced or removed is overwritten in the
 * server's file. If the stream is lost, the secrets have to be set again.
 */
export class NatsSecrets implements SecretStore {
  readonly #options: NatsSecretsOptions;
  #opened: Promise<RecordStream> | null = null;

  constructor(options: NatsSecretsOptions) {
    this.#options = options;
  }

  async read(name: SecretName): Promise<StoredSecret | null> {
    const record = await (await this.#records()).last(this.#subjectOf(name));
    return record === null ? null : secretOf(record);
  }

  async write(secret: StoredSecret): Promise<void> {
    const records = await this.#records();
    const seq = await records.write(this.#subjectOf(secret), dataOf(secret));
    await this.#eraseBefore(records, this.#subjectOf(secret), seq);
  }

  async replace(secret: StoredSecret, sealed: Uint8Array): Promise<boolean> {
    const records = await this.#records();
    const subject = this.#subjectOf(secret);
    const record = await records.last(subject);
    if (record === null || !Buffer.from(secretOf(record).sealed).equals(sealed)) return false;
    const seq = await records.replace(subject, dataOf(secret), record.seq);
    if (seq === null) return false;
    await this.#eraseBefore(records, subject, seq);
    return true;
  }

  async remove(name: SecretName): Promise<void> {
    await this.#eraseBefore(await this.#records(), this.#subjectOf(name), Number.POSITIVE_INFINITY);
  }

  async removeAll(organization: string): Promise<void> {
    const records = await this.#records();
    // Repeated, because the pages of a list shift while their subjects are removed.
    for (let isFound = true; isFound; ) {
      isFound = false;
      for await (const subject of records.subjects(this.#filterOf(organization))) {
        isFound = true;
        await this.#eraseBefore(records, subject, Number.POSITIVE_INFINITY);
      }
    }
  }

  async list(organization: string | null): Promise<readonly StoredSecret[]> {
    const records = await this.#records();
    const found: StoredSecret[] = [];
    for await (const subject of records.subjects(this.#filterOf(organization))) {
      const record = await records.last(subject);
      if (record !== null) found.push(secretOf(record));
    }
    return found.sort((a, b) => compare(a.organization, b.organization) || compare(a.name, b.name));
  }

  /** The connection belongs to the caller. */
  async close(): Promise<void> {}

  /** Also what an interrupted replacement has left. */
  async #eraseBefore(records: RecordStream, subject: string, seq: number): Promise<void> {
    for (;;) {
      const oldest = await records.next(subject, 0);
      if (oldest === null || oldest.seq >= seq) return;
      await records.erase(oldest.seq);
    }
  }

  #records(): Promise<RecordStream> {
    const { bucket, ...options } = this.#options;
    const opening = this.#opened ?? openRecordStream({ ...options, name: bucket });
    this.#opened = opening;
    // The next call tries again.
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = null;
    });
    return opening;
  }

  #subjectOf({ organization, name }: SecretName): string {
    return `${this.#options.bucket}.${tokenOf(organization)}.${tokenOf(name)}`;
  }

  #filterOf(organization: string | null): string {
    return `${this.#options.bucket}.${organization === null ? '' : `${tokenOf(organization)}.`}>`;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const tokenOf = (text: string): string => Buffer.from(text).toString('base64url');

function secretOf({ subject, data }: NatsRecord): StoredSecret {
  const [organization = '', name = ''] = subject
    .split('.')
    .slice(-2)
    .map((token) => Buffer.from(token, 'base64url').toString());
  const bytes = Buffer.from(data);
  return { organization, name, changedAt: bytes.readDoubleBE(0), sealed: bytes.subarray(TIME_BYTES) };
}

function dataOf({ changedAt, sealed }: StoredSecret): Uint8Array {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeDoubleBE(changedAt);
  return Buffer.concat([time, sealed]);
}
