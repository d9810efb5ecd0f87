import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, installCurrentNats, startOpenSearch } from '../engines/engines.ts';
import type { Mneme } from '../support/mneme.ts';
import { allModels } from '../support/vector-space.ts';
import { type Answered, askOnce, writeAnswers } from './answers.ts';
import { CLUSTER_ANSWERS, CLUSTER_STATE, openClusterState } from './cluster-state.ts';
import { EMBEDDED_ANSWERS, EMBEDDED_STATE, openEmbeddedState } from './embedded-state.ts';
import { olderVersion } from './older-version.ts';
import { type Questions, questionsAt } from './questions.ts';
import { COMING_SPACE, openByVectors, openByWords, type Story } from './story.ts';
import { writeCluster } from './write-cluster.ts';
import { writeEmbedded } from './write-embedded.ts';

/** `node --conditions=mneme-source write-state.ts [embedded | cluster]`: see README.md. */

const BY_WORDS = { MNEME_EMBEDDING: 'off' };
const { env: models, missing } = await allModels();
if (missing !== null) throw new Error(`The states hold vectors: ${missing}`);
const older = await olderVersion();
if (older === null) throw new Error('The history of this clone does not have the commit that writes the states');
const { root } = older;
const writing = { root, models, other: COMING_SPACE };
const only = process.argv[2];
try {
  if (only !== 'cluster') await embedded();
  if (only !== 'embedded') await cluster();
} finally {
  await older.remove();
}

async function embedded(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-state-'));
  const questions = await writeEmbedded({ ...writing, folder, file: EMBEDDED_STATE });
  await rm(folder, { recursive: true });
  const { answers, ask } = recorder(questions);
  const byWords = await openEmbeddedState(BY_WORDS, root);
  await openByWords({ ...byWords, ask }).finally(byWords.remove);
  const byVectors = await openEmbeddedState(models, root);
  await openByVectors({ ...byVectors, ask }).finally(byVectors.remove);
  writeAnswers(EMBEDDED_ANSWERS, answers);
}

async function cluster(): Promise<void> {
  process.env.MNEME_TEST_NATS_SERVER = await installCurrentNats();
  const openSearch: Engine = await startOpenSearch((line) => console.error(line));
  process.env.MNEME_TEST_OPENSEARCH_URL = openSearch.url;
  try {
    const questions = await writeCluster({ ...writing, file: CLUSTER_STATE });
    const { answers, ask } = recorder(questions);
    const byWords = await openClusterState(BY_WORDS, ask, root);
    await openByWords(byWords).finally(byWords.remove);
    const byVectors = await openClusterState(models, ask, root);
    await openByVectors(byVectors).finally(byVectors.remove);
    writeAnswers(CLUSTER_ANSWERS, answers);
  } finally {
    await openSearch.stop();
  }
}

function recorder(questions: Questions): { readonly answers: readonly Answered[]; readonly ask: Story['ask'] } {
  const answers: Answered[] = [];
  const ask = async (mneme: Mneme, moment: string) => {
    for (const question of questionsAt(questions, moment)) answers.push(await askOnce(mneme, moment, question));
  };
  return { answers, ask };
}
