import { EXTRACTORS, readsText } from './extractors/registry.ts';
import type { DocumentType } from './port.ts';

/** A known format: one that an extractor reads, or one that is only named. */
export type Format = { readonly kind: string } | { readonly name: string; readonly type: DocumentType };

export const TEXT: Format = { kind: 'text' };
const SLIDES: Format = { name: 'presentation', type: 'text' };
export const OFFICE = { name: 'office or archive', type: 'text' } as const satisfies Format;
export const ARCHIVE: Format = { name: 'archive', type: 'text' };
export const PROGRAM: Format = { name: 'program', type: 'text' };
export const IMAGE: Format = { name: 'image', type: 'image' };
export const VIDEO: Format = { name: 'video', type: 'video' };
export const AUDIO: Format = { name: 'audio', type: 'audio' };

/** The formats that extractors read, by the names that they declare. */
const readBy = (namesOf: (extractor: (typeof EXTRACTORS)[number]) => readonly string[]) =>
  Object.fromEntries(
    EXTRACTORS.flatMap((extractor) => namesOf(extractor).map((name) => [name, { kind: extractor.kind }] as const)),
  );

const BY_EXTENSION: Readonly<Record<string, Format>> = {
  ppt: SLIDES,
  odp: SLIDES,
  zip: ARCHIVE,
  gz: ARCHIVE,
  tar: ARCHIVE,
  rar: ARCHIVE,
  '7z': ARCHIVE,
  epub: ARCHIVE,
  jpg: IMAGE,
  jpeg: IMAGE,
  png: IMAGE,
  gif: IMAGE,
  webp: IMAGE,
  bmp: IMAGE,
  tif: IMAGE,
  tiff: IMAGE,
  heic: IMAGE,
  avif: IMAGE,
  svg: IMAGE,
  avi: VIDEO,
  ...readBy(({ extensions }) => extensions),
};

const BY_MEDIA_TYPE: Readonly<Record<string, Format>> = {
  'application/vnd.ms-powerpoint': SLIDES,
  'application/zip': ARCHIVE,
  'application/x-zip-compressed': ARCHIVE,
  'application/gzip': ARCHIVE,
  ...readBy(({ mediaTypes }) => mediaTypes),
};

/** Overrides that name a format. The others (`google_doc`, `tweet`, …) name an origin and do not change the format. */
const BY_FILE_TYPE: Readonly<Record<string, Format>> = {
  image: IMAGE,
  ...readBy(({ fileTypes }) => fileTypes),
};

const DOCUMENT_TYPES: ReadonlySet<string> = new Set<DocumentType>([
  'text',
  'pdf',
  'tweet',
  'google_doc',
  'google_slide',
  'google_sheet',
  'image',
  'video',
  'audio',
  'notion_doc',
  'webpage',
  'onedrive',
]);

export function isDocumentType(name: string | null | undefined): name is DocumentType {
  return name !== null && name !== undefined && DOCUMENT_TYPES.has(name);
}

export function byMediaType(mediaType: string | null | undefined): Format | null {
  const name = mediaType?.split(';', 1)[0]?.trim().toLowerCase();
  if (!name) return null;
  if (Object.hasOwn(BY_MEDIA_TYPE, name)) return BY_MEDIA_TYPE[name] as Format;
  if (name.startsWith('image/')) return IMAGE;
  if (name.startsWith('video/')) return VIDEO;
  if (name.startsWith('audio/')) return AUDIO;
  if (name.startsWith('text/')) return TEXT;
  return null;
}

export function byExtension(fileName: string | null): Format | null {
  const extension = fileName?.match(/\.([^./\\]+)$/)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(BY_EXTENSION, extension) ? (BY_EXTENSION[extension] as Format) : null;
}

export function byFileType(fileType: string | undefined): Format | null {
  return fileType !== undefined && Object.hasOwn(BY_FILE_TYPE, fileType) ? (BY_FILE_TYPE[fileType] as Format) : null;
}

export const isKind = (format: Format | null, kind: string): boolean =>
  format !== null && 'kind' in format && format.kind === kind;

/** Whether an extractor reads the format from text. */
export const isText = (format: Format | null): boolean => format !== null && 'kind' in format && readsText(format.kind);

/** Returns the format if it is not read from text. */
export const onlyBinary = (format: Format | null): Format | null => (isText(format) ? null : format);
