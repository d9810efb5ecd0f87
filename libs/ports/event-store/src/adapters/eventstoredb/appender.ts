import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { checkIds, checkSize, payloadText } from '../../append-checks.ts';
import { isRepeat } from '../../expected-revision.ts';
import type { AppendOptions, AppendResult, ExpectedRevision, NewEvent } from '../../port.ts';
import { positionOf } from '../../positions.ts';
import type { AppendAnswer } from './batch-stream.ts';
import type { ClientState } from './client-state.ts';
import { eraseStream } from './erasure.ts';
import { NO_EVENTS, type StreamIds } from './recorded-ids.ts';
import { type EventProposal, streamRequest } from './requests.ts';
import { ERASES_ITS_STREAM, NO_PAYLOAD, seal } from './sealing.ts';
import type { FollowedPeriod, KeyToSeal } from './stream-key-cache.ts';
import { commitPosition, envelopeBytes, eventId, uuidOf } from './wire.ts';

/** An appended event usually reaches the follower of the log within milliseconds; after this time the server is asked. */
const FOLLOWED_WITHIN_MS = 250;

/** One call of `append`. */
interface Batch {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  /** Of the events, as the server knows them. */
  readonly ids: readonly string[];
  /** Payloads as JSON. */
  readonly texts: readonly (string | null)[];
  /** Envelopes as JSON. */
  readonly envelopes: readonly Uint8Array[];
  readonly erase: boolean;
  /** Asked until the events have been sent once: they may be recorded then. */
  readonly admit: () => Error | null;
}

/** Seals and appends events. */
export class Appender {
  readonly #client: ClientState;

  constructor(client: ClientState) {
    this.#client = client;
  }

  async append(stream: string, events: readonly NewEvent[], options: AppendOptions): Promise<AppendResult> {
    checkIds(stream, events);
    const { expected, erase = false, newIds = false } = options;
    let isSent = false;
    const admit = () => {
      const refusal = isSent ? null : (options.admit?.(events) ?? null);
      isSent = true;
      return refusal;
    };
    const texts = events.map(({ payload }) => payloadText(stream, payload));
    const envelopes = events.map(({ envelope }) => envelopeBytes(envelope));
    const bytes = envelopes.map(({ length }, i) => length + Buffer.byteLength(texts[i] ?? ''));
    checkSize(
      stream,
      events.length,
      bytes.reduce((sum, one) => sum + one),
    );
    const ids = events.map(({ envelope }) => uuidOf(envelope.id));
    for (let lostRaces = 0; ; lostRaces++) {
      const recorded = newIds && typeof expected === 'number' ? NO_EVENTS : await this.#recorded(stream, expected);
      if (ids.some((id) => recorded.ids.has(id))) return this.#repeated(stream, ids, options);
      if (expected === 'stream-exists' && recorded.revision < 0) return conflictWith(recorded);
      const at = typeof expected === 'number' ? expected : revisionOf(recorded);
      const appended = await this.#appendAt(at, { stream, events, ids, texts, envelopes, erase, admit });
      if (appended) return appended;
      // Another writer was faster, or an earlier attempt was stored and its answer was lost.
      const current = await this.#recorded(stream, 'any');
      if (ids.some((id) => current.ids.has(id))) return this.#repeated(stream, ids, options);
      if (expected !== 'any' && expected !== 'stream-exists') return conflictWith(current);
      await pause(randomInt(2 ** Math.min(lostRaces, 6)));
    }
  }

  /** Returns null if the stream is not at this revision. */
  async #appendAt(at: number | 'no-stream', batch: Batch): Promise<AppendResult | null> {
    const { stream, ids, texts, erase } = batch;
    const isSealed = !erase && texts.some((text) => text !== null);
    const key = isSealed
      ? await this.#client.connection.retry(() => this.#client.keys.toSeal(stream, at === 'no-stream'))
      : null;
    const mayBeErased = at !== 'no-stream' && !erase;
    const liveIn = mayBeErased ? this.#client.keys.liveIn(stream) : null;
    const [appended, asked] = await Promise.all([
      this.#store(batch, key, at),
      // Concurrent with the append: an erasure that ended before the append began is visible.
      mayBeErased && !liveIn && this.#client.connection.retry(() => this.#client.keys.isErased(stream)),
    ]);
    if (!appended.ok) return null;
    const last = { position: appended.position, id: ids.at(-1) as string };
    this.#client.newest.appended(last);
    const erased = liveIn ? await this.#wasErasedBefore(appended.position, stream, liveIn) : asked;
    this.#client.ids.add(stream, appended.revision - ids.length + 1, ids);
    if (erase) await eraseStream(this.#client.connection, this.#client.keys, stream);
    // The key may be newer than the erasure, which then did not destroy it.
    else if (erased && key) await this.#client.connection.retry(() => this.#client.keys.destroy(stream));
    else key?.keep();
    return { ok: true, revision: appended.revision, position: positionOf(last), erased: erase || erased };
  }

