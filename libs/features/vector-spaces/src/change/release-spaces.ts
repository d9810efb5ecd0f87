import { setTimeout as pause } from 'node:timers/promises';
import { releaseOtherSpaces } from '../backfill-document.ts';
import type { ChangeSources, SpaceOptions } from './change-sources.ts';
import { DocumentPass } from './document-pass.ts';
import type { DocumentName } from './each-document.ts';
import { modelReady } from './model-ready.ts';

export interface ReleaseOptions extends SpaceOptions {
  /** Returns the spaces whose vectors stay, the serving one included. Called for each document. */
  readonly kept: () => Promise<readonly string[]>;
  /** How often documents that are being processed are looked at again. Milliseconds. Null: they keep their vectors. */
  readonly pollMs: number | null;
  readonly onProgress: (documents: number) => void;
  /** Whether the tokens of units stay. Default: true. */
  readonly keepsTokens?: boolean;
}

/**
 * Removes the vectors of all spaces but the kept ones.
 * @throws SpaceChangeError; transient errors, after which another call begins again
 */
export async function releaseSpaces(sources: ChangeSources, options: ReleaseOptions): Promise<void> {
  await modelReady(sources, options);
  if (!options.signal.aborted) await releaseVectors(sources, options);
}

/** As `releaseSpaces`, whether the model is ready or not. */
export async function releaseVectors(sources: ChangeSources, options: ReleaseOptions): Promise<void> {
  const { documents, texts, vectors } = sources;
  const { space: name, embedder, kept, signal, pollMs, keepsTokens = true } = options;
  let inWork: DocumentName[] = [];
  const release = async (document: DocumentName) => {
    const backfill = { documents, texts, vectors, space: { name, embedder }, kept: await kept(), keepsTokens };
    if (!(await releaseOtherSpaces(backfill, document.organization, document.id))) inWork.push(document);
  };
  const pass = new DocumentPass(sources, options);
  await pass.run(release);
  while (pollMs !== null && inWork.length > 0 && !signal.aborted) {
    await pause(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
    const again = inWork;
    inWork = [];
    for (const document of again) await pass.each(document, () => release(document));
  }
}
