import { decodeSound, openWhisper, readDetails, SAMPLE_RATE, SoundError, type Transcriber } from '#ports/speech';
import type { ReadableText } from '../extractors/extractor.ts';
import { damagedFileError, ExtractionError, MissingResourceError, timeoutMessage, tooLarge } from '../failures.ts';
import type { ExtractionContext } from '../resources.ts';
import { type Container, containerOf } from './container.ts';
import { transcriptText } from './transcript-text.ts';

const HOUR = 3_600;
/** Longest recording that is read, in seconds. */
export const LONGEST = 3 * HOUR;
/** Time for a recording of these seconds: for the start of the model, and for what is heard. Milliseconds. */
export const timeFor = (seconds: number): number => 300_000 + 2_000 * seconds;

interface RecordingOptions {
  /** @param folder of the model */
  readonly openTranscriber?: (folder: string) => Promise<Transcriber>;
  /** Longest recording that is read. Seconds. */
  readonly longest?: number;
}

/**
 * Reads what is said in a recording.
 * @throws ExtractionError; MissingResourceError
 */
export async function readRecording(
  bytes: Uint8Array,
  context: ExtractionContext,
  { openTranscriber = sharedTranscriber, longest = LONGEST }: RecordingOptions = {},
): Promise<ReadableText> {
  const { ffmpeg, model } = context.resources.speech;
  if (ffmpeg === null) throw new MissingResourceError('ffmpeg');
  if (model === null) throw new MissingResourceError('whisper-base');
  const container = containerOf(bytes);
  if (container === null) throw damagedFileError('a recording');
  const file = { path: context.path, format: container.format };
  try {
    const { tags, seconds: length } = await readDetails(ffmpeg, file);
    const totalSeconds = length !== null && length <= longest ? length : null;
    const isInTime = inTime(performance.now());
    const transcriber = await openTranscriber(model);
    const { segments, language } = await transcriber.transcribe(
      limited(decodeSound(ffmpeg, file, longest + 1), longest),
      {
        before: context.speech?.before ?? [],
        heard: (part, seconds) => {
          isInTime(seconds);
          context.speech?.keep({ ...part, heardSeconds: part.next / SAMPLE_RATE, totalSeconds });
        },
      },
    );
    if (segments.length === 0) throw new ExtractionError(NOTHING_SAID);
    const date = tags.get('creation_time') ?? tags.get('date') ?? null;
    return {
      ...transcriptText(segments),
      ...{ title: tags.get('title') || null, author: tags.get('artist') || tags.get('author') || null },
      ...{ language, date },
    };
  } catch (error) {
    throw translated(error, container);
  }
}

const NOTHING_SAID =
  'Nothing is said in the recording: it holds silence, noise or music. Upload a recording with speech that can be understood.';
const NO_SOUND = 'The file has no sound, so there is nothing to write down. Upload a file with a sound track.';

function translated(error: unknown, { name }: Container): unknown {
  if (!(error instanceof SoundError)) return error;
  if (error.problem === 'silent') return new ExtractionError(NO_SOUND, 'extraction_failed', error);
  if (error.problem === 'damaged') return damagedFileError(name, error);
  return new ExtractionError(timeoutMessage('The sound could not be decoded in time'), 'extraction_timeout', error);
}

async function* limited(samples: AsyncIterable<Float32Array>, longest: number): AsyncGenerator<Float32Array> {
  let count = 0;
  for await (const piece of samples) {
    count += piece.length;
    if (count > longest * SAMPLE_RATE) throw tooLarge(`The recording is longer than ${longest / HOUR} hours`);
    yield piece;
  }
}

/** The time limit grows with what has been heard, so a short recording cannot take the time of a long one. */
function inTime(begun: number): (seconds: number) => void {
  return (seconds) => {
    if (performance.now() - begun <= timeFor(seconds)) return;
    throw new ExtractionError(timeoutMessage('The recording could not be written down in time'), 'extraction_timeout');
  };
}

/** Kept for the next recording, because the start of a model takes about two seconds. The process ends when it is idle. */
let shared: { readonly folder: string; readonly transcriber: Promise<Transcriber> } | null = null;

function sharedTranscriber(folder: string): Promise<Transcriber> {
  if (shared?.folder !== folder) {
    void shared?.transcriber.then((former) => former.close());
    shared = { folder, transcriber: openWhisper(folder) };
  }
  return shared.transcriber;
}
