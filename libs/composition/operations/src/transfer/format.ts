import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { absentAsNull, type Json, type JsonObject } from '#platform/kernel';
import { OperatorError } from '../operation.ts';

/** Raised when an export of this version cannot be imported by earlier ones, or theirs not by this one. */
export const EXPORT_FORMAT = 2;
/** Written last: a folder without it is no complete export. */
export const EXPORT_MANIFEST = 'manifest.json';
/** One line per document: `ExportedDocument` as JSON. */
export const DOCUMENTS = 'documents.jsonl';
/** Files and long texts, by their SHA-256. */
export const FILES = 'files';

export interface ExportManifest {
  readonly format: number;
  /** Of the program that wrote the export. */
  readonly version: string;
  readonly createdAt: string;
  /** Only documents with this tag; null: all. */
  readonly tag: string | null;
  readonly documents: number;
}

/**
 * An event of the document. Stages that only concern the installation are left out. A reference to a blob has the blob's
 * name without its folder as `blob`, and as `sha256` the name of its file in `files`, or null if the blob no longer exists.
 */
export interface HistoryEntry {
  readonly at: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly tags: readonly string[];
  readonly correlationId: string;
  readonly contentVersion?: number;
  readonly stage?: string;
  readonly attempt?: number;
  readonly code?: string;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly payload: JsonObject | null;
}

/** What an import reads of a line. The other fields are for other programs. */
export interface ImportedDocument {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly contentHash: string;
  readonly history: readonly HistoryEntry[];
}

/** @throws OperatorError */
export async function readExportManifest(folder: string): Promise<ExportManifest> {
  const path = join(folder, EXPORT_MANIFEST);
  const text = await readFile(path, 'utf8').catch(absentAsNull);
  if (text === null) throw new OperatorError(`${folder} holds no complete export: it has no ${EXPORT_MANIFEST}.`);
  let manifest: Partial<ExportManifest>;
  try {
    manifest = JSON.parse(text) as Partial<ExportManifest>;
  } catch (error) {
    throw new OperatorError(`${path} is damaged.`, { cause: error });
  }
  if (typeof manifest.format !== 'number' || typeof manifest.documents !== 'number') {
    throw new OperatorError(`${path} is not the manifest of an export.`);
  }
  if (manifest.format > EXPORT_FORMAT) {
    throw new OperatorError(
      `${folder} was written by version ${manifest.version}. Import it with that version or a newer one.`,
    );
  }
  if (manifest.format < EXPORT_FORMAT) {
    throw new OperatorError(
      `${folder} has format ${manifest.format}, and this version imports ${EXPORT_FORMAT} only. Import it with the version that wrote it.`,
    );
  }
  return manifest as ExportManifest;
}

/** What a caller wrote has no references, whatever it looks like. */
const CALLERS = new Set(['metadata', 'metadataAdded', 'frontMatter', 'toolCalls']);

/** Replaces objects inside a JSON value. @param replace null: keep the object */
export function replaceObjects(value: Json, replace: (object: JsonObject) => JsonObject | null): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => replaceObjects(item, replace));
  const object = value as JsonObject;
  const replaced = replace(object);
  if (replaced !== null) return replaced;
  return Object.fromEntries(
    Object.entries(object).map(([name, item]) => [
      name,
      item === undefined || CALLERS.has(name) ? item : replaceObjects(item, replace),
    ]),
  );
}

/** Returns the value as one line of JSON. Readers of lines also end one at U+2028 and U+2029, which JSON leaves as they are. */
export const jsonLineOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));
