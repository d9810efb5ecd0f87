import { newId } from '#platform/kernel';
import { type LoopbackProvider, openProvider } from '../../../apps/server/src/http/testing/loopback-provider.ts';
import { sayTo } from '../../clients/answers-of-models.ts';
import { eventually, Mneme, OWNER_KEY } from '../../support/mneme.ts';
import { type Bench, type BenchOptions, expectStatus, type Outcome } from '../support/bench.ts';
import { modelReady } from '../support/documents.ts';
import type { Installation, InstallationBench } from '../support/installations.ts';
import { findModel } from '../support/model.ts';
import { below, seededRandom } from '../support/random.ts';
import { containerName, prepareSearchFolder, UNITS_PER_CONTAINER } from '../support/search-folder.ts';
import { milliseconds, percentile, whole } from '../support/statistics.ts';
import { sentence } from '../support/texts.ts';

/** Five memories each. */
const DOCUMENTS = 100_000;
const QUICK_DOCUMENTS = 2_000;
const CONVERSATIONS = 10;
const CALLS = 20;
/** About 8,000 tokens of history. */
const TURNS = 28;
const SENTENCES_OF_TURN = 11;
const TARGET_MS = 40;

interface Turn {
  readonly role: string;
  readonly content: string;
}

/** The time until the provider has a call, with the model, in containers of 1,000 memories of many. */
export const proxiedCalls: Bench = {
  name: 'proxied-calls',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const model = await findModel();
    const units = (quick ? QUICK_DOCUMENTS : DOCUMENTS) * 5;
    const { folder } = await prepareSearchFolder(units, model.space, progress);
    return withProvider(async (provider, providers) => {
      const env = { MNEME_EMBEDDING: 'local', MNEME_MODELS: model.folder, ...providers };
      const mneme = await Mneme.start({ folder, env });
      try {
        await modelReady(mneme);
        const among = `${whole(UNITS_PER_CONTAINER)} memories among ${whole(units / 5)} documents`;
        const asked = (i: number) => ({
          tag: containerName(i),
          question: sentence(i),
        });
        return await measure({ mneme, provider, progress, among, asked, target: TARGET_MS });
      } finally {
        await mneme.stop();
      }
    });
  },
};

/** The same by words alone, in one container of a few documents, on both set-ups. */
export const proxiedCallsByWords: InstallationBench = {
  name: 'proxied-calls-by-words',
  async run({ quick, progress }: BenchOptions, installation: Installation): Promise<Outcome> {
    const documents = quick ? 100 : 1_000;
    return withProvider(async (provider, providers) => {
      const mneme = await installation.start(providers);
      try {
        for (let from = 0; from < documents; from += 100) {
          const batch = Array.from({ length: 100 }, (_, i) => ({ content: sentence(from + i), containerTag: 'user' }));
          await mneme.post('/v3/documents/batch', { documents: batch });
        }
        const asked = (i: number) => ({ tag: 'user', question: sentence(i) });
        const among = `${whole(documents)} documents by words`;
        return await measure({ mneme, provider, progress, among, asked, target: 2 * TARGET_MS });
      } finally {
        await mneme.stop();
      }
    });
  },
};

async function withProvider(
  work: (provider: LoopbackProvider, env: Record<string, string>) => Promise<Outcome>,
): Promise<Outcome> {
  const provider = await openProvider(() => undefined);
  const providers = JSON.stringify([{ name: 'local', base: provider.url, format: 'openai' }]);
  try {
    return await work(provider, { MNEME_PROXY_PROVIDERS: providers });
  } finally {
    await provider.close();
  }
}

interface Measured {
  readonly mneme: Mneme;
  readonly provider: LoopbackProvider;
  readonly progress: BenchOptions['progress'];
  readonly among: string;
  readonly asked: (conversation: number) => { readonly tag: string; readonly question: string };
  readonly target: number;
}

