import { EventEmitter } from 'node:events';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import rpcStatus from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import { type BatchCall, BatchStream } from './batch-stream.ts';
import { isRetryable } from './retries.ts';

/** The side of the server of one call. */
class Call extends EventEmitter {
  readonly written: BatchAppendReq[] = [];
  halfClosed = false;

  write(request: BatchAppendReq): boolean {
    this.written.push(request);
    return true;
  }

  end(): void {
    this.halfClosed = true;
  }
}

/** Answers the request of this number. */
function answer(call: Call, number: number, fill: (answer: InstanceType<typeof streams.BatchAppendResp>) => void) {
  const id = call.written[number]?.getCorrelationId();
  const answering = new streams.BatchAppendResp();
  if (id) answering.setCorrelationId(id);
  fill(answering);
  call.emit('data', answering);
}

const stored = (revision: number) => (answering: InstanceType<typeof streams.BatchAppendResp>) => {
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(revision * 100));
  answering.setSuccess(
    new streams.BatchAppendResp.Success().setCurrentRevision(String(revision)).setPosition(position),
  );
};

const refused = (kind: string, message: string) => (answering: InstanceType<typeof streams.BatchAppendResp>) => {
  const details = new any.Any();
  details.pack(new Uint8Array(), kind);
  answering.setError(new rpcStatus.Status().setMessage(message).setDetails(details));
};

const proposed = [
  { id: '11111111-1111-1111-1111-111111111111', type: 'A', data: Uint8Array.of(1), metadata: Uint8Array.of(2) },
];

function opened() {
  const call = new Call();
  return { call, batch: new BatchStream(call as unknown as BatchCall) };
}

it('settles each append by its own answer, in whatever order and form the ids come', async () => {
  const { call, batch } = opened();
  const appends = [batch.append('a', proposed, 'no-stream'), batch.append('b', proposed, 4)];
  answer(call, 1, (answering) => {
    const hex = (answering.getCorrelationId()?.getString() ?? '').replaceAll('-', '');
    const half = (part: string) => BigInt.asIntN(64, BigInt(`0x${part}`)).toString();
    const halves = new shared.UUID.Structured();
    halves.setMostSignificantBits(half(hex.slice(0, 16))).setLeastSignificantBits(half(hex.slice(16)));
    answering.setCorrelationId(new shared.UUID().setStructured(halves));
    stored(5)(answering);
  });
  answer(call, 0, refused('event_store.client.WrongExpectedVersion', ''));
  expect(await Promise.all(appends)).toEqual([{ ok: false }, { ok: true, revision: 5, position: 500 }]);
});

it.each([
  ['event_store.client.StreamDeleted', 'stream-deleted', false],
  ['event_store.client.AccessDenied', 'access-denied', false],
  ['event_store.client.MaximumAppendSizeExceeded', 'maximum-append-size-exceeded', false],
  ['event_store.client.Timeout', 'deadline-exceeded', true],
  ['google.protobuf.Empty', 'unavailable', true],
  ['event_store.client.Unknown', 'unknown', false],
])('an append that is refused with %s fails as %s, and is tried again: %p', async (kind, type, retried) => {
  const { call, batch } = opened();
  const failure = batch.append('a', proposed, 0).catch((error: unknown) => error);
  answer(call, 0, refused(kind, 'why'));
  expect(await failure).toMatchObject({ type });
  expect(isRetryable(await failure)).toBe(retried);
  expect(batch.ended).toBe(false);
});

it('fails the appends without an answer when the call breaks, and takes no more', async () => {
  const { call, batch } = opened();
  const appends = [batch.append('a', proposed, 0), batch.append('b', proposed, 0)];
  answer(call, 0, stored(1));
  const broken = new Error('broken');
  call.emit('error', broken);
  expect(await Promise.allSettled(appends)).toMatchObject([{ status: 'fulfilled' }, { reason: broken }]);
  expect(batch.ended).toBe(true);
});

it('waits for answers after it was finished', async () => {
  const { call, batch } = opened();
  const append = batch.append('a', proposed, 0);
  batch.finish();
  expect([call.halfClosed, batch.ended]).toEqual([true, true]);
  answer(call, 0, stored(1));
  call.emit('end');
  expect(await append).toMatchObject({ ok: true });
});
