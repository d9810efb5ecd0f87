import { Controller, type INestMicroservice, Module, UseFilters } from '@nestjs/common';
import { type BaseRpcContext, Ctx, type CustomTransportStrategy, EventPattern, Payload } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { newId, ResourceError } from '#platform/kernel';
import { until } from '../../../platform/kernel/src/testing/eventually.ts';
import { HandlerErrors } from './handler-errors.ts';
import { type MessageBus, WORK, type WorkCause, type WorkMessage } from './port.ts';
import { RetryAtError } from './retry-at.ts';

export const EXTRACT = 'pipeline.extract';
const INDEX = 'pipeline.index';

export interface OpenedBus {
  readonly bus: MessageBus;
  readonly strategy: CustomTransportStrategy;
}

export type Handle = (message: WorkMessage, delivery: number, pattern: string, signal: AbortSignal) => Promise<void>;

export function workMessage(more: Partial<WorkMessage> = {}): WorkMessage {
  return {
    organization: newId(),
    documentId: newId(),
    contentVersion: 1,
    caller: 'org key:1',
    attempt: 1,
    settingsAt: '12',
    cause: { eventId: newId(), position: '7', revision: 0, correlationId: newId(), tags: ['a tag'] },
    ...more,
  };
}

/** Starts a Nest application whose handlers are declared like those of the pipeline. */
export async function listen(strategy: CustomTransportStrategy, handle: Handle): Promise<INestMicroservice> {
  @Controller()
  @UseFilters(new HandlerErrors())
  class Handlers {
    @EventPattern<string>(EXTRACT, WORK)
    extract(@Payload() message: WorkMessage, @Ctx() context: BaseRpcContext): Promise<void> {
      return handle(message, context.getArgByIndex(1), EXTRACT, context.getArgByIndex(2));
    }

    @EventPattern<string>(INDEX, WORK)
    index(@Payload() message: WorkMessage, @Ctx() context: BaseRpcContext): Promise<void> {
      return handle(message, context.getArgByIndex(1), INDEX, context.getArgByIndex(2));
    }
  }

  @Module({ controllers: [Handlers] })
  class HandlersModule {}

  const testing = await Test.createTestingModule({ imports: [HandlersModule] }).compile();
  const app = testing.createNestMicroservice({ strategy });
  app.useLogger(false);
  await app.listen();
  return app;
}

const transient = () => new ResourceError('no_space', 'full');

/** Records the calls of a handler. */
export class Calls {
  readonly seen: { readonly message: WorkMessage; readonly delivery: number; readonly pattern: string }[] = [];

  readonly note = async (message: WorkMessage, delivery: number, pattern: string): Promise<void> => {
    this.seen.push({ message, delivery, pattern });
  };

  async reached(count: number): Promise<void> {
    await until(
      () => this.seen,
      ({ length }) => length >= count,
    );
  }

  ids(): readonly string[] {
    return this.seen.map(({ message }) => message.documentId);
  }
}

/** Resolves when the message is no longer in progress. */
export async function settled(bus: MessageBus, pattern: string, message: WorkMessage): Promise<void> {
  await until(async () => !(await bus.inProgress(pattern, message)));
}

/**
 * Contract of the message bus port.
 * @param open called for each test; must return an empty bus
 */
