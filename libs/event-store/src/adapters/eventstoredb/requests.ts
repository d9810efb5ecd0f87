import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/**
 * Requests in the client's own messages. Its public functions do not do: `readAll` ignores filters, appends share one
 * connection-wide stream whose failure settles the promises of other clients, and an abandoned read never ends.
 */
export type RecordedMessage = ReadResp.ReadEvent.RecordedEvent;

/** Which events of the whole log are sent. */
export interface ServerFilter {
  readonly on: 'stream' | 'type';
  readonly regex: string;
}

export interface Proposed {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** Data is opaque bytes unless told otherwise. */
  readonly json?: boolean;
}

const BACKWARDS = 1;
const WITHOUT_LIMIT = Number.MAX_SAFE_INTEGER;

/** Events from a revision on, oldest first. */
export function streamRequest(stream: string, from: number, count = WITHOUT_LIMIT): ReadReq {
  const place = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf(stream));
  place.setRevision(String(from));
  return requestOf(new streams.ReadReq.Options().setStream(place).setCount(String(count)));
}

/** The newest event of a stream. */
export function lastOfStreamRequest(stream: string): ReadReq {
  const place = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf(stream));
  place.setEnd(new shared.Empty());
  const options = new streams.ReadReq.Options().setStream(place).setCount('1').setReadDirection(BACKWARDS);
  return requestOf(options);
}

/** Events of the whole log, oldest first, the one at `from` included. */
export function allRequest(from: number | null, count: number, filter: ServerFilter): ReadReq {
  return requestOf(new streams.ReadReq.Options().setAll(placeInAll(from)).setCount(String(count)), filter);
}

/** The newest event of the whole log. */
export function lastOfAllRequest(filter: ServerFilter): ReadReq {
  const end = new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty());
  const options = new streams.ReadReq.Options().setAll(end).setCount('1').setReadDirection(BACKWARDS);
  return requestOf(options, filter);
}

/** Everything behind `after`, then what is appended from then on. */
export function followRequest(after: number | null, filter: ServerFilter): ReadReq {
  const options = new streams.ReadReq.Options().setAll(placeInAll(after));
  return requestOf(options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions()), filter);
}

export function appendRequests(
  stream: string,
  proposed: readonly Proposed[],
  expected: number | 'no-stream',
): AppendReq[] {
  const options = new streams.AppendReq.Options().setStreamIdentifier(identifierOf(stream));
  if (expected === 'no-stream') options.setNoStream(new shared.Empty());
  else options.setRevision(String(expected));
  return [new streams.AppendReq().setOptions(options), ...proposed.map(proposedRequest)];
}

function proposedRequest({ id, type, data, metadata, json = false }: Proposed): AppendReq {
  const message = new streams.AppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata);
  message
    .getMetadataMap()
    .set('type', type)
    .set('content-type', json ? 'application/json' : 'application/octet-stream');
  return new streams.AppendReq().setProposedMessage(message);
}

/** What commits itself stands at one place: commit and prepare position are the same. */
function placeInAll(from: number | null) {
  const place = new streams.ReadReq.Options.AllOptions();
  if (from === null) return place.setStart(new shared.Empty());
  const position = new streams.ReadReq.Options.Position();
  return place.setPosition(position.setCommitPosition(String(from)).setPreparePosition(String(from)));
}

function requestOf(options: ReadReq.Options, filter?: ServerFilter): ReadReq {
  options.setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
  if (!filter) return new streams.ReadReq().setOptions(options.setNoFilter(new shared.Empty()));
  const expression = new streams.ReadReq.Options.FilterOptions.Expression().setRegex(filter.regex);
  const filtering = new streams.ReadReq.Options.FilterOptions().setCount(new shared.Empty());
  filtering.setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL);
  if (filter.on === 'stream') filtering.setStreamIdentifier(expression);
  else filtering.setEventType(expression);
  return new streams.ReadReq().setOptions(options.setFilter(filtering));
}

/** Has to be said; nobody listens to checkpoints here. */
const CHECKPOINT_INTERVAL = 1000;

function identifierOf(stream: string) {
  return new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream)));
}
