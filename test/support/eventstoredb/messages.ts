import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import rpcStatus from '@eventstore/db-client/generated/status_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  ReadReq,
  ReadResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import {
  type AppendResult,
  type ExpectedRevision,
  type ProposedEvent,
  type StoredEvent,
  TOMBSTONE_REVISION,
} from './log.ts';

/** The revision of a tombstone, the largest signed integer of 64 bits. */
const LARGEST_REVISION = '9223372036854775807';
const UUID_TEXT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Conversion between protocol messages and the types of the log. */

/** What becomes of an append. `timeout`: it may have been stored; `denied`: the user may not write to the stream. */
export type AppendOutcome = AppendResult | { readonly kind: 'timeout' } | { readonly kind: 'denied' };
type RefusedAppend = Exclude<AppendResult, { readonly kind: 'stored' }>;
type StoredAppend = Extract<AppendResult, { readonly kind: 'stored' }>;

export function nameOf(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();
}

export function uuidText(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  if (!structured) return uuid?.getString() ?? '';
  const half = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const hex = half(structured.getMostSignificantBits()) + half(structured.getLeastSignificantBits());
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Encodes a UUID as requested: text, or two halves of 64 bits. */
function uuidMessage(text: string, structured: boolean): UUID {
  const uuid = new shared.UUID();
  if (!structured) return uuid.setString(text);
  const hex = text.replaceAll('-', '');
  const half = (part: string) => BigInt.asIntN(64, BigInt(`0x${part}`)).toString();
  return uuid.setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(half(hex.slice(0, 16)))
      .setLeastSignificantBits(half(hex.slice(16))),
  );
}

function identifierOf(name: string): StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(name)));
}

type ExpectedOptions = AppendReq.Options | DeleteReq.Options | TombstoneReq.Options;

export function expectedOf(options: ExpectedOptions | undefined): ExpectedRevision {
  if (options?.hasRevision()) return Number(options.getRevision());
  if (options?.hasNoStream()) return 'no-stream';
  return options?.hasStreamExists() ? 'stream-exists' : 'any';
}

export function expectedOfBatch(options: BatchAppendReq.Options | undefined): ExpectedRevision {
  if (options?.hasStreamPosition()) return Number(options.getStreamPosition());
  if (options?.hasNoStream()) return 'no-stream';
  return options?.hasStreamExists() ? 'stream-exists' : 'any';
}

export function proposedOf(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  return {
    id: uuidText(message.getId()),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** Whether a server can store the append: it fails for ids that are no UUIDs, and without the name of a stream. */
export function isStorable(name: string, events: readonly ProposedEvent[]): boolean {
  return name !== '' && events.every(({ id }) => UUID_TEXT.test(id));
}

export function eventMessage(event: StoredEvent, request: ReadReq.Options): ReadResp {
  const position = String(event.position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidMessage(event.id, request.getUuidOption()?.hasStructured() ?? false))
    .setStreamIdentifier(identifierOf(event.stream))
    .setStreamRevision(event.revision === TOMBSTONE_REVISION ? LARGEST_REVISION : String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', event.created)
    .set('content-type', event.contentType);
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  );
}

export function notFoundMessage(name: string): ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(name));
  return new streams.ReadResp().setStreamNotFound(notFound);
}

export function confirmationMessage(id: string): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id);
  return new streams.ReadResp().setConfirmation(confirmation);
}

export function checkpointMessage(position: number): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position)).setPreparePosition(String(position));
  return new streams.ReadResp().setCheckpoint(checkpoint);
}

