import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  ReadReq,
  ReadResp,
  TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb.js';
import {
  type Metadata,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { ExpectedRevision, Log, ProposedEvent } from './log.ts';
import {
  type AppendOutcome,
  appendMessage,
  batchMessage,
  deleteMessage,
  expectedOf,
  expectedOfBatch,
  isStorable,
  nameOf,
  nothingAppended,
  proposedOf,
  refusal,
  timedOut,
  tombstoneMessage,
  tooLarge,
  unknownError,
} from './messages.ts';
import { serveRead } from './read.ts';

/** Default limit of a real server. Bytes. */
const MAX_APPEND_BYTES = 1024 * 1024;

interface Batch {
  readonly name: string;
  readonly expected: ExpectedRevision;
  readonly events: ProposedEvent[];
}

export interface StreamsOptions {
  readonly log: Log;
  /** Counted here. */
  readonly requests: { appendCalls: number; reads: number; subscriptions: number };
  /** Returns the error of a call, or null if this server may carry it out. @param stream `$all` for the whole log */
  refuses(call: Metadata, stream: string, action: 'read' | 'write' | 'delete'): Partial<ServiceError> | null;
  /** Returns null if the connection was cut and no response can be sent. */
  append(name: string, events: readonly ProposedEvent[], expected: ExpectedRevision): AppendOutcome | null;
  /** Called for each sent event. */
  onSent(): void;
  /** Subscriptions await it before they send. */
  released(): Promise<void>;
}

/** The service of streams: reads, subscriptions, appends, deletions. */
export function streamsService(options: StreamsOptions): IStreamsServer {
  const { log, requests, refuses } = options;
  return {
    read: (call) => {
      requests[call.request.getOptions()?.hasSubscription() ? 'subscriptions' : 'reads']++;
      void read(options, call);
    },
    append: (call, answer) => {
      requests.appendCalls++;
      serveAppend(options, call, answer);
    },
    batchAppend: (call) => {
      requests.appendCalls++;
      serveBatchAppend(options, call);
    },
    delete: (call, answer) => {
      const { name, expected, refused } = deletionOf(call);
      const deleted = refused ?? log.delete(name, expected);
      if (!('kind' in deleted)) answer(deleted);
      else if (deleted.kind === 'stored') answer(null, deleteMessage(deleted));
      else answer(refusal(deleted, name, expected));
    },
    tombstone: (call, answer) => {
      const { name, expected, refused } = deletionOf(call);
      const deleted = refused ?? log.tombstone(name, expected);
      if (!('kind' in deleted)) answer(deleted);
      else if (deleted.kind === 'stored') answer(null, tombstoneMessage(deleted));
      else answer(refusal(deleted, name, expected));
    },
  };

  function deletionOf({ request, metadata }: ServerUnaryCall<DeleteReq | TombstoneReq, unknown>) {
    const name = nameOf(request.getOptions()?.getStreamIdentifier());
    return { name, expected: expectedOf(request.getOptions()), refused: refuses(metadata, name, 'delete') };
  }
}

async function read(options: StreamsOptions, call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
  const stream = call.request.getOptions()?.getStream();
  const refused = options.refuses(call.metadata, stream ? nameOf(stream.getStreamIdentifier()) : '$all', 'read');
  if (refused) call.emit('error', refused);
  else await serveRead(options.log, call, options);
}

function serveAppend(
  { append, refuses }: StreamsOptions,
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: sendUnaryData<AppendResp>,
): void {
  let name = '';
  let expected: ExpectedRevision = 'any';
  const events: ProposedEvent[] = [];
  call.on('data', (request: AppendReq) => {
    const message = request.getProposedMessage();
    if (message) events.push(proposedOf(message));
    else {
      name = nameOf(request.getOptions()?.getStreamIdentifier());
      expected = expectedOf(request.getOptions());
    }
  });
  call.on('error', () => {});
  call.on('end', async () => {
    // A disconnecting client also ends its request stream; the cancellation arrives one turn later.
    await nextTurn();
    if (call.cancelled) return;
    const refused = refuses(call.metadata, name, 'write');
    if (refused) return answer(refused);
    if (events.length === 0) return answer(null, nothingAppended());
    if (!isStorable(name, events)) return answer(unknownError());
    if (sizeOf(events) > MAX_APPEND_BYTES) return answer(tooLarge(MAX_APPEND_BYTES));
    const appended = append(name, events, expected);
    if (!appended) return;
    if (appended.kind === 'timeout') answer(timedOut());
    else if (appended.kind === 'deleted') answer(refusal(appended, name, expected));
    else if (appended.kind !== 'denied') answer(null, appendMessage(appended, expected));
  });
}

function serveBatchAppend(
  { append, refuses }: StreamsOptions,
  call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>,
): void {
  const batches = new Map<string, Batch>();
  call.on('data', (request: BatchAppendReq) => {
    const correlationId = request.getCorrelationId() as UUID;
    const key = correlationId.serializeBinary().toString();
    const options = request.getOptions();
    const batch = batches.get(key) ?? {
      name: nameOf(options?.getStreamIdentifier()),
      expected: expectedOfBatch(options),
      events: [],
    };
    batches.set(key, batch);
    batch.events.push(...request.getProposedMessagesList().map(proposedOf));
    if (!request.getIsFinal()) return;
    batches.delete(key);
    const refused = refuses(call.metadata, batch.name, 'write');
    const isDenied = refused?.code === status.PERMISSION_DENIED;
    if (refused && !isDenied) return void call.emit('error', refused);
    const appended = isDenied ? { kind: 'denied' as const } : append(batch.name, batch.events, batch.expected);
    if (appended) call.write(batchMessage(correlationId, batch.name, appended, batch.expected));
  });
  call.on('error', () => {});
  call.on('end', () => call.end());
}

function sizeOf(events: readonly ProposedEvent[]): number {
  return events.reduce((size, { data, metadata }) => size + data.length + metadata.length, 0);
}
