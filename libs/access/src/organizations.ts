import type { EventStore } from '#event-store';
import { readEvent } from '#kernel';
import { ORGANIZATION_EVENTS, organizationStream } from './organization.ts';

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
