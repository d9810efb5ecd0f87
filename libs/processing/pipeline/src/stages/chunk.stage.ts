import { decideChunked, type Live, type Pieces } from '#features/documents';
import type { JobRun } from '../extraction-jobs.ts';
import { formPieces } from './pieces.ts';
import { RECORDED, type Stage, type StageTools } from './stage.ts';

/** Cuts the extracted text into chunks and memories. */
export const chunk: Stage = {
  name: 'chunk',
  after: 'extract',
  status: 'chunking',
  runs: 'process',
  leadsTo: 'done',
  needs: null,
  concurrency: { total: 4, perTag: 2, bytes: null },
  async run(work, tools) {
    const document = await work.start();
    if (document === null) return RECORDED;
    const chunkTokens = await tools.chunkTokens(work.message);
    const run = { signal: work.outdated, caller: work.message.caller };
    const long = await tools.passageJobs.formPieces(document, chunkTokens, run);
    const pieces = long
      ? await tools.summaries.addTo(long, document)
      : await piecesOf(document, chunkTokens, tools, run);
    if (pieces === null) return RECORDED;
    await work.record((state) => decideChunked(state, document.contentVersion, pieces));
    return RECORDED;
  },
};

/** Null: no extracted text. */
async function piecesOf(document: Live, chunkTokens: number, tools: StageTools, run: JobRun): Promise<Pieces | null> {
  const passages = await tools.passageJobs.split(document, chunkTokens, run);
  const text = passages && (await tools.texts.extracted(document));
  return passages === null || text === null ? null : formPieces(tools, document, text, passages);
}
