import { randomUUID } from 'node:crypto';
import {
  AccessDeniedError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { EventStoreTooOldError } from './errors.ts';
import { batchRequest, type EventProposal } from './requests.ts';

/** As the server's own limit for a call. */
const TIMEOUT_MS = 10_000;

export type AppendAnswer =
  | { readonly ok: true; readonly revision: number; readonly position: number }
  | { readonly ok: false };

export type BatchCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

interface WaitingAppend {
  readonly stream: string;
  readonly resolve: (appended: AppendAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * One call that carries all appends of a connection, which costs both sides half of a call for each append. The server
 * answers each append by itself; when the call breaks, all appends without an answer fail, and may have been stored.
 */
export class BatchStream {
  readonly #call: BatchCall;
  /** By correlation id. */
  readonly #waiting = new Map<string, WaitingAppend>();
  #ended = false;

  constructor(call: BatchCall) {
    this.#call = call;
    call.on('data', (answer: BatchAppendResp) => this.#settle(answer));
    call.on('error', (error) => this.#end(error));
    call.on('end', () => this.#end(new UnavailableError(undefined, 'The server ended the call that carries appends')));
  }

  /** It takes no more appends. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Appends all events or none. Not `ok`: the stream is not at the expected revision. */
  append(stream: string, proposed: readonly EventProposal[], expected: number | 'no-stream'): Promise<AppendAnswer> {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new DeadlineExceededError(undefined, `An append was not answered within ${TIMEOUT_MS} ms`));
      }, TIMEOUT_MS);
      this.#waiting.set(id, { stream, resolve, reject, timer });
      this.#call.write(batchRequest(id, stream, proposed, expected));
    });
  }

  /** Ends the call after the answers that are still to come. */
  finish(): void {
    if (!this.#ended) this.#call.end();
    this.#ended = true;
  }

  #settle(answer: BatchAppendResp): void {
    const id = uuidText(answer.getCorrelationId());
    const waiting = this.#waiting.get(id);
    // The answer may come after the timeout.
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    const appended = outcomeOf(answer, waiting.stream);
    if (appended instanceof Error) waiting.reject(appended);
    else waiting.resolve(appended);
  }

  #end(error: Error): void {
    this.#ended = true;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

function outcomeOf(answer: BatchAppendResp, stream: string): AppendAnswer | Error {
  const refused = answer.getError();
  if (refused) return refusalOf(refused, stream);
  const success = answer.getSuccess();
  const position = Number(success?.getPosition()?.getCommitPosition());
  if (!Number.isSafeInteger(position)) {
    return new EventStoreTooOldError(
      'EventStoreDB does not return the positions of appended events. Use a newer version.',
    );
  }
  return { ok: true, revision: Number(success?.getCurrentRevision()), position };
}

function refusalOf(refused: Status, stream: string): AppendAnswer | Error {
  const details = refused.getDetails();
  const message = refused.getMessage();
  const kind = details?.getTypeName();
  switch (kind) {
    case 'event_store.client.WrongExpectedVersion':
      return { ok: false };
    case 'event_store.client.StreamDeleted':
      return StreamDeletedError.fromStreamName(stream);
    case 'event_store.client.AccessDenied':
      return new AccessDeniedError(undefined, message || 'Access denied');
    case 'event_store.client.Timeout':
      return new DeadlineExceededError(undefined, message || 'The append timed out on the server');
    case 'event_store.client.MaximumAppendSizeExceeded': {
      const exceeded = details?.unpack(shared.MaximumAppendSizeExceeded.deserializeBinary, kind);
      return MaxAppendSizeExceededError.fromMaxAppendSize(exceeded?.getMaxappendsize() ?? 0);
    }
    // Not ready, too busy, or without a leader.
    case 'google.protobuf.Empty':
      return new UnavailableError(undefined, message);
    default:
      return new UnknownError(undefined, message || 'EventStoreDB refused an append without a reason');
  }
}

/** The server may answer with the text of the request, or with two halves of 64 bits. */
function uuidText(uuid: UUID | undefined): string {
  const halves = uuid?.getStructured();
  if (!halves) return uuid?.getString() ?? '';
  const half = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const hex = half(halves.getMostSignificantBits()) + half(halves.getLeastSignificantBits());
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