export function caughtUpMessage(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

export function appendMessage(appended: AppendResult, expected: ExpectedRevision): AppendResp {
  const response = new streams.AppendResp();
  if (appended.kind === 'stored') {
    const position = new streams.AppendResp.Position()
      .setCommitPosition(String(appended.position))
      .setPreparePosition(String(appended.position));
    return response.setSuccess(
      new streams.AppendResp.Success().setCurrentRevision(String(appended.revision)).setPosition(position),
    );
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  const current = appended.kind === 'wrong-version' ? appended.current : 'no-stream';
  if (current === 'no-stream') wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(current)).setCurrentRevision2060(current);
  if (expected === 'no-stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new shared.Empty());
  else if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return response.setWrongExpectedVersion(wrong);
}

/** The answer to an append without events. */
export function nothingAppended(): AppendResp {
  const success = new streams.AppendResp.Success().setNoStream(new shared.Empty()).setNoPosition(new shared.Empty());
  return new streams.AppendResp().setSuccess(success);
}

export function deleteMessage({ position }: StoredAppend): DeleteResp {
  const place = new streams.DeleteResp.Position();
  return new streams.DeleteResp().setPosition(
    place.setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
}

export function tombstoneMessage({ position }: StoredAppend): TombstoneResp {
  const place = new streams.TombstoneResp.Position();
  return new streams.TombstoneResp().setPosition(
    place.setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
}

export function batchMessage(
  correlationId: UUID | undefined,
  name: string,
  appended: AppendOutcome,
  expected: ExpectedRevision,
): BatchAppendResp {
  const response = new streams.BatchAppendResp().setStreamIdentifier(identifierOf(name));
  if (correlationId) response.setCorrelationId(correlationId);
  return appended.kind === 'stored'
    ? response.setSuccess(batchSuccess(appended))
    : response.setError(batchError(appended, name, expected));
}

function batchSuccess({ revision, position }: StoredAppend) {
  const place = new shared.AllStreamPosition();
  place.setCommitPosition(String(position)).setPreparePosition(String(position));
  return new streams.BatchAppendResp.Success().setCurrentRevision(String(revision)).setPosition(place);
}

function batchError(refused: Exclude<AppendOutcome, StoredAppend>, name: string, expected: ExpectedRevision) {
  const details = new any.Any();
  if (refused.kind === 'timeout') details.pack(new Uint8Array(), 'event_store.client.Timeout');
  else if (refused.kind === 'denied') details.pack(new Uint8Array(), 'event_store.client.AccessDenied');
  else if (refused.kind === 'deleted') {
    const deleted = new shared.StreamDeleted().setStreamIdentifier(identifierOf(name));
    details.pack(deleted.serializeBinary(), 'event_store.client.StreamDeleted');
  } else {
    const wrong = new shared.WrongExpectedVersion();
    if (refused.current === 'no-stream') wrong.setCurrentNoStream(new empty.Empty());
    else wrong.setCurrentStreamRevision(String(refused.current));
    if (expected === 'no-stream') wrong.setExpectedNoStream(new empty.Empty());
    else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new empty.Empty());
    else if (expected === 'any') wrong.setExpectedAny(new empty.Empty());
    else wrong.setExpectedStreamPosition(String(expected));
    details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
  }
  return new rpcStatus.Status().setMessage(refused.kind).setDetails(details);
}

/** Builds the gRPC error of a refused call; its trailers name the exception. */
export function refusal(refused: RefusedAppend, name: string, expected: ExpectedRevision): Partial<ServiceError> {
  const trailers = new Metadata();
  trailers.set('stream-name', name);
  if (refused.kind === 'deleted') {
    trailers.set('exception', 'stream-deleted');
    return { code: status.FAILED_PRECONDITION, details: `Event stream '${name}' is deleted.`, metadata: trailers };
  }
  trailers.set('exception', 'wrong-expected-version');
  trailers.set('expected-version', expected === 'no-stream' ? '-1' : expected === 'any' ? '-2' : String(expected));
  if (refused.current !== 'no-stream') trailers.set('actual-version', String(refused.current));
  const details = `Append failed due to WrongExpectedVersion. Stream: ${name}`;
  return { code: status.FAILED_PRECONDITION, details, metadata: trailers };
}

export function tooLarge(limit: number): Partial<ServiceError> {
  const trailers = new Metadata();
  trailers.set('exception', 'maximum-append-size-exceeded');
  trailers.set('maximum-append-size', String(limit));
  const details = `Maximum Append Size of ${limit} Exceeded.`;
  return { code: status.INVALID_ARGUMENT, details, metadata: trailers };
}

/** An error that the server does not describe further. */
export function unknownError(details = 'Exception was thrown by handler.'): Partial<ServiceError> {
  return { code: status.UNKNOWN, details };
}

export function timedOut(): Partial<ServiceError> {
  return { code: status.DEADLINE_EXCEEDED, details: 'Operation timed out' };
}

/** The error of a call that requires the leader, on a server that follows the leader at this port of 127.0.0.1. */
export function notLeader(port: number): Partial<ServiceError> {
  const trailers = new Metadata();
  trailers.set('exception', 'not-leader');
  trailers.set('leader-endpoint-host', '127.0.0.1');
  trailers.set('leader-endpoint-port', String(port));
  return { code: status.NOT_FOUND, details: `Leader info available, 127.0.0.1:${port}`, metadata: trailers };
}
