import { foldWith, mnemeError, ok, type Result } from '#platform/kernel';
import { type CommandHandler, type Model, record, systemCause } from '#ports/event-store';
import {
  type ContentLossState,
  decideAcceptance,
  decideEnd,
  decideLosses,
  evolveContentLoss,
  initialContentLoss,
  type LossFinder,
} from './content-loss.ts';
import { CONTENT_LOSS_EVENTS, type ContentLossEvent } from './events.ts';

const CONTENT_LOSS: Model<ContentLossState> = {
  name: 'content-loss',
  version: 1,
  initialState: initialContentLoss,
  evolve: foldWith(CONTENT_LOSS_EVENTS, evolveContentLoss),
};

/** One for all organizations: a lost store concerns all of them. */
const STREAM = 'content-loss';

/** Too many documents have lost content: nothing is recorded in them until it is back, or an operator accepts the loss. */
class ContentLossSuspendedError extends mnemeError('transient', 'content_loss_suspended') {}

/** When the recording of losses was suspended (milliseconds since the Unix epoch), and what for. */
export interface ContentLossSuspension {
  readonly at: number;
  /** Documents that were found without their content at that moment. */
  readonly documents: number;
}

/** Limits how many documents may fail for lost content, in all processes together. */
export class ContentLosses {
  readonly #handler: CommandHandler;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /**
   * Call it before the losses of documents are recorded in them.
   * @throws ContentLossSuspendedError if they must not be recorded
   */
  async admit(documents: number, by: LossFinder): Promise<void> {
    const counted = await this.#change((state, now) => ok(decideLosses(state, documents, by, now)));
    if (counted.ok && counted.value.state.suspended === null) return;
    throw new ContentLossSuspendedError(
      'More than ten documents lost content within a minute, so none of them is marked as failed. Restore the store that ' +
        'held it, or accept the loss: mneme doctor --accept-loss',
    );
  }

  /** The content of the documents that were not admitted is back. No effect on a suspension by another finder. */
  async end(by: LossFinder): Promise<void> {
    await this.#change((state) => ok(decideEnd(state, by)));
  }

  /** Has losses recorded without limit for an hour. Returns false if none was suspended. */
  async accept(): Promise<boolean> {
    return (await this.#change(decideAcceptance)).ok;
  }

  /** Null: losses are recorded. */
  async suspension(): Promise<ContentLossSuspension | null> {
    return (await this.#handler.load(STREAM, CONTENT_LOSS)).state.suspended;
  }

  #change<E = never>(decide: (state: ContentLossState, now: number) => Result<readonly ContentLossEvent[], E>) {
    const recording = { organization: '', cause: systemCause(), tags: [] };
    return this.#handler.execute<ContentLossState, E>({
      stream: STREAM,
      model: CONTENT_LOSS,
      decide: (state, _revision, now) => {
        const decided = decide(state, now);
        return decided.ok ? ok(record(CONTENT_LOSS_EVENTS, decided.value, { ...recording, now })) : decided;
      },
    });
  }
}
