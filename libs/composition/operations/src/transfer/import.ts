import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { openAccess, organizationsOf } from '#features/access';
import { TAG_MERGE_EVENTS } from '#features/container-tags';
import { hasCode, type JsonObject, textLines } from '#platform/kernel';
import { forEach } from '../backup/at-once.ts';
import { folderOf, namesIn } from '../folders.ts';
import { Lines } from '../lines.ts';
import { eventsOf } from '../log.ts';
import { type OperationsContext, OperatorError } from '../operation.ts';
import { organizationOf } from '../organization-of.ts';
import { type ImportOutcome, type ImportTarget, importDocument } from './document-import.ts';
import { DOCUMENTS, readExportManifest } from './format.ts';
import { ImportLimits, interruption } from './import-limits.ts';
import { MalformedLineError, parseDocument } from './parse-document.ts';

/**
 * Checks an import into a data folder without an event log, before anything is written.
 * @throws OperatorError if the export is incomplete, or if the data folder holds anything
 */
export async function checkImportInto(dataFolder: string, input: JsonObject): Promise<void> {
  await readExportManifest(folderOf(input));
  if ((await namesIn(dataFolder)).length === 0) return;
  throw new OperatorError(
    `The data folder ${dataFolder} has no event log and is not empty. An export is imported into an installation, or into ` +
      'an empty folder.',
  );
}

/**
 * Adds the documents of an export, with their ids, to an organization; a data folder on which no server
 * has run yet gets one, with its owner key. May be aborted and called again:
 * documents that are there already are not changed. Yields `problem` lines, each with its line number, for documents that
 * are skipped, and `waits` lines while the backlog is full; the last line has `done`.
 * @throws ImportInterruptedError on a full disk
 */
export async function* importDocuments(
  context: OperationsContext,
  input: JsonObject,
  signal: AbortSignal,
): AsyncIterable<JsonObject> {
  const folder = folderOf(input);
  const { documents: of } = await readExportManifest(folder);
  if (context.server === null) await begin(context);
  const organization = await organizationOf(context, input);
  const target = { context, organization, folder, newIds: input.newIds === true };
  const lines = new Lines<JsonObject>();
  const counts = { imported: 0, unchanged: 0, skipped: 0 };
  let documents = 0;
  const limits = new ImportLimits(context);
  const progress = () => ({ phase: 'import', documents, of: Math.max(of, documents) });
  const importAll = forEach(linesOf(join(folder, DOCUMENTS), signal), async ({ text, line }) => {
    const wait = () => lines.put({ ...progress(), waits: true });
    const result = await limits.add(() => importLine(text, target), signal, wait);
    if (result === null) return;
    if ('message' in result) {
      counts.skipped += 1;
      lines.put({ problem: result.outcome, line, message: `Line ${line}: ${result.message}` });
    } else counts[result.outcome] += 1;
    documents += 1;
    lines.put(progress());
  });
  try {
    yield* lines.until(importAll);
  } catch (error) {
    throw interruption(error);
  }
  yield { phase: 'done', done: !signal.aborted, folder, ...counts };
}

/** Does what a server does at its start. It follows the merges of tags; a command line learns of those that run at its start. */
async function begin({ config, clock, parts: { storage, tagLocks, keys } }: OperationsContext): Promise<void> {
  const { store, files } = storage;
  const isNew = config.eventStoreUrl === null && (await organizationsOf(store)).length === 0;
  if (isNew) await openAccess({ store, clock, keys, apiKey: config.apiKey, keyFile: files.ownerKey });
  const merges = { types: Object.keys(TAG_MERGE_EVENTS) };
  for await (const { envelope } of eventsOf(store, merges)) tagLocks.observe(envelope);
}

async function importLine(text: string, target: ImportTarget): Promise<ImportOutcome | MalformedLine> {
  try {
    return await importDocument(parseDocument(text), target);
  } catch (error) {
    if (!(error instanceof MalformedLineError) && !hasCode(error, 'payload_too_large')) throw error;
    return { outcome: 'malformed', message: `This is no document of an export: ${error.message}.` };
  }
}

interface MalformedLine {
  readonly outcome: 'malformed';
  readonly message: string;
}

interface NumberedLine {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<NumberedLine> {
  let line = 0;
  for await (const text of textLines(createReadStream(path))) {
    if (signal.aborted) return;
    line += 1;
    if (text.trim() !== '') yield { text, line };
  }
}
