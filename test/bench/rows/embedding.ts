import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { embeddedTexts } from '#features/vector-spaces/model';
import type { OrganizationId } from '#platform/kernel';
import { openVectorReader } from '#ports/vector-store';
import { Mneme } from '../../support/mneme.ts';
import { type BareModels, startBareModels } from '../support/bare-models.ts';
import type { Bench, BenchOptions, Outcome } from '../support/bench.ts';
import { countDone, modelReady } from '../support/documents.ts';
import { findModel } from '../support/model.ts';
import { median, percent, whole } from '../support/statistics.ts';
import { passage } from '../support/texts.ts';

const TARGET_SHARE = 0.8;
const WARMUP = 64;
const ADDS_AT_ONCE = 32;
const LOOK_EVERY_MS = 100;
const TIMEOUT_MS = 300_000;

/**
 * Runs the same texts through the bare model and through the pipeline, alternating. Each document is one passage without a
 * date, so its chunk and its memory are one text and one window of the model, which is verified.
 */
export const embedding: Bench = {
  name: 'embedding',
  async run({ quick, progress }: BenchOptions): Promise<Outcome> {
    const { folder, files, space } = await findModel();
    const [rounds, perRound] = quick ? [1, 200] : [3, 600];
    const mneme = await Mneme.start({ env: { MNEME_EMBEDDING: 'local', MNEME_MODELS: folder } });
    const bare = startBareModels(files);
    try {
      await modelReady(mneme);
      await warmUp(mneme, bare);
      const bareRates: number[] = [];
      const rates: number[] = [];
      for (let round = 0; round < rounds; round++) {
        progress(`round ${round + 1} of ${rounds}, ${perRound} texts each way`);
        const texts = Array.from({ length: perRound }, (_, i) => passage(WARMUP + round * perRound + i));
        bareRates.push(perRound / (await bare.embed(texts)));
        rates.push(perRound / (await throughPipeline(mneme, texts)));
        await checkEmbedded(mneme, space, texts);
      }
      const share = median(rates) / median(bareRates);
      return {
        rows: [
          {
            what: `texts of some 60 tokens embedded in the pipeline, as a share of the bare model on ${bare.threads} threads; median of ${rounds} × ${perRound} texts after ${WARMUP}`,
            measured: `${percent(share)}: ${whole(median(rates))}/s of ${whole(median(bareRates))}/s`,
            target: `≥ ${percent(TARGET_SHARE)}`,
            met: share >= TARGET_SHARE,
          },
        ],
        raw: { share, pipelinePerSecond: rates, barePerSecond: bareRates, threads: bare.threads, perRound },
      };
    } finally {
      await bare.close();
      await mneme.stop();
    }
  },
};

/** Loads the models and fills the caches of both ways. */
async function warmUp(mneme: Mneme, bare: BareModels): Promise<void> {
  const texts = Array.from({ length: WARMUP }, (_, i) => passage(i));
  await bare.embed(texts);
  await throughPipeline(mneme, texts);
}

/** @returns seconds from the first add until all are done, their vectors included */
async function throughPipeline(mneme: Mneme, texts: readonly string[]): Promise<number> {
  const before = await countDone(mneme);
  const begun = performance.now();
  for (let from = 0; from < texts.length; from += ADDS_AT_ONCE) {
    await Promise.all(texts.slice(from, from + ADDS_AT_ONCE).map((text) => mneme.add(text)));
  }
  while ((await countDone(mneme)) < before + texts.length) {
    if (performance.now() - begun > TIMEOUT_MS) throw new Error(`The texts were not embedded within ${TIMEOUT_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
  return (performance.now() - begun) / 1_000;
}

function keysOf(space: string, organization: string, text: string): string[] {
  const units = [{ id: 'm', kind: 'memory', ordinal: 0, text, speaker: null } as const];
  const document = { organization: organization as OrganizationId, unitsDate: null };
  return [...embeddedTexts(space, document, units).passages.keys()];
}

/** Checks by the key of the whole text that each document was embedded as one passage. */
async function checkEmbedded(mneme: Mneme, space: string, texts: readonly string[]): Promise<void> {
  const { body } = await mneme.get<{ org: { id: string } }>('/v3/session');
  const reader = openVectorReader(join(mneme.folder, 'vectors.db'));
  try {
    const held = reader.get(texts.flatMap((text) => keysOf(space, body.org.id, text)));
    const missing = held.filter((vector) => vector === null).length;
    if (missing > 0) throw new Error(`${missing} of ${texts.length} texts were not embedded as one passage`);
  } finally {
    reader.close();
  }
}
