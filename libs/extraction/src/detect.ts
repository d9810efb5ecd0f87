import { mayBeText } from './decode.ts';
import type { DocumentType, SourceKind } from './port.ts';

/** A file as it came in, with all that the caller said about it. */
export interface Upload {
  readonly bytes: Uint8Array;
  readonly fileName: string | null;
  /** Content type of the multipart part. */
  readonly contentType: string | null;
  /** Override by the caller: a document type of the contract. */
  readonly fileType?: string | null;
  /** Override by the caller: a media type. */
  readonly mimeType?: string | null;
}

export type Detected =
  | { readonly kind: SourceKind; readonly type: DocumentType }
  /** The reason is fit for `processingError.message`: it names the format and quotes nothing of the file. */
  | { readonly unsupported: string; readonly type: DocumentType };

/** A format that is known: one that we read, or one that we can only name. */
type Format = { readonly kind: SourceKind } | { readonly name: string; readonly type: DocumentType };

const TEXT: Format = { kind: 'text' };
const MARKDOWN: Format = { kind: 'markdown' };
const CSV: Format = { kind: 'csv' };
const JSON_TEXT: Format = { kind: 'json' };
const HTML: Format = { kind: 'html' };
const PDF: Format = { name: 'PDF', type: 'pdf' };
const WORD: Format = { name: 'Word', type: 'text' };
const SHEET: Format = { name: 'spreadsheet', type: 'text' };
const SLIDES: Format = { name: 'presentation', type: 'text' };
const OFFICE: Format = { name: 'office or archive', type: 'text' };
const ARCHIVE: Format = { name: 'archive', type: 'text' };
const RICH_TEXT: Format = { name: 'rich text', type: 'text' };
const PROGRAM: Format = { name: 'program', type: 'text' };
const IMAGE: Format = { name: 'image', type: 'image' };
const VIDEO: Format = { name: 'video', type: 'video' };
const AUDIO: Format = { name: 'audio', type: 'audio' };

const BY_EXTENSION: Readonly<Record<string, Format>> = {
  txt: TEXT,
  text: TEXT,
  log: TEXT,
  md: MARKDOWN,
  markdown: MARKDOWN,
  mdx: MARKDOWN,
  csv: CSV,
  tsv: CSV,
  json: JSON_TEXT,
  jsonl: JSON_TEXT,
  ndjson: JSON_TEXT,
  html: HTML,
  htm: HTML,
  xhtml: HTML,
  pdf: PDF,
  doc: WORD,
  docx: WORD,
  odt: WORD,
  rtf: RICH_TEXT,
  xls: SHEET,
  xlsx: SHEET,
  ods: SHEET,
  ppt: SLIDES,
  pptx: SLIDES,
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
  mp4: VIDEO,
  mov: VIDEO,
  avi: VIDEO,
  webm: VIDEO,
  mkv: VIDEO,
  mp3: AUDIO,
  wav: AUDIO,
  m4a: AUDIO,
  ogg: AUDIO,
  flac: AUDIO,
};

const BY_MEDIA_TYPE: Readonly<Record<string, Format>> = {
  'text/markdown': MARKDOWN,
  'text/x-markdown': MARKDOWN,
  'text/csv': CSV,
  'application/csv': CSV,
  'text/tab-separated-values': CSV,
  'application/json': JSON_TEXT,
  'text/json': JSON_TEXT,
  'application/x-ndjson': JSON_TEXT,
  'application/jsonl': JSON_TEXT,
  'text/html': HTML,
  'application/xhtml+xml': HTML,
  'application/pdf': PDF,
  'application/msword': WORD,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': WORD,
  'application/vnd.oasis.opendocument.text': WORD,
  'application/rtf': RICH_TEXT,
  'text/rtf': RICH_TEXT,
  'application/vnd.ms-excel': SHEET,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': SHEET,
  'application/vnd.ms-powerpoint': SLIDES,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': SLIDES,
  'application/zip': ARCHIVE,
  'application/x-zip-compressed': ARCHIVE,
  'application/gzip': ARCHIVE,
};

