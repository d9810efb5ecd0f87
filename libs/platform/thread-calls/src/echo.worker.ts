import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { mnemeError } from '#platform/kernel';
import { serve, transferring } from '#platform/thread-calls';

/** The thread under test in the specs of this library. */
export interface EchoApi {
  echo(value: unknown): unknown;
  workerData(): unknown;
  later(value: string): Promise<string>;
  refuse(message: string): never;
  uncloneable(): unknown;
  zeros(length: number): Uint8Array;
  sum(numbers: Uint8Array): number;
  notify(topic: string, value: unknown): void;
  crash(): void;
  never(): Promise<void>;
}

class Refusal extends mnemeError('permanent', 'refused') {}

const served = serve<EchoApi>(parentPort as MessagePort, {
  echo: (value) => value,
  workerData: () => workerData,
  later: async (value) => value,
  refuse: (message) => {
    throw new Refusal(message, { details: { asked: message } });
  },
  uncloneable: () => () => {},
  zeros: (length) => {
    const bytes = new Uint8Array(length);
    return transferring(bytes, [bytes.buffer]);
  },
  sum: (numbers) => numbers.reduce((sum, n) => sum + n, 0),
  notify: (topic, value) => served.notify(topic, value),
  crash: () => {
    setImmediate(() => {
      throw new Error('crashed on request');
    });
  },
  never: () => new Promise(() => {}),
});
