import { audio } from './audio.extractor.ts';
import { csv } from './csv.extractor.ts';
import { doc } from './doc.extractor.ts';
import { docx } from './docx.extractor.ts';
import { eml } from './eml.extractor.ts';
import { COMMON_LIMITS, type Extractor, type ExtractorLimits, type FileExtractor } from './extractor.ts';
import { html } from './html.extractor.ts';
import { image } from './image.extractor.ts';
import { json } from './json.extractor.ts';
import { markdown } from './markdown.extractor.ts';
import { mbox } from './mbox.extractor.ts';
import { msg } from './msg.extractor.ts';
import { ods } from './ods.extractor.ts';
import { odt } from './odt.extractor.ts';
import { page } from './page.extractor.ts';
import { pdf } from './pdf.extractor.ts';
import { plain } from './plain.extractor.ts';
import { pptx } from './pptx.extractor.ts';
import { rtf } from './rtf.extractor.ts';
import { subtitles } from './subtitles.extractor.ts';
import { text } from './text.extractor.ts';
import { video } from './video.extractor.ts';
import { xls } from './xls.extractor.ts';
import { xlsx } from './xlsx.extractor.ts';

/** Every extractor. */
export const EXTRACTORS: readonly Extractor[] = [
  ...[text, plain, markdown, csv, json, subtitles, html, page],
  // Word documents and presentations can hold a workbook, and an e-mail of Outlook any of them.
  ...[pdf, docx, pptx, xlsx, odt, ods, rtf, msg, doc, xls, eml, mbox, image, audio, video],
];

/** @throws Error if no extractor has this kind */
export function extractorOf(kind: string): Extractor {
  const extractor = EXTRACTORS.find((one) => one.kind === kind);
  if (extractor === undefined) throw new Error(`there is no extractor of the kind ${kind}`);
  return extractor;
}

/** Of a job that reads a file of this kind. Null: of a container, whose kind only the whole file shows. */
export function limitsOf(kind: string | null): ExtractorLimits {
  if (kind !== null) return extractorOf(kind).limits;
  // What is slow is never found in a container of files.
  const all = EXTRACTORS.filter(({ reads, isSlow }) => reads === 'bytes' && !isSlow).map(({ limits }) => limits);
  const { ms, outputBytes } = COMMON_LIMITS;
  return {
    ms: Math.max(ms, ...all.map((limits) => limits.ms)),
    outputBytes: Math.max(outputBytes, ...all.map((limits) => limits.outputBytes)),
  };
}

/** Work on files that takes seconds to minutes: OCR, and what is said in recordings. */
export type LongWork = 'recognize' | 'transcribe';

/** What reading a file of this kind needs in any case. Null: nothing that takes long. */
export function longWorkOf(kind: string): LongWork | null {
  if (isSlow(kind)) return 'transcribe';
  return kind === image.kind ? 'recognize' : null;
}

const isSlow = (kind: string): boolean => extractorOf(kind).isSlow === true;

export const readsText = (kind: string): boolean => extractorOf(kind).reads === 'text';

/** The format of a file that is found by its content, text or not. */
export const foundBy = (bytes: Uint8Array): FileExtractor | null =>
  EXTRACTORS.find((one): one is FileExtractor => one.reads === 'bytes' && one.detects(bytes)) ?? null;
