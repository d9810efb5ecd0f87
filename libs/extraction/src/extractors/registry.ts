import { csv } from './csv.extractor.ts';
import type { Extractor } from './extractor.ts';
import { html } from './html.extractor.ts';
import { json } from './json.extractor.ts';
import { markdown } from './markdown.extractor.ts';
import { text } from './text.extractor.ts';

/** Every extractor. */
export const EXTRACTORS: readonly Extractor[] = [text, markdown, csv, json, html];

/** @throws Error if no extractor has this kind */
export function extractorOf(kind: string): Extractor {
  const extractor = EXTRACTORS.find((one) => one.kind === kind);
  if (extractor === undefined) throw new Error(`there is no extractor of the kind ${kind}`);
  return extractor;
}
