import { type OrganizationId, ok } from '#platform/kernel';
import { type Cause, type CommandHandler, type Model, record } from '#ports/event-store';
import { decideChange, foldQuotas, NO_QUOTAS } from './decide.ts';
import { QUOTA_EVENTS, type QuotaChanges, type Quotas } from './events.ts';
import { type KnownQuotas, quotaStream } from './known-quotas.ts';

const MODEL: Model<Quotas> = { name: 'quotas', version: 1, initialState: NO_QUOTAS, evolve: foldQuotas };

/** Changes the quotas of organizations. It counts in this process before the call resolves. */
export class QuotaRepository {
  readonly #handler: CommandHandler;
  readonly #known: KnownQuotas;

  constructor(handler: CommandHandler, known: KnownQuotas) {
    this.#handler = handler;
    this.#known = known;
  }

  /** @returns all quotas of the organization afterwards */
  async change(organization: OrganizationId, cause: Cause, changes: QuotaChanges): Promise<Quotas> {
    const done = await this.#handler.execute<Quotas, never>({
      ...{ stream: quotaStream(organization), model: MODEL },
      decide: (quotas, _revision, now) =>
        ok(record(QUOTA_EVENTS, decideChange(quotas, changes), { organization, cause, tags: [], now })),
    });
    if (!done.ok) throw done.error;
    const { state, revision } = done.value;
    if (revision !== 'no-stream') this.#known.set(organization, state, Number(revision));
    return state;
  }
}
