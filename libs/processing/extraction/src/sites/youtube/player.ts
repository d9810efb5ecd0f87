import type { SourceDetails } from '../../port.ts';

/** What the page of a video says. */
export type Video = {
  readonly details: SourceDetails;
  /** Address of the captions, as JSON with times. Null: there are none. */
  readonly captions: string | null;
  /** The captions were made by a program. */
  readonly isAutomatic: boolean;
  /** Address of the sound alone. Null: it is not given openly, or too large. */
  readonly sound: string | null;
  /** Why the video does not play; null: it does. */
  readonly refusal: 'login' | 'live' | 'unavailable' | null;
};

/** Where the player has its captions. */
const CAPTIONS = ['captions', 'playerCaptionsTracklistRenderer'] as const;
/** Largest file that is fetched. Bytes. */
const MAX_SOUND = 50 * 1024 * 1024;

/** Returns what the page says about its video. Null: it has no player. The page is not run. */
export function videoIn(html: string): Video | null {
  const player = playerIn(html);
  if (player === null) return null;
  const shown = objectAt(player, 'videoDetails');
  const more = objectAt(player, 'microformat', 'playerMicroformatRenderer');
  const id = textAt(shown, 'videoId');
  const tracks = listAt(player, ...CAPTIONS, 'captionTracks').filter(hasAddress);
  const track = chosen(tracks, player, languageOfPage(html));
  return {
    details: {
      title: textAt(shown, 'title'),
      author: textAt(shown, 'author') ?? textAt(more, 'ownerChannelName'),
      date: textAt(more, 'publishDate') ?? textAt(more, 'uploadDate'),
      language: textAt(track, 'languageCode'),
      canonicalUrl: id === null ? null : `https://www.youtube.com/watch?v=${id}`,
    },
    captions: captionsAt(track),
    isAutomatic: isAutomatic(track),
    sound: soundIn(player),
    refusal: refusalOf(player),
  };
}

/** Whether the address is one of YouTube's own. */
export function isYouTube(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && /(?:^|\.)youtube(?:-nocookie)?\.com$/.test(url.hostname);
}

type Json = unknown;

function playerIn(html: string): Json | null {
  for (const { index, 0: found } of html.matchAll(/\bytInitialPlayerResponse\s{0,10}=\s{0,10}(?=\{)/g)) {
    try {
      return JSON.parse(objectIn(html, index + found.length));
    } catch {
      // The name is used elsewhere in the page, too.
    }
  }
  return null;
}

/** The object that begins there, to its closing brace. */
function objectIn(text: string, start: number): string {
  let depth = 0;
  const marks = /["{}]/g;
  marks.lastIndex = start;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') marks.lastIndex = afterString(text, mark.index);
    else depth += mark[0] === '{' ? 1 : -1;
    if (depth === 0) return text.slice(start, mark.index + 1);
  }
  return '';
}

function afterString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const languageOfPage = (html: string): string | null =>
  /<html\b[^<>]{0,2000}?\slang="([\w-]{2,35})"/i.exec(html.slice(0, 10_000))?.[1] ?? null;

const isAutomatic = (track: Json): boolean => textAt(track, 'kind') === 'asr';

/**
 * Captions of people come before those of a program, and among them those in the language that is spoken, then the ones that
 * the player shows first, then those in the language of the page.
 */
function chosen(tracks: readonly Json[], player: Json, pageLanguage: string | null): Json | null {
  const written = tracks.filter((track) => !isAutomatic(track));
  const spoken = textAt(tracks.find(isAutomatic), 'languageCode');
  const inLanguage = (language: string | null) =>
    language && written.find((track) => primary(textAt(track, 'languageCode')) === primary(language));
  const first = shownFirst(player);
  const shown = first === null ? undefined : listAt(player, ...CAPTIONS, 'captionTracks')[first];
  return (
    inLanguage(spoken) ||
    (shown !== undefined && written.includes(shown) && shown) ||
    inLanguage(pageLanguage) ||
    (written[0] ?? tracks[0] ?? null)
  );
}

function shownFirst(player: Json): number | null {
  const renderer = objectAt(player, ...CAPTIONS);
  const sounds = listAt(renderer, 'audioTracks');
  return numberAt(sounds[numberAt(renderer, 'defaultAudioTrackIndex') ?? 0], 'defaultCaptionTrackIndex');
}

const primary = (language: string | null): string | undefined => language?.split('-', 1)[0]?.toLowerCase();

const hasAddress = (track: Json): boolean => captionsAt(track) !== null;

function captionsAt(track: Json): string | null {
  const address = textAt(track, 'baseUrl');
  const url = address === null ? null : URL.parse(address, 'https://www.youtube.com');
  if (url === null || !isYouTube(url.href)) return null;
  url.searchParams.set('fmt', 'json3');
  return url.href;
}

/** The smallest file with sound alone. Most videos name none openly. */
function soundIn(player: Json): string | null {
  const formats = listAt(player, 'streamingData', 'adaptiveFormats').flatMap((format) => {
    const url = URL.parse(textAt(format, 'url') ?? '');
    const bytes = Number(textAt(format, 'contentLength') ?? Number.NaN);
    const isSound = textAt(format, 'mimeType')?.startsWith('audio/') ?? false;
    const isOpen = url?.protocol === 'https:' && /(?:^|\.)(?:googlevideo|youtube)\.com$/.test(url.hostname);
    return isSound && isOpen && bytes <= MAX_SOUND ? [{ href: url.href, bytes }] : [];
  });
  return formats.sort((a, b) => a.bytes - b.bytes)[0]?.href ?? null;
}

function refusalOf(player: Json): Video['refusal'] {
  const status = textAt(objectAt(player, 'playabilityStatus'), 'status');
  if (status === 'LOGIN_REQUIRED' || status === 'AGE_VERIFICATION_REQUIRED' || status === 'CONTENT_CHECK_REQUIRED') {
    return 'login';
  }
  if (status === 'LIVE_STREAM_OFFLINE' || objectAt(player, 'videoDetails', 'isLive') === true) return 'live';
  return status === null || status === 'OK' ? null : 'unavailable';
}

function objectAt(value: Json, ...path: readonly string[]): Json {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, Json>)[name];
  }
  return found;
}

function listAt(value: Json, ...path: readonly string[]): readonly Json[] {
  const found = objectAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

function textAt(value: Json, name: string): string | null {
  const found = objectAt(value, name);
  return typeof found === 'string' && found.trim() !== '' ? found : null;
}

function numberAt(value: Json, name: string): number | null {
  const found = objectAt(value, name);
  return typeof found === 'number' ? found : null;
}
