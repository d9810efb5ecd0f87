import { type CommandHandler, type EventStore, type Model, type Position, record, systemCause } from '#event-store';
import { foldWith } from '#kernel';
import { ERASURE_EVENTS, type ErasuresFinished, type FailingErasure } from './events.ts';

const STREAM = 'erasure-checkpoint';

/** Up to where the erasures of all deletions have been repeated, except those that fail. */
interface Checkpoint {
  /** Null: none has been. */
  readonly position: string | null;
  readonly failing: readonly FailingErasure[];
}

const CHECKPOINT: Model<Checkpoint> = {
  name: 'erasure-checkpoint',
  version: 1,
  initialState: { position: null, failing: [] },
  evolve: foldWith(ERASURE_EVENTS, (state: Checkpoint, event) => {
    if (event.type !== 'ErasuresFinished') return state;
    const { position, failing = [] } = event.payload;
    return { position, failing };
  }),
};

export async function checkpointIn(
  store: Pick<EventStore, 'readStream' | 'parsePosition'>,
): Promise<{ readonly position: Position | null; readonly failing: readonly FailingErasure[] }> {
  const { position, failing } = (await store.readStream(STREAM)).events.reduce(
    CHECKPOINT.evolve,
    CHECKPOINT.initialState,
  );
  return { position: position === null ? null : store.parsePosition(position), failing };
}

/** Returns the erasures that fail. */
export async function failingErasures(
  store: Pick<EventStore, 'readStream' | 'parsePosition'>,
): Promise<readonly FailingErasure[]> {
  return (await checkpointIn(store)).failing;
}

export async function recordCheckpoint(
  store: Pick<EventStore, 'append'>,
  { position, failing }: { readonly position: Position | null; readonly failing: readonly FailingErasure[] },
  now: number,
): Promise<void> {
  const payload: ErasuresFinished['payload'] = { position, ...(failing.length > 0 && { failing }) };
  const recording = { organization: '', cause: systemCause(), tags: [], now };
  const events = record(ERASURE_EVENTS, [{ type: 'ErasuresFinished', payload }], recording);
  await store.append(STREAM, events, { expected: 'any' });
}

/** Reads which erasures fail. A further reading reads only what is new. */
export class ErasureReport {
  readonly #handler: Pick<CommandHandler, 'load'>;

  constructor(handler: Pick<CommandHandler, 'load'>) {
    this.#handler = handler;
  }

  async failing(): Promise<readonly FailingErasure[]> {
    return (await this.#handler.load(STREAM, CHECKPOINT)).state.failing;
  }
}
