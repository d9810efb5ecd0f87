import { decodeAs } from './decode-as.ts';
import { hasOtherScripts, isPlausible } from './plausible.ts';

/** Names of the encodings that are looked for, as the detector writes them, and their labels. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ cp1250: 'windows-1250', cp1251: 'windows-1251', cp1252: 'windows-1252', cp1253: 'windows-1253' },
  ...{ cp1254: 'windows-1254', cp1255: 'windows-1255', cp1256: 'windows-1256', cp1257: 'windows-1257' },
  ...{ cp1258: 'windows-1258', cp874: 'windows-874', 'koi8-r': 'koi8-r', 'koi8-u': 'koi8-u' },
  ...{ 'iso8859-2': 'iso-8859-2', 'iso8859-5': 'iso-8859-5', 'iso8859-6': 'iso-8859-6', 'iso8859-7': 'iso-8859-7' },
  ...{ 'iso8859-15': 'iso-8859-15', gb18030: 'gb18030', big5hkscs: 'big5', cp932: 'shift_jis' },
  ...{ euc_jis_2004: 'euc-jp', cp949: 'euc-kr' },
};

/**
 * What the confidence has to reach, by the number of bytes beyond ASCII, measured in decision 0095. Short texts are like several
 * languages by chance, and long ones are like their own in any case.
 */
const LIMITS = [
  { bytes: 16, confidence: 0.06 },
  { bytes: 128, confidence: 0.025 },
  { bytes: Number.POSITIVE_INFINITY, confidence: 0.05 },
] as const;
/** Where all letters are beyond ASCII, fewer are a word at the most, which has a meaning in several encodings. */
const LEAST_OF_OTHER_SCRIPTS = 9;
const TAG = 0x3c;
const SPACE = 0x20;
/** Returned for what is in none of the encodings. */
const NONE = 'utf-8';

interface Candidate {
  readonly label: string;
  readonly confidence: number;
  readonly text: string;
}

/** Returns the label of the encoding that a text is in. Null: it is not clear enough, or no text. */
export async function detectedEncoding(sample: Uint8Array): Promise<string | null> {
  const [best, ...others] = (await candidates(sample)).filter(({ text }) => isPlausible(text));
  if (best === undefined) return null;
  const bytes = sample.reduce((sum, byte) => sum + Number(byte >= 0x80), 0);
  const limit = LIMITS.find((one) => bytes <= one.bytes)?.confidence ?? 1;
  const second = others.find(({ text }) => text !== best.text)?.confidence ?? 0;
  if (best.confidence - second / 2 < limit) return null;
  if (bytes < LEAST_OF_OTHER_SCRIPTS && hasOtherScripts(best.text)) return null;
  // Code pages of Windows are more frequent than the standards that they extend.
  const alike = [best, ...others].filter(({ text }) => text === best.text);
  return (alike.find(({ label }) => label.startsWith('windows-')) ?? best).label;
}

/** Returns the encodings that a text may be in, with the confidence of the detector, the most probable one first. */
async function candidates(sample: Uint8Array): Promise<readonly Candidate[]> {
  // Its models are loaded with the first text that needs them.
  const { chardet } = await import('jschardet');
  // The detector would believe what a tag declares.
  const withoutTags = sample.map((byte) => (byte === TAG ? SPACE : byte));
  const found = chardet.detectAll(withoutTags, {
    includeEncodings: [...Object.keys(LABELS), NONE],
    noMatchEncoding: NONE,
    compatNames: false,
    ignoreThreshold: true,
  });
  return found.flatMap(({ encoding, confidence }) => {
    const label = LABELS[encoding ?? ''];
    return label === undefined ? [] : [{ label, confidence, text: decodeAs(sample, label) }];
  });
}
