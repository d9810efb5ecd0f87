import { type DocumentState, decideFailure, type FailureReason, lossIn } from '#features/documents';
import { hasCode, isMnemeError, isTransient, systemScope } from '#platform/kernel';
import { RetryAtError, type WorkMessage } from '#ports/message-bus';
import { CRASHED } from '#processing/extraction';
import { reasonOf } from './failure-reason.ts';
import { abandonedError, type RunningWork, startOf, workOn } from './running-work.ts';
import { queueNamed, STAGES } from './stages/registry.ts';
import { type Outcome, RECORDED, type Stage, type StageTools } from './stages/stage.ts';
import { Summaries } from './summaries.ts';

export interface StagesOptions extends Omit<StageTools, 'summaries'> {
  /** Removes what a deleted document has outside the log; does nothing for any other one. */
  readonly eraseIfDeleted: (organization: string, id: string) => Promise<unknown>;
  /** How often it is looked whether the content of a running stage is still the present one. Milliseconds. Default: 5000. */
  readonly lookEvery?: number;
}

/** Deliveries, those that ended by a transient error not counted, after which an unknown error fails the document. */
const MAX_DELIVERIES = 3;

/** What the stages of this process are doing. */
export interface StagesActivity {
  /** Messages that are being worked on. */
  readonly running: number;
  /** How long the oldest of them has been; 0: none is. Milliseconds. */
  readonly longestMs: number;
  /** Messages that were handled since the start. */
  readonly handled: number;
}

/** Runs the stages: gives each what it works with, and turns its outcome into events or another delivery. */
export class Stages {
  readonly #options: StagesOptions;
  readonly #tools: StageTools;
  /** When each message that is being worked on was begun, the oldest first. */
  readonly #begun = new Map<symbol, number>();
  /** Starts in the log whose work is not done, or failed by a transient error. */
  readonly #started = new Set<string>();
  /** Work on documents whose content is missing, while this is not recorded in them. */
  readonly #suspended = new Set<string>();
  #handled = 0;

  constructor(options: StagesOptions) {
    this.#options = options;
    this.#tools = { ...options, summaries: new Summaries(options) };
  }

  get activity(): StagesActivity {
    const [oldest] = this.#begun.values();
    const longestMs = oldest === undefined ? 0 : performance.now() - oldest;
    return { running: this.#begun.size, longestMs, handled: this.#handled };
  }

  /**
   * @param delivery how many times this message was delivered, this time included, transient errors not counted
   * @param signal aborts when the process stops. The stage is then abandoned at once, whatever it waits for
   * @throws if it is to be delivered again; RetryAtError: at a time; StageAbandonedError
   */
  async run(name: string, message: WorkMessage, delivery: number, signal = NEVER): Promise<void> {
    const own = Symbol(name);
    this.#begun.set(own, performance.now());
    try {
      await this.#run(queueNamed(name), message, delivery, signal);
      this.#handled += 1;
    } finally {
      this.#begun.delete(own);
    }
  }

  async #run(stage: Stage, message: WorkMessage, delivery: number, signal: AbortSignal): Promise<void> {
    let isTriedAgain = false;
    try {
      await this.#settle(stage, message, delivery, signal);
      await this.#contentIsBack(startOf(stage, message));
    } catch (error) {
      isTriedAgain = isTransient(error);
      throw error;
    } finally {
      if (!isTriedAgain) this.#started.delete(startOf(stage, message));
    }
  }

