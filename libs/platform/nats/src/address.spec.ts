import { parseNatsUrl } from './address.ts';
import { NatsAddressError } from './errors.ts';

test('several servers share credentials; the port is optional', () => {
  expect(parseNatsUrl('nats://me:p%40ss@one:4333,nats://two,[::1]:5000')).toEqual({
    servers: ['one:4333', 'two:4222', '[::1]:5000'],
    user: 'me',
    password: 'p@ss',
    token: null,
    credentialsFile: null,
    tls: false,
  });
});

test('an address can contain a token, a credentials file and tls://', () => {
  expect(parseNatsUrl('tls://secret@one')).toMatchObject({ token: 'secret', user: null, tls: true });
  expect(parseNatsUrl('nats://one,two?credentials=/run/nats.creds')).toMatchObject({
    servers: ['one:4222', 'two:4222'],
    credentialsFile: '/run/nats.creds',
  });
});

test.each(['', 'http://one', 'nats://', 'nats://one?verbose=1', 'nats://u:secret@one:port'])(
  '%j is rejected',
  (url) => {
    expect(() => parseNatsUrl(url)).toThrow(NatsAddressError);
    expect(() => parseNatsUrl(url)).not.toThrow(/secret/);
  },
);
