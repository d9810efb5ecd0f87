import { type DocumentRepository, decideAbandoned, decideDeferred, decideStart } from '#features/documents';
import { mnemeError, newId, systemScope } from '#platform/kernel';
import { type Cause, SYSTEM } from '#ports/event-store';
import type { WorkMessage } from '#ports/message-bus';
import type { Stage, StageWork } from './stages/stage.ts';

/** The process stops: the work goes on at its next start, or in another process. */
class StageAbandonedError extends mnemeError('transient', 'stage_abandoned') {}

export const abandonedError = (): Error => new StageAbandonedError('The process stops');

/** What a stage works on, and how its end without an outcome is recorded. */
export interface RunningWork extends StageWork {
  /** Its last append showed that the document is live. */
  readonly isRecorded: boolean;
  abandon(): Promise<void>;
  /** Call it when the stage has ended. */
  end(): void;
}

export interface WorkOptions {
  readonly documents: DocumentRepository;
  readonly stage: Stage;
  readonly message: WorkMessage;
  /** Starts in the log whose work is not done, or failed by a transient error. */
  readonly started: Set<string>;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** How often it is looked whether the version is still the present one. Milliseconds. */
  readonly lookEvery?: number;
}

const LOOK_EVERY_MS = 5_000;

/** Begins a piece of work. Call its `end` when the stage has ended. */
export function workOn(options: WorkOptions): RunningWork {
  const { documents, stage, message, started, signal, lookEvery = LOOK_EVERY_MS } = options;
  const { organization, documentId, contentVersion, cause: seen } = message;
  const scope = systemScope(organization);

  const append = async (decide: Parameters<StageWork['record']>[0]) => {
    const known = await documents.peek(scope, documentId);
    // Events that follow from a request carry its correlation id.
    const correlationId = known.status === 'live' ? known.request : newId();
    const cause: Cause = { actor: SYSTEM, correlationId, causationId: seen?.eventId ?? null };
    return documents.change(scope, documentId, cause, decide);
  };

  const start = async (hasProgressed: boolean) => {
    const key = startOf(stage, message);
    const isRepeat = started.has(key);
    const begun = await append((state) =>
      decideStart(state, contentVersion, stage.status, { isRepeat, hasProgressed }),
    );
    if (begun.ok) started.add(key);
    if (!begun.ok || begun.value.state.status !== 'live') return null;
    return begun.value.state.stage === 'failed' ? null : begun.value.state;
  };
  let starting: Promise<unknown> | null = null;
  let isRecorded = false;
  const outdated = new AbortController();
  const look = async () => {
    const state = await documents.load(scope, documentId);
    const isPresent = state.status === 'live' && state.contentVersion === contentVersion;
    if (!isPresent) outdated.abort(new Error('The document was deleted, or its content replaced'));
  };
  const looking =
    stage.runs === 'inline' ? undefined : setInterval(() => void look().catch(() => undefined), lookEvery).unref();

  return {
    message,
    outdated: outdated.signal,
    get isRecorded() {
      return isRecorded;
    },
    end: () => clearInterval(looking),
    isPresent: async () => {
      const state = await documents.load(scope, documentId);
      return !signal.aborted && state.status === 'live' && state.contentVersion === contentVersion;
    },
    document: async () => {
      // The cached state is good enough if it is of the version that the message names.
      const known = await documents.peek(scope, documentId);
      const isPresent = known.status === 'live' && known.contentVersion === contentVersion;
      const state = isPresent ? known : await documents.load(scope, documentId);
      return state.status === 'live' && state.contentVersion === contentVersion ? state : null;
    },
    start: ({ hasProgressed = false } = {}) => {
      if (signal.aborted) return Promise.reject(abandonedError());
      const begun = start(hasProgressed);
      starting = begun;
      return begun;
    },
    record: async (decide) => {
      isRecorded = (await append(decide)).ok;
      return isRecorded;
    },
    defer: async (queue) => {
      await append((state) => decideDeferred(state, contentVersion, queue, starting !== null));
    },
    recordAsSeen: async (events) => {
      if (seen === null) return false;
      const { eventId: causationId, correlationId } = seen;
      const cause: Cause = { actor: SYSTEM, correlationId, causationId };
      return (await documents.changeAsSeen(scope, documentId, cause, seen, events)) !== null;
    },
    abandon: async () => {
      if (starting === null) return;
      await starting.catch(() => undefined);
      await append((state) => decideAbandoned(state, contentVersion, stage.status));
    },
  };
}

export const startOf = ({ name }: Stage, { organization, documentId, contentVersion }: WorkMessage): string =>
  `${name} ${organization} ${documentId} ${contentVersion}`;
