import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SAMPLE_RATE } from './port.ts';

/** Why a file gives no samples. `stalled`: ffmpeg has given nothing for too long. */
type SoundProblem = 'silent' | 'damaged' | 'stalled';

export class SoundError extends Error {
  override readonly name = 'SoundError';
  readonly problem: SoundProblem;

  /** @param details what ffmpeg said, which may quote the file */
  constructor(problem: SoundProblem, details = '') {
    super(`the sound cannot be read: ${problem}`, { cause: details });
    this.problem = problem;
  }
}

/** A file with sound. */
export interface SoundFile {
  readonly path: string;
  /** The demuxer of ffmpeg. Always given: among those that ffmpeg would choose by itself are lists that name other files. */
  readonly format: string;
}

const MIB = 1024 * 1024;
const STALL_MS = 60_000;
const TAGS_MS = 30_000;
const MAX_TAGS = 256 * 1024;
const MAX_COMPLAINT = 8_192;

/** For every call: one thread, files of this machine only, no single allocation above the limit. */
const SAFE = ['-nostdin', '-nostats', '-hide_banner', '-max_alloc', String(256 * MIB), '-threads', '1'];

const inputOf = ({ path, format }: SoundFile): readonly string[] => [
  ...['-protocol_whitelist', 'file,pipe', '-f', format],
  ...['-i', `file:${path}`],
];

/**
 * Decodes the first sound track of a file: mono, `SAMPLE_RATE` samples a second, -1 to 1. What can be read of a damaged file
 * is read. ffmpeg waits while nobody takes samples, and is ended with the iteration.
 * @param ffmpeg path of the program
 * @param seconds at most so much is decoded
 * @throws SoundError
 */
export async function* decodeSound(ffmpeg: string, file: SoundFile, seconds: number): AsyncGenerator<Float32Array> {
  const output = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(seconds), '-ac', '1', '-ar', String(SAMPLE_RATE)];
  const run = start(ffmpeg, ['-v', 'error', ...SAFE, ...inputOf(file), ...output, '-f', 'f32le', 'pipe:1'], STALL_MS);
  let isEmpty = true;
  let rest: Uint8Array = new Uint8Array(0);
  try {
    for await (const chunk of run.output) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % 4);
      rest = bytes.subarray(whole);
      if (whole === 0) continue;
      isEmpty = false;
      // The time that the reader takes does not count.
      run.pauseLimit();
      yield samplesOf(bytes.subarray(0, whole));
      run.startLimit();
    }
    const { code, complaint, isStalled } = await run.end();
    if (isStalled) throw new SoundError('stalled');
    if (!isEmpty) return;
    const hasNoTrack = code === 0 || /matches no streams|does not contain any stream/.test(complaint);
    throw new SoundError(hasNoTrack ? 'silent' : 'damaged', complaint);
  } finally {
    run.kill();
  }
}

/** What a file says about itself, true or not. */
export interface SoundDetails {
  /** `title`, `artist`, `date` and the like, in lower case. */
  readonly tags: ReadonlyMap<string, string>;
  /** Its length. Null: not known. */
  readonly seconds: number | null;
}

/**
 * Reads what a file says about itself. Nothing is known of one that cannot be read.
 * @param ffmpeg path of the program
 */
export async function readDetails(ffmpeg: string, file: SoundFile): Promise<SoundDetails> {
  const run = start(ffmpeg, ['-v', 'info', ...SAFE, ...inputOf(file), '-f', 'ffmetadata', 'pipe:1'], TAGS_MS);
  let text = '';
  let seconds: number | null = null;
  try {
    for await (const chunk of run.output) {
      text += Buffer.from(chunk).toString('utf8');
      if (text.length > MAX_TAGS) break;
    }
    if (text.length <= MAX_TAGS) seconds = secondsIn((await run.end()).complaint);
  } finally {
    run.kill();
  }
  return { tags: tagsIn(text.slice(0, MAX_TAGS)), seconds };
}

function secondsIn(said: string): number | null {
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?),/m.exec(said) ?? [];
  return seconds === undefined ? null : (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** `key=value` lines before the first section; a backslash stands before signs and line ends that belong to the value. */
export function tagsIn(text: string): ReadonlyMap<string, string> {
  const [own = ''] = text.split(/^\[/m, 1);
  const tags = new Map<string, string>();
  for (const [, key = '', value = ''] of own.matchAll(/^((?:[^=\\;#\n]|\\.)+)=((?:[^\\\n]|\\[\s\S])*)$/gm)) {
    tags.set(plain(key).toLowerCase(), plain(value));
  }
  return tags;
}

const plain = (escaped: string): string => escaped.replace(/\\([\s\S])/g, '$1').trim();

interface Run {
  readonly output: AsyncIterable<Uint8Array>;
  /** Counts the time without output from now on, or no longer. */
  startLimit(): void;
  pauseLimit(): void;
  end(): Promise<{ readonly code: number | null; readonly complaint: string; readonly isStalled: boolean }>;
  kill(): void;
}

function start(program: string, args: readonly string[], stallMs: number): Run {
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  let complaint = '';
  let isStalled = false;
  let timer: NodeJS.Timeout | undefined;
  const pauseLimit = () => clearTimeout(timer);
  const startLimit = () => {
    pauseLimit();
    timer = setTimeout(() => {
      isStalled = true;
      child.kill('SIGKILL');
    }, stallMs);
  };
  startLimit();
  child.stderr?.on('data', (text: Buffer) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  // An error of the start is also one of the output.
  const ended = once(child, 'close').then(
    ([code]) => ({ code: code as number | null }),
    () => ({ code: null }),
  );
  return {
    output: child.stdout as AsyncIterable<Uint8Array>,
    startLimit,
    pauseLimit,
    end: async () => ({ ...(await ended), complaint, isStalled }),
    kill() {
      pauseLimit();
      child.kill('SIGKILL');
    },
  };
}

/** Numbers that are none count as silence. */
function samplesOf(bytes: Uint8Array): Float32Array {
  const samples = new Float32Array(new Uint8Array(bytes).buffer);
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!;
    samples[i] = sample > 1 ? 1 : sample < -1 ? -1 : Number.isFinite(sample) ? sample : 0;
  }
  return samples;
}
