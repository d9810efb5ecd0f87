import type { OrganizationId } from '#platform/kernel';
import { type EventStore, readPages } from '#ports/event-store';
import { foldOrganization, initialOrganization, organizationStream } from './organization.ts';

const PAGE = 1_000;

/** Returns every organization in the log that is not deleted, the first founded first. */
export async function organizationsOf(store: Pick<EventStore, 'readAll'>): Promise<readonly OrganizationId[]> {
  const found = new Set<OrganizationId>();
  const filter = { categories: ['organization'], types: ['OrganizationFounded', 'OrganizationDeleted'] };
  for await (const { events } of readPages(store, { after: null, limit: PAGE, filter, envelopesOnly: true })) {
    for (const { envelope } of events) {
      if (envelope.type === 'OrganizationFounded') found.add(envelope.organization);
      else found.delete(envelope.organization);
    }
  }
  return [...found];
}

/** What the log knows of organizations. */
export class Organizations {
  readonly #store: Pick<EventStore, 'readStream'>;

  constructor(store: Pick<EventStore, 'readStream'>) {
    this.#store = store;
  }

  /** Returns the name of the organization; empty if it does not exist. */
  async nameOf(organization: string): Promise<string> {
    const { events } = await this.#store.readStream(organizationStream(organization));
    const state = events.reduce(foldOrganization, initialOrganization);
    return state.status === 'present' ? state.organization.name : '';
  }
}
