import type { DocumentType } from '../port.ts';

/** A container of sound, alone or with pictures. */
export interface Container {
  /** Name for people. */
  readonly name: string;
  /** The demuxer of ffmpeg. */
  readonly format: string;
  readonly type: Extract<DocumentType, 'audio' | 'video'>;
}

const MP4: Container = { name: 'MP4', format: 'mov', type: 'video' };
const M4A: Container = { name: 'M4A', format: 'mov', type: 'audio' };
const WEBM: Container = { name: 'WebM', format: 'matroska', type: 'video' };
const MP3: Container = { name: 'MP3', format: 'mp3', type: 'audio' };
const WAV: Container = { name: 'WAV', format: 'wav', type: 'audio' };
const OGG: Container = { name: 'OGG', format: 'ogg', type: 'audio' };
const FLAC: Container = { name: 'FLAC', format: 'flac', type: 'audio' };

/** Brands of pictures and of subtitles in the container of MP4. */
const NO_SOUND = /^(?:hei[cmsx]|hev[cmx]|avi[fs]|mif1|msf1|jxl |crx )$/;
/** What a QuickTime file may begin with, which has no brand. */
const QUICKTIME = /^(?:moov|mdat|wide|pnot|free|skip)$/;

/** Finds the container of a recording by its first bytes; null: it is none that is read. */
export function containerOf(bytes: Uint8Array): Container | null {
  const latin = (start: number, end: number) => String.fromCharCode(...bytes.subarray(start, end));
  const mark = latin(0, 4);
  const inner = latin(4, 8);
  const brand = latin(8, 12);
  if (inner === 'ftyp') return NO_SOUND.test(brand) ? null : /^M4[ABP]/.test(brand) ? M4A : MP4;
  if (QUICKTIME.test(inner) && mark.startsWith('\0')) return MP4;
  if (mark === '\x1a\x45\xdf\xa3') return WEBM;
  if (brand === 'WAVE' && /^(?:RIFF|RF64)$/.test(mark)) return WAV;
  if (mark === 'OggS') return OGG;
  if (mark === 'fLaC') return FLAC;
  const version = bytes[3] ?? 0;
  if ((mark.startsWith('ID3') && version >= 2 && version <= 4) || isMp3(bytes)) return MP3;
  return null;
}

const MPEG1_LAYER3_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_LAYER3_KBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MPEG1_HERTZ = [44_100, 48_000, 32_000];

/** Whether two frames of MPEG layer 3 follow each other. One could be the beginning of anything. */
function isMp3(bytes: Uint8Array): boolean {
  const length = mp3FrameLength(bytes, 0);
  return length !== null && mp3FrameLength(bytes, length) !== null;
}

function mp3FrameLength(bytes: Uint8Array, at: number): number | null {
  const [first, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (first !== 0xff || second === undefined || third === undefined) return null;
  const version = (second >> 3) & 3;
  // Eleven bits are set, the version is not the reserved one, and the layer is the third.
  if ((second & 0xe0) !== 0xe0 || version === 1 || ((second >> 1) & 3) !== 1) return null;
  const isFirst = version === 3;
  const kbits = (isFirst ? MPEG1_LAYER3_KBITS : MPEG2_LAYER3_KBITS)[third >> 4];
  const hertz = MPEG1_HERTZ[(third >> 2) & 3];
  if (!kbits || hertz === undefined) return null;
  const rate = hertz / (isFirst ? 1 : version === 2 ? 2 : 4);
  return Math.floor(((isFirst ? 144_000 : 72_000) * kbits) / rate) + ((third >> 1) & 1);
}
