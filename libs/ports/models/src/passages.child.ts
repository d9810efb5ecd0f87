/**
 * The passage process: a model on each of several threads, at low priority, so that a large import does not slow down
 * requests.
 */
import { type ErrorRecord, errorRecord } from '#platform/kernel';
import type { ModelFiles, Window } from './bare-model.ts';
import { beginModelProcess } from './begin-model-process.ts';
import { ModelThread } from './model-thread.ts';
import type { JoinedRows } from './tokens/token-rows.ts';

/** The only argument of the process, as JSON. */
export interface PassageSetup {
  readonly files: ModelFiles;
  readonly threads: number;
}

/** A text that is embedded alone, or a window, whose texts get a vector each. */
export type EmbeddingInput = string | Window;

/** The vectors of a portion in rows, and the tokens of its texts if they were asked for. */
export interface EmbeddedPortion {
  readonly vectors: Float32Array;
  readonly tokens: JoinedRows | null;
}

export interface Portion {
  readonly id: number;
  /** All of them texts, or all of them windows. */
  readonly passages: readonly EmbeddingInput[];
  /** Whether the tokens of each text of the windows are answered too. */
  readonly withTokens: boolean;
}

/** A question that waits for its answer. It is a text, or the short vectors of its tokens, in rows. */
export interface Comparison<Question = Float32Array | string> {
  readonly id: number;
  readonly question: Question;
  /** The most important one first. */
  readonly texts: readonly string[];
  /** No text is begun afterwards. Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type ToPassages = Portion | Comparison<Float32Array>;

export type FromPassages =
  | (EmbeddedPortion & { readonly id: number; readonly rssBytes: number })
  /** Of one text of a comparison, by its index. */
  | { readonly id: number; readonly text: number; readonly score: number }
  /** A comparison is over. */
  | { readonly id: number; readonly rssBytes: number }
  | { readonly id: number; readonly error: ErrorRecord };

beginModelProcess();

const setup = JSON.parse(process.argv[2] ?? '') as PassageSetup;
const threads = Promise.all(Array.from({ length: setup.threads }, () => ModelThread.start(setup.files)));
threads.then(
  (started) => {
    // The end of a thread ends the process, so that the parent has one case to handle.
    for (const thread of started) void thread.ended.then(() => process.exit(1));
  },
  // Every call is answered with this error.
  () => {},
);

function send(message: FromPassages): void {
  process.send?.(message);
}

const isText = (passage: EmbeddingInput): passage is string => typeof passage === 'string';

async function embedded(thread: ModelThread, { passages, withTokens }: Portion): Promise<EmbeddedPortion> {
  if (passages.every(isText)) return { vectors: await thread.embed('passage', passages), tokens: null };
  const windows = passages as readonly Window[];
  if (withTokens) return thread.embedWithTokens(windows);
  return { vectors: await thread.embedWindows(windows), tokens: null };
}

/** Each thread takes one text after the other, so that those at the end are the ones for which there is no time. */
async function compare({ id, question, texts, expiresAt }: Comparison<Float32Array>): Promise<void> {
  let next = 0;
  const takeTurns = async (thread: ModelThread) => {
    while (next < texts.length && Date.now() < expiresAt) {
      const text = next++;
      send({ id, text, score: await thread.compareTokens(question, texts[text] as string) });
    }
  };
  await Promise.all((await threads).map(takeTurns));
  send({ id, rssBytes: process.memoryUsage.rss() });
}

process.on('message', async (message: ToPassages) => {
  const { id } = message;
  try {
    if ('question' in message) return await compare(message);
    const leastBusy = (await threads).reduce((a, b) => (b.pending < a.pending ? b : a));
    send({ id, ...(await embedded(leastBusy, message)), rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send({ id, error: errorRecord(error) });
  }
});