  async #settle(stage: Stage, message: WorkMessage, delivery: number, signal: AbortSignal): Promise<void> {
    const outcome = await this.#outcomeOf(stage, message, delivery, signal);
    switch (outcome.kind) {
      case 'recorded':
        return;
      case 'retry':
        throw new RetryAtError(outcome.at);
      case 'failed':
        return this.#fail(stage, message, outcome.reason);
      case 'waits': {
        const next = STAGES.find(({ after }) => after === stage.name);
        // Skipped as by the process manager, which may not know yet that the resource is gone.
        if (next !== undefined) await this.#run(next, { ...message, cause: null }, delivery, signal);
      }
    }
  }

  async #outcomeOf(stage: Stage, message: WorkMessage, delivery: number, signal: AbortSignal): Promise<Outcome> {
    const work = this.#workOn(stage, message, signal);
    try {
      const outcome = await this.#attempt(stage, work, delivery, signal);
      await this.#leaveNothing(stage, work);
      return outcome;
    } catch (error) {
      // The error decides what becomes of the message. What stays is found by the next delivery or the garbage collection.
      await this.#leaveNothing(stage, work).catch(() => undefined);
      throw error;
    } finally {
      work.end();
    }
  }

  /** What a stage stored for a document that was deleted meanwhile must not outlive it. */
  async #leaveNothing({ runs }: Stage, { isRecorded, message }: RunningWork): Promise<void> {
    if (runs === 'inline' || isRecorded) return;
    await this.#options.eraseIfDeleted(message.organization, message.documentId);
  }

  async #attempt(stage: Stage, work: RunningWork, delivery: number, signal: AbortSignal): Promise<Outcome> {
    const { message } = work;
    try {
      return await orAbandoned(stage.run(work, this.#tools), signal);
    } catch (error) {
      if (signal.aborted) {
        await work.abandon();
        throw error;
      }
      if (work.outdated.aborted) return RECORDED;
      // The document shows code and message of errors that say why it cannot be read.
      const reason = reasonOf(error);
      if (reason !== null) return { kind: 'failed', reason };
      if (isTransient(error)) throw error;
      const loss = lossIn(error);
      // A lost blob is looked for again: a store that was restored or moved may be late.
      const isPermanent = loss === null && isMnemeError(error) && error.kind === 'permanent';
      if (!isPermanent && delivery < MAX_DELIVERIES) throw error;
      if (loss !== null) {
        const { organization, documentId, contentVersion } = message;
        await this.#admitLoss(startOf(stage, message));
        await this.#options.documents.lost.record(systemScope(organization), documentId, contentVersion, loss);
        return { kind: 'recorded' };
      }
      if (hasCode(error, 'child_ended')) {
        return { kind: 'failed', reason: { code: 'stage_crashed', message: CRASHED } };
      }
      const description = `The stage ${stage.status} failed ${delivery} times (${(error as Error).name})`;
      return { kind: 'failed', reason: { code: 'processing_failed', message: description } };
    }
  }

  /** @throws ContentLossSuspendedError */
  async #admitLoss(key: string): Promise<void> {
    try {
      await this.#options.documents.losses.admit(1, 'stages');
      this.#suspended.delete(key);
    } catch (error) {
      if (hasCode(error, 'content_loss_suspended')) this.#suspended.add(key);
      throw error;
    }
  }

  async #contentIsBack(key: string): Promise<void> {
    if (this.#suspended.delete(key) && this.#suspended.size === 0) await this.#options.documents.losses.end('stages');
  }

  async #fail(stage: Stage, message: WorkMessage, reason: FailureReason): Promise<void> {
    const decide = (state: DocumentState) => decideFailure(state, message.contentVersion, stage.status, reason);
    const work = this.#workOn(stage, message, NEVER);
    work.end();
    await work.record(decide);
    if (stage.status !== 'extracting') return;
    const { organization, documentId: id, contentVersion } = message;
    await this.#options.readings.remove({ organization, id, contentVersion });
  }

  #workOn(stage: Stage, message: WorkMessage, signal: AbortSignal): RunningWork {
    return workOn({ ...this.#options, stage, message, started: this.#started, signal });
  }
}

const NEVER = new AbortController().signal;

/** Resolves or rejects with the work; rejects with StageAbandonedError once the signal aborts. */
function orAbandoned<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(abandonedError());
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
