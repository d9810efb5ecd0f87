import { setTimeout as pause } from 'node:timers/promises';
import { isNobodyThere, isStreamMissing, isSubjectTaken, translateNatsError } from '#platform/nats';
import type { MessageBus, WorkMessage } from '../../port.ts';
import type { Presence } from './presence.ts';
import { encodeMessage } from './work-message.ts';
import { stageOf, type WorkStreams } from './work-streams.ts';

/**
 * Pauses before work with a cause is published again while the stream holds earlier work on the same version: its handler
 * may be about to end, e.g. if a failed document is restarted at once. In total longer than the duplicate window.
 */
const REPUBLISH_AFTER_MS = [100, 500, 1_000];

/** Sends work through JetStream. */
export class NatsBus implements MessageBus {
  readonly #streams: WorkStreams;
  readonly #presence: Presence;

  constructor(streams: WorkStreams, presence: Presence) {
    this.#streams = streams;
    this.#presence = presence;
  }

  async publish(pattern: string, message: WorkMessage): Promise<void> {
    try {
      await this.#publishOnce(pattern, message);
    } catch (error) {
      throw translateNatsError(error, pattern);
    }
  }

  async inProgress(pattern: string, message: WorkMessage): Promise<boolean> {
    try {
      const { streams } = await this.#streams.manager();
      const query = { last_by_subj: this.#streams.subjectOf(pattern, message) };
      return (await streams.getMessage(this.#streams.streamOf(pattern), query)) !== null;
    } catch (error) {
      if (isStreamMissing(error)) return false;
      throw translateNatsError(error, pattern);
    }
  }

  watchWorkers(onCount: (count: number) => void, signal: AbortSignal): void {
    this.#presence.watch(onCount, signal);
  }

  async #publishOnce(pattern: string, message: WorkMessage): Promise<void> {
    if (await this.#store(pattern, message)) return;
    for (const wait of message.cause === null ? [] : REPUBLISH_AFTER_MS) {
      await pause(wait, undefined, { ref: false });
      if (await this.#store(pattern, message)) return;
    }
  }

  /** Returns false if the stream holds such a message, or did within its duplicate window. */
  async #store(pattern: string, message: WorkMessage): Promise<boolean> {
    try {
      return await this.#publish(pattern, message);
    } catch (error) {
      if (isSubjectTaken(error)) return false;
      if (!isNobodyThere(error)) throw error;
    }
    await this.#streams.ensureWork(pattern);
    return this.#publish(pattern, message);
  }

  async #publish(pattern: string, message: WorkMessage): Promise<boolean> {
    const { organization, documentId, contentVersion, attempt } = message;
    const subject = this.#streams.subjectOf(pattern, message);
    const { duplicate } = await this.#streams.js.publish(subject, encodeMessage(message), {
      msgID: [organization, documentId, contentVersion, stageOf(pattern), attempt].join(':'),
      expect: { streamName: this.#streams.streamOf(pattern) },
      retries: 1,
    });
    return !duplicate;
  }
}
