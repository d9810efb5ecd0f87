import { type OrganizationId, readEvent } from '#platform/kernel';
import { type EventStore, readPages } from '#ports/event-store';
import { ORGANIZATION_EVENTS, organizationStream } from './organization.ts';

const PAGE = 1_000;

/** Returns every organization in the log. */
export async function organizationsOf(store: Pick<EventStore, 'readAll'>): Promise<readonly OrganizationId[]> {
  const found = new Set<OrganizationId>();
  const filter = { categories: ['organization'], types: ['OrganizationFounded'] };
  for await (const { events } of readPages(store, { after: null, limit: PAGE, filter, envelopesOnly: true })) {
    for (const { envelope } of events) found.add(envelope.organization);
  }
  return [...found];
}

/** What the log knows of organizations. */
export class Organizations {
  readonly #store: Pick<EventStore, 'readStream'>;

  constructor(store: Pick<EventStore, 'readStream'>) {
    this.#store = store;
  }

  /** Returns the name that the organization was founded with; empty if it does not exist. */
  async nameOf(organization: string): Promise<string> {
    const { events } = await this.#store.readStream(organizationStream(organization), { limit: 1 });
    const founded = events[0] && readEvent(ORGANIZATION_EVENTS, events[0]);
    return founded?.type === 'OrganizationFounded' ? founded.payload.name : '';
  }
}
