import { giveWay } from '#platform/kernel';
import type { Remote } from '#platform/thread-calls';
import { checkSize, payloadText } from '../../append-checks.ts';
import type { AppendChain, NewEvent } from '../../port.ts';
import { withoutSome } from './appends-ahead.ts';
import { envelopeColumns, type NewAppend, type NewRows, type StoreApi, type TogetherReply } from './wire.ts';

/** Characters of one message of an append, about: what takes a millisecond to copy. */
const MESSAGE_CHARACTERS = 524_288;

/** Sends appends of many events to the store thread in messages of a limited size. */
export class AppendSender {
  readonly #remote: Remote<StoreApi>;
  #lastAhead = 0;

  constructor(remote: Remote<StoreApi>) {
    this.#remote = remote;
  }

  /**
   * Sends all but the last message ahead. They follow each other without waiting for an answer.
   * @param refused returns which of all appends are left out, by number; asked when the last message is sent
   */
  async send(messages: readonly (readonly NewAppend[])[], refused: () => readonly number[]): Promise<TogetherReply> {
    const [only = [], second] = messages;
    if (second === undefined) return this.#remote.call('appendTogether', withoutSome(only, refused()), null);
    this.#lastAhead += 1;
    const id = this.#lastAhead;
    const first = messages.slice(0, -1);
    const sent: Promise<unknown>[] = [];
    for (const message of first) {
      // One that is refused is missed by the last message, which then is refused as well.
      sent.push(this.#remote.call('appendAhead', message, id).catch(() => undefined));
      await giveWay();
    }
    const ahead = { id, count: first.flat().length, without: refused() };
    const reply = this.#remote.call('appendTogether', messages.at(-1) ?? [], ahead);
    return (await Promise.all([reply, ...sent]))[0];
  }
}

/** Returns events as rows of the log. @throws PayloadTooLargeError, AppendTooLargeError */
export function rowsOf(stream: string, events: readonly NewEvent[]): NewRows {
  let bytes = 0;
  const rows = events.flatMap(({ envelope, payload }) => {
    const text = payloadText(stream, payload);
    const columns = envelopeColumns(envelope);
    for (const column of [...columns, text]) if (typeof column === 'string') bytes += Buffer.byteLength(column);
    return [...columns, text];
  });
  checkSize(stream, events.length, bytes);
  return rows;
}

/** The appends of chains, in messages of a limited size. Other work goes on in between. */
export async function messagesOf(chains: readonly AppendChain[]): Promise<readonly (readonly NewAppend[])[]> {
  let message: NewAppend[] = [];
  const messages = [message];
  let characters = 0;
  for (const [i, { stream, events, expected }] of chains.flat().entries()) {
    if (i > 0) await giveWay();
    const rows = rowsOf(stream, events);
    if (characters > MESSAGE_CHARACTERS) {
      message = [];
      messages.push(message);
      characters = 0;
    }
    message.push([stream, rows, expected]);
    for (const column of rows) if (typeof column === 'string') characters += column.length;
  }
  return messages;
}
