import type { ContentAppended, ContentReplaced } from './events.ts';
import type { WaitingChanges } from './processing/decide.ts';
import type { Live } from './state.ts';
import { compareTexts } from './text-change/compare-texts.ts';
import type { DocumentTexts } from './texts.ts';

type Change = ContentAppended | ContentReplaced;

/** Changes that are recorded one by one; more become one, because they are one append with the text that was read. */
const MAX_CHANGES = 8;

/**
 * Compares the texts that wait for a document's text, one after the other, as if they were sent now.
 * @param text the text that they waited for
 * @throws MissingBlobError
 */
export async function compareWaiting(document: Live, text: string, texts: DocumentTexts): Promise<WaitingChanges> {
  const { organization, id, waiting } = document;
  const events: Change[] = [];
  /** Where deltas begin behind the text that was read. */
  const borders: number[] = [];
  let stored = text;
  let contentVersion = document.contentVersion;
  for (const { text: ref, sent: hash, request, overwrites } of waiting) {
    const sent = await texts.read(ref);
    const change = await compareTexts(stored, sent, { isRepeatedDelta: false, overwrites });
    if (change.kind === 'none') continue;
    contentVersion += 1;
    if (change.kind === 'replace') {
      stored = sent;
      events.push({ type: 'ContentReplaced', contentVersion, payload: { content: { text: ref }, keepsFile: true } });
      continue;
    }
    stored += change.text;
    const appended = await texts.store(organization, id, change.text);
    const { border } = change;
    if (border !== null) borders.push(stored.length - change.text.length - text.length + border);
    const payload = { text: appended, request, ...(border !== null && { sent: hash, borders: [border] }) };
    events.push({ type: 'ContentAppended', contentVersion, payload });
  }
  if (events.length <= MAX_CHANGES) return { compared: waiting.length, events };
  const version = document.contentVersion + 1;
  const last = events.at(-1) as Change;
  // The last text stays known to a retry of its request.
  const isAppended = stored.startsWith(text) && last.type === 'ContentAppended';
  const whole = await texts.store(organization, id, isAppended ? stored.slice(text.length) : stored);
  const event: Change = isAppended
    ? { ...last, contentVersion: version, payload: { ...last.payload, text: whole, borders } }
    : { type: 'ContentReplaced', contentVersion: version, payload: { content: { text: whole }, keepsFile: true } };
  return { compared: waiting.length, events: [event] };
}
