import type { Worker } from 'node:worker_threads';
import { type ErrorRecord, errorFromRecord, hasCode } from '#platform/kernel';
import { connect, type Remote, startWorker } from '#platform/thread-calls';
import { holdsAll, type Position } from '#ports/event-store';
import type { WrittenCounts } from '#read-side/projections';
import type { Storage } from '../storage/open-storage.ts';
import type { ProjectionApi, ProjectionThreadData } from './projection.worker.ts';
import type { ViewsTarget } from './target.ts';

export interface ProjectionListener {
  /** @param written since the start */
  progress(position: Position, written: WrittenCounts): void;
  /** Units of a document are written later than its row, or are there. Absent: they never are. */
  late?(organization: string, id: string, isLate: boolean): void;
  /** A batch could not be applied; it is tried again. */
  fault(error: Error): void;
  /**
   * Called when the views follow from another history of the log, before they are replaced by empty ones. Absent: they are new.
   */
  foreign?(): Promise<void>;
}

/** A projection in a thread of its own, so that a rebuild does not slow down requests. */
export class ProjectionThread {
  readonly #worker: Worker;
  readonly #remote: Remote<ProjectionApi>;
  /** Checkpoint of the views when they were opened. Null: they are empty. */
  readonly checkpoint: Position | null;
  /**
   * Rejects when the projection cannot go on: another writer has taken over, the views are damaged or missing, or the
   * thread has ended.
   */
  readonly ended: Promise<never>;

  static async open(storage: Storage, target: ViewsTarget, listener: ProjectionListener): Promise<ProjectionThread> {
    const ports = await storage.newPorts();
    const data: ProjectionThreadData = { settings: storage.settings, target, ports };
    const worker = startWorker(new URL('./projection.worker.ts', import.meta.url), data, {
      transfer: Object.values(ports).filter((port) => port !== null),
      // A rebuild allocates much that lives until its batch is written.
      resourceLimits: { maxYoungGenerationSizeMb: 160 },
    });
    const remote = connect<ProjectionApi>(worker);
    const ended = Promise.withResolvers<never>();
    // A rejection must not count as unhandled.
    ended.promise.catch(() => {});
    remote.onNotice((topic, value) => {
      if (topic === 'progress') listener.progress(...(value as [Position, WrittenCounts]));
      else if (topic === 'late') listener.late?.(...(value as [string, string, boolean]));
      else if (topic === 'ended') ended.reject(errorFromRecord(value as ErrorRecord));
      else listener.fault(errorFromRecord(value as ErrorRecord));
    });
    remote.onGone((error) => ended.reject(error));
    try {
      const { checkpoint, positions } = await remote.call('open');
      if (await holdsAll(storage.store, positions)) {
        return new ProjectionThread(worker, remote, checkpoint, ended.promise);
      }
      await listener.foreign?.();
      await remote.call('renew');
      return new ProjectionThread(worker, remote, null, ended.promise);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  private constructor(
    worker: Worker,
    remote: Remote<ProjectionApi>,
    checkpoint: Position | null,
    ended: Promise<never>,
  ) {
    this.#worker = worker;
    this.#remote = remote;
    this.checkpoint = checkpoint;
    this.ended = ended;
  }

  /** Starts following the log. */
  start(): Promise<void> {
    return this.#remote.call('start');
  }

  /** Ends after the batch that is being written, and closes the views. */
  async close(): Promise<void> {
    try {
      await this.#remote.call('stop');
    } catch (error) {
      // A thread that was lost has nothing open.
      if (!hasCode(error, 'thread_gone')) throw error;
    } finally {
      await this.#worker.terminate();
    }
  }
}
