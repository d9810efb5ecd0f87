import type { ConsumerMessages, JetStreamClient } from '@nats-io/jetstream';

/** Content of a lease record, and when the server stored it. */
interface Written {
  readonly holder: string | null;
  readonly epoch: number;
  readonly at: number;
}

/** Milliseconds after which an unchanged record of another holder may be replaced. */
const TERM_MS = 6_000;
/** By so much the server's times may differ from those of the processes. */
const TOLERANCE_MS = 500;

/** Every record that was stored of the leases of a cluster. */
export class LeaseHistory {
  readonly #written = new Map<string, Written[]>();
  readonly #messages: ConsumerMessages;
  readonly #reading: Promise<void>;

  static async follow(client: JetStreamClient, stream: string): Promise<LeaseHistory> {
    const consumer = await client.consumers.get(stream);
    return new LeaseHistory(await consumer.consume());
  }

  private constructor(messages: ConsumerMessages) {
    this.#messages = messages;
    this.#reading = this.#read();
  }

  async stop(): Promise<void> {
    await this.#messages.close();
    await this.#reading;
  }

  /** How many held a lease, one after the other. */
  holdersOf(name: string): number {
    const holders = (this.#written.get(name) ?? []).map(({ holder }) => holder);
    return new Set(holders.filter((holder) => holder !== null)).size;
  }

  /** Records by which two could have held a lease at once, as sentences. */
  violations(): string[] {
    return [...this.#written].flatMap(([name, records]) =>
      records.slice(1).flatMap(({ holder, epoch, at }, i) => {
        const before = records[i] as Written;
        if (epoch < before.epoch) return [`${name}: epoch ${epoch} follows ${before.epoch}`];
        if (holder === null || holder === before.holder) return [];
        if (epoch === before.epoch) return [`${name}: two holders have epoch ${epoch}`];
        const isFree = before.holder === null || at - before.at >= TERM_MS - TOLERANCE_MS;
        return isFree ? [] : [`${name}: taken over ${at - before.at} ms after a renewal`];
      }),
    );
  }

  async #read(): Promise<void> {
    for await (const message of this.#messages) {
      const name = Buffer.from(message.subject.split('.').at(-1) as string, 'base64url').toString();
      const record = message.json<Omit<Written, 'at'>>();
      const records = this.#written.get(name) ?? [];
      records.push({ ...record, at: message.time.getTime() });
      this.#written.set(name, records);
    }
  }
}
