import { MessageChannel } from 'node:worker_threads';
import { connect, serve } from './calls.ts';
import { type MethodNames, proxyPort, remotePort } from './proxy.ts';

class Counter {
  #count = 0;

  async add(a: number, b: number): Promise<number> {
    this.#count += a + b;
    return this.#count;
  }

  async fail(): Promise<never> {
    throw new RangeError('no');
  }
}

const COUNTER: MethodNames<Counter> = { add: true, fail: true };

describe('proxyPort', () => {
  it('calls the method of the target that forward names, with every argument', async () => {
    const targets = [new Counter(), new Counter()] as const;
    let current: Counter = targets[0];
    const proxy = proxyPort<Counter>(COUNTER, (call) => call(current));
    expect(await proxy.add(1, 2)).toBe(3);
    current = targets[1];
    expect(await proxy.add(10, 20)).toBe(30);
    expect(await targets[0].add(0, 0)).toBe(3);
  });

  it('rejects with the error of the target', async () => {
    const proxy = proxyPort<Counter>(COUNTER, (call) => call(new Counter()));
    await expect(proxy.fail()).rejects.toThrow(new RangeError('no'));
  });

  it('has no other methods than those named', () => {
    const proxy = proxyPort<Counter>(COUNTER, (call) => call(new Counter()));
    expect(Object.keys(proxy)).toEqual(['add', 'fail']);
  });
});

describe('remotePort', () => {
  it('calls the port that the other side serves', async () => {
    const { port1, port2 } = new MessageChannel();
    const counter = new Counter();
    serve<Counter>(
      port2,
      proxyPort<Counter>(COUNTER, (call) => call(counter)),
    );
    const remote = connect<Counter>(port1);
    const port = remotePort<Counter>(COUNTER, remote);
    expect(await port.add(1, 2)).toBe(3);
    await expect(port.fail()).rejects.toThrow('no');
    remote.close();
  });
});
