import { contentHash } from '#platform/kernel';
import type { RowsChange } from '#read-side/views';
import type { ModelProjector, Projected, StreamEvents } from './read-model.ts';
import { readable } from './readable.ts';
import type { KeyedModelOptions } from './row-model-options.ts';

/**
 * Projects the rows of a read model of which each event replaces some, by their keys. A row has the name of its owner and the
 * hash of its key in place of a stream, and its order in place of a revision.
 */
export class KeyedRows implements ModelProjector {
  readonly #options: KeyedModelOptions;
  readonly #types: ReadonlySet<string>;

  constructor(options: KeyedModelOptions) {
    this.#options = options;
    this.#types = new Set(options.types);
  }

  /** Whether the events are the newest or all of their stream makes no difference to their rows. */
  async changesOf(streams: readonly StreamEvents[]): Promise<Projected> {
    const { name, rowsOf } = this.#options;
    const changes: RowsChange[] = [];
    for (const event of streams.flatMap(({ events }) => events)) {
      const { organization, tags, type } = event.envelope;
      if (!this.#types.has(type)) continue;
      for (const { owner, key, order, values } of readable(event, rowsOf)) {
        const stream = `${owner}/${contentHash(key)}`;
        const rows = values === null ? [] : [{ stream, revision: order, organization, tags, values }];
        changes.push({ kind: 'rows', model: name, stream, floor: order, rows });
      }
    }
    return { changes, incomplete: [] };
  }

  async latestOf(streams: readonly Promise<StreamEvents>[]): Promise<Projected> {
    return this.changesOf(await Promise.all(streams));
  }
}
