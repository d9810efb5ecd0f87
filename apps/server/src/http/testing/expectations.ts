import type { TestAnswer, TestApp } from './fake-application.ts';

/** Expects the error body of the contract (§1.4). */
export function expectErrorBody(answer: TestAnswer, code: string): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.body).toMatchObject({
    error: expect.any(String),
    message: expect.any(String),
    code,
    requestId: answer.headers['x-request-id'],
  });
}

/** Returns the only message that the application received. */
export function asked<T>({ fake }: TestApp, kind: abstract new (...args: never[]) => T): T {
  expect(fake.asked).toHaveLength(1);
  expect(fake.asked[0]).toBeInstanceOf(kind);
  return fake.asked[0] as T;
}
