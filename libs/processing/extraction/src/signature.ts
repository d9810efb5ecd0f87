import { mayBeText } from './decoding/utf16.ts';
import { ARCHIVE, AUDIO, byMediaType, type Format, IMAGE, OFFICE, onlyBinary, PROGRAM, VIDEO } from './formats.ts';

/** Bounds the work on bytes of unknown origin. The signatures lie within it. */
const HEAD_BYTES = 4_100;

/** Media types that file-type finds and that say something else in a Content-Type, or nothing. */
const BY_FOUND_TYPE: Readonly<Record<string, Format>> = {
  'application/zip': OFFICE,
  'application/x-cfb': OFFICE,
  'application/epub+zip': ARCHIVE,
  'application/x-7z-compressed': ARCHIVE,
  'application/x-bzip2': ARCHIVE,
  'application/x-rar-compressed': ARCHIVE,
  'application/x-tar': ARCHIVE,
  'application/x-xz': ARCHIVE,
  'application/x-elf': PROGRAM,
  'application/x-mach-binary': PROGRAM,
  'application/x-msdownload': PROGRAM,
};

/** Signatures that no text begins with. Others (`BM`, `MZ`) count only in a file that cannot be text. */
const CERTAIN: ReadonlySet<string> = new Set(
  '7z avi cfb elf flac gif jpg m4a mov mp3 mp4 ogg pdf rar rtf tif wav webp zip'.split(' '),
);

/** First bytes, as Latin-1, of formats that file-type does not find in a damaged file, and of all zip containers. */
const BEGINNINGS: readonly (readonly [string, Format])[] = [
  ['\x89PNG\r\n', IMAGE],
  ['PK\x03\x04', OFFICE],
  ['\x1f\x8b', ARCHIVE],
];

/** Those that are read have been found by their extractor before. */
const recording = (mime: string): Format | null =>
  mime.startsWith('audio/') ? AUDIO : mime.startsWith('video/') ? VIDEO : null;

/** Finds a binary format by the first bytes; null: none is known. `bytes` may be the beginning of the file. */
export async function bySignature(bytes: Uint8Array): Promise<Format | null> {
  const head = bytes.subarray(0, HEAD_BYTES);
  // Loaded with the first file, so that the start does not pay for it.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  if (found !== undefined && (CERTAIN.has(found.ext) || !mayBeText(bytes))) {
    const format = BY_FOUND_TYPE[found.mime] ?? recording(found.mime) ?? onlyBinary(byMediaType(found.mime));
    if (format !== null) return format;
  }
  const beginning = String.fromCharCode(...head.subarray(0, 6));
  return BEGINNINGS.find(([signature]) => beginning.startsWith(signature))?.[1] ?? null;
}
