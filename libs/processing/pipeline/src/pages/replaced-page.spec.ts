import { once } from 'node:events';
import type { DocumentEvent } from '#features/documents';
import type { Fetch } from '#platform/fetch';
import { newId, ok, systemScope } from '#platform/kernel';
import { systemCause } from '#ports/event-store';
import { addPage } from '../../../../../test/support/add-page.ts';
import { ORGANIZATION, openPipeline, type Pipeline } from '../../../../../test/support/pipeline.ts';

const SCOPE = systemScope(ORGANIZATION);

let pipeline: Pipeline;
afterEach(() => pipeline.close());

test('the fetch of a page whose document gets another content ends, and leaves its place to others', async () => {
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const fetch: Fetch = {
    get: async (_address, { signal = AbortSignal.timeout(60_000) }) => {
      asked.resolve();
      if (!signal.aborted) await once(signal, 'abort');
      ended.resolve(signal.reason);
      throw signal.reason;
    },
  };
  pipeline = await openPipeline({ fetch, lookEvery: 20 });
  const id = newId();
  await addPage(pipeline, id, 'https://site.test/');
  await asked.promise;
  const replaced: DocumentEvent = {
    ...{ type: 'ContentReplaced', contentVersion: 2 },
    payload: { content: { text: { inline: 'The ferry leaves at noon.' } } },
  };
  await pipeline.documents.change(SCOPE, id, systemCause(), () => ok([replaced]));
  expect(String(await ended.promise)).toContain('its content replaced');
  await pipeline.event(id, 'DocumentIndexed');
});
