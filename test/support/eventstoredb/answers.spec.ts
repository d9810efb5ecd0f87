import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  DeleteResp,
  ReadReq,
  ReadResp,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import {
  allRequest,
  type EventProposal,
  followRequest,
  lastOfStreamRequest,
  streamRequest,
} from '../../../libs/ports/event-store/src/adapters/eventstoredb/requests.ts';
import { EventStoreDbServer } from './server.ts';

/** Answers that were measured on EventStoreDB 24.2.0, where they differ from what one expects. */
let server: EventStoreDbServer;
let client: InstanceType<typeof streamsService.StreamsClient>;
let count = 0;
let stream: string;

beforeAll(async () => {
  server = await EventStoreDbServer.start();
  client = new streamsService.StreamsClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
});
beforeEach(() => {
  stream = `test-${++count}`;
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const IDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;

const proposed = (id: string = IDS[0]): EventProposal => ({
  ...{ id, type: 'Numbered', data: Buffer.from('{}'), metadata: Buffer.from('{}') },
});

/** An append as one call, as older clients make it; the adapter sends its appends in batches. */
function appendRequests(name: string, events: readonly EventProposal[], expected: number | 'no-stream'): AppendReq[] {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(name))));
  if (expected === 'no-stream') options.setNoStream(new shared.Empty());
  else options.setRevision(String(expected));
  const messages = events.map(({ id, type, data, metadata }) => {
    const message = new streams.AppendReq.ProposedMessage().setId(new shared.UUID().setString(id));
    message.setData(data).setCustomMetadata(metadata).getMetadataMap().set('type', type);
    return new streams.AppendReq().setProposedMessage(message);
  });
  return [new streams.AppendReq().setOptions(options), ...messages];
}

function append(requests: readonly AppendReq[]): Promise<AppendResp> {
  return new Promise((resolve, reject) => {
    const call = client.append((error: ServiceError | null, answer: AppendResp) =>
      error ? reject(error) : resolve(answer),
    );
    call.on('error', () => {});
    for (const request of requests) call.write(request);
    call.end();
  });
}

/** The request with a regular expression for the names of streams. */
function matching(request: ReadReq, regex: string): ReadReq {
  const filter = new streams.ReadReq.Options.FilterOptions().setCount(new shared.Empty());
  filter.setStreamIdentifier(new streams.ReadReq.Options.FilterOptions.Expression().setRegex(regex));
  return request.setOptions(request.getOptions()?.setFilter(filter));
}

/** Collects the messages of a read until it ends or fails, or until `until` holds. */
function read(request: ReadReq, until: (answers: ReadResp[]) => boolean = () => false) {
  return new Promise<{ answers: ReadResp[]; error: ServiceError | null }>((resolve) => {
    const answers: ReadResp[] = [];
    const call = client.read(request);
    call.on('data', (answer: ReadResp) => {
      answers.push(answer);
      if (!until(answers)) return;
      call.cancel();
      resolve({ answers, error: null });
    });
    call.on('error', (error: ServiceError) => resolve({ answers, error }));
    call.on('end', () => resolve({ answers, error: null }));
  });
}

const erase = (name: string) =>
  new Promise<DeleteResp>((resolve, reject) => {
    const options = new streams.DeleteReq.Options().setAny(new shared.Empty());
    options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(name)));
    client.delete(new streams.DeleteReq().setOptions(options), (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });

const tombstone = (name: string) =>
  new Promise<TombstoneResp>((resolve, reject) => {
    const options = new streams.TombstoneReq.Options().setAny(new shared.Empty());
    options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(name)));
    client.tombstone(new streams.TombstoneReq().setOptions(options), (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });

const exceptionOf = (error: unknown) => (error as ServiceError | null)?.metadata.get('exception')[0];

it('append of nothing succeeds', async () => {
  const answer = await append(appendRequests(stream, [], 'no-stream'));
  expect(answer.getSuccess()?.hasNoStream()).toBe(true);
});

it('append with an id that is no UUID, or without the name of a stream, fails', async () => {
  const thrown = { code: 2, details: 'Exception was thrown by handler.' };
  await expect(append(appendRequests(stream, [proposed('x')], 'no-stream'))).rejects.toMatchObject(thrown);
  await expect(append(appendRequests('', [proposed()], 'no-stream'))).rejects.toMatchObject(thrown);
});

