import type { Clock } from '#platform/kernel';
import type { QuotaCounts } from '#ports/quota-counts';
import { periodAt } from './periods.ts';

const STORED_EVERY_MS = 1_000;

const tokensKey = (organization: string): string => `tokens.${organization}`;

/** The tokens of an organization in the present month. */
export async function tokensUsed(records: QuotaCounts, organization: string, clock: Clock): Promise<number> {
  const record = await records.read(tokensKey(organization));
  return record?.value.month === periodAt('month', clock.now()) ? Number(record.value.used) : 0;
}

/** Counts tokens in memory and adds them to the count of all processes about once a second. */
export class TokenCount {
  readonly #records: QuotaCounts;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  /** What is not stored yet, by organization. */
  #counted = new Map<string, number>();
  #storing: Promise<void> = Promise.resolve();

  constructor(records: QuotaCounts, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.store(), STORED_EVERY_MS).unref();
  }

  add(organization: string, tokens: number): void {
    if (tokens > 0) this.#counted.set(organization, (this.#counted.get(organization) ?? 0) + tokens);
  }

  /** Stores what is counted. What cannot be stored waits for the next call. */
  store(): Promise<void> {
    this.#storing = this.#storing.then(async () => {
      const counted = this.#counted;
      this.#counted = new Map();
      for (const [organization, tokens] of counted) {
        await this.#store(organization, tokens).catch(() => this.add(organization, tokens));
      }
    });
    return this.#storing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.store();
  }

  async #store(organization: string, tokens: number): Promise<void> {
    const key = tokensKey(organization);
    for (let written: number | null = null; written === null; ) {
      const record = await this.#records.read(key);
      const month = periodAt('month', this.#clock.now());
      const used = record?.value.month === month ? Number(record.value.used) : 0;
      written = await this.#records.write(key, { month, used: used + tokens }, record?.revision ?? 0);
    }
  }
}
