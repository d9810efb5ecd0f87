import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, ReadReq, ReadResp, TombstoneReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Access } from './access.ts';

/**
 * Requests built from the driver's messages. Its public functions cannot be used: `readAll` ignores filters, appends share
 * one stream per connection whose failure settles the promises of other clients, and an abandoned read never ends.
 */
export type RecordedMessage = ReadResp.ReadEvent.RecordedEvent;

/** Selects the events of the whole log that the server sends. */
export interface ServerFilter {
  readonly on: 'stream' | 'type';
  /** At least one. */
  readonly prefixes: readonly string[];
}

export interface EventProposal {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** Whether the data is JSON. Default: false, opaque bytes. */
  readonly json?: boolean;
}

const BACKWARDS = 1;
/** Required by the server; checkpoints are ignored here. */
const CHECKPOINT_INTERVAL = 1000;
const WITHOUT_LIMIT = Number.MAX_SAFE_INTEGER;

/** The right that a read needs. */
export function accessOf(request: ReadReq): Access {
  const stream = request.getOptions()?.getStream()?.getStreamIdentifier()?.getStreamName_asU8();
  return { action: 'read', stream: stream ? Buffer.from(stream).toString() : '$all' };
}

/** Reads events from a revision on, oldest first. */
export function streamRequest(stream: string, from: number, count = WITHOUT_LIMIT): ReadReq {
  const range = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf(stream));
  range.setRevision(String(from));
  return requestOf(new streams.ReadReq.Options().setStream(range).setCount(String(count)), null);
}

/** Reads the newest event of a stream. */
export function lastOfStreamRequest(stream: string): ReadReq {
  const range = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(identifierOf(stream));
  range.setEnd(new shared.Empty());
  const options = new streams.ReadReq.Options().setStream(range).setCount('1').setReadDirection(BACKWARDS);
  return requestOf(options, null);
}

/** Reads events of the whole log, oldest first, the one at `from` included. */
export function allRequest(from: number | null, count: number, filter: ServerFilter | null): ReadReq {
  return requestOf(new streams.ReadReq.Options().setAll(positionInAll(from)).setCount(String(count)), filter);
}

/** Reads events of the whole log, the server's own too, newest first, those before a position. Null: from its end. */
export function newestOfAllRequest(before: number | null, count: number): ReadReq {
  const end = new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty());
  const range = before === null ? end : positionInAll(before);
  return requestOf(
    new streams.ReadReq.Options().setAll(range).setCount(String(count)).setReadDirection(BACKWARDS),
    null,
  );
}

/** Subscribes to all events behind `after`, the server's own too, later ones included. */
export function followRequest(after: number | null): ReadReq {
  const options = new streams.ReadReq.Options().setAll(positionInAll(after));
  return requestOf(options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions()), null);
}

/** One append, for the call that carries all appends of a connection. */
export function batchRequest(
  correlationId: string,
  stream: string,
  proposed: readonly EventProposal[],
  expected: number | 'no-stream',
): BatchAppendReq {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifierOf(stream));
  if (expected === 'no-stream') options.setNoStream(new empty.Empty());
  else options.setStreamPosition(String(expected));
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setOptions(options)
    .setProposedMessagesList(proposed.map(proposedMessage))
    .setIsFinal(true);
}

function proposedMessage({ id, type, data, metadata, json = false }: EventProposal): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata);
  message
    .getMetadataMap()
    .set('type', type)
    .set('content-type', json ? 'application/json' : 'application/octet-stream');
  return message;
}

export function tombstoneRequest(stream: string): TombstoneReq {
  const options = new streams.TombstoneReq.Options().setStreamIdentifier(identifierOf(stream));
  return new streams.TombstoneReq().setOptions(options.setAny(new shared.Empty()));
}

/** Commit and prepare position are equal, because appends do not use transactions. */
function positionInAll(from: number | null) {
  const range = new streams.ReadReq.Options.AllOptions();
  if (from === null) return range.setStart(new shared.Empty());
  const position = new streams.ReadReq.Options.Position();
  return range.setPosition(position.setCommitPosition(String(from)).setPreparePosition(String(from)));
}

function requestOf(options: ReadReq.Options, filter: ServerFilter | null): ReadReq {
  options.setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
  if (!filter) return new streams.ReadReq().setOptions(options.setNoFilter(new shared.Empty()));
  const expression = new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList([...filter.prefixes]);
  const filtering = new streams.ReadReq.Options.FilterOptions().setCount(new shared.Empty());
  filtering.setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL);
  if (filter.on === 'stream') filtering.setStreamIdentifier(expression);
  else filtering.setEventType(expression);
  return new streams.ReadReq().setOptions(options.setFilter(filtering));
}

function identifierOf(stream: string) {
  return new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream)));
}