it('append at a wrong revision names the current one in the field of older clients too', async () => {
  await append(appendRequests(stream, [proposed(), proposed(IDS[1])], 'no-stream'));
  const wrong = (await append(appendRequests(stream, [proposed()], 7))).getWrongExpectedVersion();
  expect([wrong?.getCurrentRevision(), wrong?.getCurrentRevision2060()].map(Number)).toEqual([1, 1]);
});

it('soft delete and tombstone answer with a position; a missing stream cannot be soft-deleted', async () => {
  await expect(erase(stream)).rejects.toMatchObject({ code: 9 });
  expect(exceptionOf(await erase(stream).catch((error) => error))).toBe('wrong-expected-version');
  await append(appendRequests(stream, [proposed()], 'no-stream'));
  expect(Number((await erase(stream)).getPosition()?.getCommitPosition())).toBeGreaterThan(0);
  expect(Number((await tombstone(stream)).getPosition()?.getCommitPosition())).toBeGreaterThan(0);
});

it('a soft delete sets the largest integer in the metadata', async () => {
  await append(appendRequests(stream, [proposed()], 'no-stream'));
  await erase(stream);
  const { answers } = await read(lastOfStreamRequest(`$$${stream}`));
  const data = answers[0]?.getEvent()?.getEvent()?.getData_asU8() ?? [];
  expect(Buffer.from(data).toString()).toBe('{"$tb":9223372036854775807}');
});

it('the metadata and subscriptions of a tombstoned stream answer that it is deleted', async () => {
  await append(appendRequests(stream, [proposed()], 'no-stream'));
  await tombstone(stream);
  const metadata = `$$${stream}`;
  const options = new streams.ReadReq.Options().setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  const subscription = streamRequest(stream, 0).setOptions(
    options.setStream(streamRequest(stream, 0).getOptions()?.getStream()).setNoFilter(new shared.Empty()),
  );
  for (const request of [streamRequest(stream, 0), lastOfStreamRequest(metadata), subscription]) {
    const { error } = await read(request);
    expect([error?.code, exceptionOf(error)]).toEqual([9, 'stream-deleted']);
  }
  const appending = append(appendRequests(metadata, [proposed()], 'no-stream')).catch((error) => error);
  expect(exceptionOf(await appending)).toBe('stream-deleted');
});

it('a tombstone is an event of the whole log with the largest revision', async () => {
  await append(appendRequests(stream, [proposed()], 'no-stream'));
  await tombstone(stream);
  const { answers } = await read(matching(allRequest(null, 1_000, null), `^${stream}$`));
  const events = answers.map((answer) => answer.getEvent()?.getEvent());
  expect(events.map((event) => [event?.getMetadataMap().get('type'), String(event?.getStreamRevision())])).toEqual([
    ['Numbered', '0'],
    ['$streamDeleted', '9223372036854775807'],
  ]);
});

it('a read of no events of a stream fails, of the whole log is never answered', async () => {
  await append(appendRequests(stream, [proposed()], 'no-stream'));
  const { error } = await read(streamRequest(stream, 0, 0));
  expect(error).toMatchObject({ code: 2, details: 'Unexpected ReadStreamResult: Error' });
  const call = client.read(allRequest(null, 0, null));
  call.on('error', () => {});
  const answered = once(call.resume(), 'end').then(
    () => 'answered',
    () => 'cancelled',
  );
  expect(await Promise.race([answered, pause(100, 'nothing')])).toBe('nothing');
  call.cancel();
  expect(await answered).toBe('cancelled');
});

it('beyond the end of the log there is nothing, and no error', async () => {
  const beyond = 10_000_000_000;
  expect(await read(allRequest(beyond, 10, null))).toEqual({ answers: [], error: null });
  const { answers } = await read(followRequest(beyond), ({ length }) => length === 2);
  expect(answers.map((answer) => [answer.hasConfirmation(), answer.hasCaughtUp()])).toEqual([
    [true, false],
    [false, true],
  ]);
});

it('a position in the middle of an event is an error', async () => {
  await append(appendRequests(stream, [proposed()], 'no-stream'));
  const within = (server.log.all.at(-1)?.position ?? 0) + 1;
  const { error } = await read(allRequest(within, 10, null));
  expect(error).toMatchObject({ code: 2, details: 'Unexpected ReadAllResult: InvalidPosition' });
});

it('a filter with an invalid regular expression is an error', async () => {
  const { error } = await read(matching(allRequest(null, 10, null), '('));
  expect(error).toMatchObject({ code: 2, details: 'Exception was thrown by handler.' });
});
