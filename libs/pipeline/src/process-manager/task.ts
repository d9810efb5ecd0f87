import type { Progress } from '#documents';
import type { RecordedEvent } from '#event-store';
import type { WorkCause, WorkMessage } from '#message-bus';
import type { Stage } from '../stages/stage.ts';
import type { QueuedItem } from './fair-queue.ts';

/** A document that is not done yet, or lacks a backfill, and the stage that it waits for. */
export interface Task extends QueuedItem {
  readonly key: string;
  readonly organization: string;
  readonly id: string;
  progress: Progress;
  stage: Stage;
  state: 'waiting' | 'dispatched';
  /** How many times this stage was dispatched. */
  attempt: number;
  /** When something last happened to it, milliseconds since the epoch. */
  touched: number;
  cause: WorkCause | null;
  /** It left the table; what is still under way for it changes nothing. */
  isDropped: boolean;
  /** The document is done; no request waits for this work. */
  readonly isBackfill: boolean;
}

export const keyOf = (organization: string, id: string): string => `${organization} ${id}`;

export interface TaskOptions {
  readonly organization: string;
  readonly id: string;
  readonly tag: string;
  readonly size: number;
  readonly progress: Progress;
  readonly stage: Stage;
  readonly touched: number;
  readonly cause?: WorkCause | null;
  readonly isBackfill?: boolean;
}

export function newTask({ organization, id, tag, cause = null, isBackfill = false, ...options }: TaskOptions): Task {
  const key = keyOf(organization, id);
  return {
    key,
    tenant: `${organization} ${tag}`,
    organization,
    id,
    state: 'waiting',
    attempt: 0,
    cause,
    isBackfill,
    isDropped: false,
    ...options,
  };
}

export function messageOf({ organization, id, progress, attempt, cause }: Task): WorkMessage {
  return { organization, documentId: id, contentVersion: progress.contentVersion, attempt, cause };
}

export function causeOf({ envelope, position, revision }: RecordedEvent): WorkCause {
  const { id: eventId, correlationId, tags } = envelope;
  return { eventId, position, revision, correlationId, tags };
}