export function messageBusContract(name: string, open: () => Promise<OpenedBus>): void {
  describe(`message bus contract: ${name}`, () => {
    let bus: MessageBus;
    let strategy: CustomTransportStrategy;
    let app: INestMicroservice | null;

    beforeEach(async () => {
      ({ bus, strategy } = await open());
      app = null;
    });
    afterEach(() => app?.close());

    async function handling(handle: Handle): Promise<void> {
      app = await listen(strategy, handle);
    }

    it('delivers each message to the handler of its pattern', async () => {
      const calls = new Calls();
      await handling(calls.note);
      const [one, two] = [workMessage({ cause: null }), workMessage({ contentVersion: 3 })];
      await bus.publish(EXTRACT, one);
      await bus.publish(INDEX, two);
      await calls.reached(2);
      expect(calls.seen).toHaveLength(2);
      expect(calls.seen).toContainEqual({ message: one, delivery: 1, pattern: EXTRACT });
      expect(calls.seen).toContainEqual({ message: two, delivery: 1, pattern: INDEX });
    });

    it('redelivers and counts after an error of the handler', async () => {
      const calls = new Calls();
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        if (delivery < 3) throw new Error('not yet');
      });
      const message = workMessage();
      await bus.publish(EXTRACT, message);
      await calls.reached(3);
      await settled(bus, EXTRACT, message);
      expect(calls.seen).toEqual([1, 2, 3].map((delivery) => ({ message, delivery, pattern: EXTRACT })));
    });

    it('does not count a delivery that ended by a transient error', async () => {
      const calls = new Calls();
      const outcomes = [transient(), transient(), new Error('not yet')];
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        const outcome = outcomes.shift();
        if (outcome !== undefined) throw outcome;
      });
      const message = workMessage();
      await bus.publish(EXTRACT, message);
      await calls.reached(4);
      await settled(bus, EXTRACT, message);
      expect(calls.seen.map(({ delivery }) => delivery)).toEqual([1, 1, 1, 2]);
    });

    it('logs why a message is delivered again', async () => {
      const warnings: string[] = [];
      const outcomes = [transient(), { reason: 'of another kind' }];
      await handling(async () => {
        const outcome = outcomes.shift();
        if (outcome !== undefined) throw outcome;
      });
      app?.useLogger({ log: () => {}, error: () => {}, warn: (text: string) => warnings.push(text) });
      const message = workMessage();
      await bus.publish(EXTRACT, message);
      await settled(bus, EXTRACT, message);
      expect(warnings).toEqual([
        expect.stringContaining('ResourceError: full'),
        expect.stringContaining("{ reason: 'of another kind' }"),
      ]);
    });

    it('reports the number of workers at once and until the signal aborts', async () => {
      const counts: number[] = [];
      const watching = new AbortController();
      bus.watchWorkers((count) => counts.push(count), watching.signal);
      expect(counts).toEqual([1]);
      const calls = new Calls();
      await handling(calls.note);
      watching.abort();
      await bus.publish(EXTRACT, workMessage());
      await calls.reached(1);
      expect(counts).toEqual([1]);
    });

    it('delivers other messages while one waits for its redelivery', async () => {
      const calls = new Calls();
      const bad = workMessage();
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        if (message.documentId === bad.documentId && delivery === 1) throw new Error('not yet');
      });
      await bus.publish(EXTRACT, bad);
      const good = workMessage();
      await bus.publish(EXTRACT, good);
      await calls.reached(3);
      expect(calls.ids()).toEqual([bad.documentId, good.documentId, bad.documentId]);
    });

    it('reports a message as in progress from publish() until its handler has resolved, pauses included', async () => {
      const first = Promise.withResolvers<void>();
      const second = Promise.withResolvers<void>();
      const calls = new Calls();
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        await (delivery === 1 ? first.promise : second.promise);
      });
      const message = workMessage();
      expect(await bus.inProgress(EXTRACT, message)).toBe(false);
      await bus.publish(EXTRACT, message);
      expect(await bus.inProgress(EXTRACT, message)).toBe(true);
      expect(await bus.inProgress(INDEX, message)).toBe(false);
      expect(await bus.inProgress(EXTRACT, { ...message, contentVersion: 2 })).toBe(false);
      expect(await bus.inProgress(EXTRACT, { ...message, organization: newId() })).toBe(false);
      await calls.reached(1);
      first.reject(new Error('not yet'));
      await new Promise(setImmediate);
      expect(await bus.inProgress(EXTRACT, message)).toBe(true);
      await calls.reached(2);
      expect(await bus.inProgress(EXTRACT, message)).toBe(true);
      second.resolve();
      await settled(bus, EXTRACT, message);
    });

    it('ignores a message for work that is in progress', async () => {
      const gate = Promise.withResolvers<void>();
      const calls = new Calls();
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        await gate.promise;
      });
      const message = workMessage();
      await bus.publish(EXTRACT, message);
      await bus.publish(EXTRACT, message);
      await calls.reached(1);
      await bus.publish(EXTRACT, { ...message, attempt: 2, cause: null });
      gate.resolve();
      await settled(bus, EXTRACT, message);
      const last = workMessage();
      await bus.publish(EXTRACT, last);
      await calls.reached(2);
      expect(calls.ids()).toEqual([message.documentId, last.documentId]);
    });

    it('delivers work that a later event has caused after the end of the earlier handler', async () => {
      const gate = Promise.withResolvers<void>();
      const calls = new Calls();
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        if (calls.seen.length === 1) await gate.promise;
      });
      const failed = workMessage();
      await bus.publish(EXTRACT, failed);
      await calls.reached(1);
      const restarted = { ...failed, cause: { ...(failed.cause as WorkCause), eventId: newId(), revision: 4 } };
      const accepted = bus.publish(EXTRACT, restarted);
      gate.resolve();
      await accepted;
      await calls.reached(2);
      expect(calls.seen[1]).toEqual({ message: restarted, delivery: 1, pattern: EXTRACT });
      await settled(bus, EXTRACT, restarted);
    });

    it('redelivers at the time of a RetryAtError', async () => {
      const at = Date.now() + 1_500;
      const calls = new Calls();
      let again = 0;
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        if (calls.seen.length === 1) throw new RetryAtError(at);
        again = Date.now();
      });
      const message = workMessage();
      await bus.publish(EXTRACT, message);
      await settled(bus, EXTRACT, message);
      // The clock of a server may be a little ahead of this one.
      expect(again).toBeGreaterThanOrEqual(at - 50);
    });

    it('accepts the same work again after its end', async () => {
      const calls = new Calls();
      await handling(calls.note);
      const message = workMessage();
      await bus.publish(EXTRACT, message);
      await calls.reached(1);
      await bus.publish(EXTRACT, { ...message, attempt: 2 });
      await settled(bus, EXTRACT, message);
      await bus.publish(EXTRACT, { ...message, attempt: 3 });
      await calls.reached(2);
      expect(calls.seen.at(-1)?.delivery).toBe(1);
    });

    it('delivers in the order of publishing', async () => {
      const calls = new Calls();
      await handling(calls.note);
      const messages = Array.from({ length: 200 }, () => workMessage());
      for (const message of messages) await bus.publish(EXTRACT, message);
      await calls.reached(200);
      expect(calls.ids()).toEqual(messages.map(({ documentId }) => documentId));
    });

    it('close() aborts the signal of running handlers', async () => {
      const calls = new Calls();
      await handling(async (message, delivery, pattern, signal) => {
        await calls.note(message, delivery, pattern);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('abandoned'))));
      });
      await bus.publish(EXTRACT, workMessage());
      await calls.reached(1);
      await app?.close();
      app = null;
      expect(calls.seen).toHaveLength(1);
    });

    it('close() waits for running handlers', async () => {
      const gate = Promise.withResolvers<void>();
      const calls = new Calls();
      let through = false;
      await handling(async (message, delivery, pattern) => {
        await calls.note(message, delivery, pattern);
        await gate.promise;
        through = true;
      });
      await bus.publish(EXTRACT, workMessage());
      await calls.reached(1);
      const closing = app?.close().then(() => through);
      app = null;
      await new Promise(setImmediate);
      gate.resolve();
      expect(await closing).toBe(true);
    });
  });
}
