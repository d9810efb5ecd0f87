import type { ErasedEvent, EventContext, Metadata, Recorded } from '#platform/kernel';
import type { DocumentEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { type DocumentState, initialState } from './state.ts';

/** Builders of a document's past; only specs import them. */

export const AT = '2026-01-02T03:04:05.678Z';

export const contextOf = (tags: readonly string[] = ['t'], correlationId = 'request-1'): EventContext => ({
  at: AT,
  organization: 'org',
  tags,
  correlationId,
});

export function recorded<E extends DocumentEvent>(event: E, ...context: Parameters<typeof contextOf>): Recorded<E> {
  return { ...contextOf(...context), ...event };
}

/** An event whose stream was erased before it was read. */
export const erased = (): ErasedEvent => ({ ...contextOf(), type: 'erased' });

export function given(...events: readonly (Recorded<DocumentEvent> | ErasedEvent)[]): DocumentState {
  return events.reduce(evolve, initialState);
}

export const addedEvent = (text = 'hello', details: { metadata?: Metadata; customId?: string } = {}) =>
  ({
    type: 'DocumentAdded',
    contentVersion: 1,
    sizes: { characters: text.length },
    payload: {
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
    },
  }) as const satisfies DocumentEvent;

export const added = (...args: Parameters<typeof addedEvent>) => recorded(addedEvent(...args));

export const appended = (text: string, contentVersion: number, correlationId?: string) =>
  recorded({ type: 'ContentAppended', contentVersion, payload: { text: { inline: text } } }, ['t'], correlationId);

/** A text that was sent without what precedes it; its hash is the text itself. */
export const delta = (text: string, contentVersion: number, correlationId?: string, request?: string) =>
  recorded(
    {
      type: 'ContentAppended',
      contentVersion,
      payload: { text: { inline: `\n${text}` }, sent: text, ...(request !== undefined && { request }) },
    },
    ['t'],
    correlationId,
  );

export const FILE = {
  ...{ blob: 'org/doc/hash.upload', bytes: 5, name: 'notes.txt' },
  ...{ contentType: null, fileType: null, mimeType: null },
};

export const uploaded = () => {
  const event = addedEvent();
  return recorded({ ...event, payload: { ...event.payload, content: { file: FILE } } });
};

/** The text is its own hash. */
export const received = (text: string, correlationId?: string) =>
  recorded(
    { type: 'TextReceived', contentVersion: 1, payload: { text: { inline: text }, sent: text } },
    ['t'],
    correlationId,
  );

/** @param text that was read from a file */
export const extractedFrom = (text: string, contentVersion = 1) =>
  recorded({
    type: 'ContentExtracted',
    stage: 'extracting',
    contentVersion,
    payload: { text: { inline: text }, title: FILE.name, type: 'text' },
  });

export const replaced = (text: string, contentVersion: number, keepsFile?: true) =>
  recorded({
    type: 'ContentReplaced',
    contentVersion,
    payload: { content: { text: { inline: text } }, ...(keepsFile && { keepsFile }) },
  });

export const extracted = (contentVersion = 1) =>
  recorded({
    type: 'ContentExtracted',
    stage: 'extracting',
    contentVersion,
    payload: { text: null, title: 'hello', type: 'text' },
  });

export const chunked = (contentVersion = 1, unitKey = 'key-1') =>
  recorded({
    type: 'ContentChunked',
    stage: 'chunking',
    contentVersion,
    payload: { chunks: { inline: [['c', 0, 5]] }, unitKey },
  });

export const formed = (contentVersion = 1) =>
  recorded({
    type: 'MemoriesFormed',
    stage: 'chunking',
    contentVersion,
    payload: { memories: { inline: [['m', 0, 5, null]] } },
  });

export const summarized = (contentVersion = 1, summary: string | null = 'hello') =>
  recorded({ type: 'SummaryFormed', stage: 'summarizing', contentVersion, payload: { summary } });

export const embedded = (contentVersion = 1, space = 'space-1') =>
  recorded({ type: 'UnitsEmbedded', stage: 'embedding', contentVersion, payload: { space } });

export const embeddedBeside = (contentVersion = 1, space = 'second-1') =>
  recorded({ type: 'SecondSpaceEmbedded', contentVersion, payload: { space } });

export const indexed = (contentVersion = 1) =>
  recorded({ type: 'DocumentIndexed', stage: 'indexing', contentVersion, payload: null });

export const started = (stage: string, attempt: number, contentVersion = 1) =>
  recorded({ type: 'StageStarted', contentVersion, stage, attempt, payload: null });

export const abandoned = (stage: string, attempt: number, contentVersion = 1) =>
  recorded({ type: 'StageAbandoned', contentVersion, stage, attempt, payload: null });

export const failed = (contentVersion = 1) =>
  recorded({
    type: 'ProcessingFailed',
    contentVersion,
    stage: 'extracting',
    code: 'extraction_failed',
    payload: { message: 'no' },
  });

export const restarted = (contentVersion = 1) =>
  recorded({ type: 'ProcessingRestarted', contentVersion, payload: null });

export const pageUnchanged = (contentVersion: number) =>
  recorded({ type: 'PageUnchanged', contentVersion, payload: { fetched: { etag: '"b"', lastModified: null } } });

export const delayed = (attempt: number, contentVersion = 1) =>
  recorded({
    ...{ type: 'FetchDelayed', contentVersion, attempt, code: 'fetch_failed', sizes: { pause: 60_000 } },
    payload: { message: 'no answer' },
  });

export const deleted = () => recorded({ type: 'DocumentDeleted', payload: null });

/** A document that went through all stages, without vectors. */
export const done = (contentVersion = 1) =>
  [extracted(contentVersion), chunked(contentVersion), formed(contentVersion), indexed(contentVersion)] as const;
