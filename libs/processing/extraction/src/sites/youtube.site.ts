import { charsetOf } from '../decoding/declared.ts';
import { decodeText } from '../decoding/decode-text.ts';
import type { SourceDetails } from '../port.ts';
import type { FetchedPart, Site, SiteAnswer } from './site.ts';
import { captionsOf } from './youtube/captions.ts';
import { isYouTube, type Video, videoIn } from './youtube/player.ts';

const OTHERWISE = 'Upload the video, or send what is said in it as text.';
const NO_SPEECH = `The video has no captions, and the server cannot fetch or read its sound. ${OTHERWISE}`;

/** State that one part of the reading of a video passes to the next. */
type CarriedState =
  | { readonly part: 'captions'; readonly video: Video }
  | { readonly part: 'sound'; readonly details: SourceDetails };

/** Videos of YouTube: their published captions, otherwise their sound. */
export const youtube: Site = {
  name: 'youtube',
  type: 'video',
  advice: OTHERWISE,
  addressOf(url) {
    const id = idIn(url);
    return id === null ? null : `https://www.youtube.com/watch?v=${id}`;
  },
  async read(part) {
    const before = part.before as unknown as CarriedState | null;
    if (before === null) return readPage(part);
    if (before.part === 'sound') return { file: before.details, otherwise: NO_SPEECH };
    const { video } = before;
    const captions = await captionsOf(part.bytes, video.isAutomatic);
    // Without a proof that a browser asks, YouTube may answer with nothing.
    return captions === null ? soundOf(video) : { readable: { ...captions, ...video.details } };
  },
};

const ID = /^[\w-]{11}$/;

function idIn(url: URL): string | null {
  const [, first = '', second = ''] = url.pathname.split('/');
  if (url.hostname.replace(/^www\./, '') === 'youtu.be') return ID.test(first) ? first : null;
  if (!/^(?:(?:www|m|music)\.)?youtube\.com$|^(?:www\.)?youtube-nocookie\.com$/.test(url.hostname)) return null;
  const id = first === 'watch' ? (url.searchParams.get('v') ?? '') : second;
  return ['watch', 'shorts', 'embed', 'live', 'v'].includes(first) && ID.test(id) ? id : null;
}

async function readPage({ bytes, contentType, url }: FetchedPart): Promise<SiteAnswer> {
  if (!isYouTube(url) || new URL(url).hostname.startsWith('consent.')) {
    return { unavailable: `YouTube asks for a consent that only a person can give. ${OTHERWISE}` };
  }
  const video = videoIn((await decodeText(bytes, charsetOf(contentType))).text);
  if (video === null) {
    return { unavailable: `YouTube has answered without the video: it may take the server for a robot. ${OTHERWISE}` };
  }
  if (video.captions !== null) return { next: video.captions, before: carried({ part: 'captions', video }) };
  if (video.refusal !== null) return { unavailable: `${REFUSALS[video.refusal]} ${OTHERWISE}` };
  return soundOf(video);
}

const REFUSALS: Readonly<Record<NonNullable<Video['refusal']>, string>> = {
  login: 'YouTube shows the video only to people who have signed in, or takes the server for a robot.',
  live: 'The video is live, or has not begun. Add it again when it has ended.',
  unavailable: 'The video does not exist, is private, or is not shown where the server is.',
};

function soundOf({ sound, details }: Video): SiteAnswer {
  return sound === null ? { unavailable: NO_SPEECH } : { next: sound, before: carried({ part: 'sound', details }) };
}

const carried = (before: CarriedState) => JSON.parse(JSON.stringify(before));
