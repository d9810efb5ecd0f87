import type { JsMsg, StoredMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { isNobodyThere, isStreamMissing } from '#platform/nats';
import type { DeadLetter, DeadLetters } from '../../port.ts';
import type { WorkStreams } from './work-streams.ts';

const SUBJECT = 'Mneme-Subject';
const WHY = 'Mneme-Why';

/** Messages that could not be read, in a stream of their own until the operator retries or removes them. */
export class NatsDeadLetters implements DeadLetters {
  readonly #streams: WorkStreams;

  constructor(streams: WorkStreams) {
    this.#streams = streams;
  }

  /** Stores a delivery, once if called twice. Durable when it resolves. */
  async add(pattern: string, { subject, data, info }: JsMsg, why: string): Promise<void> {
    const reason = headers();
    reason.set(SUBJECT, subject);
    reason.set(WHY, why);
    const publish = () =>
      this.#streams.js.publish(this.#streams.deadSubjectOf(pattern), data, {
        headers: reason,
        msgID: `${info.stream}:${info.streamSequence}:${info.timestampNanos}`,
        retries: 1,
      });
    await publish().catch(async (error) => {
      if (!isNobodyThere(error)) throw error;
      await this.#streams.ensureDeadLetters();
      await publish();
    });
  }

  async list({ after, limit }: Parameters<DeadLetters['list']>[0]): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    let sequence = after === null ? 0 : Number(after);
    while (letters.length < limit) {
      const found = await this.#next(sequence + 1);
      if (found === null) break;
      letters.push(letterOf(found));
      sequence = found.seq;
    }
    return letters;
  }

  async retry(id: string): Promise<boolean> {
    const found = await this.#at(id);
    if (found === null) return false;
    await this.#streams.js.publish(found.header.get(SUBJECT), found.data);
    return this.remove(id);
  }

  async remove(id: string): Promise<boolean> {
    if ((await this.#at(id)) === null) return false;
    const { streams } = await this.#streams.manager();
    return streams.deleteMessage(this.#streams.deadLetters, Number(id));
  }

  async #at(id: string): Promise<StoredMsg | null> {
    if (!/^[1-9]\d{0,15}$/.test(id)) return null;
    const found = await this.#next(Number(id));
    return found?.seq === Number(id) ? found : null;
  }

  /** Returns the first dead letter at this sequence or behind it. */
  async #next(sequence: number): Promise<StoredMsg | null> {
    const { streams } = await this.#streams.manager();
    const query = { seq: sequence, next_by_subj: '>' };
    try {
      return await streams.getMessage(this.#streams.deadLetters, query);
    } catch (error) {
      if (isStreamMissing(error)) return null;
      throw error;
    }
  }
}

function letterOf({ seq, header, time, data }: StoredMsg): DeadLetter {
  return {
    id: String(seq),
    subject: header.get(SUBJECT),
    why: header.get(WHY),
    at: time.toISOString(),
    body: data,
  };
}
