import { type EventStore, type RecordedEvent, readPages } from '#ports/event-store';

/** Category of the streams of settings. */
export const SETTINGS = 'settings';

const PAGE = 1_000;

/** When the settings of each organization changed last, as the log shows it so far. */
export class SettingsChanges {
  readonly #positions = new Map<string, string>();

  /** Reads the changes that are in the log. */
  async read(store: EventStore): Promise<void> {
    for await (const { events } of readPages(store, {
      ...{ after: null, limit: PAGE, filter: { categories: [SETTINGS] }, envelopesOnly: true },
    })) {
      for (const event of events) this.observe(event);
    }
  }

  observe({ stream, position, envelope }: RecordedEvent): void {
    if (stream.startsWith(`${SETTINGS}-`)) this.#positions.set(envelope.organization, position);
  }

  /** Position of the last change. Null: none. */
  of(organization: string): string | null {
    return this.#positions.get(organization) ?? null;
  }
}