  async #store(batch: Batch, key: KeyToSeal | null, at: number | 'no-stream'): Promise<AppendAnswer> {
    const { stream, ids, admit } = batch;
    const refusal = admit();
    if (refusal !== null) throw refusal;
    const release = this.#client.live.awaitWhole(stream, (at === 'no-stream' ? -1 : at) + ids.length);
    let isStored = false;
    try {
      const proposed = proposedOf(batch, key);
      const appended = await this.#client.connection.retry(() => this.#client.connection.append(stream, proposed, at));
      isStored = appended.ok;
      return appended;
    } finally {
      if (!isStored) release();
    }
  }

  /** Returns the ids that have to be compared with those of an append, as far as they are recorded. */
  async #recorded(stream: string, expected: ExpectedRevision): Promise<StreamIds> {
    if (expected === 'no-stream') return NO_EVENTS;
    const recorded = this.#client.ids.of(stream);
    const from = recorded.revision + 1;
    if (typeof expected === 'number' && expected < from) return recorded;
    const count = typeof expected === 'number' ? expected - from + 1 : undefined;
    const messages = await this.#client.connection.retry(() =>
      this.#client.connection.read(streamRequest(stream, from, count)),
    );
    const added = (messages ?? []).map(eventId);
    this.#client.ids.add(stream, from, added);
    return { revision: recorded.revision + added.length, ids: new Set([...recorded.ids, ...added]) };
  }

  /** Answers a call of which the stream holds some events already. */
  async #repeated(
    stream: string,
    ids: readonly string[],
    { expected, erase = false }: AppendOptions,
  ): Promise<AppendResult> {
    const messages =
      (await this.#client.connection.retry(() => this.#client.connection.read(streamRequest(stream, 0)))) ?? [];
    const byId = new Map(messages.map((message, revision) => [eventId(message), { revision, message }]));
    const stored = ids.map((id) => byId.get(id)).filter((event) => event !== undefined);
    const last = stored.at(-1);
    const actual = messages.length - 1;
    if (!last || !isRepeat(stored, ids.length, expected, actual)) return { ok: false, conflict: { actual } };
    if (erase) await eraseStream(this.#client.connection, this.#client.keys, stream);
    const erased = erase || (await this.#client.connection.retry(() => this.#client.keys.isErased(stream)));
    const position = positionOf({ position: commitPosition(last.message), id: eventId(last.message) });
    return { ok: true, revision: last.revision, position, erased };
  }

  /**
   * Whether a stream was erased before the position of an append. The log holds the erasure before that position, so a
   * client that has followed the log up to there need not ask the server.
   */
  async #wasErasedBefore(position: number, stream: string, liveIn: FollowedPeriod): Promise<boolean> {
    const isFollowed = await this.#client.head.beyondWithin(position - 1, FOLLOWED_WITHIN_MS);
    if (isFollowed && this.#client.keys.liveIn(stream) === liveIn) return false;
    return this.#client.connection.retry(() => this.#client.keys.isErased(stream));
  }
}

function proposedOf({ stream, events, ids, texts, envelopes, erase }: Batch, key: KeyToSeal | null): EventProposal[] {
  return events.map(({ envelope }, i) => {
    const id = ids[i] as string;
    const text = texts[i] ?? null;
    const payload = text !== null && key ? seal(text, key, stream, id) : NO_PAYLOAD;
    const data = erase && i === events.length - 1 ? ERASES_ITS_STREAM : payload;
    return { id, type: envelope.type, data, metadata: envelopes[i] as Uint8Array };
  });
}

function revisionOf({ revision }: StreamIds): number | 'no-stream' {
  return revision < 0 ? 'no-stream' : revision;
}

function conflictWith(recorded: StreamIds): AppendResult {
  return { ok: false, conflict: { actual: revisionOf(recorded) } };
}
