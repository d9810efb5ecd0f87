import type { Section } from '#platform/kernel';
import { SENTENCE_END, type TimedPassage, timedText } from '../../timed-text.ts';
import { attribute, readXml } from '../../xml.ts';

/** Captions without the end of a sentence make paragraphs that are at most so long. UTF-16 code units. */
const LONGEST = 1_000;
/** What a program heard beside words. */
const NOTE = /^\[[^[\]]*\]$/;

/**
 * Writes captions as paragraphs, with the second at which each caption begins.
 * @param bytes timed text of YouTube, as JSON or XML
 * @param isAutomatic a program wrote them: what it heard beside words (`[Music]`) is left out
 * @returns null if there are no captions in it
 */
export async function captionsOf(
  bytes: Uint8Array,
  isAutomatic: boolean,
): Promise<{ readonly text: string; readonly sections: Section[] } | null> {
  const beginning = Buffer.from(bytes.subarray(0, 200)).toString('latin1').trimStart();
  const captions = beginning.startsWith('{') ? fromJson(bytes) : beginning.startsWith('<') ? await fromXml(bytes) : [];
  const omits = (words: string) => isAutomatic && NOTE.test(words);
  const written = timedText(captions, { sentenceEnd: SENTENCE_END, longest: LONGEST, omits });
  return written.text === '' ? null : written;
}

interface JsonEvent {
  readonly tStartMs?: unknown;
  readonly dDurationMs?: unknown;
  readonly segs?: unknown;
}

function fromJson(bytes: Uint8Array): readonly TimedPassage[] {
  let events: unknown;
  try {
    events = (JSON.parse(Buffer.from(bytes).toString('utf8')) as { readonly events?: unknown }).events;
  } catch {
    return [];
  }
  if (!Array.isArray(events)) return [];
  return events.flatMap((event: JsonEvent | null): TimedPassage[] => {
    if (!Array.isArray(event?.segs)) return [];
    const text = event.segs
      .map((part: { readonly utf8?: unknown } | null) => part?.utf8)
      .filter(isText)
      .join('');
    return [captionOf(text, Number(event.tStartMs), Number(event.dDurationMs))];
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';

const secondsOf = (ms: number): number => (Number.isFinite(ms) && ms > 0 ? ms / 1_000 : 0);

const captionOf = (text: string, startMs: number, durationMs: number): TimedPassage => {
  const startSeconds = secondsOf(startMs);
  return { text, startSeconds, endSeconds: startSeconds + secondsOf(durationMs) };
};

/** `<text start="1.5" dur="2">` in seconds, or `<p t="1500" d="2000">` in milliseconds. */
async function fromXml(bytes: Uint8Array): Promise<readonly TimedPassage[]> {
  const captions: TimedPassage[] = [];
  let open: { readonly name: string; readonly start: number; readonly duration: number; text: string } | null = null;
  await readXml(bytes, {
    open: (name, attributes) => {
      const milliseconds = (key: string, unit: number) => Number(attribute(attributes, key)) * unit;
      if (name === 'text')
        open = { name, start: milliseconds('start', 1_000), duration: milliseconds('dur', 1_000), text: '' };
      if (name === 'p') open = { name, start: milliseconds('t', 1), duration: milliseconds('d', 1), text: '' };
    },
    text: (piece) => {
      if (open !== null) open.text += piece;
    },
    close: (name) => {
      if (open?.name !== name) return;
      captions.push(captionOf(unescaped(open.text), open.start, open.duration));
      open = null;
    },
  });
  return captions;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** The texts are markup themselves, written as text. */
const unescaped = (text: string): string =>
  text.replace(/<[^<>]{0,200}>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