/** Conversations of 8,000 tokens go on, one call after the other; each has another question. */
async function measure({ mneme, provider, progress, among, asked, target }: Measured): Promise<Outcome> {
  const direct: number[] = [];
  const proxied: number[] = [];
  let withMemory = 0;
  let arrived = 0;
  let said = '';
  provider.answer = (_, response, call) => {
    arrived = performance.now();
    sayTo(call, response, said);
  };
  const call = async (url: string, tag: string, id: string, messages: readonly Turn[]) => {
    const headers = { 'x-supermemory-api-key': OWNER_KEY, 'x-sm-user-id': tag, 'x-sm-conversation-id': id };
    const body = JSON.stringify({ model: 'm', messages });
    const begun = performance.now();
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
    expectStatus(answer.status, 200, 'a call');
    await answer.arrayBuffer();
    return { milliseconds: arrived - begun, headers: answer.headers };
  };
  let tokens = 0;
  const run = newId();
  const idOf = (conversation: number) => `talk ${run} ${conversation}`;
  const late: string[] = [];
  /** Ids of the documents that this run has added. */
  const added: string[] = [];
  const conversations = Array.from({ length: CONVERSATIONS }, (_, i) => historyOf(i));
  progress('storing the conversations');
  for (const [i, history] of conversations.entries()) {
    const { tag } = asked(i);
    const memories = [{ content: `The user of ${tag} sails on Mondays.`, isStatic: true }];
    const { body } = await mneme.post<{ documentId: string }>('/v4/memories', { memories, containerTag: tag });
    added.push(body.documentId, idOf(i));
    await call(`${mneme.url}/proxy/local`, tag, idOf(i), history);
  }
  await settled(mneme);
  for (let round = 0; round < CALLS; round += 1) {
    progress(`call ${round + 1}`);
    for (const [i, history] of conversations.entries()) {
      // A user reads the answer before the next call.
      await settled(mneme);
      const { tag, question } = asked(i);
      history.push({ role: 'user', content: `${question} ${round}` });
      said = `Yes: ${sentence(1_000 + round * CONVERSATIONS + i)}`;
      direct.push((await call(provider.url, tag, idOf(i), history)).milliseconds);
      const { milliseconds: time, headers } = await call(`${mneme.url}/proxy/local`, tag, idOf(i), history);
      proxied.push(time);
      tokens = Number(headers.get('x-supermemory-tokens-processed'));
      const error = headers.get('x-supermemory-error');
      if (error !== null) late.push(error);
      if (headers.get('x-supermemory-chunks-retrieved') !== '0') withMemory += 1;
      history.push({ role: 'assistant', content: said });
    }
  }
  // The folder is used again, and what was said in this run would be found by the next.
  await mneme.request('DELETE', '/v3/documents/bulk', { ids: added });
  if (withMemory + late.length < proxied.length) throw new Error(`Only ${withMemory} calls had memories`);
  const more = proxied.map((time, i) => time - (direct[i] as number));
  const [p50, p95] = [percentile(more, 0.5), percentile(more, 0.95)];
  const row = {
    what: `proxy: added until the provider has a call with ${whole(tokens)} tokens, user with ${among}`,
    measured: `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}, ${late.length} of ${more.length} calls without memory`,
    target: `p95 ≤ ${target} ms`,
    met: p95 <= target,
  };
  return { rows: [row], raw: { tokens, late, p50, p95, direct, proxied } };
}

function historyOf(conversation: number): Turn[] {
  const random = seededRandom(conversation + 77);
  return Array.from({ length: TURNS }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: Array.from({ length: SENTENCES_OF_TURN }, () => sentence(below(random, 1_000_000))).join(' '),
  }));
}

const settled = (mneme: Mneme): Promise<true> =>
  eventually(async () => {
    const { body } = await mneme.get<{ totalCount: number }>('/v3/documents/processing');
    return body.totalCount === 0 ? true : null;
  });
