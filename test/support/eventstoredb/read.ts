import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Log, StoredEvent } from './log.ts';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  nameOf,
  notFoundMessage,
  refusal,
  unknownError,
} from './messages.ts';

type ReadCall = ServerWritableStream<ReadReq, ReadResp>;
type Filter = (event: StoredEvent) => boolean;

const BACKWARDS = 1;
/** Events per checkpoint of a filtered subscription; the request has a factor for it. */
const CHECKPOINT_EVERY = 32;

export interface ReadServing {
  /** Called for each sent event. */
  readonly onSent: () => void;
  /** Subscriptions await it before they send. */
  readonly released: () => Promise<void>;
}

/** Serves one call of Streams/Read: a stream or all events, in either direction, as a read or a subscription. */
export async function serveRead(log: Log, call: ReadCall, { onSent, released }: ReadServing): Promise<void> {
  const answers = new Answers(call, onSent);
  const options = call.request.getOptions() as ReadReq.Options;
  const position = options.getAll()?.getPosition();
  if (position && log.isWithinEvent(Number(position.getCommitPosition()))) {
    return answers.fail(unknownError('Unexpected ReadAllResult: InvalidPosition'));
  }
  try {
    if (options.hasSubscription()) await subscribe(log, options, answers, released);
    else await readOnce(log, options, answers);
  } catch {
    // E.g. a filter with an invalid regular expression.
    return answers.fail(unknownError());
  }
  if (!answers.cancelled) call.end();
}

async function readOnce(log: Log, options: ReadReq.Options, answers: Answers): Promise<void> {
  const count = Number(options.getCount());
  const backwards = (options.getReadDirection() as number) === BACKWARDS;
  const keeps = filterOf(options.getFilter());
  if (count === 0) {
    if (options.hasStream()) return answers.fail(unknownError('Unexpected ReadStreamResult: Error'));
    // A real server never answers this.
    return answers.gone;
  }
  let sent = 0;
  const send = async (event: StoredEvent | undefined) => {
    if (event && sent < count && keeps(event)) {
      sent++;
      await answers.write(eventMessage(event, options));
    }
    return sent < count && !answers.cancelled;
  };

  if (options.hasStream()) {
    const name = nameOf(options.getStream()?.getStreamIdentifier());
    const events = log.visible(name);
    if (events === 'deleted') return answers.fail(refusal({ kind: 'deleted' }, name, 'any'));
    if (events === null) return answers.write(notFoundMessage(name));
    for (const event of backwards ? fromEnd(events, options) : fromRevision(events, options)) {
      if (!(await send(event))) return;
    }
    return;
  }
  const all = options.getAll();
  if (backwards) {
    const from = all?.hasPosition() ? log.indexOf(Number(all.getPosition()?.getCommitPosition())) : log.all.length;
    for (let i = from - 1; i >= 0 && (await send(log.all[i])); i--);
    return;
  }
  // Reads events appended during the call too, like a real server.
  for (let i = startOf(log, options); i < log.all.length && (await send(log.all[i])); i++);
}

function fromRevision(events: readonly StoredEvent[], options: ReadReq.Options): readonly StoredEvent[] {
  const from = options.getStream()?.hasRevision() ? Number(options.getStream()?.getRevision()) : 0;
  return events.filter((event) => event.revision >= from);
}

function fromEnd(events: readonly StoredEvent[], options: ReadReq.Options): readonly StoredEvent[] {
  const from = options.getStream()?.hasRevision()
    ? Number(options.getStream()?.getRevision())
    : Number.POSITIVE_INFINITY;
  return events.filter((event) => event.revision <= from).reverse();
}

function startOf(log: Log, options: ReadReq.Options): number {
  const all = options.getAll();
  if (all?.hasEnd()) return log.all.length;
  return all?.hasPosition() ? log.indexOf(Number(all.getPosition()?.getCommitPosition())) : 0;
}

async function subscribe(
  log: Log,
  options: ReadReq.Options,
  answers: Answers,
  released: ReadServing['released'],
): Promise<void> {
  const name = nameOf(options.getStream()?.getStreamIdentifier());
  if (log.isTombstoned(name)) return answers.fail(refusal({ kind: 'deleted' }, name, 'any'));
  const filter = options.getFilter();
  const keeps = options.hasStream() ? streamFilter(options) : filterOf(filter);
  const checkpointEvery = filter
    ? (filter.getMax() || CHECKPOINT_EVERY) * Math.max(1, filter.getCheckpointintervalmultiplier())
    : Number.POSITIVE_INFINITY;
  let at = startOf(log, options);
  const resumed = options.getAll()?.getPosition();
  // A subscription starts after its position, a read starts at it.
  if (resumed && log.all[at]?.position === Number(resumed.getCommitPosition())) at++;
  let looked = 0;
  let caughtUp = false;

  await answers.write(confirmationMessage(randomUUID()));
  while (!answers.cancelled) {
    for (; at < log.all.length && !answers.cancelled; at++) {
      const event = log.all[at] as StoredEvent;
      await released();
      if (keeps(event)) await answers.write(eventMessage(event, options));
      if (++looked % checkpointEvery === 0) await answers.write(checkpointMessage(event.position));
    }
    if (answers.cancelled) return;
    if (!caughtUp) await answers.write(caughtUpMessage());
    caughtUp = true;
    await answers.untilAppended(log, at);
  }
}

function streamFilter(options: ReadReq.Options): Filter {
  const name = nameOf(options.getStream()?.getStreamIdentifier());
  const from = options.getStream()?.hasRevision() ? Number(options.getStream()?.getRevision()) + 1 : 0;
  return (event) => event.stream === name && event.revision >= from;
}

function filterOf(filter: ReadReq.Options.FilterOptions | undefined): Filter {
  if (!filter) return () => true;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  const subject = filter.hasStreamIdentifier()
    ? (event: StoredEvent) => event.stream
    : (event: StoredEvent) => event.type;
  const prefixes = expression?.getPrefixList() ?? [];
  if (prefixes.length > 0) return (event) => prefixes.some((prefix) => subject(event).startsWith(prefix));
  const regex = new RegExp(expression?.getRegex() ?? '');
  return (event) => regex.test(subject(event));
}

/** The responses of one call, with back-pressure. */
class Answers {
  readonly #call: ReadCall;
  readonly #onSent: () => void;
  /** Resolves when the client has disconnected. */
  readonly gone: Promise<void>;
  #drained: Promise<unknown> | null = null;
  cancelled = false;

  constructor(call: ReadCall, onSent: () => void) {
    this.#call = call;
    this.#onSent = onSent;
    this.gone = new Promise((resolve) => {
      const gone = () => {
        this.cancelled = true;
        resolve();
      };
      call.once('cancelled', gone);
      call.once('close', gone);
      call.once('error', gone);
    });
  }

  async write(answer: ReadResp): Promise<void> {
    if (this.cancelled) return;
    if (answer.hasEvent()) this.#onSent();
    if (this.#call.write(answer)) return;
    this.#drained ??= once(this.#call, 'drain').catch(() => {});
    await Promise.race([this.#drained, this.gone]);
    this.#drained = null;
  }

  fail(error: Parameters<ReadCall['emit']>[1]): void {
    this.cancelled = true;
    this.#call.emit('error', error);
  }

  /** Resolves when the log is longer than `length` or the client has disconnected. */
  async untilAppended(log: Log, length: number): Promise<void> {
    if (log.all.length > length) return;
    let stop = () => {};
    const appended = new Promise<void>((resolve) => {
      stop = log.watch(resolve);
    });
    await Promise.race([appended, this.gone]);
    stop();
  }
}
