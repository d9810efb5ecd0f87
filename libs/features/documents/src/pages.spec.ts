import type { Recorded } from '#platform/kernel';
import type { DocumentEvent } from './events.ts';
import { decideDelayed, decideUnchanged } from './processing/decide.ts';
import { evolveProgress, type Progress, progressOf } from './processing/progress.ts';
import { replaceContent } from './replace-content.ts';
import type { Live } from './state.ts';
import { awaitsReading } from './state.ts';
import {
  AT,
  added,
  addedEvent,
  appended,
  chunked,
  delayed,
  failed,
  formed,
  given,
  indexed,
  pageUnchanged,
  recorded,
  restarted,
  started,
} from './testing.ts';

/** Documents whose content is a URL. */

const URL_SENT = ' https://site.test/a ';
const { payload, ...event } = addedEvent('');
const pageAdded = recorded({ ...event, payload: { ...payload, content: { page: URL_SENT } } });
const pageReplaced = (page = URL_SENT, contentVersion = 2) =>
  recorded({ type: 'ContentReplaced', contentVersion, payload: { content: { page } } });
const live = (...events: readonly Recorded<DocumentEvent>[]) => given(...events) as Live;
const extracted = (contentVersion = 1) =>
  recorded({
    type: 'ContentExtracted',
    ...{ stage: 'extracting', contentVersion },
    payload: {
      ...{ text: { inline: 'page' }, title: 'Title', type: 'webpage', author: 'Ada' },
      fetched: { etag: '"a"', lastModified: null },
    },
  });
const read = [pageAdded, extracted(), chunked(), formed(), indexed()] as const;
const again = [...read, pageReplaced()] as const;

test('a content that is one URL is a page, and texts wait until it is read', () => {
  const page = live(pageAdded);
  expect(page).toMatchObject({ content: { page: URL_SENT }, url: 'https://site.test/a' });
  expect(awaitsReading(page)).toBe(true);
  expect(live(added(URL_SENT))).toMatchObject({ url: null, content: { parts: [{ inline: URL_SENT }] } });
  expect(live(...read)).toMatchObject({ stage: 'done', fetched: { etag: '"a"' } });
});

test('a text that is added goes behind what was read, or takes the place of the page that could not be read', () => {
  expect(live(...read, appended(' more', 2)).content).toEqual({
    ...{ page: URL_SENT, isRead: true },
    parts: [{ inline: 'page' }, { inline: ' more' }],
  });
  expect(live(pageAdded, failed(), appended('more', 2)).content).toEqual({
    ...{ page: URL_SENT, isRead: false },
    parts: [{ inline: 'more' }],
  });
});

test('a page that a text was added to, or that a text replaced, keeps its address and what it says about itself', () => {
  const content = { text: { inline: 'edited' } };
  const done = live(...read);
  const [event] = replaceContent(done, content, true);
  expect(event).toMatchObject({ type: 'ContentReplaced', payload: { content, keepsFile: true } });
  for (const change of [appended(' more', 2), recorded(event as DocumentEvent)]) {
    expect(live(...read, change)).toMatchObject({ url: 'https://site.test/a', author: 'Ada', title: 'Title' });
    // What was formed is that of the page with the text.
    expect(live(...read, change, indexed(2), pageReplaced(URL_SENT, 3))).toMatchObject({ formerPage: null });
  }
  expect(replaceContent(done, content, false)).toEqual([expect.objectContaining({ payload: { content } })]);
});

test('a page that is the same again is done with what was formed before', () => {
  const before = live(...read);
  const fetching = live(...again);
  expect(fetching).toMatchObject({ stage: 'queued', memories: null, author: 'Ada' });
  const decided = decideUnchanged(fetching, 2, { etag: '"b"', lastModified: null });
  expect(decided).toMatchObject({ ok: true, value: [{ type: 'PageUnchanged', contentVersion: 2 }] });
  const { chunks, memories, extracted: text, title } = before;
  const after = live(...again, started('extracting', 1, 2), pageUnchanged(2));
  expect(after).toMatchObject({
    stage: 'done',
    contentVersion: 2,
    chunks,
    memories,
    extracted: text,
    title,
    author: 'Ada',
  });
  expect(after).toMatchObject({ fetched: { etag: '"b"' }, formerPage: null, error: null });
  const events = [...again, started('extracting', 1, 2), pageUnchanged(2)];
  expect(events.reduce(evolveProgress, null as Progress | null)).toEqual(progressOf(after));
});

test('what was formed does not serve for another URL, nor before it was done, nor where a text waits', () => {
  const fetched = { etag: null, lastModified: null };
  expect(decideUnchanged(live(...read, pageReplaced('https://site.test/b')), 2, fetched).ok).toBe(false);
  expect(decideUnchanged(live(pageAdded, extracted(), pageReplaced()), 2, fetched).ok).toBe(false);
  const waits = recorded({ type: 'TextReceived', contentVersion: 2, payload: { text: { inline: 'x' }, sent: 'x' } });
  expect(decideUnchanged(live(...again, waits), 2, fetched).ok).toBe(false);
  expect(decideUnchanged(live(...again), 1, fetched).ok).toBe(false);
});

test('failed fetches are counted across starts of the stage, until the document is restarted', () => {
  const twice = [pageAdded, started('extracting', 1), delayed(1), started('extracting', 1), delayed(2)] as const;
  expect(live(...twice, started('extracting', 1))).toMatchObject({ failedFetches: 2, stage: 'extracting' });
  expect(live(...twice)).toMatchObject({ attempts: 0 });
  expect(decideDelayed(live(...twice), 1, 50, { code: 'fetch_failed', message: 'no' })).toMatchObject({
    ok: true,
    value: [{ attempt: 3, code: 'fetch_failed', sizes: { pause: 50 }, payload: { message: 'no' } }],
  });
  expect(live(...twice, failed(), restarted())).toMatchObject({ failedFetches: 0 });
});

test('while a fetch waits for its next try, the document says why and when', () => {
  const waiting = [pageAdded, started('extracting', 1), delayed(1)] as const;
  const retry = { code: 'fetch_failed', message: 'no answer', at: Date.parse(AT) + 60_000 };
  expect(live(...waiting)).toMatchObject({ stage: 'extracting', error: null, retry });
  for (const next of [started('extracting', 1), failed(), pageReplaced()]) {
    expect(live(...waiting, next)).toMatchObject({ retry: null });
  }
});
