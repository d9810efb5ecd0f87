import { mayReturnTo, withOutcome } from './return-address.ts';

const REDIRECTS = ['https://app.example.com/connected', 'https://other.example'];

test.each([
  'https://app.example.com/connected',
  'https://app.example.com/connected/here?of=1',
  'https://other.example',
  'https://other.example/anything',
  'http://127.0.0.1:8123/done',
  'http://localhost/done',
])('people may be sent back to %s', (address) => {
  expect(mayReturnTo(address, REDIRECTS)).toBe(true);
});

test.each([
  'https://app.example.com/',
  'https://app.example.com/connected-not',
  'https://app.example.com/connected/../elsewhere',
  'https://app.example.com:444/connected',
  'http://app.example.com/connected',
  'https://app.example.com.evil.example/connected',
  'https://app.example.com@evil.example/connected',
  'https://user:password@app.example.com/connected',
  'https://other.example/#part',
  'https://other.example/a b',
  'javascript:alert(1)//localhost',
  '//other.example',
  'connected',
  '',
  `https://other.example/${'x'.repeat(500)}`,
])('people may not be sent back to "%s"', (address) => {
  expect(mayReturnTo(address, REDIRECTS)).toBe(false);
});

test('what has come of it is added to the query', () => {
  expect(withOutcome('https://other.example/a?b=c', { connectionId: 'x' })).toBe(
    'https://other.example/a?b=c&connectionId=x',
  );
});
