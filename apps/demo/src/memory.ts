import type { Api } from './api.ts';
import { DemoError } from './server.ts';

const MEMORIES = '/v4/memories';
const TAG = 'demo-mara';
const OSLO = 'Mara lives in Oslo.';
const BERGEN = 'Mara lives in Bergen.';
const QUESTION = { q: 'Where does Mara live?', containerTag: TAG, threshold: 0 };

/** Shows a fact that is recorded, corrected, forgotten, restored, and asked for as of a time before its correction. @throws DemoError if an answer is not as it should be */
export async function showMemory(api: Api, number: number, say: (text: string) => void): Promise<void> {
  const change = async (method: string, path: string, body: object): Promise<void> => {
    const sent = { containerTag: TAG, ...body };
    const { status } = await api.request(method, path, sent);
    if (status >= 300) throw new DemoError(`${method} ${path} returned ${status}`);
    say(`   ${method} ${path} ${JSON.stringify(sent)}`);
  };
  const expect = async (expected: string | null, past: { readonly asOf?: string } = {}): Promise<void> => {
    const { results } = await api.post('/v4/search', { ...QUESTION, ...past });
    const found = results.map(({ memory }) => memory);
    if (found.join() !== (expected ?? '')) throw new DemoError(`"${QUESTION.q}" found ${JSON.stringify(found)}`);
    const when = past.asOf === undefined ? '' : `, as of ${past.asOf},`;
    say(`     "${QUESTION.q}"${when} finds ${expected === null ? 'nothing' : `"${expected}"`}`);
  };
  say(`\n${number}. A fact that changes`);
  await change('POST', MEMORIES, { memories: [{ content: OSLO }] });
  await expect(OSLO);
  await change('PATCH', MEMORIES, { content: OSLO, newContent: BERGEN });
  await expect(BERGEN);
  const { memoryEntries } = await api.post<MemoryListing>(`${MEMORIES}/list`, { containerTags: [TAG] });
  const [first] = memoryEntries[0]?.history ?? [];
  const former = memoryEntries[0]?.history.map(({ memory, version }) => `version ${version}: "${memory}"`);
  say(`     its history: ${former?.join(', ')}`);
  await change('DELETE', MEMORIES, { content: BERGEN, reason: 'She asked for it.' });
  await expect(null);
  await change('POST', `${MEMORIES}/restore`, { ids: [memoryEntries[0]?.id] });
  await expect(BERGEN);
  if (first === undefined) throw new DemoError('the history has no version before the correction');
  await expect(OSLO, { asOf: first.createdAt });
}

interface MemoryListing {
  readonly memoryEntries: readonly {
    readonly id: string;
    readonly history: readonly { readonly memory: string; readonly version: number; readonly createdAt: string }[];
  }[];
}
