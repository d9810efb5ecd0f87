import type { OrganizationId } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import { foldQuotas, NO_QUOTAS } from './decide.ts';
import type { Quotas } from './events.ts';

const PREFIX = 'quotas-';

export const quotaStream = (organization: string): string => PREFIX + organization;

/** The quotas of the log in memory. */
export class KnownQuotas {
  /** Of the streams whose events are applied. */
  readonly categories = ['quotas'];
  readonly #quotas = new Map<string, Quotas>();
  /** Of the last event that is in the quotas. */
  readonly #revisions = new Map<string, number>();

  /** Takes an event of the log. Those that are known and those of other streams change nothing. */
  apply(event: RecordedEvent): void {
    if (!event.stream.startsWith(PREFIX)) return;
    const organization = event.stream.slice(PREFIX.length);
    if (event.revision <= (this.#revisions.get(organization) ?? -1)) return;
    this.set(organization, foldQuotas(this.of(organization), event), event.revision);
  }

  /** Takes the quotas of an organization, unless later ones are known already. @param revision of the last event */
  set(organization: string, quotas: Quotas, revision: number): void {
    if (revision < (this.#revisions.get(organization) ?? -1)) return;
    this.#revisions.set(organization, revision);
    this.#quotas.set(organization, quotas);
  }

  of(organization: OrganizationId | string): Quotas {
    return this.#quotas.get(organization) ?? NO_QUOTAS;
  }
}
