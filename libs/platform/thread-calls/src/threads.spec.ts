import { MessageChannel, type Worker } from 'node:worker_threads';
import { jest } from '@jest/globals';
import { hasCode, isMnemeError, ResourceError } from '#platform/kernel';
import { connect, serve, serveError } from './calls.ts';
import type { EchoApi } from './echo.worker.ts';
import { type Remote, ThreadGoneError } from './index.ts';
import { startWorker } from './worker.ts';

describe('a worker thread', () => {
  let worker: Worker;
  let remote: Remote<EchoApi>;

  beforeEach(() => {
    worker = startWorker(new URL('./echo.worker.ts', import.meta.url), { given: 'at the start' });
    remote = connect<EchoApi>(worker);
  });
  afterEach(async () => {
    remote.close();
    await worker.terminate();
  });

  it('answers calls, each with its own answer, in any order', async () => {
    const values = [1, 'two', null, { three: [3] }];
    expect(await Promise.all(values.map((value) => remote.call('echo', value)))).toEqual(values);
    expect(await Promise.all([remote.call('later', 'a'), remote.call('echo', 'b')])).toEqual(['a', 'b']);
    expect(await remote.call('workerData')).toEqual({ given: 'at the start' });
  });

  it('rejects with the name, message, kind, code and details of an error of this program', async () => {
    const refusal = await remote.call('refuse', 'no').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'Refusal', message: 'no', kind: 'permanent', details: { asked: 'no' } });
    expect(hasCode(refusal, 'refused')).toBe(true);
  });

  it('rejects with the name and message of any other error', async () => {
    const unknown = (remote as unknown as Remote<{ toString(): string }>).call('toString');
    await expect(unknown).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining('toString') });
    expect(isMnemeError(await unknown.catch((error: unknown) => error))).toBe(false);
  });

  it('fails only the call whose argument or answer cannot be cloned', async () => {
    const results = await Promise.allSettled([
      remote.call('echo', 1),
      remote.call('echo', () => {}),
      remote.call('uncloneable'),
      remote.call('echo', 2),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  });

  it('moves buffers there and back', async () => {
    expect(await remote.call('zeros', 3)).toEqual(new Uint8Array(3));
    const bytes = Uint8Array.of(1, 2, 3);
    expect(await remote.callTransferring([bytes.buffer], 'sum', bytes)).toBe(6);
    expect(bytes.byteLength).toBe(0);
  });

  it('passes notices to listeners until they are removed', async () => {
    const heard: unknown[] = [];
    const stop = remote.onNotice((topic, value) => heard.push([topic, value]));
    await remote.call('notify', 'news', { n: 1 });
    stop();
    await remote.call('notify', 'news', { n: 2 });
    expect(heard).toEqual([['news', { n: 1 }]]);
  });

  it('rejects pending and later calls when it crashes', async () => {
    const pending = remote.call('never');
    const gone = new Promise<Error>((resolve) => remote.onGone(resolve));
    remote.call('crash').catch(() => {});
    await expect(pending).rejects.toThrow(ThreadGoneError);
    await expect(pending).rejects.toThrow('crashed on request');
    expect(await gone).toBeInstanceOf(ThreadGoneError);
    await expect(remote.call('echo', 1)).rejects.toThrow(ThreadGoneError);
  });

  it('rejects pending calls when the connection is closed', async () => {
    const pending = remote.call('never');
    remote.close();
    await expect(pending).rejects.toThrow(ThreadGoneError);
  });
});

describe('a pair of ports', () => {
  const api = { double: (n: number) => 2 * n, half: async (n: number) => n / 2 };

  it('carries the calls of one tick as one message, and the answers too', async () => {
    const { port1, port2 } = new MessageChannel();
    const there = jest.spyOn(port1, 'postMessage');
    const back = jest.spyOn(port2, 'postMessage');
    serve<typeof api>(port2, api);
    const remote = connect<typeof api>(port1);
    const calls = Array.from({ length: 50 }, (_, n) => (n % 2 ? remote.call('double', n) : remote.call('half', n)));
    expect(await Promise.all(calls)).toEqual(calls.map((_, n) => (n % 2 ? 2 * n : n / 2)));
    expect(there).toHaveBeenCalledTimes(1);
    expect(back).toHaveBeenCalledTimes(1);
    remote.close();
  });

  it('rejects every call with the error of a thread that cannot serve', async () => {
    const { port1, port2 } = new MessageChannel();
    serveError(port2, new ResourceError('no_space', 'the disk is full'));
    const remote = connect<typeof api>(port1);
    const calls = [remote.call('double', 1), remote.call('half', 1)];
    for (const call of calls) await expect(call).rejects.toMatchObject({ kind: 'transient', code: 'no_space' });
    remote.close();
  });

  it('rejects pending calls when the other side closes its port', async () => {
    const { port1, port2 } = new MessageChannel();
    const remote = connect<typeof api>(port1);
    const pending = remote.call('double', 1);
    port2.close();
    await expect(pending).rejects.toThrow(ThreadGoneError);
  });
});
