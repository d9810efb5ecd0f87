import type { Progress } from '#features/documents';
import type { RecordedEvent } from '#ports/event-store';
import type { WorkCause, WorkMessage } from '#ports/message-bus';
import type { Stage } from '../stages/stage.ts';
import type { QueuedItem } from './fair-queue.ts';
import { flat, once, onceTags } from './shared-names.ts';

export interface TaskOptions {
  readonly organization: string;
  readonly id: string;
  readonly tag: string;
  /** As of `WorkMessage`. */
  readonly caller: string;
  readonly size: number;
  readonly progress: Progress;
  readonly stage: Stage;
  /** Milliseconds since the epoch. */
  readonly touched: number;
  readonly cause?: WorkCause | null;
  readonly isBackfill?: boolean;
}

/**
 * A document that is not done yet, or lacks a backfill, and the stage that it waits for. Up to 200,000 of them wait, so what
 * they have in common is in memory once, and the rest in few strings: some 400 bytes each.
 */
export class Task implements QueuedItem {
  readonly organization: string;
  readonly id: string;
  readonly caller: string;
  readonly tenant: string;
  readonly size: number;
  /** The document is done; no request waits for this work. */
  readonly isBackfill: boolean;
  progress: Progress;
  stage: Stage;
  state: 'waiting' | 'dispatched' = 'waiting';
  /** How many times this stage was dispatched. */
  attempt = 0;
  /** When something last happened to it, milliseconds since the epoch. */
  touched: number;
  /** It left the table; what is still under way for it changes nothing. */
  isDropped = false;
  /** JSON of the cause without its tags. */
  #cause: string | null = null;
  #tags: readonly string[] = [];

  constructor({
    organization,
    id,
    tag,
    caller,
    size,
    progress,
    stage,
    touched,
    cause = null,
    isBackfill = false,
  }: TaskOptions) {
    this.organization = once(organization);
    this.id = flat(id);
    this.caller = once(caller);
    this.tenant = once(`${organization} ${tag}`);
    this.size = size;
    this.progress = progress;
    this.stage = stage;
    this.touched = touched;
    this.isBackfill = isBackfill;
    this.cause = cause;
  }

  get cause(): WorkCause | null {
    if (this.#cause === null) return null;
    const [eventId, position, revision, correlationId] = JSON.parse(this.#cause) as [string, string, number, string];
    return { eventId, position, revision, correlationId, tags: this.#tags };
  }

  set cause(cause: WorkCause | null) {
    this.#cause = cause && JSON.stringify([cause.eventId, cause.position, cause.revision, cause.correlationId]);
    this.#tags = onceTags(cause?.tags ?? []);
  }
}

/** @param actor of the event that began the content. Absent: unknown, after a restart */
export const callerOf = (organization: string, actor = ''): string => `${organization} ${actor}`;

export function messageOf({ organization, id, progress, caller, attempt, cause }: Task): WorkMessage {
  return { organization, documentId: id, contentVersion: progress.contentVersion, caller, attempt, cause };
}

export function causeOf({ envelope, position, revision }: RecordedEvent): WorkCause {
  const { id: eventId, correlationId, tags, category } = envelope;
  return { eventId, position, revision, correlationId, tags, ...(category === 'memory' && { isMemory: true }) };
}
