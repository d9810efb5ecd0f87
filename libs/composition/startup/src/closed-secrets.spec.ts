import { ClosedSecrets } from './closed-secrets.ts';

const entry = (opens: boolean) => ({ organization: 'org', name: 'a', changedAt: 0, key: '1a2b3c4d', opens });

test('closed secrets are counted once a minute, and stay as they were while the store does not answer', async () => {
  let now = 0;
  let answer = async () => [entry(true), entry(false)];
  let asked = 0;
  const list = () => {
    asked += 1;
    return answer();
  };
  const closed = new ClosedSecrets({ list }, { now: () => now });
  expect([await closed.count(), await closed.count(), asked]).toEqual([1, 1, 1]);
  now = 60_000;
  answer = () => Promise.reject(new Error('away'));
  expect([await closed.count(), asked]).toEqual([1, 2]);
  now = 120_000;
  answer = () => new Promise(() => {});
  expect([await closed.count(), asked]).toEqual([1, 3]);
  now = 180_000;
  answer = async () => [];
  expect([await closed.count(), asked]).toEqual([0, 4]);
});
