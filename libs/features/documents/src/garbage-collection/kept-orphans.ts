import { setTimeout as pause } from 'node:timers/promises';
import { foldWith, ok } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';
import { ORPHAN_EVENTS, type OrphanEvent } from './events.ts';

const STREAM = 'orphans';
const LOOK_EVERY_MS = 60_000;

/** Since when orphans are kept. ISO 8601; null: they are removed. */
type KeptSince = string | null;

const KEPT: Model<KeptSince> = {
  name: 'orphans',
  version: 1,
  initialState: null,
  evolve: foldWith<KeptSince, OrphanEvent>(ORPHAN_EVENTS, (_, event) =>
    event.type === 'OrphansKept' ? event.at : null,
  ),
};

/**
 * Whether what belongs to no document of the log is kept. A log with another history may be the wrong copy, so nothing is
 * removed because it lacks something, until an operator says so.
 */
export class KeptOrphans {
  readonly #handler: Pick<CommandHandler, 'load' | 'execute'>;

  constructor(handler: Pick<CommandHandler, 'load' | 'execute'>) {
    this.#handler = handler;
  }

  /** Null: they are removed. */
  async since(): Promise<string | null> {
    return (await this.#handler.load(STREAM, KEPT)).state;
  }

  /** Resolves when they are not kept. @throws AbortError */
  async released(signal: AbortSignal): Promise<void> {
    while ((await this.since()) !== null) await pause(LOOK_EVERY_MS, undefined, { signal, ref: false });
  }

  async keep(): Promise<void> {
    await this.#record('OrphansKept', (since) => since === null);
  }

  async release(): Promise<void> {
    await this.#record('OrphansReleased', (since) => since !== null);
  }

  async #record(type: OrphanEvent['type'], isNews: (since: KeptSince) => boolean): Promise<void> {
    await this.#handler.execute<KeptSince, never>({
      stream: STREAM,
      model: KEPT,
      decide: (since, _revision, now) => {
        const recording = { organization: '', cause: systemCause(), tags: [], now };
        return ok(isNews(since) ? record(ORPHAN_EVENTS, [{ type, payload: null }], recording) : []);
      },
    });
  }
}
