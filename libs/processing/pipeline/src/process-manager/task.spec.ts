import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newId } from '#platform/kernel';
import { STAGES } from '../stages/registry.ts';
import { messageOf, Task } from './task.ts';

const [stage] = STAGES;
const progress = { contentVersion: 1, stage: 'queued', recorded: [] } as const;
const organization = newId();

/** A task whose texts are its own, as those of events are. */
function taskOf(details: { readonly correlationId?: string } = {}): Task {
  const cause = {
    eventId: newId(),
    position: String(Math.random()),
    revision: 0,
    correlationId: newId(),
    tags: ['farm'],
  };
  const own = JSON.parse(JSON.stringify({ organization, cause: { ...cause, ...details } }));
  const id = /_(\w+)$/.exec(`document-${organization}_${newId()}`)?.[1] as string;
  return new Task({ ...own, id, tag: 'farm', size: 40, progress, stage: stage!, touched: Date.now() });
}

it('names the event that caused it, whatever its correlation id', () => {
  const correlationId = 'a "b" ü \ud800 c';
  const { cause } = messageOf(taskOf({ correlationId }));
  expect(cause).toEqual({
    ...{ eventId: expect.stringMatching(/^\w{22}$/), position: expect.stringMatching(/^0\./), revision: 0 },
    ...{ correlationId, tags: ['farm'] },
  });
  expect(messageOf(new Task({ ...taskOf(), tag: 'farm', cause: null })).cause).toBeNull();
});

it('takes little memory, because 200,000 may wait', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const count = 20_000;
  const tasks: Task[] = Array.from({ length: count }, () => taskOf()).slice(0, 1);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < count; i += 1) tasks.push(taskOf());
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  expect(tasks).toHaveLength(count + 1);
  expect(bytes).toBeLessThan(450);
});