/** Overrides that name a format. The others (`google_doc`, `tweet`, …) name an origin: the format is found as usual. */
const BY_FILE_TYPE: Readonly<Record<string, Format>> = {
  pdf: PDF,
  image: IMAGE,
  video: VIDEO,
  audio: AUDIO,
  webpage: HTML,
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

function isDocumentType(name: string | null | undefined): name is DocumentType {
  return name !== null && name !== undefined && DOCUMENT_TYPES.has(name);
}

/** First bytes by which a format is known, as Latin-1. Those that plain text could begin with (`BM`, `MZ`) are left out. */
const SIGNATURES: readonly (readonly [string, Format])[] = [
  ['%PDF-', PDF],
  ['{\\rtf', RICH_TEXT],
  ['\x89PNG\r\n', IMAGE],
  ['\xff\xd8\xff', IMAGE],
  ['GIF87a', IMAGE],
  ['GIF89a', IMAGE],
  ['II*\0', IMAGE],
  ['MM\0*', IMAGE],
  ['PK\x03\x04', OFFICE],
  ['PK\x05\x06', ARCHIVE],
  ['\x1f\x8b', ARCHIVE],
  ['7z\xbc\xaf\x27\x1c', ARCHIVE],
  ['Rar!\x1a\x07', ARCHIVE],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', OFFICE],
  ['\x1a\x45\xdf\xa3', VIDEO],
  ['ID3\x02', AUDIO],
  ['ID3\x03', AUDIO],
  ['ID3\x04', AUDIO],
  ['\xff\xfb', AUDIO],
  ['\xff\xf3', AUDIO],
  ['\xff\xf2', AUDIO],
  ['OggS', AUDIO],
  ['fLaC', AUDIO],
  ['\x7fELF', PROGRAM],
];

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

function bySignature(bytes: Uint8Array): Format | null {
  const head = latin1(bytes, 0, 12);
  for (const [signature, format] of SIGNATURES) {
    if (head.startsWith(signature)) return format;
  }
  if (head.startsWith('RIFF')) {
    const form = head.slice(8, 12);
    if (form === 'WEBP') return IMAGE;
    if (form === 'WAVE') return AUDIO;
    if (form === 'AVI ') return VIDEO;
  }
  if (head.slice(4, 8) === 'ftyp') {
    const brand = head.slice(8, 12);
    if (brand.startsWith('M4A')) return AUDIO;
    return /^(hei|mif|avi)/.test(brand) ? IMAGE : VIDEO;
  }
  return null;
}

function byMediaType(mediaType: string | null | undefined): Format | null {
  const name = mediaType?.split(';', 1)[0]?.trim().toLowerCase();
  if (!name) return null;
  if (Object.hasOwn(BY_MEDIA_TYPE, name)) return BY_MEDIA_TYPE[name] as Format;
  if (name.startsWith('image/')) return IMAGE;
  if (name.startsWith('video/')) return VIDEO;
  if (name.startsWith('audio/')) return AUDIO;
  if (name.startsWith('text/')) return TEXT;
  return null;
}

function byExtension(fileName: string | null): Format | null {
  const extension = fileName?.match(/\.([^./\\]+)$/)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(BY_EXTENSION, extension) ? (BY_EXTENSION[extension] as Format) : null;
}

/**
 * What clients are known to say wrongly: `text/plain` for every textual file, and, on machines with a spreadsheet
 * program, its media type for CSV. The extension says more in these two cases.
 */
function refine(named: Format | null, extension: Format | null): Format | null {
  const extensionIsText = extension !== null && 'kind' in extension;
  if (named === TEXT && extensionIsText) return extension;
  if (named === SHEET && extension === CSV) return CSV;
  return named;
}

/**
 * Decides how an uploaded file is read: by the caller's overrides, then the first bytes, then the content type of the
 * part, then the extension (contract §4.1). What is none of the known formats and may be text is read as text.
 */
export function detectKind(upload: Upload): Detected {
  const fileType = upload.fileType?.trim().toLowerCase();
  const extension = byExtension(upload.fileName);
  const override =
    refine(byMediaType(upload.mimeType), extension) ??
    (fileType !== undefined && Object.hasOwn(BY_FILE_TYPE, fileType) ? (BY_FILE_TYPE[fileType] as Format) : null);
  const signature = bySignature(upload.bytes);
  const contentType = refine(byMediaType(upload.contentType), extension);
  // An archive's signature says little; the name says which office program wrote it.
  const named = signature === OFFICE ? (onlyBinary(contentType) ?? onlyBinary(extension) ?? OFFICE) : signature;

  const format =
    override === null
      ? (named ?? contentType ?? extension ?? TEXT)
      : // An override can choose how text is read, but it cannot make text of something else.
        'kind' in override
        ? (named ?? override)
        : override;

  const type = isDocumentType(fileType) ? fileType : 'type' in format ? format.type : 'text';
  if ('name' in format) return { unsupported: `Files of this kind (${format.name}) are not supported`, type };
  if (!mayBeText(upload.bytes)) return { unsupported: 'The file is binary and of no known kind', type };
  return { kind: format.kind, type };
}

function onlyBinary(format: Format | null): Format | null {
  return format !== null && 'name' in format ? format : null;
}

/** Whether the whole content, without surrounding white space, is one absolute http(s) URL (contract P3). */
export function isUrl(content: string): boolean {
  const trimmed = content.trim();
  // The URL parser silently drops inner line breaks and tabs, so white space is refused before it.
  return /^https?:\/\/\S+$/i.test(trimmed) && URL.canParse(trimmed);
}
