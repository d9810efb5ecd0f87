import { type NatsConnection, openRecordStream, type RecordStream, type StreamLayout } from '#platform/nats';
import type { CountValue, QuotaCount, QuotaCounts } from '../../port.ts';

export interface NatsQuotaCountsOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream. */
  readonly bucket: string;
}

/** A request that adds waits so long at most. */
const TIMEOUT_MS = 500;

/** Counts that processes share: the last record of a subject. */
export class NatsQuotaCounts implements QuotaCounts {
  readonly isShared = true;
  readonly #records: RecordStream;

  static async open({ bucket, ...options }: NatsQuotaCountsOptions): Promise<NatsQuotaCounts> {
    return new NatsQuotaCounts(await openRecordStream({ ...options, name: bucket, history: 1, timeout: TIMEOUT_MS }));
  }

  constructor(records: RecordStream) {
    this.#records = records;
  }

  async read(key: string): Promise<QuotaCount | null> {
    const record = await this.#records.last(this.#subjectOf(key));
    if (record === null) return null;
    return { value: JSON.parse(new TextDecoder().decode(record.data)) as CountValue, revision: record.seq };
  }

  write(key: string, value: CountValue, after: number): Promise<number | null> {
    return this.#records.replace(this.#subjectOf(key), new TextEncoder().encode(JSON.stringify(value)), after);
  }

  #subjectOf(key: string): string {
    return `${this.#records.name}.${key}`;
  }
}
