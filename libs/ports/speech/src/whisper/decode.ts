import { beforeLoop } from './loops.ts';
import type { DecodingSession } from './model.ts';
import type { Tokens } from './tokens.ts';

/** Most tokens of a part; the model has positions for 448, and those before the text count. */
const MAX_TOKENS = 440;
/** The first time of a part is at most this many steps (one second) late. */
const MAX_FIRST_TIME = 50;

export interface DecodedPart {
  /** Text and times, without the end. */
  readonly tokens: readonly number[];
  /** Mean logarithm of the probabilities of the tokens. */
  readonly confidence: number;
  /** The model ran in a circle; what it repeated is left out. */
  readonly isLoop: boolean;
}

export interface LanguageDetection {
  /** Token of the language that is most likely. */
  readonly language: number;
  /** Probability that nobody speaks. */
  readonly silence: number;
}

/** What the first token says of a part. */
export async function open(hearing: DecodingSession, tokens: Tokens): Promise<LanguageDetection> {
  const logits = await hearing.next(tokens.start);
  const silence = Math.exp(logits[tokens.silence]! - logSum(logits, 0, logits.length));
  let [language = 0] = tokens.languages.keys();
  for (const id of tokens.languages.keys()) if (logits[id]! > logits[language]!) language = id;
  return { language, silence };
}

/** Says what was heard, the most likely token each time, with times before and after each passage. */
export async function decode(hearing: DecodingSession, tokens: Tokens, language: number): Promise<DecodedPart> {
  const said: number[] = [];
  let sum = 0;
  await hearing.next(language);
  let logits = await hearing.next(tokens.transcribe);
  while (said.length < MAX_TOKENS) {
    const token = choose(logits, said, tokens);
    sum += logits[token]! - logSum(logits, 0, logits.length);
    if (token === tokens.end) break;
    said.push(token);
    const kept = token < tokens.firstTime ? beforeLoop(said, tokens.firstTime) : null;
    if (kept !== null) return { tokens: said.slice(0, kept), confidence: sum / (said.length + 1), isLoop: true };
    logits = await hearing.next(token);
  }
  return { tokens: said, confidence: sum / (said.length + 1), isLoop: false };
}

/** Modifies the logits of what may not follow, and returns the likeliest of the rest. */
function choose(logits: Float32Array, said: readonly number[], tokens: Tokens): number {
  const { firstTime, lastTime, end } = tokens;
  const forbid = (from: number, to: number) => logits.fill(Number.NEGATIVE_INFINITY, from, to);
  for (const id of tokens.suppressed) logits[id] = Number.NEGATIVE_INFINITY;
  const isTime = (token: number | undefined) => token !== undefined && token >= firstTime;
  const [last, before] = [said.at(-1), said.at(-2)];
  if (last === undefined) {
    for (const id of tokens.suppressedFirst) logits[id] = Number.NEGATIVE_INFINITY;
    forbid(0, firstTime);
    forbid(firstTime + MAX_FIRST_TIME + 1, logits.length);
    return largest(logits, firstTime, firstTime + MAX_FIRST_TIME + 1);
  }
  // Times come in pairs: the end of a passage and the start of the next one. Only the first one stands alone.
  if (isTime(last)) {
    if (said.length === 1 || isTime(before)) forbid(firstTime, logits.length);
    else forbid(0, end);
  }
  const latest = said.findLast(isTime) as number;
  // Times grow, and a passage has a length.
  forbid(firstTime, Math.min(isTime(last) && !isTime(before) && said.length > 1 ? latest : latest + 1, lastTime + 1));
  const text = largest(logits, 0, firstTime);
  const time = largest(logits, firstTime, logits.length);
  // A time follows if all times together are likelier than each other token.
  const times = logSum(logits, firstTime, logits.length);
  return times > logits[text]! || logits[time]! > logits[text]! ? time : text;
}

function largest(logits: Float32Array, from: number, to: number): number {
  let best = from;
  for (let id = from + 1; id < to; id++) if (logits[id]! > logits[best]!) best = id;
  return best;
}

/** Logarithm of the sum of the exponentials. */
function logSum(logits: Float32Array, from: number, to: number): number {
  const top = logits[largest(logits, from, to)]!;
  if (top === Number.NEGATIVE_INFINITY) return top;
  let sum = 0;
  for (let id = from; id < to; id++) sum += Math.exp(logits[id]! - top);
  return top + Math.log(sum);
}
