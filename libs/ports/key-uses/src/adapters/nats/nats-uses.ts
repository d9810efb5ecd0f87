import { type NatsConnection, openRecordStream, type RecordStream, type StreamLayout } from '#platform/nats';
import type { UseStore } from '../../port.ts';

export interface NatsUsesOptions extends StreamLayout {
  readonly connection: NatsConnection;
  /** Name of the stream. */
  readonly bucket: string;
}

/** Uses that processes share: the last record of a key is its last use. */
export class NatsUses implements UseStore {
  readonly #records: RecordStream;

  static async open({ bucket, ...options }: NatsUsesOptions): Promise<NatsUses> {
    return new NatsUses(await openRecordStream({ ...options, name: bucket, history: 1 }));
  }

  constructor(records: RecordStream) {
    this.#records = records;
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    await Promise.all(
      keys.map(async (key) => {
        const record = await this.#records.last(this.#subjectOf(key));
        if (record !== null) found.set(key, Number(new TextDecoder().decode(record.data)));
      }),
    );
    return found;
  }

  async write(uses: ReadonlyMap<string, number>): Promise<void> {
    for (const [key, at] of uses) await this.#records.write(this.#subjectOf(key), new TextEncoder().encode(String(at)));
  }

  #subjectOf(key: string): string {
    return `${this.#records.name}.${key}`;
  }
}
