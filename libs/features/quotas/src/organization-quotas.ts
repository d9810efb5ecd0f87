import { type Clock, hasCode, newId, type OrganizationId } from '#platform/kernel';
import type { QuotaCounts } from '#ports/quota-counts';
import { DailyAdds } from './daily-adds.ts';
import { DocumentRoom } from './document-room.ts';
import type { QuotaName, Quotas } from './events.ts';
import type { KnownQuotas } from './known-quotas.ts';
import { endOf } from './periods.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { RecentFigure } from './recent-figure.ts';
import { tokensUsed } from './token-count.ts';

/** What an organization has at present. */
export interface StoredUsage {
  readonly documents: number;
  readonly storedBytes: number;
}

export interface OrganizationQuotasOptions {
  readonly known: KnownQuotas;
  readonly records: QuotaCounts;
  /** Counts what was recorded before the call. */
  readonly stored: (organization: OrganizationId) => Promise<StoredUsage>;
  readonly clock: Clock;
  /** Called when counts of other processes cannot be reached and this one goes on by itself. */
  readonly onOutage: (error: unknown) => void;
}

/** What a request adds: documents, or memories that are recorded directly. */
export interface WantedAdds {
  readonly kind: 'documents' | 'memories';
  readonly count: number;
  /** How many of them are new, if some may be there already. Asked only if there is no room for all. */
  readonly newOnes?: () => Promise<number>;
}

/** What was taken of the quotas for a request. */
export interface TakenAdds {
  /** Ends the request. @param added how many were added; the others are given back */
  end(added: number): void;
}

/** A quota, and what is used of it. */
export interface QuotaUse {
  readonly limit: number;
  readonly used: number;
  /** When the count begins again: milliseconds since the Unix epoch. Null: never. */
  readonly resetsAt: number | null;
}

/** What is limited in an organization, in this process. */
interface Limited {
  readonly room: DocumentRoom;
  readonly adds: DailyAdds;
  readonly bytes: RecentFigure;
  readonly tokens: RecentFigure;
}

const SETTLED_EVERY_MS = 1_000;

/** Keeps organizations to their quotas. One without any costs nothing. */
export class OrganizationQuotas {
  readonly #options: OrganizationQuotasOptions;
  readonly #holder = newId();
  readonly #limited = new Map<string, Limited>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: OrganizationQuotasOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#settle(), SETTLED_EVERY_MS).unref();
  }

  areSet(organization: OrganizationId): boolean {
    const quotas = this.#options.known.of(organization);
    for (const _ in quotas) return true;
    return false;
  }

  /** Takes what a request adds. @throws QuotaExceededError */
  async take(organization: OrganizationId, wanted: WantedAdds): Promise<TakenAdds> {
    await this.check(organization);
    const quotas = this.#options.known.of(organization);
    const limited = this.#of(organization);
    try {
      return await take(limited, quotas, wanted.kind, wanted.count);
    } catch (error) {
      if (!hasCode(error, 'quota_exceeded') || wanted.newOnes === undefined) throw error;
      const count = await wanted.newOnes();
      if (count >= wanted.count) throw error;
      return take(limited, quotas, wanted.kind, count);
    }
  }

  /** For a request that may add bytes and tokens: they are counted when they are known. @throws QuotaExceededError */
  async check(organization: OrganizationId): Promise<void> {
    const { storedBytes, tokensPerMonth } = this.#options.known.of(organization);
    const { bytes, tokens } = this.#of(organization);
    const now = this.#options.clock.now();
    if (storedBytes !== undefined && (await bytes.get()) >= storedBytes) {
      throw quotaExceeded('storedBytes', storedBytes, null, now);
    }
    if (tokensPerMonth !== undefined && (await tokens.get()) >= tokensPerMonth) {
      throw quotaExceeded('tokensPerMonth', tokensPerMonth, endOf('month', now), now);
    }
  }

  /** What is used of each quota of an organization. Null: it has none. */
  async usage(organization: OrganizationId): Promise<Readonly<Partial<Record<QuotaName, QuotaUse>>> | null> {
    if (!this.areSet(organization)) return null;
    const { known, records, clock, stored } = this.#options;
    const { documents, storedBytes, addsPerDay, tokensPerMonth } = known.of(organization);
    const now = clock.now();
    const isStoredLimited = documents !== undefined || storedBytes !== undefined;
    const [has, adds, tokens] = await Promise.all([
      isStoredLimited ? stored(organization) : { documents: 0, storedBytes: 0 },
      addsPerDay === undefined ? 0 : this.#of(organization).adds.used(),
      tokensPerMonth === undefined ? 0 : tokensUsed(records, organization, clock),
    ]);
    const use = (limit: number, used: number, resetsAt: number | null): QuotaUse => ({ limit, used, resetsAt });
    return {
      ...(documents !== undefined && { documents: use(documents, has.documents, null) }),
      ...(storedBytes !== undefined && { storedBytes: use(storedBytes, has.storedBytes, null) }),
      ...(addsPerDay !== undefined && { addsPerDay: use(addsPerDay, adds, endOf('day', now)) }),
      ...(tokensPerMonth !== undefined && { tokensPerMonth: use(tokensPerMonth, tokens, endOf('month', now)) }),
    };
  }

  /** Gives back what this process holds. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#settle({ isLast: true });
  }

  async #settle(how: { readonly isLast?: boolean } = {}): Promise<void> {
    await Promise.all([...this.#limited.values()].flatMap(({ room, adds }) => [room.settle(how), adds.settle(how)]));
  }

  #of(organization: OrganizationId): Limited {
    const known = this.#limited.get(organization);
    if (known !== undefined) return known;
    const { records, clock, onOutage, stored } = this.#options;
    const count = async () => (await stored(organization)).documents;
    const common = { records, clock, onOutage };
    const limited = {
      room: new DocumentRoom({ ...common, key: `documents.${organization}`, holder: this.#holder, count }),
      adds: new DailyAdds({ ...common, key: `adds.${organization}` }),
      bytes: new RecentFigure(async () => (await stored(organization)).storedBytes),
      tokens: new RecentFigure(() => tokensUsed(records, organization, clock)),
    };
    this.#limited.set(organization, limited);
    return limited;
  }
}

async function take(
  { room, adds }: Limited,
  { documents, addsPerDay }: Quotas,
  kind: WantedAdds['kind'],
  count: number,
): Promise<TakenAdds> {
  const isDocuments = kind === 'documents' && documents !== undefined;
  if (isDocuments) await room.take(count, documents);
  try {
    const ofDay = addsPerDay === undefined ? null : await adds.take(count, addsPerDay);
    return {
      end: (some) => {
        const added = Math.min(some, count);
        if (isDocuments) room.end(count, added);
        if (ofDay !== null) adds.giveBack({ ...ofDay, count: count - added });
      },
    };
  } catch (error) {
    if (isDocuments) room.end(count, 0);
    throw error;
  }
}
