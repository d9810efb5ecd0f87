import type { HeardPart } from '#ports/speech';
import { NO_PICTURES, type PictureTexts } from './ocr/picture-texts.ts';

/** Programs and weights that extractors use. The child that reads a file gets them with each job. */
export interface ExtractionResources {
  readonly ocr: {
    /** Tesseract's names of the languages, such as `eng`. */
    readonly languages: readonly string[];
    /** Where `<language>.traineddata.gz` or `<language>.traineddata` is looked for, in this order. Not every folder exists. */
    readonly folders: readonly string[];
  };
  readonly speech: {
    /** Folder of the Whisper model. Null: it is not installed. */
    readonly model: string | null;
    /** Path of ffmpeg. Null: it is not found. */
    readonly ffmpeg: string | null;
  };
}

/** The programs and weights of a machine. */
export interface MachineResources {
  /** Returns what is there at the moment. Never rejects. */
  find(): Promise<ExtractionResources>;
  /** Whether a resource is there, or not needed any more. @param name as of MissingResourceError */
  has(name: string): Promise<boolean>;
  /** Tries every source that a server may use by itself. Never rejects. @returns whether the resource is there now */
  obtain(name: string): Promise<boolean>;
  /** Ends what it does for others. Never rejects. */
  close(): Promise<void>;
}

/** Returns the names that the weights of a language may have in their folder, the preferred one first. */
export const weightFiles = (language: string): readonly string[] => [
  `${language}.traineddata.gz`,
  `${language}.traineddata`,
];

/** What an extractor gets besides the bytes. */
export interface ExtractionContext {
  /** File with the bytes. */
  readonly path: string;
  readonly resources: ExtractionResources;
  readonly pictures: PictureTexts;
  /** What is said in a recording. Absent: nothing of it is kept before its end. */
  readonly speech?: SpeechParts;
}

/** Where the parts of a recording that are written down go. */
export interface SpeechParts {
  /** Written down by an earlier attempt. */
  readonly before: readonly SpokenPart[];
  keep(part: SpokenPart): void;
}

/** A part of a recording that is written down. */
export type SpokenPart = HeardPart & {
  /** Up to its end. */
  readonly heardSeconds: number;
  /** Length of the recording, as it says itself. Null: not known. */
  readonly totalSeconds: number | null;
};

/** Of a machine that has none. */
export const NO_RESOURCES: ExtractionResources = {
  ocr: { languages: [], folders: [] },
  speech: { model: null, ffmpeg: null },
};

/** Of a text that is read in place: no extractor of texts uses it. */
export const NO_CONTEXT: ExtractionContext = { path: '', resources: NO_RESOURCES, pictures: NO_PICTURES };
