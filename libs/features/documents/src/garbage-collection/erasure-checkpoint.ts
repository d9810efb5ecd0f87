import { foldWith, ok } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';
import { ERASURE_EVENTS, type ErasuresFinished, type FailingErasure } from './events.ts';

const STREAM = 'erasure-checkpoint';

/** Up to where the erasures of all deletions are finished. */
export interface Checkpoint {
  /** Null: none is. */
  readonly position: string | null;
  /** Erasures before the position that are not finished, because they fail. */
  readonly failing: readonly FailingErasure[];
  /** How many after the position have failed. */
  readonly unlisted: number;
}

const CHECKPOINT: Model<Checkpoint> = {
  name: 'erasure-checkpoint',
  version: 2,
  initialState: { position: null, failing: [], unlisted: 0 },
  evolve: foldWith(ERASURE_EVENTS, (state: Checkpoint, event) => {
    if (event.type !== 'ErasuresFinished') return state;
    const { position, failing = [], unlisted = 0 } = event.payload;
    return { position, failing, unlisted };
  }),
};

/**
 * The checkpoint of the erasures in the log. It is read from a snapshot and the events after it, and recording it stores
 * the snapshots, so that a start does not read all that were ever recorded. Of two processes that record at the same time
 * both are right: an erasure that is finished stays so.
 */
export class ErasureCheckpoints {
  readonly #handler: Pick<CommandHandler, 'load' | 'execute'>;

  constructor(handler: Pick<CommandHandler, 'load' | 'execute'>) {
    this.#handler = handler;
  }

  async load(): Promise<Checkpoint> {
    return (await this.#handler.load(STREAM, CHECKPOINT)).state;
  }

  async record({ position, failing, unlisted }: Checkpoint): Promise<void> {
    const payload: ErasuresFinished['payload'] = {
      position,
      ...(failing.length > 0 && { failing }),
      ...(unlisted > 0 && { unlisted }),
    };
    await this.#handler.execute<Checkpoint, never>({
      stream: STREAM,
      model: CHECKPOINT,
      decide: (_state, _revision, now) => {
        const recording = { organization: '', cause: systemCause(), tags: [], now };
        return ok(record(ERASURE_EVENTS, [{ type: 'ErasuresFinished', payload }], recording));
      },
    });
  }
}
