import { ErasureDelayedError } from '#features/documents';
import { quotaExceeded } from '#features/quotas';
import { err, ForbiddenError, ok } from '#platform/kernel';
import { type ApiError, STATUS_OF } from './api-error.ts';
import { errorBody } from './error-body.ts';
import { refusalOf, transientAnswer, valueOrThrow } from './refusals.ts';

test.each([
  ['forbidden', 403],
  ['not_found', 404],
] as const)('the refusal %s is %d', (refusal, status) => {
  expect(() => valueOrThrow(err(refusal))).toThrow(expect.objectContaining({ code: refusal }));
  expect(STATUS_OF[refusal]).toBe(status);
});

test('too many tags are a 400 that names the field', () => {
  const refusal = { code: 'invalid_request', details: 'containerTags' };
  expect(() => valueOrThrow(err('too_many_tags'))).toThrow(expect.objectContaining(refusal));
  expect(STATUS_OF.invalid_request).toBe(400);
});

test('a tag that the key may not read is a 403 that names the field', () => {
  const refusal = { code: 'forbidden', message: 'The key may not read a', details: 'containerTag' };
  expect(refusalOf(new ForbiddenError('The key may not read a', 'containerTag'))).toMatchObject(refusal);
  expect(refusalOf(new Error('another'))).toBeNull();
});

test('a deletion whose removal is delayed is a 503 that clients do not repeat', () => {
  const answer = transientAnswer(new ErasureDelayedError({ deleted: 7, unerased: 2 }));
  expect(answer).toMatchObject({ code: 'unavailable', headers: { 'x-should-retry': 'false' } });
  expect(errorBody(answer as ApiError, 'r')).toMatchObject({ deletedCount: 7, unerasedCount: 2, requestId: 'r' });
});

const NOW = Date.parse('2026-11-28T12:00:00.000Z');

test.each([
  ['documents', null, '3600', 'false'],
  ['addsPerDay', NOW + 60_000, '60', undefined],
  ['tokensPerMonth', NOW + 60_001, '61', 'false'],
] as const)('over the quota %s that resets at %s, a client waits %s seconds', (quota, resetsAt, seconds, retries) => {
  const answer = refusalOf(quotaExceeded(quota, 1_000, resetsAt, NOW));
  expect(answer).toMatchObject({ code: 'quota_exceeded', details: quota, message: expect.stringContaining('1,000') });
  expect(answer?.headers['retry-after']).toBe(seconds);
  expect(answer?.headers['x-should-retry']).toBe(retries);
  expect(STATUS_OF.quota_exceeded).toBe(429);
});

test('valueOrThrow() returns the value of a success', () => {
  expect(valueOrThrow(ok('value'))).toBe('value');
});
