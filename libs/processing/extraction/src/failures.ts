import { hasCode, MnemeError } from '#platform/kernel';

/** Why a document cannot be read. The messages quote nothing of it, and say what to do. */
type UnreadableCode =
  | 'unsupported_type'
  | 'extraction_failed'
  | 'encrypted'
  | 'extraction_timeout'
  | 'extraction_too_large'
  | 'stage_crashed';

/** Codes of errors that a repetition cannot change. */
export const UNREADABLE_CODES: readonly UnreadableCode[] = [
  'unsupported_type',
  'extraction_failed',
  'encrypted',
  'extraction_timeout',
  'extraction_too_large',
];

/** A program or weights that this machine lacks. */
type MissingCode = 'model_missing' | 'ffmpeg_missing';

export const MISSING_CODES: readonly MissingCode[] = ['model_missing', 'ffmpeg_missing'];

/**
 * Reading needs weights or a program that this machine lacks. `details` is the name of the resource, such as `ocr-deu`,
 * `whisper-base` or `ffmpeg`, also behind a process.
 */
export class MissingResourceError extends MnemeError {
  override readonly kind = 'transient';
  override readonly code: MissingCode;
  readonly resource: string;

  /** @param resource `ffmpeg`, or the name of a model as `mneme models install` takes it */
  constructor(resource: string) {
    const isProgram = resource === 'ffmpeg';
    super(isProgram ? FFMPEG_MISSING : modelMissing(resource), { details: resource });
    this.code = isProgram ? 'ffmpeg_missing' : 'model_missing';
    this.resource = resource;
  }
}

/** Name of the resource that an error says is missing, also behind a process. Null: it is another error. */
export const missingIn = (error: unknown): string | null =>
  hasCode(error, ...MISSING_CODES) && typeof error.details === 'string' ? error.details : null;

const LATER = 'Then the document is processed by itself.';
const FFMPEG_MISSING = `Sound and video are read with ffmpeg, which the server does not find. Install it there with \`apt-get install ffmpeg\` or \`brew install ffmpeg\`, or set MNEME_FFMPEG to its path. ${LATER}`;
const modelMissing = (name: string): string =>
  `This kind of file is read with the model ${name}, which the server does not have. Install it there with \`mneme models install ${name}\`. ${LATER}`;

/** The source cannot be read. The message never quotes the source. */
export class ExtractionError extends MnemeError {
  override readonly kind = 'permanent';
  override readonly code: UnreadableCode;

  constructor(message: string, code: UnreadableCode = 'extraction_failed', cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export const emptySource = (): ExtractionError =>
  new ExtractionError('The source holds no text. Send a file or text with words in it.');

export const unknownEncoding = (): ExtractionError =>
  new ExtractionError('The encoding of the text is not known. Save it as UTF-8, and upload it again.');

/** @param kind words for the format, such as `PDF` */
export const damagedFileError = (kind: string, cause?: unknown): ExtractionError =>
  new ExtractionError(
    `The file is damaged and cannot be read as ${kind}. Open it in the program that made it, save it again, and upload it again.`,
    'extraction_failed',
    cause,
  );

export const encryptedFileError = (): ExtractionError =>
  new ExtractionError(
    'The file is protected by a password. Remove the password and upload the file again.',
    'encrypted',
  );

/** @param what what exceeds the limit, as the subject of a sentence: `The file unpacks to more than 500 MiB` */
export const tooLarge = (what: string): ExtractionError =>
  new ExtractionError(`${what}. Split it into smaller files and upload these.`, 'extraction_too_large');

export const unsupportedKind = (name: string): string => {
  const target = name === 'audio' || name === 'video' ? 'MP4 or MP3' : 'PDF, DOCX or text';
  return `Files of this kind (${name}) are not supported. Convert the file to ${target}, and upload it again.`;
};

/** @param file with conversations in it */
export const archivedConversations = (file: string): string =>
  `Files of this kind (archive) are not supported. Unpack it, and upload the file with the conversations: ${file}.`;

export const UNKNOWN_BINARY =
  'The file is binary and of no known kind. Convert it to PDF, DOCX or text, and upload it again.';

export const timeoutMessage = (description: string): string =>
  `${description}. Split the file into smaller ones and upload these, or upload it again when the server is less busy.`;

export const tooLargeMessage = (description: string): string =>
  `${description}. Split the file into smaller ones and upload these.`;

export const CRASHED =
  'The program that reads the file ended each time. Save the file in another format, such as PDF or text, and upload it again.';
