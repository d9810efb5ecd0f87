import type { RowsChange, StreamRow } from '#read-side/views';
import type { ModelProjector, Projected, StreamEvents } from './read-model.ts';
import { readable } from './readable.ts';
import type { EventModelOptions } from './row-model-options.ts';

/** Projects the rows of a read model that follows from every event. */
export class EventRows implements ModelProjector {
  readonly #options: EventModelOptions;
  readonly #types: ReadonlySet<string>;

  constructor(options: EventModelOptions) {
    this.#options = options;
    this.#types = new Set(options.types);
  }

  /** Whether the events are the newest or all of their stream makes no difference to their rows. */
  async changesOf(streams: readonly StreamEvents[]): Promise<Projected> {
    return { changes: streams.flatMap((stream) => this.#changeOf(stream) ?? []), incomplete: [] };
  }

  async latestOf(streams: readonly Promise<StreamEvents>[]): Promise<Projected> {
    return this.changesOf(await Promise.all(streams));
  }

  #changeOf({ stream, events }: StreamEvents): RowsChange | null {
    const { name, rowsOf, clears = () => false } = this.#options;
    let floor: number | null = null;
    let rows: StreamRow[] = [];
    for (const event of events) {
      const { revision, envelope } = event;
      if (!this.#types.has(envelope.type)) continue;
      if (readable(event, clears)) {
        floor = revision;
        rows = [];
      }
      const { organization, tags } = envelope;
      const added = readable(event, rowsOf);
      rows.push(...added.map((values) => ({ stream, revision, organization, tags, values })));
    }
    return floor === null && rows.length === 0 ? null : { kind: 'rows', model: name, stream, floor, rows };
  }
}
