import type { OrganizationId } from '#platform/kernel';
import { FollowedStates, type RecordedEvent } from '#ports/event-store';
import { foldQuotas, NO_QUOTAS } from './decide.ts';
import type { Quotas } from './events.ts';

const PREFIX = 'quotas-';

export const quotaStream = (organization: string): string => PREFIX + organization;

/** The quotas of the log in memory. */
export class KnownQuotas {
  /** Of the streams whose events are applied. */
  readonly categories = ['quotas'];
  readonly #quotas = new FollowedStates<Quotas>({
    idIn: (stream) => (stream.startsWith(PREFIX) ? stream.slice(PREFIX.length) : null),
    initialState: NO_QUOTAS,
    evolve: foldQuotas,
  });

  /** As of `FollowedStates`. */
  apply(event: RecordedEvent): void {
    this.#quotas.apply(event);
  }

  /** As of `FollowedStates`. */
  set(organization: string, quotas: Quotas, revision: number): void {
    this.#quotas.set(organization, quotas, revision);
  }

  of(organization: OrganizationId | string): Quotas {
    return this.#quotas.get(organization) ?? NO_QUOTAS;
  }
}
