import { decideChunked } from '#documents';
import { formPieces } from './pieces.ts';
import { RECORDED, type Stage } from './stage.ts';

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
    const passages = await tools.textJobs.split(document, await tools.chunkTokens(document.organization));
    const text = passages && (await tools.texts.extracted(document));
    if (passages === null || text === null) return RECORDED;
    const pieces = await formPieces(tools, document, text, passages);
    await work.record((state) => decideChunked(state, document.contentVersion, pieces));
    return RECORDED;
  },
};
