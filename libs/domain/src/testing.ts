import type { Metadata } from '#kernel';
import { decideAdd } from './document/adding.ts';
import { type DocumentState, evolve, initialState } from './document/document.ts';
import type { DocumentPayloads } from './document/events.ts';
import type { Decided, Happened } from './happened.ts';

/** Only specs import this: a document's past told in events. */

export const AT = '2026-01-02T03:04:05.678Z';

export function happened(decided: Decided, tags: readonly string[] = ['t'], correlationId = 'request-1'): Happened {
  const { payload, ...facts } = decided;
  return {
    envelope: { at: AT, organization: 'org', tags, correlationId, ...facts },
    payload: payload as Happened['payload'],
  };
}

export function given(...events: readonly Happened[]): DocumentState {
  return events.reduce(evolve, initialState);
}

export function added(text = 'hello', details: { metadata?: Metadata; customId?: string } = {}): Happened {
  const [event] = decideAdd({
    id: 'doc',
    customId: details.customId ?? null,
    content: { text: { inline: text } },
    type: 'text',
    source: 'api',
    url: null,
    metadata: details.metadata ?? null,
    filepath: null,
    taskType: 'memory',
    documentDate: null,
    sizes: { characters: text.length },
  });
  return happened(event as Decided);
}

const result = (type: string, payload: object | null, contentVersion = 1, facts: Partial<Decided> = {}) =>
  happened({ type, contentVersion, payload, ...facts });

export const extracted = (version = 1) =>
  result(
    'ContentExtracted',
    { text: null, title: 'hello', summary: null, type: 'text' } satisfies DocumentPayloads['ContentExtracted'],
    version,
  );
export const chunked = (version = 1) => result('ContentChunked', { chunks: { inline: [['c', 0, 5]] } }, version);
export const formed = (version = 1) => result('MemoriesFormed', { memories: { inline: [['m', 0, 5, null]] } }, version);
export const embedded = (version = 1, space = 'space-1') => result('UnitsEmbedded', { space }, version);
export const indexed = (version = 1) => result('DocumentIndexed', null, version);
export const started = (stage: string, attempt: number, version = 1) =>
  result('StageStarted', null, version, { stage, attempt });
export const failed = (version = 1) =>
  result('ProcessingFailed', { message: 'no' }, version, { stage: 'extracting', code: 'extraction_failed' });
export const deleted = () => happened({ type: 'DocumentDeleted', payload: null });

/** A document that went the whole way. */
export const done = (version = 1) => [extracted(version), chunked(version), formed(version), indexed(version)];
