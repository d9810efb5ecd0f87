import { type MessagePort, parentPort } from 'node:worker_threads';
import { chunk, type ExtractedDocument, extractDocument, formMemories, type Source } from '#extraction';
import { serve } from '#threads';

export interface TextWorkerApi {
  extract(source: Source): Promise<ExtractedDocument>;
  split(text: string): Pick<ExtractedDocument, 'chunks' | 'memories'>;
}

serve<TextWorkerApi>(parentPort as MessagePort, {
  extract: (source) => extractDocument(source),
  split: (text) => ({ chunks: chunk(text), memories: formMemories(text) }),
});
