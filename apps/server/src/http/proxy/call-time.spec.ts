import { jest } from '@jest/globals';
import { CallEnded, CallTime } from './call-time.ts';

const MINUTE = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const reasonOf = ({ signal }: CallTime): unknown => signal.reason?.message ?? null;

test('a call ends ten minutes after the last word of the provider', () => {
  const call = new CallTime();
  jest.advanceTimersByTime(9 * MINUTE);
  call.goOn();
  jest.advanceTimersByTime(10 * MINUTE - 1);
  expect(call.signal.aborted).toBe(false);
  jest.advanceTimersByTime(1);
  expect(call.signal.reason).toBeInstanceOf(CallEnded);
  expect(reasonOf(call)).toBe('The provider has sent nothing for 10 minutes');
});

test('a call whose provider never stops ends after an hour', () => {
  const call = new CallTime();
  for (let minute = 1; minute < 60; minute += 1) {
    jest.advanceTimersByTime(MINUTE);
    call.goOn();
  }
  expect(call.signal.aborted).toBe(false);
  jest.advanceTimersByTime(MINUTE);
  expect(reasonOf(call)).toBe('The provider has not ended its answer within an hour');
});

test('a call that is over is not ended later', () => {
  const call = new CallTime();
  call.stop();
  jest.advanceTimersByTime(61 * MINUTE);
  expect(call.signal.aborted).toBe(false);
});
