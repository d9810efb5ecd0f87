import { DOCUMENT_EVENTS, isOpening } from '#features/documents';
import type { Json, JsonObject } from '#platform/kernel';
import type { HistoryEntry, ImportedDocument } from './format.ts';

/** A line that is no document of an export; the message says what is wrong. */
export class MalformedLineError extends Error {
  override readonly name = 'MalformedLineError';
}

const ID = /^[A-Za-z0-9]{22}$/;
const WORD = /^[A-Za-z0-9_.:-]{1,200}$/;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: Json | undefined): value is string => typeof value === 'string';
const isWord = (value: Json | undefined): value is string => isText(value) && WORD.test(value);
const isTime = (value: Json | undefined): value is string => isText(value) && Number.isFinite(Date.parse(value));
const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** @throws MalformedLineError */
export function parseDocument(line: string): ImportedDocument {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    throw new MalformedLineError('it is not JSON');
  }
  if (!isObject(value)) throw new MalformedLineError('it is not an object');
  const { id, createdAt, updatedAt, contentHash, history } = value;
  check(isText(id) && ID.test(id), 'id');
  check(isTime(createdAt), 'createdAt');
  check(isTime(updatedAt), 'updatedAt');
  check(isText(contentHash), 'contentHash');
  check(Array.isArray(history) && history.length > 0, 'history');
  const entries = (history as readonly Json[]).map(parseEntry);
  check(isOpening(entries[0]?.type ?? '') && entries[0]?.payload?.id === id, 'history[0]');
  check(entries.filter(({ type }) => isOpening(type)).length === 1, 'history');
  return value as unknown as ImportedDocument;
}

function parseEntry(entry: Json, index: number): HistoryEntry {
  const at = `history[${index}]`;
  check(isObject(entry), at);
  const { type, schemaVersion, tags, correlationId, contentVersion, stage, attempt, code, sizes, payload } =
    entry as JsonObject;
  check(isText(type), `${at}.type`);
  const known = Object.hasOwn(DOCUMENT_EVENTS, type as string)
    ? DOCUMENT_EVENTS[type as keyof typeof DOCUMENT_EVENTS]
    : undefined;
  if (known === undefined || type === 'DocumentDeleted' || type === 'DocumentImported') {
    throw new MalformedLineError(`${at}.type is ${type}, which this version does not import`);
  }
  if (!isCount(schemaVersion) || schemaVersion > known.version) {
    throw new MalformedLineError(`${at} has the form of another version`);
  }
  check(isTime((entry as JsonObject).at), `${at}.at`);
  check(Array.isArray(tags) && tags.length > 0 && tags.every(isText), `${at}.tags`);
  check(isText(correlationId), `${at}.correlationId`);
  check(contentVersion === undefined || isCount(contentVersion), `${at}.contentVersion`);
  check(attempt === undefined || isCount(attempt), `${at}.attempt`);
  check(stage === undefined || isWord(stage), `${at}.stage`);
  check(code === undefined || isWord(code), `${at}.code`);
  check(sizes === undefined || (isObject(sizes) && Object.values(sizes).every(isCount)), `${at}.sizes`);
  check(known.payload ? isObject(payload) : payload === null, `${at}.payload`);
  return entry as unknown as HistoryEntry;
}

function check(isValid: boolean, field: string): void {
  if (!isValid) throw new MalformedLineError(`${field} is missing or not valid`);
}
