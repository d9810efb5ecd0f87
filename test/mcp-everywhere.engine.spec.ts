import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster?.stop());

/** Undefined: it failed. */
async function call(process: Mneme, name: string, given: object): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await process.post<{ result: { structuredContent?: Record<string, unknown> } }>('/mcp', {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: { containerTag: 'crew', ...given } },
  });
  expect(status).toBe(200);
  return body.result.structuredContent;
}

test('every message can go to another process: what one saves another finds, and it takes the file that the first has prepared', async () => {
  const [one, other] = [await cluster.start('api'), await cluster.start('api'), await cluster.start('worker')];
  expect(await call(one, 'add_memory', { content: 'The anchor lies off the pier.' })).toMatchObject({
    success: true,
  });
  await eventually(async () => {
    const found = await call(other, 'search_memory', { query: 'The anchor lies off the pier' });
    return Number(found?.total ?? 0) > 0 ? true : null;
  });

  const prepared = await call(one, 'prepare-file-upload', {});
  const path = new URL(prepared?.uploadUrl as string).pathname;
  const send = (process: Mneme, text: string) => {
    const form = new FormData();
    form.append('file', new Blob([text]), 'crew.md');
    return process.post<{ id: string }>(path, form, { authorization: `Bearer ${prepared?.uploadToken}` });
  };
  const { status, body } = await send(other, '# Crew\n\nTom is the cook.\n');
  expect(status).toBe(200);
  expect(await one.settled(body.id)).toMatchObject({ status: 'done', containerTags: ['crew'] });
  expect((await send(one, 'Another file.')).status).toBe(409);
});
