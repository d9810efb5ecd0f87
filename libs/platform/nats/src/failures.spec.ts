import { JetStreamApiError } from '@nats-io/jetstream';
import { JetStreamStatusError } from '@nats-io/jetstream/internal';
import {
  ClosedConnectionError,
  ConnectionError,
  DrainingConnectionError,
  InvalidSubjectError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/nats-core';
import { ResourceError } from '#platform/kernel';
import { translateNatsError } from './failures.ts';

const apiError = (code: number, err_code: number) => new JetStreamApiError({ code, err_code, description: 'for now' });

it.each([
  ['a timeout', new TimeoutError()],
  ['no responders', new NoRespondersError('x')],
  ['a request without responders', new RequestError('no responders', { cause: new NoRespondersError('x') })],
  ['a closed connection', new ClosedConnectionError()],
  ['a draining connection', new DrainingConnectionError()],
  ['a lost connection', new ConnectionError('reset')],
  ['JetStream that is unavailable', apiError(503, 10_008)],
  ['a stream without a leader', apiError(503, 10_009)],
  ['a stream whose servers are away', apiError(500, 10_118)],
  ['a status without responders', new JetStreamStatusError('no responders', 503)],
  ['a change of the leader', new JetStreamStatusError('leadership change', 409)],
])('%s is transient', (_what, cause) => {
  expect(translateNatsError(cause, 'the stream x')).toMatchObject({
    kind: 'transient',
    code: 'nats_unreachable',
    message: 'NATS does not answer for the stream x',
    cause,
  });
});

it.each([
  ['the limit of the account', 10_002],
  ['insufficient resources', 10_023],
  ['insufficient memory', 10_028],
  ['insufficient storage', 10_047],
  ['a store that failed', 10_077],
])('%s is a transient lack of space', (_what, code) => {
  expect(translateNatsError(apiError(503, code), 'the stream x')).toMatchObject({
    kind: 'transient',
    code: 'no_space',
  });
});

it('a deletion that finds no space on the disk is a transient lack of space', () => {
  const description = 'failed to write to temporary file: write 1.blk.tmp: no space left on device';
  const cause = new JetStreamApiError({ code: 500, err_code: 10_057, description });
  expect(translateNatsError(cause, 'the stream x')).toMatchObject({ kind: 'transient', code: 'no_space', cause });
});

it('files of a stream that cannot be made are a transient lack of space', () => {
  const cause = new JetStreamApiError({ code: 500, err_code: 10_049, description: 'error creating store for stream' });
  expect(translateNatsError(cause, 'the stream x')).toMatchObject({
    ...{ kind: 'transient', code: 'no_space', cause },
    message: 'NATS cannot make the files of the stream x: see the log of its server',
  });
});

it.each([
  ['a refusal by the server', apiError(400, 10_025)],
  ['a stream that cannot be created', apiError(500, 10_049)],
  ['a stream that is missing', apiError(404, 10_059)],
  ['a wrong argument', new InvalidSubjectError('x y')],
  ['a mistake in the program', new TypeError('x')],
  ['an error that is translated', new ResourceError('busy', 'x')],
])('%s stays as it is', (_what, error) => {
  expect(translateNatsError(error, 'the stream x')).toBe(error);
});
